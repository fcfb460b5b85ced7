import type { FastifyInstance } from 'fastify';
import * as operations from '../../../operations/service.ts';
import type { HttpContext } from '../../context.ts';
import { serve } from '../../serve.ts';

/** §4.1 */
export function ping(app: FastifyInstance, { store, views }: HttpContext) {
  serve(app, operations.ping, ({ account, key }) => ({
    data: views.ping(account, key, store.workspace.platform()),
  }));
}
