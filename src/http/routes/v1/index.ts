import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SERVER_DEFAULTS, type ServerSettings } from '../../../domain/assumptions.ts';
import { once } from '../../../domain/once.ts';
import { Refusal } from '../../../domain/refusal.ts';
import type { Setting } from '../../../domain/setting-note.ts';
import type { Principal } from '../../../engine/authenticate.ts';
import { type Allowance, createRateLimiter } from '../../access/rate-limit.ts';
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
    /** Set before the handler of an authenticated route runs; null in other routes. */
    principal: Principal | null;
    /** The rate limit that refused it. */
    limit: Setting | null;
  }
}

/** The API of the service (§4). Checks run in the order of decisions §5, before the body is read. */
export async function v1(app: FastifyInstance, ctx: HttpContext) {
  const bySource = createRateLimiter(ctx.settings.rate_limit_source, ctx.realNow);
  const byKey = createRateLimiter(ctx.settings.rate_limit_key, ctx.realNow);
  const tell = hasDefaultLimits(ctx.settings) ? once(() => ctx.note(HOW_TO_LIFT)) : () => undefined;

  const strikes = createStrikes(app, ctx);

  app.decorateRequest('principal', null);
  app.decorateRequest('limit', null);
  app.addHook('onRequest', (request, reply, done) => {
    request.arrivedAt = ctx.realNow();
    admit('rate_limit_source', bySource.look(request.ip), request, reply);
    const scope = request.routeOptions.config.operation?.scope;
    if (scope) {
      const principal = authenticate(request, reply);
      if (strikes.first(principal.account, request, reply)) return;
      ctx.engine.requireClearance(principal.account);
      ctx.engine.requireScope(principal, scope);
    } else bySource.count(request.ip);
    requireJson(request);
    done();
  });

  for (const routes of [ping, config, sessions, hostedRead, contracts]) routes(app, ctx);

  function authenticate(request: FastifyRequest, reply: FastifyReply): Principal {
    let principal: Principal;
    try {
      principal = ctx.engine.authenticate(header(request, 'x-client-id'), header(request, 'x-api-key'));
    } catch (error) {
      bySource.count(request.ip);
      throw error;
    }
    request.principal = principal;
    const caller = principal.key.token;
    admit('rate_limit_key', byKey.look(caller), request, reply);
    byKey.count(caller);
    bySource.count(request.ip);
    return principal;
  }

  /** @throws Refusal `too_many_attempts` */
  function admit(name: string, allowance: Allowance | null, request: FastifyRequest, reply: FastifyReply) {
    if (!allowance) return;
    reply.header('x-ratelimit-limit', allowance.limit);
    reply.header('x-ratelimit-remaining', allowance.remaining);
    if (allowance.retryAfterSeconds === 0) return;
    reply.header('x-ratelimit-reset', Math.ceil(allowance.resetsAt / 1000));
    request.limit = { name, value: allowance.limit };
    tell();
    throw new Refusal('too_many_attempts', allowance.retryAfterSeconds);
  }
}

const header = (request: FastifyRequest, name: string) => request.headers[name] as string | undefined;

const { rate_limit_key: KEY_LIMIT, rate_limit_source: SOURCE_LIMIT } = SERVER_DEFAULTS;
/** A fast test suite can hit limits that nobody asked for. */
const hasDefaultLimits = ({ rate_limit_key: key, rate_limit_source: source }: ServerSettings) =>
  key === KEY_LIMIT && source === SOURCE_LIMIT;
const HOW_TO_LIFT = `A request was refused with 429: by default, ${KEY_LIMIT} requests a minute with one key and ${SOURCE_LIMIT} from one address are allowed. To switch these limits off, start the server with --rate-limit off (in the library: rateLimit: 'off').`;
