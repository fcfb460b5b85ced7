import { given } from '../../domain/given.ts';
import * as operations from '../../operations/clock.ts';
import { FLAG, refuseWrong } from '../../options.ts';
import { asker, type Connection, dataOf } from '../client.ts';
import { afterWebhooks, WAITS, type Waits } from './waits.ts';

/**
 * Where an advance ends: a duration (`14d`), or exactly one of `by` (a duration), `to` (an ISO 8601 instant), `next`
 * (the next thing due) and `until` (a condition, such as `LAY-…#2=past_due`).
 */
export type Destination = string | OneOf<{ by: string; to: string; next: true; until: string }>;

/** Exactly one of these. */
type OneOf<Options> = {
  [Name in keyof Options]: Readonly<Pick<Options, Name> & { [Other in Exclude<keyof Options, Name>]?: never }>;
}[keyof Options];

export function clockLevers(connection: Connection) {
  const ask = asker(connection);
  return {
    show: () => ask(operations.getClock).then(dataOf),
    /**
     * Moves the clock forward. Resolves when everything that fell due is done, including webhook attempts unless
     * `wait` is false. With `dryRun`, resolves with what would happen and changes nothing.
     */
    advance: async (destination: Destination, options: Waits & { readonly dryRun?: boolean } = {}) => {
      refuseWrong(options, { ...WAITS, dryRun: FLAG }, 'clock.advance');
      const { wait, dryRun } = options;
      return ask(operations.advanceClock, {
        body: { ...asked(destination), ...given({ wait, dry_run: dryRun }) },
      }).then(dataOf);
    },
    /** @deprecated Use `advance(destination, { dryRun: true })`. Removed in 0.2. */
    rehearse: (destination: Destination) =>
      ask(operations.advanceClock, { body: { ...asked(destination), dry_run: true } }).then(dataOf),
    /** The progress of the advance under way, whoever started it; null when there is none. */
    progress: () => ask(operations.getAdvance).then(dataOf),
    /** Stops the advance under way, whose own call then throws, and resolves with its progress; null without one. */
    stop: () => ask(operations.stopAdvance).then(dataOf),
    freeze: async (options: Waits = {}) => {
      refuseWrong(options, WAITS, 'clock.freeze');
      return ask(operations.freezeClock).then(dataOf).then(afterWebhooks(ask, options.wait));
    },
    resume: () => ask(operations.resumeClock).then(dataOf),
    /** What will happen if nobody acts, up to an ISO 8601 instant or as far as anything is due. */
    forecast: (until?: string) =>
      ask(operations.getForecast, { query: until === undefined ? {} : { until } }).then(dataOf),
  };
}

const asked = (destination: Destination) => (typeof destination === 'string' ? { by: destination } : destination);
