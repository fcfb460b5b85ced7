import { CannotStart } from '../../domain/cannot-start.ts';
import { HOST_NAME, ORIGIN_FORM } from '../../domain/host.ts';

/** Where the server listens, and the host names that it accepts. */
export interface Addresses {
  readonly host: string | undefined;
  readonly publicUrl: string | undefined;
  readonly allowHosts: readonly string[];
}

/** The URL in answers and pages. */
export interface BaseUrl {
  /** The public URL if one was given, else the listening address; empty until the server listens. */
  readonly url: string;
  listensAt(url: string): void;
}

/** @throws CannotStart when the host is empty, or the public URL or a name cannot be used */
export function addressesOf({ host, publicUrl, allowHosts = [] }: Partial<Addresses>): Addresses {
  if (publicUrl !== undefined && !(ORIGIN_FORM.test(publicUrl) && URL.canParse(publicUrl))) {
    throw new CannotStart(
      `${publicUrl} cannot be the public URL. Write it like https://shop.example:8443, without path, query or user.`,
    );
  }
  if (host === '') throw new CannotStart('The host is empty. Write an address of this machine, or leave it out.');
  const wrong = allowHosts.find((name) => name !== '*' && !HOST_NAME.test(name));
  if (wrong !== undefined) {
    throw new CannotStart(`${wrong} cannot be an allowed host. Write a name such as shop.test, or * for every host.`);
  }
  return { host, publicUrl: publicUrl === undefined ? undefined : new URL(publicUrl).origin, allowHosts };
}

export function createBaseUrl({ publicUrl }: Addresses): BaseUrl {
  let url = publicUrl ?? '';
  return {
    get url() {
      return url;
    },
    listensAt(listening) {
      url = publicUrl ?? listening;
    },
  };
}
