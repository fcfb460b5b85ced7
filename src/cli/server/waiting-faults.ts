import { FAULTS, isSpent } from '../../domain/faults.ts';
import { listFaults } from '../../operations/faults.ts';
import { WHOLE_LIST } from '../../operations/list-query.ts';
import type { Fault } from '../../operations/wire.ts';
import { CommandError, Unreachable } from '../exit.ts';
import type { Client } from './client.ts';

/**
 * Null when the server is not a simulator, or when another check reports what it answers. Without an answer, another
 * request would only wait as long again.
 */
export async function ifSimulator<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof CommandError ? error instanceof Unreachable : !(error instanceof TypeError)) throw error;
    return null;
  }
}

/** The faults of the account that may strike a request yet to come, with the headers of the answer. */
export const waitingFaults = (client: Client) =>
  ifSimulator(async () => {
    const { body, headers } = await client.call(listFaults, WHOLE_LIST);
    return { faults: body.data.filter(strikesRequests), headers };
  });

/** A newer server may have kinds that this command does not know. */
const strikesRequests = (fault: Fault) => FAULTS[fault.kind]?.on === 'request' && !isSpent(fault);
