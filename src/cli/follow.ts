import { codeOf } from '../domain/error-code.ts';
import { TOO_LARGE } from '../exchange.ts';
import type { Cli } from './command.ts';
import { CommandError, EXIT, isRefusal, Unreachable } from './exit.ts';
import { closedPipe } from './terminal/pipes.ts';
import { leaveEcho } from './terminal/progress.ts';
import { rest } from './wait.ts';

const RECONNECTS = 5;
const RECONNECT_MS = 1000;

/** What a command follows until it is stopped. */
export interface Followed {
  /** Its plural, for the note at the start. */
  readonly name: string;
  /** Between two rounds. */
  readonly restMs: number;
  /** Notes what is there already, which is not printed. */
  begin(): Promise<void>;
  /**
   * Prints what is new. It calls `connected` when the server has answered; `isAgain` is true until then after a lost
   * connection.
   */
  round(connected: () => void, isAgain: boolean): Promise<void>;
  /** Forgets the last thing that was printed; false if there is none. */
  forget(): boolean;
}

/** Follows something until a signal or a closed pipe ends the command with 0. Short losses of the connection do not. */
export async function follow({ client, out }: Cli, { name, restMs, begin, round, forget }: Followed): Promise<never> {
  const stop = () => process.exit(EXIT.done);
  process.on('SIGINT', leaveEcho).on('SIGINT', stop).on('SIGTERM', stop);
  closedPipe.end = stop;

  await begin();
  out.note(`Listening for ${name}. Press Ctrl-C to stop.`);
  for (let failures = 0; ; ) {
    try {
      await round(() => {
        failures = 0;
      }, failures > 0);
      await rest(restMs);
    } catch (error) {
      failures += 1;
      // A restarted server may not know the last thing that was printed. All that it has is new then. As it
      // answers, this does not count as a failed try to reach it.
      const isUnknown = isRefusal(error) && forget();
      if (!isUnknown && (!isLost(error) || failures > RECONNECTS)) throw error;
      await rest(RECONNECT_MS);
      if (await client.findAgain()) forget();
    }
  }
}

/** Whether the connection was lost. An answer of an unexpected form, or one that is too large, comes again. */
function isLost(error: unknown): boolean {
  if (error instanceof Unreachable) return codeOf(error.cause) !== TOO_LARGE;
  return !(error instanceof CommandError || error instanceof TypeError);
}
