import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { canonicalJson } from '../../../domain/canonical.ts';
import { IDEMPOTENCY_KEY_MAX } from '../../../domain/limits.ts';
import type { Account } from '../../../domain/merchant.ts';
import { Refusal } from '../../../domain/refusal.ts';
import type { IdempotencyKey, SessionInput } from '../../../engine/session.ts';
import { bodyOf } from '../../body.ts';
import type { HttpContext } from '../../context.ts';
import { route } from '../../operation.ts';
import { enveloped, SessionCreate } from '../../schemas.ts';
import { validate } from '../../validate.ts';

/** §4.3 and §4.4 */
export function sessions(app: FastifyInstance, { engine, views, clocks, digest }: HttpContext) {
  const create = route({
    operationId: 'createSession',
    summary: 'Open a checkout session',
    description: [
      'Called from the merchant’s backend only. Redirect the customer to `checkout_url`; nothing is owed until they accept the plan there.',
      'Send an `Idempotency-Key`: the same key with the same body answers the session it opened first, with a different body 409. Without one, the same `order_reference` sent twice opens two sessions. A request that fails validation does not use the key up.',
    ].join('\n\n'),
    tag: 'Checkout sessions',
    scope: 'checkout:write',
    headers: Type.Object({
      'Idempotency-Key': Type.Optional(
        Type.String({
          maxLength: IDEMPOTENCY_KEY_MAX,
          description:
            'A UUID, one per checkout attempt, reused across retries of that attempt. It lives 24 hours, in the merchant and mode that presented it.',
        }),
      ),
    }),
    body: Type.Ref('SessionCreate'),
    success: { status: 201, schema: enveloped('CheckoutSession'), description: 'The session, new or replayed.' },
    refusals: [
      400,
      401,
      [
        403,
        Type.Union([Type.Ref('Error'), Type.Ref('LayawayRefusal')]),
        'With `reason`: layaway is unavailable for this merchant or this customer’s state; not retryable. Without: the key lacks the scope, the merchant is not cleared to transact, or the account is not active.',
      ],
      409,
      413,
      415,
      [422, Type.Ref('ValidationError'), 'The body is invalid, most often a total outside the merchant’s range.'],
      429,
    ],
  });
  app.post('/v1/sessions', create, async (request, reply) => {
    const { account } = request.principal;
    const body = bodyOf(request);
    const opened = engine.openSession(account, () => sessionInput(account, body), {
      idempotency: keyOf(request, body),
    });
    if (opened.replayed) reply.header('idempotent-replayed', 'true');
    return reply.code(201).send({ data: views.session(opened.session, opened.now) });
  });

  const read = route({
    operationId: 'getCheckoutSession',
    summary: 'Read a checkout session, server to server',
    description:
      'The status is the effective one: a session past its deadline reads `expired`. A token of another merchant, or of the other mode, is not found.',
    tag: 'Checkout sessions',
    scope: 'checkout:read',
    params: Type.Object({ id: Type.String({ description: 'The session’s public token, `cs_…`.' }) }),
    success: { status: 200, schema: enveloped('CheckoutSession'), description: 'The session.' },
    refusals: [401, 403, 404, 429],
  });
  app.get<{ Params: { id: string } }>('/v1/checkout-sessions/:id', read, async ({ principal, params }) => {
    const session = engine.readSession(principal.account, params.id);
    return { data: views.session(session, clocks.now(principal.account.id)) };
  });

  function keyOf(request: FastifyRequest, body: object): IdempotencyKey | null {
    const key = request.headers['idempotency-key'] as string | undefined;
    if (!key) return null;
    // Node joins what was sent twice with a comma: only then is the costly look at each line needed.
    if (key.includes(', ') && (request.raw.headersDistinct['idempotency-key']?.length ?? 0) > 1) {
      throw new Refusal('header_repeated', 'Idempotency-Key');
    }
    if (key.length > IDEMPOTENCY_KEY_MAX) throw new Refusal('idempotency_key_too_long', IDEMPOTENCY_KEY_MAX);
    return { key, fingerprint: digest.sha256(canonicalJson(body)) };
  }
}

/**
 * The body of session create, inside this merchant's range.
 * @throws Refusal `invalid`
 */
export function sessionInput({ settings }: Account, body: object): SessionInput {
  const range = { minimum: settings.min_order_amount, maximum: settings.max_order_amount };
  const input = validate(SessionCreate, body, { total_amount: range });
  // ASCII only: upper-casing other letters can make two of one, and no state code has them.
  const state = input.customer_state?.replace(/[a-z]/g, (letter) => letter.toUpperCase()) ?? null;
  return { ...input, customer_state: state };
}
