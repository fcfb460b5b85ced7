import * as operations from '../../operations/faults.ts';
import { asker, type Connection, dataOf } from '../client.ts';
import type { FaultCreate, ListOptions } from '../wire.ts';

export function faultLevers(connection: Connection) {
  const ask = asker(connection);
  return {
    add: (fault: FaultCreate) => ask(operations.addFault, { body: fault }).then(dataOf),
    /** In the order in which they strike, with how often each struck. */
    list: (query: ListOptions = {}) => ask(operations.listFaults, { query }).then(dataOf),
    remove: (id: string) => ask(operations.removeFault, { params: { id } }).then(() => null),
    clear: () => ask(operations.clearFaults).then(() => null),
  };
}
