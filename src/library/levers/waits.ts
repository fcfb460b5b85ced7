import { advanceClock } from '../../operations/clock.ts';
import { FLAG, type Form } from '../../options.ts';
import type { Ask } from '../client.ts';

/** Whether the call waits until the webhooks that are due have been attempted. @default false; for `advance`, true */
export interface Waits {
  readonly wait?: boolean;
}

export const WAITS: Readonly<Record<keyof Waits, Form>> = { wait: FLAG };

export const waitQuery = (wait = false) => (wait ? { wait: 'true' as const } : {});

/** For operations without a `wait` parameter: an advance by 0 s waits until the due webhooks have been attempted. */
export const afterWebhooks =
  (ask: Ask, wait = false) =>
  async <T>(answer: T): Promise<T> => {
    if (wait) await ask(advanceClock, { body: { by: '0s' } });
    return answer;
  };
