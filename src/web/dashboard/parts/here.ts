import { createContext } from 'preact';
import type { AccountLine, ClockState } from '../../../operations/wire.ts';

/** Which account is looked at, and what time it is there. */
export interface Place {
  readonly account: AccountLine;
  readonly accounts: readonly AccountLine[];
  /** How many there are, each with two accounts; not all of them are in the list. */
  readonly merchants: number;
  /** Milliseconds on the account's clock, moved on every second where it runs. */
  readonly now: number;
  readonly clock: ClockState;
  readonly version: string;
  href(view?: string, id?: string | null, query?: Record<string, string>): string;
}

export const Here = createContext<Place>(null as unknown as Place);
