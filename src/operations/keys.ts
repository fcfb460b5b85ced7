import * as Type from 'typebox';
import { SCOPES } from '../domain/scope.ts';
import { ListQuery } from './list-query.ts';
import { created, enveloped, input, listed, NOTHING, named, ok, operation, ref } from './operation.ts';
import { instant, nullable, oneOf, text } from './schemas.ts';

const tag = 'Keys';

export const ApiKey = named('ApiKey', 'A key, of which only a digest is kept.', {
  id: Type.String(),
  name: Type.String(),
  key_prefix: text('The first 12 characters.'),
  scopes: Type.Array(oneOf(SCOPES)),
  created_at: instant('Account time.'),
  revoked_at: nullable(instant('Account time.')),
  key: Type.Optional(text('The key itself; on creation only.')),
});
export const KeyCreate = input('KeyCreate', 'A new key.', {
  scopes: Type.Optional(Type.Array(oneOf(SCOPES), { minItems: 1, description: 'All four when absent.' })),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
});

export const listKeys = operation({
  operationId: 'listKeys',
  method: 'GET',
  path: '/_sim/keys',
  auth: 'account',
  orToken: true,
  tag,
  summary: 'List API keys, newest first',
  query: ListQuery,
  success: ok(listed('ApiKey'), 'The keys, by their prefixes.'),
  refusals: [401, 422],
});

export const createKey = operation({
  operationId: 'createKey',
  method: 'POST',
  path: '/_sim/keys',
  auth: 'account',
  orToken: true,
  tag,
  summary: 'Create an API key',
  body: ref('KeyCreate'),
  success: created(enveloped('ApiKey'), 'The key, which is shown only once.'),
  refusals: [401, 413, 415, 422],
});

export const revokeKey = operation({
  operationId: 'revokeKey',
  method: 'DELETE',
  path: '/_sim/keys/{id}',
  auth: 'account',
  orToken: true,
  tag,
  summary: 'Revoke an API key',
  params: { id: 'The key’s id.' },
  success: NOTHING,
  refusals: [401, 404],
});

export const KEY_SCHEMAS = [ApiKey, KeyCreate] as const;
export const KEY_OPERATIONS = [listKeys, createKey, revokeKey] as const;
