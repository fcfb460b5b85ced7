import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SERVER_DEFAULTS } from '../../../domain/assumptions.ts';
import type { FaultKind } from '../../../domain/faults.ts';
import type { Account } from '../../../domain/merchant.ts';
import { Refusal } from '../../../domain/refusal.ts';
import type { Strike } from '../../../engine/fault.ts';
import { sendRefusal } from '../../answer/refusals.ts';
import type { HttpContext } from '../../context.ts';
import { readEarly } from '../../input/early.ts';
import { pathOf } from '../../input/path.ts';
import { createDelays, reported } from './delay.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The fault that strikes it. */
    strike: Strike | null;
  }
}

/** Faults strike requests only here (interface §7): before anything is done, or when the answer is ready. */
export function createStrikes(app: FastifyInstance, ctx: HttpContext) {
  const delays = createDelays(app, ctx);
  app.decorateRequest('strike', null);
  app.addHook('onSend', (request, reply, payload, done) => {
    const { strike } = request;
    if (!strike) return done(null, payload);
    // A refused request did not reach the transaction of its handler, so the strike is recorded here.
    strike.settle();
    atTheEnd(strike, request, reply, payload as string | null, done);
  });

  /** Strikes an answer that is ready. */
  function atTheEnd(
    strike: Strike,
    request: FastifyRequest,
    reply: FastifyReply,
    payload: string | null,
    done: (error: Error | null, payload: unknown) => void,
  ) {
    switch (strike.fault.kind) {
      case 'lost_answer':
        return hangUp(request, reply);
      case 'cut_answer':
        return cut(request, reply, payload ?? '');
      case 'late_error':
        reply.sentText = prepareError(reply, strike);
        return done(null, reply.sentText);
      case 'slow':
        if (delays.isClosing()) return hangUp(request, reply);
        return delays.later(strike, request, reply, payload, (error) => done(error, payload));
      default:
        return done(null, payload);
    }
  }

  /** Closes the connection and notifies watchers, because no response ends. */
  function hangUp(request: FastifyRequest, reply: FastifyReply) {
    app.tellOf(request, reply);
    reply.raw.destroy();
  }

  /** Sends the unchanged status and headers, and half of the body. */
  function cut(request: FastifyRequest, reply: FastifyReply, payload: string) {
    const { raw } = reply;
    const body = Buffer.from(payload);
    const isHead = request.method === 'HEAD';
    const headers = {
      ...reply.getHeaders(),
      'content-length': body.length,
      // The answer is whole, so the client would send its next request on this connection, too.
      ...(isHead ? { connection: 'close' } : {}),
    };
    raw.writeHead(reply.statusCode, headers as Record<string, string | number>);
    if (isHead) {
      // Its answer has no body, and the write of one would not send the headers.
      raw.flushHeaders();
      return hangUp(request, reply);
    }
    // Data that was written is sent before the connection closes.
    raw.write(body.subarray(0, Math.floor(body.length / 2)), () => hangUp(request, reply));
  }

  return {
    /** Strikes a request before anything is done. True when the request needs no further work. */
    first(account: Account, request: FastifyRequest, reply: FastifyReply): boolean {
      const { method, url, routeOptions } = request;
      const { operationId: operation = '', body } = routeOptions.config.operation ?? {};
      const strike = ctx.faults.strikeRequest(account, { operation, method, path: pathOf(url) });
      if (!strike) return false;
      request.strike = strike;
      if (!AT_ONCE.has(strike.fault.kind)) {
        // A client that leaves during its request gets no answer.
        reply.raw.once('close', () => reported(ctx, strike.settle));
        return false;
      }
      strike.settle();
      // The body is read, so that coverage can recognize the retry.
      if (body) {
        const strikeIt = () => atOnce(strike, request, reply);
        readEarly(request, MAX_READ)
          .then(strikeIt)
          .catch((error) => {
            ctx.fault(error);
            reply.raw.destroy();
          });
      } else atOnce(strike, request, reply);
      return true;
    },
  };

  function atOnce(strike: Strike, request: FastifyRequest, reply: FastifyReply) {
    const { kind } = strike.fault;
    if (kind === 'lost_request') {
      app.noteMet(request, reply, null);
      hangUp(request, reply);
    } else if (kind === 'throttled') throttle(reply, strike.retryAfter ?? 0);
    else reply.send(prepareError(reply, strike));
  }

  /** As the real rate limit answers. */
  function throttle(reply: FastifyReply, seconds: number) {
    reply.header('x-ratelimit-limit', ctx.settings.rate_limit_key || SERVER_DEFAULTS.rate_limit_key);
    reply.header('x-ratelimit-remaining', 0);
    reply.header('x-ratelimit-reset', Math.ceil(ctx.realNow() / 1000) + seconds);
    sendRefusal(reply, new Refusal('too_many_attempts', seconds));
  }
}

/** How much of a body is read when nothing is done with it. */
const MAX_READ = 64 * 1024;

/** Kinds that strike before anything is done. */
const AT_ONCE: ReadonlySet<FaultKind> = new Set<FaultKind>(['lost_request', 'error', 'throttled']);

/** Returns the error body that replaces the answer. */
function prepareError(reply: FastifyReply, { status, retryAfter }: Strike): string {
  reply.code(status ?? 503).type('application/json; charset=utf-8');
  reply.removeHeader('idempotent-replayed');
  if (retryAfter !== null) reply.header('retry-after', retryAfter);
  return '{"message":"Server Error"}';
}
