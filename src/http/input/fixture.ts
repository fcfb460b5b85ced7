import type { TObject } from 'typebox';
import type { AccountSettings, Platform, Settings } from '../../domain/assumptions.ts';
import { BadInput } from '../../domain/cannot-start.ts';
import { codeOf } from '../../domain/error-code.ts';
import { fileReason } from '../../domain/file-error.ts';
import { isRecord } from '../../domain/json.ts';
import type { Account, Clock } from '../../domain/merchant.ts';
import { type FieldErrors, Refusal } from '../../domain/refusal.ts';
import type { MadeContract } from '../../engine/history.ts';
import type { NewMerchant } from '../../engine/merchant.ts';
import type { NewEndpoint } from '../../engine/webhook.ts';
import { AccountSettingsInput, PlatformInput, SettingsInput } from '../../operations/settings.ts';
import { EndpointCreate } from '../../operations/webhooks.ts';
import { MerchantCreate } from '../../operations/workspace.ts';
import { madeContractOf } from './contract.ts';
import { newEndpointOf } from './endpoint.ts';
import { consistentSettings, newMerchantOf } from './merchant.ts';
import { refuseUnknown, unknownField, validateStrictly, within } from './validate.ts';

/** What a workspace starts with in addition to its default merchant. */
export interface Fixture {
  readonly platform: Partial<Platform>;
  /** Settings of the default merchant's accounts. */
  readonly settings: Partial<Settings>;
  readonly liveSettings: Partial<AccountSettings>;
  readonly merchants: readonly ((newClock: () => Clock) => NewMerchant)[];
  /** Endpoints of the default sandbox account. */
  readonly endpoints: readonly NewEndpoint[];
  /**
   * Passes each contract of the default sandbox account to `use`.
   * @throws Refusal `invalid` under the path of the refused contract
   */
  forEachContract(account: Account, use: (made: MadeContract) => unknown): void;
  /**
   * Runs `work` and turns refusals of the fixture into sentences for whoever starts the server.
   * @throws BadInput
   */
  explained<T>(work: () => T): T;
}

const PARTS = ['platform', 'settings', 'live_settings', 'merchants', 'webhooks', 'contracts'];
/** Enough for 10,000 contracts, each with an order and a customer. */
const FILE_BYTES_MAX = 2048 * 1024;
/** Used only to check the description of a merchant. */
const ANY_CLOCK = (): Clock => ({ mode: 'frozen', at: 0 });

/** The mistakes in a fixture: paths in it, with one or more sentences for each. */
type Mistakes = readonly (readonly [path: string, messages: readonly string[]])[];

/**
 * Reads a fixture: a YAML or JSON file, or the content of one.
 * @throws BadInput when it cannot be read, or with all mistakes in it
 */
export async function loadFixture(source: string | object = {}): Promise<Fixture> {
  if (typeof source !== 'string') {
    return explained('The fixture', unplaced, () => fixtureOf(copyOf(source), 'The fixture'));
  }
  const name = `The fixture ${source}`;
  const { readText, Unreadable, unreadable, useYaml } = await import('../../yaml.ts');
  try {
    return useYaml(source, await readText(source, FILE_BYTES_MAX), ({ value, placeOf }) => {
      const placed = (mistakes: Mistakes) =>
        unreadable(mistakes, (mistake) => ({ ...placeOf(mistake[0].split('.'), true), message: told(mistake) })).lines;
      return explained(name, placed, () => fixtureOf(value ?? {}, name));
    });
  } catch (error) {
    if (error instanceof Unreadable) throw badInput(`${name} cannot be read.`, error.lines);
    if (codeOf(error) === '') throw error;
    throw new BadInput(`${name} cannot be read (${fileReason(error)}). Check the path.`);
  }
}

/** A reset reads the content again, and whoever gave it may have changed it since. */
const copyOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(copyOf);
  return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, copyOf(each)])) : value;
};

const told = ([path, [message]]: Mistakes[number]) => `${path}: ${message}`;

const unplaced = (mistakes: Mistakes) => mistakes.map(told);

/** Turns a refusal into sentences for whoever starts the server. Other errors stay as they are. */
function explained<T>(name: string, tell: (mistakes: Mistakes) => readonly string[], use: () => T): T {
  try {
    return use();
  } catch (error) {
    if (!(error instanceof Refusal) || !error.is('invalid')) throw error;
    throw badInput(`${name} cannot be used.`, tell(Object.entries(error.details[0])));
  }
}

const badInput = (what: string, mistakes: readonly string[]) =>
  new BadInput(`${what} Correct this:\n${mistakes.map((line) => `  ${line}`).join('\n')}`);

/**
 * Checks the content of a fixture, whose fields are those of the control plane.
 * @throws Refusal `invalid` with all mistakes, each under its path: `merchants.0.settings.grace_days`
 */
function fixtureOf(content: unknown, name: string): Fixture {
  // Without a prototype, so that __proto__ is a name like any other.
  const errors: FieldErrors = Object.create(null);
  const root = isRecord(content) ? content : {};
  if (!isRecord(content)) errors.fixture = [`The fixture must be an object with any of ${PARTS.join(', ')}.`];
  for (const key of Object.keys(root)) {
    if (!PARTS.includes(key)) errors[key] = [unknownField(key, PARTS)];
  }

  const part = <T>(path: string, given: unknown, read: (body: object) => T): T | undefined => {
    try {
      if (!isRecord(given)) throw new Refusal('invalid', { '': ['must be an object.'] });
      return read(given);
    } catch (error) {
      if (!(error instanceof Refusal) || !error.is('invalid')) throw error;
      for (const [field, messages] of Object.entries(error.details[0])) {
        errors[field === '' ? path : `${path}.${field}`] = messages;
      }
      return undefined;
    }
  };
  const parts = <T>(path: string, given: unknown = [], read: (body: object) => T): T[] => {
    if (!Array.isArray(given)) errors[path] = ['must be a list.'];
    const items: unknown[] = Array.isArray(given) ? given : [];
    return items.map((item, index) => part(`${path}.${index}`, item, read)).filter((item) => item !== undefined);
  };

  /** A start creates one endpoint for each URL that has none yet. */
  const urls = new Set<string>();
  const contracts = parts('contracts', root.contracts, madeContractOf);
  const fixture: Fixture = {
    platform: part('platform', root.platform ?? {}, (body) => validateStrictly(PlatformInput, body)) ?? {},
    settings: part('settings', root.settings ?? {}, (body) => consistentSettings(SettingsInput, body)) ?? {},
    liveSettings:
      part('live_settings', root.live_settings ?? {}, (body) => consistentSettings(AccountSettingsInput, body)) ?? {},
    merchants: parts('merchants', root.merchants, (body) => {
      refuseField(body, MerchantCreate, 'throw_away');
      newMerchantOf(body, ANY_CLOCK);
      return (newClock: () => Clock) => newMerchantOf(body, newClock);
    }),
    endpoints: parts('webhooks', root.webhooks, (body) => {
      refuseField(body, EndpointCreate, 'skip_missed');
      const endpoint = newEndpointOf(body);
      if (urls.has(endpoint.url)) throw new Refusal('invalid', { url: [SAME_URL] });
      urls.add(endpoint.url);
      return endpoint;
    }),
    forEachContract(account, use) {
      for (const [index, madeFor] of contracts.entries()) within(`contracts.${index}`, () => use(madeFor(account)));
    },
    explained: (work) => explained(name, unplaced, work),
  };
  if (Object.keys(errors).length > 0) throw new Refusal('invalid', errors);
  return fixture;
}

const SAME_URL = 'An earlier endpoint of this fixture has the same URL. List all the events in that one.';

/** Refuses a field that has an effect only in a request, and does not offer it where another one is unknown. */
function refuseField(body: object, { properties }: TObject, name: string) {
  if (Object.hasOwn(body, name)) {
    throw new Refusal('invalid', { [name]: [`The ${name} field is not possible in a fixture.`] });
  }
  const { [name]: _, ...possible } = properties;
  refuseUnknown(Object.keys(body), { properties: possible });
}
