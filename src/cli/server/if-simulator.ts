import { FAULTS, isSpent } from '../../domain/faults.ts';
import type { Fault } from '../../operations/wire.ts';
import { CommandError, EXIT } from '../exit.ts';

/**
 * Null when the server is no simulator, or what it answers is for another check to say. Without an answer, another request
 * would only wait as long again.
 */
export async function ifSimulator<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof CommandError ? error.code === EXIT.unreachable : !(error instanceof TypeError)) throw error;
    return null;
  }
}

/** Whether it may strike a request yet to come. A newer server may have kinds that this command does not know. */
export const strikesRequests = (fault: Fault) => FAULTS[fault.kind]?.on === 'request' && !isSpent(fault);
