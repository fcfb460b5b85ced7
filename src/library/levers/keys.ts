import type { Scope } from '../../domain/scope.ts';
import * as keys from '../../operations/keys.ts';
import { asker, type Connection, dataOf } from '../client.ts';
import type { ApiKey, ListOptions } from '../wire.ts';

export function keyLevers(connection: Connection) {
  const ask = asker(connection);
  return {
    list: (query: ListOptions = {}) => ask(keys.listKeys, { query }).then(dataOf),
    create: (options: { readonly scopes?: readonly Scope[]; readonly name?: string } = {}) =>
      ask(keys.createKey, { body: options }).then(({ data }) => data as ApiKey & { readonly key: string }),
    revoke: (id: string) => ask(keys.revokeKey, { params: { id } }).then(() => null),
  };
}
