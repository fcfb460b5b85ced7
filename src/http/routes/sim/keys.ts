import type { FastifyInstance } from 'fastify';
import { SCOPES } from '../../../domain/scope.ts';
import { createKey, listKeys, revokeKey } from '../../../operations/keys.ts';
import { partOf } from '../../answer/list.ts';
import type { HttpContext } from '../../context.ts';
import { serve } from '../../serve.ts';

export function simKeys(app: FastifyInstance, { engine, store, views }: HttpContext) {
  serve(app, listKeys, ({ account, query }) => ({
    data: partOf(query, store.of(account).keys.list(), ({ token }) => token).map(views.key),
  }));

  /** Only this answer contains the key (§5). */
  serve(app, createKey, ({ account, body }) => {
    const { scopes = SCOPES, name = 'key' } = body();
    const { key, apiKey } = engine.createKey(account, { name, scopes });
    return { data: { ...views.key(key), key: apiKey } };
  });

  serve(app, revokeKey, ({ account, params }) => engine.revokeKey(account, params.id));
}
