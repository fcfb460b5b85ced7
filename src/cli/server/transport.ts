import type { IncomingMessage } from 'node:http';
import { certificateFault } from '../../domain/certificate-fault.ts';
import { codeOf } from '../../domain/error-code.ts';
import * as bare from '../../exchange.ts';
import { CommandError, EXIT, unreachable, usage } from '../exit.ts';

/** What may be behind a failure of the server. */
export const FAULTED =
  'If it is a simulator, `layaway faults list` shows whether a fault strikes this request. The faults of --chaos are not listed there; the simulator prints them.';

type Asked = Pick<bare.Outgoing, 'url' | 'timeoutMs'>;

/** How long a request may take, except for one that moves the clock. */
export const TIMEOUT_MS = 30_000;

/** The flag that names the server of a command. */
export const BASE_URL = '--base-url';

/**
 * Sends a request and reads its whole answer. `flag` names the server, for advice.
 * @throws CommandError when no HTTP answer comes
 */
export const exchange = (outgoing: bare.Outgoing, flag = BASE_URL): Promise<bare.Incoming> =>
  explained(bare.exchange(outgoing), outgoing, flag);

/**
 * Sends a request and resolves when the head of its answer arrives.
 * @throws CommandError when no HTTP answer comes
 */
export const open = (outgoing: bare.Outgoing): Promise<IncomingMessage> => explained(bare.open(outgoing), outgoing);

/**
 * Reads the body of such an answer.
 * @throws CommandError when it breaks off, or is too large
 */
export const textOf = (response: IncomingMessage, asked: Asked): Promise<string> =>
  explained(bare.textOf(response), asked);

const explained = <T>(work: Promise<T>, asked: Asked, flag = BASE_URL): Promise<T> =>
  work.catch((error) => {
    throw explain(error, asked, flag);
  });

function explain(error: unknown, { url, timeoutMs }: Asked, flag: string): unknown {
  const code = codeOf(error);
  const { origin, hostname } = new URL(url);
  const unreached = (message: string) => unreachable(message, error, flag);
  if (code === 'ERR_ACCESS_DENIED') return error;
  if (code === 'ERR_INVALID_CHAR') {
    return usage(
      'A client id, API key, control token or idempotency key contains a character that HTTP headers do not allow.',
    );
  }
  if (code === 'ECONNREFUSED') {
    const start = flag === BASE_URL ? 'Start the simulator with `layaway serve`' : 'Start its server';
    return unreached(`Nothing answers at ${origin}. ${start}, or use ${flag} for another address.`);
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return unreached(`The host ${hostname} was not found. Check ${flag} and your network.`);
  }
  if (code === 'ETIMEDOUT') {
    return unreached(
      `${origin} did not answer within ${Math.round(timeoutMs / 1000)} seconds. Check the address and its server.`,
    );
  }
  if (code === bare.TOO_LARGE) {
    return unreached(
      `The response of ${origin} is larger than 256 MiB, so it was not read to the end. Check whether another program uses that port, or use ${flag} for another address.`,
    );
  }
  if (code === bare.ENDLESS) return otherKind(url, 'its response is a stream of events', error, flag);
  if (code.startsWith('HPE_')) return otherKind(url, 'it does not speak HTTP', error, flag);
  if (code === 'EPROTO') return otherKind(url, 'it does not speak HTTPS', error, flag);
  const fault = certificateFault(code);
  if (fault) {
    const why = {
      authority:
        'is not one that Node trusts. If it is yours, set NODE_EXTRA_CA_CERTS to a PEM file with it, or with the certificate of its authority.',
      host: `is for another host. Use ${flag} with the name that it is for.`,
      expired: 'has expired. Renew it, or correct the clock of this machine.',
      early: 'is not valid yet. Renew it, or correct the clock of this machine.',
    };
    return unreached(`The certificate of ${origin} ${why[fault]}`);
  }
  if (code === 'ECONNRESET') {
    return unreached(
      `The connection to ${origin} ended without a response. Check that the server is running. ${FAULTED}`,
    );
  }
  return unreached(
    `The connection to ${origin} failed (${code || (error as Error).message}). Check that the server is running, then try again.`,
  );
}

/** Something answers at the URL that is not the service. */
export function otherKind(url: string, why: string, cause?: unknown, flag = BASE_URL) {
  return unreachable(
    `The server at ${new URL(url).origin} is not the Layaway Checkout Service: ${why}. Check whether another program uses that port, or use ${flag} for another address.`,
    cause,
    flag,
  );
}

/** Whether there is nothing at this path, for this method. */
export const isMissing = (status: number) => status === 404 || status === 405;

/** Where an answer redirects to, as a clause; null when it does not. The service never redirects. */
export const redirection = ({ status, headers }: bare.Incoming): string | null =>
  status >= 300 && status < 400 ? `it redirects to ${headers.location ?? 'another place'}` : null;

/** The service itself, or another server without levers. */
export const noControlPlane = (baseUrl: string) =>
  new CommandError(
    EXIT.refused,
    `The server at ${baseUrl} has no control plane: this command works only with a simulator, not with the service itself.`,
  );

/** Explains a page of a gateway in front of the service; null when it could be any other server. */
export function gatewayFault(
  status: number,
  { baseUrl, asked }: { readonly baseUrl: string; readonly asked: string },
  flag = BASE_URL,
): CommandError | null {
  const { origin } = new URL(baseUrl);
  const fault = (message: string) => unreachable(message, undefined, flag);
  if (status === 504 && !asked.startsWith('GET ')) {
    return fault(
      `A gateway at ${origin} returned 504: it gave up waiting for the service behind it, which may still carry out the request. Look at the result before you try again, and let the gateway wait longer.`,
    );
  }
  if (status >= 502 && status <= 504) {
    return fault(
      `A gateway at ${origin} returned ${status}: the service behind it does not respond. Try again later, or use ${flag} for another address.`,
    );
  }
  if (status !== 404) return null;
  return fault(
    `The server at ${origin} answered ${asked} with 404 and a page that does not come from the service. The service is not at ${baseUrl}. Check the path of ${flag}, such as the prefix that a gateway adds.`,
  );
}
