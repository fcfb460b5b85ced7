import { stateCode } from '../../../../domain/availability.ts';
import { HOUR } from '../../../../domain/calendar.ts';
import { readCause } from '../../../../domain/cause.ts';
import {
  decidedBy,
  toldAnswer,
  toldBody,
  toldContentType,
  toldFirstUse,
  toldKey,
  toldMissing,
  toldRequest,
} from '../../../../domain/explain/request.ts';
import { type Link, type Story, settingOfRequest, type ToldRequest } from '../../../../domain/explain/story.ts';
import { differingFields, isRecord, parsed } from '../../../../domain/json.ts';
import type { Account } from '../../../../domain/merchant.ts';
import { settingNote } from '../../../../domain/setting-note.ts';
import { trimmed } from '../../../../domain/text.ts';
import { suggestion } from '../../../../nearest.ts';
import { isServicePath, routesLike } from '../../../../operations/service.ts';
import type { HttpContext } from '../../../context.ts';
import { pathOf } from '../../../input/path.ts';
import { localUrlNote } from '../../../input/session.ts';
import type { LoggedRequest } from '../../../log/logged-request.ts';
import { masked, maskedHeaders, maskedText } from '../../../log/masked.ts';
import { ownRequest } from '../requests.ts';
import { toldOf } from './stories.ts';

/** Explains a request by itself, with what its answer says. */
export function createRequestExplainer({
  store,
  clocks,
  requestLog,
}: Pick<HttpContext, 'store' | 'clocks' | 'requestLog'>) {
  return function explainRequest(account: Account, id: string, story: Story): Link[] {
    const request = ownRequest(requestLog, account, id);
    if (!request) return [];
    const known = toldOf(id, request);
    const said = toldRequest(known, id, '');
    const body = parsed(request.responseBody ?? '', null);
    const answer = toldAnswer(known, body, story);
    const { section, setting } = decidedBy(known, body, story, stateOf(account, request));
    const undone = store.discarded.has(request.number) ? 'A later reset or restore discarded what it did.' : null;
    const at = request.clockAt ?? clocks.now(account.id);
    const because = [
      said.because,
      answer && maskedText(answer),
      firstUseOf(account, request, settingOfRequest(known, 'idempotency_hours', story)),
      keyOf(account, request),
      contentTypeOf(request),
      bodyOf(request, body),
      missingOf(account, request),
      routeOf(known),
      localUrlOf(request, body),
      setting && settingNote(setting),
      undone,
    ];
    const why = because.filter((part) => part !== null).join(' ');
    return [{ ...{ sentAt: null, section, setting, id, kind: 'request', at }, ...said, because: why }];
  };

  /** What had used the Idempotency-Key of a request that was refused with 409. */
  function firstUseOf(
    account: Account,
    { number, status, path, fault, requestHeaders, requestBody, clockAt }: LoggedRequest,
    hours: number,
  ) {
    const key = requestHeaders['idempotency-key'];
    const isRefused = status === 409 && !fault && path.startsWith('/v1/') && !store.discarded.has(number);
    if (!isRefused || typeof key !== 'string' || clockAt === undefined) return null;
    const { idempotency, sessions, story } = store.of(account);
    const since = clockAt - hours * HOUR;
    const use = idempotency.find(key, since, clockAt);
    const session = use && sessions.get(use.sessionId);
    if (!session) return null;
    const cause = story.sessionCause(session);
    const opener = readCause(cause);
    const first = opener.kind === 'request' ? requestLog.get(opener.number)?.requestBody : null;
    // Since a restart, the log may have lost the secrets of the first body.
    const [before, now] = [masked(first), masked(requestBody)];
    const differing = isRecord(before) && isRecord(now) ? differingFields(before, now) : [];
    return toldFirstUse(session.token, cause, differing.map(maskedText));
  }

  /** What was wrong with the key of a request that returned 401 (§5 rules 1, 2). */
  function keyOf(account: Account, { number, status, path, fault, requestHeaders, isMasked }: LoggedRequest) {
    if (status !== 401 || fault || !path.startsWith('/v1/') || store.discarded.has(number)) return null;
    const { 'x-api-key': key } = isMasked ? requestHeaders : maskedHeaders(requestHeaders);
    return toldKey(key as string | undefined, account.mode, store.of(account).keys.list());
  }

  /** What came in place of JSON in a request that returned 415. */
  function contentTypeOf({ status, path, fault, requestHeaders }: LoggedRequest) {
    if (status !== 415 || fault || !path.startsWith('/v1/')) return null;
    return maskedText(toldContentType(requestHeaders['content-type'] as string | undefined));
  }

  /** What was wrong with the body of a request that returned 422 because of it. */
  function bodyOf({ status, path, fault, requestHeaders, requestBody }: LoggedRequest, answer: unknown) {
    const isOfBody = 'body' in Object(Object(answer).errors);
    if (status !== 422 || fault || !path.startsWith('/v1/') || !isOfBody) return null;
    // The parser quotes what it read, so it reads what the log shows.
    return toldBody(masked(requestBody), requestHeaders['content-encoding'] as string | undefined);
  }

  /** Why there was no session or contract for a request that returned 404. */
  function missingOf(account: Account, { number, status, path, fault }: LoggedRequest) {
    const asked = pathOf(path);
    const [, list, id] = /^\/v1\/(checkout-sessions|contracts)\/([^/]+)/.exec(asked) ?? [];
    if (status !== 404 || fault || id === undefined || !isServicePath(asked) || store.discarded.has(number))
      return null;
    const { sessions, contracts } = store.of(account);
    const isContract = list === 'contracts';
    const had = isContract ? contracts.find(id) : sessions.find(id);
    return toldMissing(isContract ? 'contract' : 'session', maskedText(id), account.mode, had);
  }

  /** The route that was meant by a request for one that the service does not have. */
  function routeOf({ method, path, status, fault }: ToldRequest) {
    const [pathname = ''] = path.split('?');
    if (status !== 404 || fault || isServicePath(pathname)) return null;
    const asked = `${method} ${pathname}`;
    return suggestion(asked, routesLike(asked));
  }
}

/** What to do about a URL of the store that is http on this machine. */
function localUrlOf({ status, path, fault, requestBody }: LoggedRequest, answer: unknown): string | null {
  if (status !== 422 || fault || !path.startsWith('/v1/')) return null;
  return localUrlNote(Object(requestBody), Object(Object(answer).errors));
}

/** The state that the order of a request was to ship to (§4.3). */
function stateOf({ merchant }: Account, { requestBody }: LoggedRequest): string {
  const { customer_state } = Object(requestBody);
  return stateCode(trimmed(String(customer_state ?? ''))) || merchant.state;
}
