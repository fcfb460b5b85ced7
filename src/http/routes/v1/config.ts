import type { FastifyInstance } from 'fastify';
import type { HttpContext } from '../../context.ts';
import { route } from '../../operation.ts';
import { enveloped } from '../../schemas.ts';

/** §4.2 */
export function config(app: FastifyInstance, { store, views }: HttpContext) {
  const options = route({
    operationId: 'getConfig',
    summary: 'Read the merchant’s display data and selling terms',
    description:
      'Meant to be read once at install and cached. Answers 200 even when layaway is unavailable: read `layaway.available`, not the status.',
    tag: 'Merchant',
    scope: 'checkout:read',
    success: { status: 200, schema: enveloped('MerchantConfiguration'), description: 'The configuration.' },
    refusals: [401, 403, 429],
  });
  app.get('/v1/config', options, async ({ principal: { account } }) => ({
    data: views.config(account, store.workspace.platform()),
  }));
}
