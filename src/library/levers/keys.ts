import type { Scope } from '../../domain/scope.ts';
import * as operations from '../../operations/keys.ts';
import { asker, type Connection, dataOf } from '../client.ts';
import type { ApiKey, ListOptions } from '../wire.ts';

export function keyLevers(connection: Connection) {
  const ask = asker(connection);
  return {
    list: (query: ListOptions = {}) => ask(operations.listKeys, { query }).then(dataOf),
    create: (options: { readonly scopes?: readonly Scope[]; readonly name?: string } = {}) =>
      ask(operations.createKey, { body: options }).then(({ data }) => data as ApiKey & { readonly key: string }),
    revoke: (id: string) => ask(operations.revokeKey, { params: { id } }).then(() => null),
  };
}
