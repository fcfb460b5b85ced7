import { LIST_MAX } from '../domain/limits.ts';
import { type Ask, dataOf } from '../library/client.ts';
import { LayawayError } from '../library/refused.ts';
import type { Reader } from '../library/since.ts';
import type { Delivery, Email, LayawayEvent } from '../library/wire.ts';
import { browseDeliveries } from '../operations/browse.ts';
import { listEmails } from '../operations/emails.ts';
import { listEvents } from '../operations/events.ts';
import { listFaults } from '../operations/faults.ts';
import { listDeliveries } from '../operations/webhooks.ts';
import { recordOf } from './record.ts';
import type { Stage } from './stage.ts';
import { StepFailed } from './step-failed.ts';
import { told } from './told.ts';

export type AccountReader = ReturnType<typeof createAccountReader>;

/** Reads what the steps did to the account. */
export function createAccountReader(stage: Pick<Stage, 'ask'>) {
  /** A call of the player itself: no step can expect it to fail. */
  const ask: Ask = async (operation, ...input) => {
    try {
      return await stage.ask(operation, ...input);
    } catch (error) {
      if (!(error instanceof LayawayError)) throw error;
      throw new StepFailed(`${operation.method} ${operation.path}: ${told(error)}`);
    }
  };
  const listedEvents: Reader<LayawayEvent> = (query) => ask(listEvents, { query }).then(dataOf);
  const listedEmails: Reader<Email> = (query) => ask(listEmails, { query }).then(dataOf);

  return {
    ask,
    events: recordOf(listedEvents),
    emails: recordOf(listedEmails),
    /** Oldest first, the latest `most` of them. */
    latestEmails: async (most: number) => (await listedEmails({ limit: most })).toReversed(),
    faults: async () => (await ask(listFaults, { query: { limit: LIST_MAX } })).data,

    /** All of them, oldest first. They are read again each time, because a new attempt changes an old one. */
    async deliveries(): Promise<readonly Delivery[]> {
      const { data: newest } = await ask(listDeliveries, { query: { limit: LIST_MAX } });
      const found = [...newest];
      let before = newest.length < LIST_MAX ? null : newest.at(-1)?.id;
      while (before) {
        const { data, meta } = await ask(browseDeliveries, { query: { before } });
        found.push(...data);
        before = meta.older;
      }
      return found.toReversed();
    },
  };
}
