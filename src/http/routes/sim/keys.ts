import type { FastifyInstance } from 'fastify';
import { SCOPES } from '../../../domain/scope.ts';
import { bodyOf } from '../../body.ts';
import type { HttpContext } from '../../context.ts';
import { partOf } from '../../list.ts';
import { KeyInput } from '../../schemas.ts';
import { validateStrictly } from '../../validate.ts';

export function simKeys(app: FastifyInstance, { engine, store, views }: HttpContext) {
  app.get<{ Querystring: Record<string, unknown> }>('/_sim/keys', async ({ principal: { account }, query }) => {
    return { data: partOf(query, store.keys.list(account.id), ({ token }) => token).map(views.key) };
  });

  /** The answer is the only sight of the key (§5). */
  app.post('/_sim/keys', async (request, reply) => {
    const { scopes = SCOPES, name = 'key' } = validateStrictly(KeyInput, bodyOf(request));
    const { key, apiKey } = engine.createKey(request.principal.account, { name, scopes });
    return reply.code(201).send({ data: { ...views.key(key), key: apiKey } });
  });

  app.delete<{ Params: { id: string } }>('/_sim/keys/:id', async ({ principal: { account }, params }, reply) => {
    engine.revokeKey(account, params.id);
    return reply.code(204).send();
  });
}
