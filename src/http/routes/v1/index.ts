import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../../domain/refusal.ts';
import type { Principal } from '../../../engine/authenticate.ts';
import { type Allowance, createRateLimiter, type RateLimiter } from '../../access/rate-limit.ts';
import type { HttpContext } from '../../context.ts';
import { requireJson } from '../../input/body.ts';
import { config } from './config.ts';
import { contracts } from './contracts.ts';
import { hostedRead } from './hosted-read.ts';
import { ping } from './ping.ts';
import { sessions } from './sessions.ts';
import { createStrikes } from './strike.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before the handler of an authenticated route runs. */
    principal: Principal;
  }
}

/** The API of the service (§4). Checks run in the order of decisions §5, before the body is read. */
export async function v1(app: FastifyInstance, ctx: HttpContext) {
  const bySource = createRateLimiter(ctx.settings.rate_limit_source, ctx.realNow);
  const byKey = createRateLimiter(ctx.settings.rate_limit_key, ctx.realNow);

  const strikes = createStrikes(app, ctx);

  app.decorateRequest('principal', null as unknown as Principal);
  app.addHook('onRequest', (request, reply, done) => {
    request.arrivedAt = ctx.realNow();
    admit(reply, bySource.look(request.ip));
    const scope = request.routeOptions.config.operation?.scope;
    if (scope) {
      authenticate(request, reply);
      if (strikes.first(request, reply)) return;
      ctx.engine.requireClearance(request.principal.account);
      ctx.engine.requireScope(request.principal, scope);
    } else bySource.count(request.ip);
    requireJson(request);
    done();
  });

  for (const routes of [ping, config, sessions, hostedRead, contracts]) routes(app, ctx);

  function authenticate(request: FastifyRequest, reply: FastifyReply) {
    try {
      request.principal = ctx.engine.authenticate(header(request, 'x-client-id'), header(request, 'x-api-key'));
    } catch (error) {
      bySource.count(request.ip);
      throw error;
    }
    admitKey(request, reply, byKey);
    bySource.count(request.ip);
  }
}

const header = (request: FastifyRequest, name: string) => request.headers[name] as string | undefined;

function admitKey(request: FastifyRequest, reply: FastifyReply, byKey: RateLimiter) {
  const caller = request.principal.key.token;
  admit(reply, byKey.look(caller));
  byKey.count(caller);
}

/** @throws Refusal `too_many_attempts` */
function admit(reply: FastifyReply, allowance: Allowance | null) {
  if (!allowance) return;
  reply.header('x-ratelimit-limit', allowance.limit);
  reply.header('x-ratelimit-remaining', allowance.remaining);
  if (allowance.retryAfterSeconds === 0) return;
  reply.header('x-ratelimit-reset', Math.ceil(allowance.resetsAt / 1000));
  throw new Refusal('too_many_attempts', allowance.retryAfterSeconds);
}
