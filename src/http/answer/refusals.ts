import type { FastifyReply, FastifyRequest } from 'fastify';
import { codeOf } from '../../domain/error-code.ts';
import { Refusal, type RefusalCode } from '../../domain/refusal.ts';

/** The client closed the connection during its request. That is not a fault, and there is nobody to answer. */
export const isBrokenOff = (error: unknown, { raw }: FastifyRequest) => codeOf(error) === 'ECONNRESET' && !raw.complete;

/** The only map from refusals to statuses (§7). */
export const STATUS: Record<RefusalCode, number> = {
  idempotency_key_too_long: 400,
  header_repeated: 400,
  broken_off: 400,
  unauthenticated: 401,
  scope_missing: 403,
  merchant_not_cleared: 403,
  account_not_active: 403,
  layaway_unavailable: 403,
  foreign_host: 403,
  foreign_origin: 403,
  session_not_found: 404,
  contract_not_found: 404,
  not_found: 404,
  not_explained: 404,
  lever_not_explained: 404,
  removed_not_explained: 404,
  not_logged: 404,
  route_not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  idempotency_key_reused: 409,
  body_too_large: 413,
  content_type: 415,
  invalid: 422,
  contract_not_active: 422,
  contract_ended: 422,
  installment_not_overdue: 422,
  unprocessable: 422,
  too_many_attempts: 429,
  disk_full: 507,
};

/** Answers a refusal in the shape of §2.9. */
export function sendRefusal(reply: FastifyReply, refusal: Refusal) {
  reply.refusal = refusal;
  if (refusal.is('method_not_allowed')) reply.header('allow', refusal.details[2]);
  if (refusal.is('too_many_attempts')) reply.header('retry-after', refusal.details[0]);
  return reply
    .code(STATUS[refusal.code])
    .header('content-type', 'application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(refusalBody(refusal));
}

export function refusalBody(refusal: Refusal) {
  const { message } = refusal;
  if (refusal.is('layaway_unavailable')) return { message, reason: refusal.details[1] };
  if (refusal.is('invalid')) return { message, errors: refusal.details[0] };
  return { message };
}

/** Fastify's own errors, with our messages. */
export function toRefusal(error: unknown, request: FastifyRequest, bodyLimitBytes: number): Refusal | null {
  if (error instanceof Refusal) return error;
  if (isBrokenOff(error, request)) return new Refusal('broken_off');
  const code = codeOf(error);
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new Refusal('body_too_large', bodyLimitBytes);
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') {
    return new Refusal('invalid', { body: ['The length of the request body does not match its Content-Length.'] });
  }
  return null;
}
