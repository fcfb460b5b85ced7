import * as operations from '../../operations/requests.ts';
import { refuseNonObject } from '../../options.ts';
import { asker, type Connection, dataOf } from '../client.ts';
import { NO_REPLACEMENTS } from '../since.ts';
import { follow, type TailOptions } from '../tail.ts';
import type { Waiting } from '../wait.ts';
import type { ListOptions } from '../wire.ts';

/** Requests whose path begins with `path` and whose status is `status` or of that class. */
export interface RequestFilter {
  readonly path?: string;
  readonly status?: number | `${1 | 2 | 3 | 4 | 5}xx`;
}

export function logLevers(connection: Connection, waiting: Waiting) {
  const ask = asker(connection);
  const listRequests = async (options: ListOptions & RequestFilter = {}) => {
    refuseNonObject(options, 'logs.list');
    const { status, ...query } = options;
    const narrow = status === undefined ? {} : { status: String(status) };
    return ask(operations.listRequests, { query: { ...query, ...narrow } }).then(dataOf);
  };
  return {
    /** Recent requests to `/v1`: those of this account, and refused ones that named its client id. */
    list: listRequests,
    get: (id: string) => ask(operations.getRequest, { params: { id } }).then(dataOf),
    /** The same requests as they are answered: `for await (const request of await shop.logs.tail()) …`. */
    tail: async (filter: RequestFilter = {}, options: TailOptions = {}) => {
      refuseNonObject(filter, 'logs.tail');
      // A reset or a restore keeps the requests.
      return follow(waiting, (cursor) => listRequests({ ...filter, ...cursor }), options, NO_REPLACEMENTS);
    },
  };
}
