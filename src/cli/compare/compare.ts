import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isRecord, parsed } from '../../domain/json.ts';
import { SCOPES } from '../../domain/scope.ts';
import type { Incoming } from '../../exchange.ts';
import { usage } from '../exit.ts';
import { pastedArgument } from '../input/shell-quoted.ts';
import { notTheService, pairHeaders, read, readConfig, type SecondServer, send } from '../server/second-server.ts';
import { differingPlaces } from './form.ts';
import { type Probe, READING, writing } from './probes.ts';
import { type Remedy, remedyOf, remedyOfStatus, stepsOf } from './remedy.ts';
import { type Config, withoutTerms } from './terms.ts';

/** The parts of an answer that are compared. */
export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | null>>;
  /** Parsed if it is JSON, otherwise the text. */
  readonly body: unknown;
}

/** One place in which the answers to one request differ (interface §12). */
export interface Difference {
  readonly request: {
    readonly title: string;
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string | readonly string[]>>;
    readonly body: unknown;
  };
  /** Such as `body.data.terms.min_order_amount`. */
  readonly at: string;
  readonly here: Answered;
  readonly there: Answered;
  /** Both values. Some places are in no answer, such as the number of installments: then those that were compared. */
  readonly values: readonly [unknown, unknown];
  readonly decision: string;
  /** The command that removes it, or two joined by `&&`; null when no assumption does. */
  readonly assumption: string | null;
}

export interface Compared {
  readonly probe: Probe;
  readonly differences: readonly Difference[];
}

/** Why a probe was left out, for people. */
export interface Skipped {
  readonly title: string;
  readonly why: string;
}

export interface Comparison {
  readonly compared: readonly Compared[];
  readonly skipped: readonly Skipped[];
}

export interface CompareOptions {
  readonly write: boolean;
  readonly note: (text: string) => void;
  /** How many installments a plan has here; null when that is unknown. */
  readonly installmentCount: number | null;
}

/**
 * Sends the probes to both servers and compares what they answer.
 * @throws CommandError when one of them cannot be reached, refuses its pair or is not the service
 */
export async function compare(
  here: SecondServer,
  there: SecondServer,
  { write, note, installmentCount }: CompareOptions,
): Promise<Comparison> {
  const sides = [await sideOf(here, note), await sideOf(there, note)] as const;
  const compared: Compared[] = [];
  const skipped: Skipped[] = [];
  const sent = new Set<string>();
  const tryOne = async (probe: Probe) => {
    const paths = sides.map((side) => pathOf(probe, side));
    const without = sides.find((_, index) => paths[index] === null);
    if (without) return skipped.push({ title: probe.title, why: `${without.baseUrl} has none to read` });
    for (const text of textsIn(probe.body)) sent.add(text);
    const answers = [await ask(sides[0], probe, note), await ask(sides[1], probe, note)] as const;
    return compared.push({ probe, differences: differencesOf(probe, sides, answers, { sent, installmentCount }) });
  };

  for (const probe of READING) await tryOne(probe);
  if (write) {
    const totalCents = commonTotal(sides[0].config, sides[1].config);
    for (const probe of writing(randomUUID(), totalCents)) await tryOne(probe);
  }
  return { compared, skipped };
}

interface Side extends SecondServer {
  readonly config: Config;
  /** The newest contract. */
  readonly contract: string | null;
  /** The one that the probes opened. */
  session: string | null;
}

/** Reads what every comparison needs to know about the account. */
async function sideOf(server: SecondServer, note: (text: string) => void): Promise<Side> {
  const { scopes } = (await read(server, '/v1/ping', note)) as { readonly scopes?: unknown };
  const missing = Array.isArray(scopes) ? SCOPES.filter((scope) => !scopes.includes(scope)) : [];
  if (missing.length > 0) {
    note(`The key for ${server.baseUrl} does not have ${missing.join(', ')}: its 403 differs for that reason alone.`);
  }
  const config = (await readConfig(server, note)) as unknown as Config;
  const contracts = await read(server, '/v1/contracts', note);
  if (!Array.isArray(contracts)) {
    throw notTheService(server, 'its response to GET /v1/contracts is not a list');
  }
  const [newest] = contracts as readonly ({ readonly reference?: string } | null)[];
  return { ...server, config, contract: newest?.reference ?? null, session: null };
}

/** A total inside both ranges that shows how shares are rounded. */
function commonTotal({ terms: a }: Config, { terms: b }: Config): number {
  const min = Math.max(a.min_order_amount, b.min_order_amount);
  const max = Math.min(a.max_order_amount, b.max_order_amount);
  if (min > max)
    throw usage(
      '--write: the ranges of the order total do not overlap. Raise the lower maximum or lower the higher minimum.',
    );
  return Math.min(min + 7_345, max);
}

function pathOf({ path }: Probe, { contract, session }: Side): string | null {
  const given: Readonly<Record<string, string | null>> = { '{contract}': contract, '{session}': session };
  const name = /\{\w+\}/.exec(path)?.[0];
  if (name === undefined) return path;
  const value = given[name] ?? null;
  return value === null ? null : path.replace(name, encodeURIComponent(value));
}

async function ask(side: Side, probe: Probe, note: (text: string) => void): Promise<Answered> {
  const answer = answered(await send(side, requestOf(side, probe), note));
  const data = isRecord(answer.body) ? answer.body.data : undefined;
  if (probe.method === 'POST' && answer.status === 201 && isRecord(data)) side.session = String(data.id);
  return answer;
}

function requestOf(side: Side, probe: Probe) {
  const { method, body, headers, as } = probe;
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const key = as && `${as === 'a live key' ? 'sk_live_' : 'sk_test_'}${'0'.repeat(32)}`;
  return {
    method,
    path: pathOf(probe, side) ?? probe.path,
    headers: {
      ...(as === 'nobody' ? {} : { ...pairHeaders(side), ...(key ? { 'x-api-key': key } : {}) }),
      ...(text === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(text === undefined ? {} : { body: text }),
  };
}

function answered({ status, headers, text }: Incoming): Answered {
  return { status, headers: comparedHeaders(headers), body: parsed(text, text) };
}

const comparedHeaders = (headers: IncomingHttpHeaders) => ({
  // HTTP ignores the case of a media type and of a charset.
  'content-type': headers['content-type']?.toLowerCase() ?? null,
  allow: headers.allow ?? null,
  'retry-after': headers['retry-after'] === undefined ? null : 'present',
  'idempotent-replayed': String(headers['idempotent-replayed'] ?? '') || null,
  'cache-control': headers['cache-control'] ?? null,
});

function differencesOf(
  probe: Probe,
  [here, there]: readonly [Side, Side],
  [a, b]: readonly [Answered, Answered],
  { sent, installmentCount }: { readonly sent: ReadonlySet<string>; readonly installmentCount: number | null },
) {
  const { title, method, path, headers = {}, body = null, byForm = [] } = probe;
  const normal = (answer: Answered, { config }: Side) => ({ ...answer, body: withoutTerms(answer.body, config) });
  const [ours, theirs] = [normal(a, here), normal(b, there)];
  const places = a.status === b.status ? differingPlaces(ours, theirs, { sent, byForm }) : ['status'];
  // A minimum above the present maximum would be refused.
  const isRaised = there.config.terms.min_order_amount > here.config.terms.max_order_amount;
  const inOrder = isRaised ? places.toSorted((one, other) => rank(one) - rank(other)) : places;
  return inOrder.map((at): Difference => {
    const values = [valueAt(a, at) ?? valueAt(ours, at), valueAt(b, at) ?? valueAt(theirs, at)] as const;
    const data = isRecord(b.body) && isRecord(b.body.data) ? b.body.data : {};
    const remedy = at === 'status' ? remedyOfStatus(a, b) : remedyOf(at, values, data);
    return {
      request: { title, method, path, headers, body },
      at,
      here: a,
      there: b,
      values,
      decision: remedy === null ? probe.decision : `decisions §2, ${remedy.name}`,
      assumption: remedy && stepsOf(remedy, installmentCount).map(commandOf).join(' && '),
    };
  });
}

/** The command that sets an assumption, up to its name. */
export const SETTING = 'layaway assumptions set';
const commandOf = ({ name, value }: Remedy) => `${SETTING} ${name} ${pastedArgument(String(value))}`;

const rank = (place: string) => (place.endsWith('.max_order_amount') ? 0 : 1);

/** Every text in what was sent. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return isContainer(value) ? Object.values(value).flatMap(textsIn) : [];
}

function valueAt(value: unknown, at: string): unknown {
  return at.split('.').reduce<unknown>((found, key) => (isContainer(found) ? found[key] : undefined), value);
}

const isContainer = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
