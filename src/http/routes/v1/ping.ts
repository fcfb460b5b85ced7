import type { FastifyInstance } from 'fastify';
import type { HttpContext } from '../../context.ts';
import { route } from '../../operation.ts';
import { enveloped } from '../../schemas.ts';

/** §4.1 */
export function ping(app: FastifyInstance, { store, views }: HttpContext) {
  const options = route({
    operationId: 'ping',
    summary: 'Confirm that a key authenticates',
    description:
      'Says which merchant the key speaks for and what it may do. A 200 proves only that the pair authenticates; whether the merchant can sell is in `layaway.available`.',
    tag: 'Merchant',
    scope: 'checkout:read',
    success: { status: 200, schema: enveloped('Ping'), description: 'The pair authenticates.' },
    refusals: [401, 403, 429],
  });
  app.get('/v1/ping', options, async ({ principal: { account, key } }) => ({
    data: views.ping(account, key, store.workspace.platform()),
  }));
}
