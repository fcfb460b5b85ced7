import type { FastifyInstance } from 'fastify';
import { formatInstant } from '../../../domain/calendar.ts';
import { numberIn, requestCause } from '../../../domain/cause.ts';
import { parsed } from '../../../domain/json.ts';
import type { Account } from '../../../domain/merchant.ts';
import { invalid, Refusal } from '../../../domain/refusal.ts';
import { getRequest, listRequests } from '../../../operations/requests.ts';
import { pageOf } from '../../answer/list.ts';
import type { HttpContext } from '../../context.ts';
import type { LoggedRequest } from '../../log/logged-request.ts';
import { masked, maskedHeaders, maskedText } from '../../log/masked.ts';
import type { RequestLog } from '../../log/request-log.ts';
import { serve } from '../../serve.ts';

/** The account's requests to `/v1`. */
export function simRequests(app: FastifyInstance, { requestLog }: HttpContext) {
  serve(app, listRequests, ({ account, query }) => {
    const { limit, afterId } = pageOf(query, (id) => given(account, id));
    const matches = requestFilter(account, query.path, query.status);
    return { data: requestLog.list(limit, afterId, matches).map(requestView) };
  });

  serve(app, getRequest, ({ account, params }) => {
    const request = ownRequest(requestLog, account, params.id);
    if (!request) throw unlogged(requestLog, params.id) ?? new Refusal('not_found', 'Request');
    return { data: requestView(request) };
  });

  /** The number in an id that was issued. Whose request it was is unknown once the log has dropped it. */
  function given(account: Account, id: string): number | null {
    const number = numberOf(id) ?? 0;
    if (number < 1 || number > requestLog.latest()) return null;
    const request = requestLog.get(number);
    return request && !isOf(account, request) ? null : number;
  }
}

/** The request with that id, of any account. */
export function requestOf(requestLog: RequestLog, id: string): LoggedRequest | null {
  const number = numberOf(id);
  return number === null ? null : requestLog.get(number);
}

/** The request of the account with that id. */
export function ownRequest(requestLog: RequestLog, account: Account, id: string): LoggedRequest | null {
  const request = requestOf(requestLog, id);
  return request && isOf(account, request) ? request : null;
}

/** Why the log of a server has nothing about a request. Null for an id of anything else, or one that it never gave. */
export function unlogged({ isOn, isOlder, get }: RequestLog, id: string): Refusal | null {
  const number = numberOf(id);
  if (number === null) return null;
  const instead = 'Ask for the session, the contract or the event that it was about.';
  if (!isOn) {
    return new Refusal(
      'not_logged',
      `This server keeps no request log (--no-request-log), so it has nothing about ${id}. ${instead}`,
    );
  }
  if (!isOlder(number) || get(number)) return null;
  return new Refusal(
    'not_logged',
    `The request log no longer has ${id}: it keeps the latest 2,000 requests, at most 4 MiB. ${instead}`,
  );
}

export const isOf = (account: Account, { clientId }: LoggedRequest) => clientId === account.clientId;

/** @throws Refusal `invalid` when `status` is not a status */
export function requestFilter(account: Account, path = '', status?: string): (request: LoggedRequest) => boolean {
  const hasStatus = statusFilter(status);
  return (request) => isOf(account, request) && request.path.startsWith(path) && hasStatus(request.status);
}

const numberOf = (id: string): number | null => numberIn('req', id);

/** @throws Refusal `invalid` */
export function requestNumber(field: string, id: string): number {
  const number = numberOf(id);
  if (number === null) throw invalid(field, `The selected ${field} is invalid.`);
  return number;
}

/** `404`, or `4xx` for the whole class. */
function statusFilter(value: string | undefined): (status: number | null) => boolean {
  if (value === undefined) return () => true;
  const text = value.toLowerCase();
  if (/^[1-5]xx$/.test(text)) return (status) => String(status)[0] === text[0];
  if (/^[1-5]\d\d$/.test(text)) return (status) => String(status) === text;
  throw invalid('status', 'The status field must be a status such as 404, or a class such as 4xx.');
}

/** A request as a line of a list. */
export const requestLine = ({ number, at, method, path, status, durationMs, clientId, fault }: LoggedRequest) => ({
  id: requestCause(number),
  at: formatInstant(at),
  method,
  path: maskedText(path),
  status,
  duration_ms: Math.round(durationMs * 1000) / 1000,
  fault,
  client_id: clientId,
});

function requestView(request: LoggedRequest) {
  const { client_id, ...line } = requestLine(request);
  return {
    ...line,
    request_headers: request.isMasked ? request.requestHeaders : maskedHeaders(request.requestHeaders),
    request_body: masked(request.requestBody ?? null),
    response_body: request.responseBody === null ? null : masked(parsed(request.responseBody, request.responseBody)),
    client_id,
  };
}
