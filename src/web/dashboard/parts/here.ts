import { createContext } from 'preact';
import type { browseAccounts } from '../../../operations/browse.ts';
import type { Answer } from '../../../operations/operation.ts';
import type { AccountLine, ClockState } from '../../../operations/wire.ts';
import { isolated } from '../words.ts';

/** The account shown, and the time on its clock. */
export interface Place {
  readonly account: AccountLine;
  readonly accounts: readonly AccountLine[];
  /** The number of merchants, each with two accounts. `accounts` may list fewer. */
  readonly merchants: number;
  /** The account's time in milliseconds. A running clock updates it every second. */
  readonly now: number;
  readonly clock: ClockState;
  /** When the accounts were read, by `performance.now()`. */
  readonly readAt: number;
  /** Reads the accounts again. */
  readAgain(): void;
  readonly version: string;
  /** Whether the server keeps a request log. */
  readonly logsRequests: boolean;
  /** The failure in the open trace, if the server shows one. */
  readonly trace: Answer<typeof browseAccounts>['meta']['trace'];
  href(view?: string, id?: string | null, query?: Record<string, string>): string;
}

/** Merchants may have the same name; a chooser then gives an id, before the mode, which its cut end may hide. */
export const nameOf = ({ merchant, mode }: AccountLine, id?: string) =>
  [isolated(merchant.name), ...(id === undefined ? [] : [id]), mode].join(' · ');

export const Here = createContext<Place>(null as unknown as Place);
