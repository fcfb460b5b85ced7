import type { FastifyInstance, FastifyRequest } from 'fastify';
import { canonicalJson } from '../../../domain/canonical.ts';
import { IDEMPOTENCY_KEY_MAX } from '../../../domain/limits.ts';
import { Refusal } from '../../../domain/refusal.ts';
import type { IdempotencyKey } from '../../../engine/session.ts';
import { createSession, getCheckoutSession } from '../../../operations/service.ts';
import type { HttpContext } from '../../context.ts';
import { isOfTool } from '../../coverage.ts';
import { bodyOf } from '../../input/body.ts';
import { sessionInput } from '../../input/session.ts';
import { createRequestVerbs } from '../../request-verbs.ts';
import { serve } from '../../serve.ts';

/** §4.3 and §4.4 */
export function sessions(app: FastifyInstance, ctx: HttpContext) {
  const { engine, views, clocks, digest, note } = ctx;
  const { by } = createRequestVerbs(ctx);

  serve(app, createSession, ({ account, request, reply }) => {
    const body = bodyOf(request);
    const idempotency = keyOf(request, body);
    // Validated inside, because a replay is answered before its body is validated (decisions §5).
    const opened = by(request).openSession(account, () => sessionInput(account, body, note), {
      idempotency,
      byStore: !isOfTool(request),
    });
    request.shown = { opened: { withKey: idempotency !== null, isReplay: opened.replayed } };
    if (opened.replayed) reply.header('idempotent-replayed', 'true');
    return { data: views.session(opened.session, opened.now) };
  });

  serve(app, getCheckoutSession, ({ account, params, request }) => {
    const data = views.session(engine.readSession(account, params.id), clocks.now(account.id));
    request.shown = { session: data.status };
    return { data };
  });

  function keyOf(request: FastifyRequest, body: object): IdempotencyKey | null {
    const key = request.headers['idempotency-key'] as string | undefined;
    if (!key) return null;
    // Node joins repeated headers with a comma. Only then is the slow check of each line needed.
    if (key.includes(', ') && (request.raw.headersDistinct['idempotency-key']?.length ?? 0) > 1) {
      throw new Refusal('header_repeated', 'Idempotency-Key');
    }
    if (key.length > IDEMPOTENCY_KEY_MAX) throw new Refusal('idempotency_key_too_long', IDEMPOTENCY_KEY_MAX);
    return { key, fingerprint: digest.sha256(canonicalJson(body)) };
  }
}
