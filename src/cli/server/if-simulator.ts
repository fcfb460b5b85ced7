import { FAULTS } from '../../domain/faults.ts';
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

/** A newer server may have kinds that this command does not know. */
export const strikesRequests = ({ kind }: Fault) => FAULTS[kind]?.on === 'request';
