import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createAnswerBatch } from './answer/answer-batch.ts';
import { clientIdOf } from './attribution.ts';
import type { HttpContext } from './context.ts';
import { pathOf } from './input/path.ts';
import { maskedText } from './log/masked.ts';
import { createRequestVerbs } from './request-verbs.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Sent by a page on its own, so it is not reported to watchers. */
    quiet?: boolean;
  }
  interface FastifyRequest {
    /** Where the account's clock stood when the request was carried out, once there is an answer. */
    clockAt: number | undefined;
  }
  interface FastifyReply {
    /** The body of the answer, for the request log. */
    sentText: string | null;
    /** Whether watchers were notified. */
    isTold: boolean;
  }
  interface FastifyInstance {
    /** Notifies watchers of a request before its response ends. */
    tellOf(request: FastifyRequest, reply: FastifyReply): void;
  }
}

/** Reports requests to watchers, and logs requests to the service with their bodies. An answer waits for its COMMIT. */
export function reportRequests(app: FastifyInstance, ctx: HttpContext) {
  const { clocks, endOfTurn, observe, realNow, requestLog, store } = ctx;
  const verbs = createRequestVerbs(ctx);
  const sendInBatch = createAnswerBatch(endOfTurn);
  /** After the server has closed, there is nothing to write to. */
  let isClosing = false;
  app.decorateRequest('lever', null);
  app.decorateRequest('replaced', null);
  app.decorateRequest('clockAt', undefined);
  app.decorateReply('sentText', null);
  app.decorateReply('isTold', false);
  app.decorate('tellOf', tell);
  app.addHook('onSend', (request, reply, payload, done) => {
    if (typeof payload === 'string') reply.sentText = payload;
    if (isOfService(request)) takePlace(request);
    if (reply.raw.socket === null) reportIfUnsent(request, reply);
    // An answer may show rows, its own or another request's, that are written but not committed yet. This refusal shows none.
    const committed = reply.refusal?.is('disk_full') ? null : store.committed();
    if (committed) committed.then(() => done(), done);
    else sendInBatch(done);
  });
  app.addHook('onClose', (_app, done) => {
    isClosing = true;
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    report(request, reply);
    done();
  });

  function report(request: FastifyRequest, reply: FastifyReply) {
    try {
      tell(request, reply);
    } catch (error) {
      // The request is answered, so Fastify would not report it.
      if (!isClosing) ctx.fault(error);
    }
  }

  /** An answer that waits for an earlier one on its connection is never sent if that one is hung up. */
  function reportIfUnsent(request: FastifyRequest, reply: FastifyReply) {
    const hungUp = () => report(request, reply);
    if (request.raw.socket.destroyed) endOfTurn(hungUp);
    else reply.raw.once('close', hungUp);
  }

  /** The account's clock. None if a reset or a restore has removed the account in the meantime. */
  function clockAt(clientId: string | null, principal: FastifyRequest['principal']): number | undefined {
    const account = clientId === null ? null : store.accounts.find(clientId);
    return account && (principal?.account ?? account).id === account.id ? clocks.now(account.id) : undefined;
  }

  /** The clock may move on while the answer is on its way, and so may the log. */
  function takePlace(request: FastifyRequest) {
    request.logNumber ??= requestLog.nextNumber();
    request.clockAt = clockAt(clientIdOf(request, store), request.principal);
  }

  /** Runs once per request: a connection that a fault closes has no response. */
  function tell(request: FastifyRequest, reply: FastifyReply) {
    if (reply.isTold) return;
    reply.isTold = true;
    const { method, url: path, strike } = request;
    const fault = strike?.fault ?? null;
    const status = fault?.kind === 'lost_request' ? null : reply.statusCode;
    const at = realNow();
    const durationMs = reply.elapsedTime;
    if (isOfService(request)) {
      const clientId = clientIdOf(request, store);
      // A literal: copying fields by spreading takes a twentieth of a create.
      requestLog.add(
        {
          at,
          clockAt: request.clockAt ?? clockAt(clientId, request.principal),
          method,
          path,
          status,
          durationMs,
          fault,
          limit: request.limit,
          requestHeaders: request.headers,
          requestBody: request.body,
          requestText: request.bodyText,
          responseBody: reply.sentText,
          clientId,
        },
        request.logNumber ?? requestLog.nextNumber(),
      );
    } else verbs.note(request, reply.statusCode);
    if (!isQuiet(request)) observe({ at, method, path: maskedText(path), status, durationMs, fault });
  }
}

const isOfService = ({ url }: FastifyRequest) => pathOf(url).startsWith('/v1');

/** Requests that a page repeats to stay up to date: the open checkout, and everything that the dashboard reads. */
const isQuiet = ({ method, headers, routeOptions }: FastifyRequest) =>
  routeOptions.config.quiet === true || (method === 'GET' && headers['x-layaway-account'] !== undefined);
