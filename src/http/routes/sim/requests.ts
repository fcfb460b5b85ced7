import type { FastifyInstance } from 'fastify';
import { formatInstant } from '../../../domain/calendar.ts';
import { invalid } from '../../../domain/refusal.ts';
import type { HttpContext } from '../../context.ts';
import { listQuery } from '../../list.ts';
import { type LoggedRequest, redacted } from '../../request-log.ts';

/** What hit `/v1`: the account's own requests, and those that named no account. */
export function simRequests(app: FastifyInstance, { requestLog }: HttpContext) {
  app.get<{ Querystring: Record<string, unknown> }>('/_sim/requests', async ({ principal: { account }, query }) => {
    const { limit, afterId } = listQuery(query, numberOf);
    const path = typeof query.path === 'string' ? query.path : '';
    const status = statusFilter(query.status);
    const matches = (request: LoggedRequest) =>
      (request.clientId === null || request.clientId === account.clientId) &&
      request.path.startsWith(path) &&
      status(request.status);
    return { data: requestLog.list(limit, afterId, matches).map(requestView) };
  });
}

/** `req_` and the number, so that ids sort and can be resumed from. */
const idOf = (number: number) => `req_${String(number).padStart(12, '0')}`;

function numberOf(id: string): number {
  const match = /^req_(\d{12})$/.exec(id);
  if (!match) throw invalid('after', 'The selected after is invalid.');
  return Number(match[1]);
}

/** `404`, or `4xx` for the whole class. */
function statusFilter(value: unknown): (status: number) => boolean {
  if (value === undefined || value === '') return () => true;
  const text = String(value).toLowerCase();
  if (/^[1-5]xx$/.test(text)) return (status) => String(status)[0] === text[0];
  if (/^[1-5]\d\d$/.test(text)) return (status) => String(status) === text;
  throw invalid('status', 'The status field must be a status such as 404, or a class such as 4xx.');
}

export const requestView = (request: LoggedRequest) => ({
  id: idOf(request.number),
  at: formatInstant(request.at),
  method: request.method,
  path: request.path,
  status: request.status,
  duration_ms: Math.round(request.durationMs * 1000) / 1000,
  request_headers: redacted(request.requestHeaders),
  request_body: request.requestBody ?? null,
  response_body: request.responseBody === null ? null : parsed(request.responseBody),
  client_id: request.clientId,
});

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
