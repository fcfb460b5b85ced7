import { FAULTS, isSpent } from '../../domain/faults.ts';
import type { Fault } from '../../operations/wire.ts';
import { CommandError } from '../exit.ts';

/** Null when the server is no simulator, or what it answers is for another check to say. */
export async function ifSimulator<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof CommandError || error instanceof TypeError) return null;
    throw error;
  }
}

/** Whether it may strike a request yet to come. A newer server may have kinds that this command does not know. */
export const strikesRequests = (fault: Fault) => FAULTS[fault.kind]?.on === 'request' && !isSpent(fault);
