import { parseDuration } from '../domain/calendar.ts';
import { askedOfList, concerning, type EventType } from '../domain/event.ts';
import { untilFound, type Waiting } from '../library/wait.ts';
import { listEvents } from '../operations/events.ts';
import type { AccountReader } from './account-reader.ts';
import { compareDeliveries } from './expectations.ts';
import { differences, matches, type Unplaced } from './match.ts';
import type { StepInput } from './schema.ts';
import type { Answer } from './stage.ts';
import { StepFailed } from './step-failed.ts';

/** What a step waits for. */
interface Sought {
  readonly what: string;
  look(): Promise<unknown>;
  /** How the newest ones of its kind differ from it. */
  instead(): Promise<readonly Unplaced[]>;
}

/** How many of the newest items are shown beside one that did not come. */
const SHOWN = 5;

/**
 * Waits in real time for something that the store or its server does. An item that exists already counts.
 * @throws StepFailed if it does not come
 */
export async function waitFor(
  { timeout = '30s', ...wanted }: StepInput<'wait'>,
  account: AccountReader,
  waiting: Waiting,
): Promise<Answer> {
  const { what, look, instead } = soughtBy(wanted, account);
  const found = await untilFound(waiting, look, parseDuration(timeout)?.ms ?? 0);
  if (found) return { status: 200, headers: {}, body: { data: found } };
  throw new StepFailed(
    `No ${what} came within ${timeout}. The clock of a scenario moves only with \`advance\`.`,
    await instead(),
  );
}

function soughtBy({ event, contract, session, email, delivery }: StepInput<'wait'>, account: AccountReader): Sought {
  const { ask, events, emails, latestEmails, deliveries } = account;
  if (event !== undefined) {
    const meant = { type: event as EventType, contract, session };
    const isMeant = concerning(meant);
    const asked = askedOfList(meant);
    const listed = async () => (await ask(listEvents, { query: { type: meant.type, ...asked } })).data.find(isMeant);
    return { what: event, look: 'session' in asked ? listed : events.newest(isMeant), instead: async () => [] };
  }
  if (email !== undefined) {
    return {
      what: 'email like this',
      look: emails.newest((each) => matches(email, each)),
      instead: async () => differences([email], await latestEmails(SHOWN), ['wait', 'email']),
    };
  }
  return {
    what: 'delivery like this',
    look: async () => (await deliveries()).find((each) => matches(delivery, each)),
    instead: async () =>
      compareDeliveries([delivery as object], (await deliveries()).slice(-SHOWN), ['wait', 'delivery']),
  };
}
