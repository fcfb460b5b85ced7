import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requestCause } from '../domain/cause.ts';
import { leavesUnanswered } from '../domain/faults.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Shown } from '../domain/situations.ts';
import { OF_TOOL, TOOL_HEADER } from '../operations/tool-header.ts';
import { clientIdOf } from './attribution.ts';
import type { HttpContext } from './context.ts';
import { hasUnknownField } from './input/unknown-fields.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Real time. */
    arrivedAt: number;
    /** Facts from a successful answer that coverage needs. */
    shown: Shown | null;
    /** Its number in the request log, if that was needed before the answer. */
    logNumber: number | null;
  }
  interface FastifyReply {
    refusal: Refusal | null;
  }
  interface FastifyInstance {
    /** Call it just before a request gets `text` as its answer, or no answer. */
    noteMet(request: FastifyRequest, reply: FastifyReply, text: string | null): void;
  }
}

/** Marks requests that do not come from a store: those of commands, and of a test's own levers (interface §9). */
export const isOfTool = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) =>
  headers[TOOL_HEADER] === OF_TOOL[TOOL_HEADER];

/**
 * Notes what each request to the service shows about the store, when its answer is ready. That is in the same turn as
 * the work itself, so both share one COMMIT, for which the answer waits. Register it before the hook that waits.
 */
export function cover(app: FastifyInstance, ctx: HttpContext) {
  const { coverage, requestLog, realNow, store, throwAways } = ctx;
  app.decorateRequest('arrivedAt', 0);
  app.decorateRequest('shown', null);
  app.decorateRequest('logNumber', null);
  app.decorateReply('refusal', null);
  app.decorate('noteMet', note);
  app.addHook('onSend', (request, reply, payload, done) => {
    // The client may leave before a slow answer is sent.
    if (request.strike?.fault.kind !== 'slow') note(request, reply, typeof payload === 'string' ? payload : null);
    done();
  });

  /**
   * A fault in what is noted does not change the answer. A full disk does: it undid the request itself.
   * @throws Refusal `disk_full`
   */
  function note(request: FastifyRequest, reply: FastifyReply, answer: string | null) {
    try {
      noteAll(request, reply, answer);
    } catch (error) {
      if (error instanceof Refusal) throw error;
      ctx.fault(error);
    }
  }

  function noteAll(request: FastifyRequest, reply: FastifyReply, answer: string | null) {
    const { operation } = request.routeOptions.config;
    const { refusal } = reply;
    if (operation?.scope === undefined || isOfTool(request)) return;
    if (refusal?.is('broken_off') || refusal?.is('disk_full')) return;
    // A reset or restore may have removed the account since the request was authenticated.
    const account = store.accounts.find(clientIdOf(request, store) ?? '');
    if (!account) return;
    // A store may look up what an event of a throw-away merchant named. In production, it finds what events name.
    if (reply.statusCode === 404 && throwAways.know(subjectOf(request))) return;
    // The answer to a HEAD has no body to read.
    const isRead = request.method !== 'HEAD';
    const { status, retryAfterSeconds } = asSeen(request, reply);
    coverage.answered(account, {
      operation: operation.operationId,
      method: request.method,
      url: request.url,
      session: isRead ? ((request.params as { readonly id?: string }).id ?? null) : null,
      status,
      retryAfterSeconds,
      isThrottledByFault: request.strike?.fault.kind === 'throttled',
      detail: refusal && detailOf(refusal),
      shown: isRead ? request.shown : null,
      answer,
      key: (request.headers['idempotency-key'] as string | undefined) || null,
      body: operation.body ? ((request.body as Record<string, unknown> | undefined) ?? null) : null,
      isBodyUnread: operation.body !== undefined && request.body === undefined,
      hasUnknownField: hasUnknownField(operation, request.body),
      arrivedAt: request.arrivedAt,
      answeredAt: realNow(),
      id() {
        request.logNumber ??= requestLog.nextNumber();
        // Also logs a request whose client has left, because a number that was given out must be used.
        reply.raw.once('close', () => app.tellOf(request, reply));
        return requestCause(request.logNumber);
      },
    });
  }
}

/** The session or contract in its path. */
function subjectOf({ params }: FastifyRequest): string {
  const { id, reference } = params as { readonly id?: string; readonly reference?: string };
  return id ?? reference ?? '';
}

/** The status that the store sees when a fault strikes the answer. */
function asSeen({ strike, method }: FastifyRequest, reply: FastifyReply) {
  const kind = strike?.fault.kind;
  if (kind === 'late_error') return { status: strike?.status ?? 503, retryAfterSeconds: strike?.retryAfter ?? null };
  const isUnanswered = kind === 'slow' ? reply.raw.destroyed : leavesUnanswered(kind, method);
  if (isUnanswered) return { status: null, retryAfterSeconds: null };
  const header = reply.getHeader('retry-after');
  return { status: reply.statusCode, retryAfterSeconds: header === undefined ? null : Number(header) };
}

function detailOf(refusal: Refusal): string | null {
  if (refusal.is('layaway_unavailable')) return refusal.details[1];
  if (refusal.is('contract_ended')) return refusal.details[0];
  return refusal.is('contract_not_active') ? 'pending' : null;
}
