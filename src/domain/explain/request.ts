import { REASON_SETTINGS, STATES } from '../availability.ts';
import { type Cause, readCause, UNLOGGED } from '../cause.ts';
import { FAULTS, leavesUnanswered } from '../faults.ts';
import { isRecord } from '../json.ts';
import { KEY_PREFIX_LENGTH } from '../limits.ts';
import type { ApiKey } from '../merchant.ts';
import { apiKeyPrefix, MODES, type Mode, modeOfApiKey } from '../mode.ts';
import type { Session } from '../session.ts';
import type { Setting } from '../setting-note.ts';
import { type Said, type Story, settingOfRequest, type ToldRequest } from './story.ts';

/** What a request asked for and which status it got. `otherwise` describes one that the log no longer holds. */
export const toldRequest = (request: ToldRequest | null, id: string, otherwise: string): Said => {
  if (!request) return { what: `${otherwise}.`, because: 'A request did this. It is no longer in the log.', id };
  const { method, path, fault, isOfTool, sentAt, unknownFields } = request;
  const origin = isOfTool
    ? 'The request came from a command or a test, not from the store'
    : 'The request came from the store';
  const because = fault
    ? `${origin}; the fault ${fault.kind} (${fault.id}) struck. ${FAULTS[fault.kind].effect}`
    : `${origin}.`;
  return {
    what: `${method} ${path} ${answered(request)}.`,
    because: [because, toldUnknown(method, unknownFields)].filter((part) => part !== null).join(' '),
    id,
    sentAt,
  };
};

/** How many fields a sentence names. */
const FIELDS_MAX = 5;

/** No response says that a field has no effect. */
function toldUnknown(method: string, fields: readonly string[]): string | null {
  const [only] = fields;
  if (only === undefined) return null;
  const [kind, place] = method === 'GET' || method === 'HEAD' ? ['parameter', 'query'] : ['field', 'body'];
  if (fields.length === 1) return `The service ignores the ${kind} ${only} of the ${place}.`;
  return `The service ignores these ${kind}s of the ${place}: ${listed(fields)}.`;
}

function listed(fields: readonly string[]): string {
  const more = fields.length > FIELDS_MAX ? ` and ${fields.length - FIELDS_MAX} more` : '';
  return `${fields.slice(0, FIELDS_MAX).join(', ')}${more}`;
}

export function answered({ method, status, fault }: Pick<ToldRequest, 'method' | 'status' | 'fault'>): string {
  if (status === null) return 'got no response';
  return `${leavesUnanswered(fault?.kind, method) ? 'would have returned' : 'returned'} ${status}`;
}

/** What the answer to a request says that is in no chain: why it was refused, or why it changed nothing. */
export function toldAnswer({ method, path, status }: ToldRequest, answer: unknown, story: Story): string | null {
  type Answer = Readonly<Record<'message' | 'errors' | 'reason' | 'data', unknown>>;
  const { message, errors, reason, data } = Object(answer) as Answer;
  if (typeof message === 'string') {
    const each = Object.values(Object(errors)).flat();
    const said = `The service said: ${each.length > 0 ? each.join(' ') : message}`;
    return typeof reason === 'string' ? `${said} The reason is ${reason}.` : said;
  }
  const [resource = ''] = path.split('?', 1);
  if (method !== 'POST') return null;
  if (resource === '/v1/sessions' && status === 201 && story.session) {
    const same = `Its Idempotency-Key was that of ${openerOf(story.sessionCause)}, so it got the same session, and nothing new was opened.`;
    const shown = Object(data).status;
    return shown === 'expired' || shown === 'cancelled'
      ? `${same} That session is ${shown}: for a new attempt, the store has to send a new key.`
      : same;
  }
  const isCancel = resource.startsWith('/v1/contracts/') && resource.endsWith('/cancel') && status === 200;
  return isCancel && story.contract ? 'The contract was already cancelled, so nothing changed.' : null;
}

/**
 * What had used the Idempotency-Key of a request that returned 409 (service §4.3), and the fields in which the two bodies
 * differ, as far as the log shows them.
 */
export function toldFirstUse(session: string, sessionCause: Cause | null, differing: readonly string[]) {
  const use = `It was that of ${openerOf(sessionCause)}, which opened ${session}.`;
  if (differing.length === 0) return use;
  return `${use} The two bodies differ in ${differing.length === 1 ? '' : 'these fields: '}${listed(differing)}.`;
}

function openerOf(sessionCause: Cause | null): string {
  const opener = readCause(sessionCause);
  return opener.kind === 'request' && opener.number !== UNLOGGED ? opener.id : 'an earlier request';
}

/** The section of the rule behind a refusal. */
const SECTIONS: Readonly<Record<number, string>> = {
  400: 'service §4.3',
  401: 'service §5',
  403: 'service §5',
  404: 'service §7',
  405: 'decisions §5',
  409: 'service §4.3',
  413: 'decisions §5',
  415: 'decisions §5',
  422: 'decisions §5',
  429: 'service §8',
};

const SWITCHES: Readonly<Record<string, Setting>> = REASON_SETTINGS;

/**
 * The rule behind the answer to a request that is in no chain, and the setting that decided it, with its value then.
 * `state` is where its order was to ship.
 */
export function decidedBy(
  request: ToldRequest,
  answer: unknown,
  story: Story,
  state: string,
): Required<Pick<Said, 'section' | 'setting'>> {
  const { path, status, fault, limit } = request;
  if (fault) return { section: 'interface §7', setting: null };
  const section = SECTIONS[status ?? 0] ?? null;
  const { message, errors, reason } = Object(answer) as Readonly<Record<'message' | 'errors' | 'reason', unknown>>;
  const then = (name: keyof Story['settings']) => ({ name, value: settingOfRequest(request, name, story) });
  const ofReason = (given: string) => {
    if (given === 'state_excluded') return then('excluded_states');
    // A text that is not the code of a state is unavailable, whatever the setting says.
    if (given === 'state_unavailable') return STATES.has(state) ? then('unavailable_states') : null;
    return SWITCHES[given] ?? null;
  };
  if (limit) return { section, setting: limit };
  if (typeof reason === 'string') return { section: 'service §2.3', setting: ofReason(reason) };
  if (status === 409) return { section, setting: then('idempotency_hours') };
  if (status === 403) {
    const [refusing = null] = [then('clearance'), then('account_status')].filter(
      ({ value }) => value !== 'cleared' && value !== 'active',
    );
    return { section, setting: /scope/.test(String(message)) ? null : refusing };
  }
  if (status === 404 && /^The route /.test(String(message))) return { section: 'decisions §5', setting: null };
  if (status === 422 && /\/cancel(\?|$)/.test(path)) return { section: 'service §4.8', setting: null };
  const [, bound, cents] = /(at least|greater than) (\d+)\.$/.exec(String(Object(errors).total_amount)) ?? [];
  const name = bound === 'at least' ? 'min_order_amount' : 'max_order_amount';
  return { section, setting: bound === undefined ? null : { name, value: Number(cents) } };
}

/** Many clients send the type of a form, or none, unless they are told another. */
export const toldContentType = (type: string | undefined) =>
  type === undefined ? 'It came without a Content-Type.' : `Its Content-Type was ${type}.`;

/**
 * What was wrong with a body that was refused as invalid JSON, where the service does not say. `body` is undefined if its
 * bytes were not text.
 */
export function toldBody(body: unknown, encoding: string | undefined): string | null {
  if (body === undefined) {
    const isEncoded = encoding !== undefined && encoding !== 'identity';
    return isEncoded ? `The body was encoded: its Content-Encoding was ${encoding}.` : 'The body was not in UTF-8.';
  }
  if (typeof body !== 'string') return null;
  if (body.startsWith('\ufeff')) return 'The body began with a byte order mark.';
  try {
    const isObject = isRecord(JSON.parse(body));
    return isObject ? 'The body was nested too deeply or contained an unpaired surrogate.' : null;
  } catch (error) {
    return `The parser said: ${(error as Error).message}.`;
  }
}

/** Why an account has no session or contract with an id. `had` is what it has, for a preview counts as not found (§4.5). */
export function toldMissing(
  wanted: 'session' | 'contract',
  id: string,
  mode: Mode,
  had: Pick<Session, 'preview'> | null,
) {
  if (had) return had.preview ? 'It belongs to a preview, which /v1 never shows.' : null;
  const [named, prefix] =
    wanted === 'session' ? ['id of a checkout session', 'cs_'] : ['reference of a contract', 'LAY-'];
  if (!id.startsWith(prefix)) return `"${id}" is not the ${named}, which begins with ${prefix}.`;
  return `The account, in ${mode} mode, has no ${wanted} ${id}. It may belong to another account, such as that of the other mode, or be from before a reset.`;
}

/** Why the key of a request was refused. Only its first characters are known, as of every key. */
export function toldKey(key: string | undefined, mode: Mode, keys: readonly Pick<ApiKey, 'prefix' | 'revokedAt'>[]) {
  if (key === undefined) return 'It sent no X-Api-Key header.';
  const prefix = key.slice(0, KEY_PREFIX_LENGTH);
  if (prefix.length < KEY_PREFIX_LENGTH) return 'Its X-Api-Key is too short for an API key.';
  const modeOfKey = modeOfApiKey(prefix);
  if (modeOfKey === null) {
    return `Its X-Api-Key is not an API key: they begin with ${MODES.map(apiKeyPrefix).join(' or ')}.`;
  }
  if (modeOfKey !== mode) {
    return `Its API key ${prefix}… is for ${modeOfKey} mode, but the client id is for ${mode} mode.`;
  }
  const known = keys.filter((each) => each.prefix === prefix);
  if (known.length === 0) return `The account has no API key ${prefix}….`;
  return known.every(({ revokedAt }) => revokedAt !== null)
    ? `Its API key ${prefix}… is revoked.`
    : `Its API key begins with ${prefix}, like one of the account, but is a different key.`;
}
