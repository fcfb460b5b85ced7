import type { FastifyInstance } from 'fastify';
import { getConfig } from '../../../operations/service.ts';
import type { HttpContext } from '../../context.ts';
import { serve } from '../../serve.ts';

/** §4.2 */
export function config(app: FastifyInstance, { store, views }: HttpContext) {
  serve(app, getConfig, ({ account }) => ({ data: views.config(account, store.workspace.platform()) }));
}
