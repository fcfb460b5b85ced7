import { createContext } from 'preact';
import type { browseAccounts } from '../../../operations/browse.ts';
import type { Answer } from '../../../operations/operation.ts';
import type { AccountLine, ClockState } from '../../../operations/wire.ts';

/** The account that is shown, and the time on its clock. */
export interface Place {
  readonly account: AccountLine;
  readonly accounts: readonly AccountLine[];
  /** The number of merchants, each with two accounts; `accounts` does not list all of them. */
  readonly merchants: number;
  /** Milliseconds on the account's clock, moved on every second where it runs. */
  readonly now: number;
  readonly clock: ClockState;
  readonly version: string;
  /** What failed, where a trace is shown. */
  readonly trace: Answer<typeof browseAccounts>['meta']['trace'];
  href(view?: string, id?: string | null, query?: Record<string, string>): string;
}

export const Here = createContext<Place>(null as unknown as Place);
