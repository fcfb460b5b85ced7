import type { Waiting } from '../library/wait.ts';
import { CertifyError } from './error.ts';
import type { Order } from './orders.ts';
import type { StateReader } from './state-reader.ts';
import { shownApart } from './state-text.ts';

/** Longer than a second, so that a text that counts seconds has changed. */
const TICK_MS = 1_100;

/** How states are read and compared. */
interface States extends Pick<StateReader, 'look' | 'failureOf'> {
  settled(order: Order): Promise<string>;
  equalTo(order: Order, wanted: string, other: Order): Promise<string>;
}

/** What must hold so that a difference between two states shows a mistake of the receiver. Each is examined once. */
export function createPreconditions({ look, failureOf, settled, equalTo }: States, waiting: Waiting) {
  let isKnownToRest = false;
  let isKnownAlike = false;

  return {
    /**
     * A difference says nothing if the text changes by itself.
     * @throws CertifyError if it does so about each second
     */
    async refuseTicking(order: Order) {
      if (isKnownToRest) return;
      const first = await look(order);
      await waiting.pause(TICK_MS);
      const second = await look(order);
      await waiting.pause(TICK_MS);
      const third = await look(order);
      if (second !== first && third !== second) throw changesByItself(second, third);
      isKnownToRest = true;
    },

    /**
     * A difference says nothing either if orders with the same history differ. `ordersOf` makes two of them: null for one
     * that lacks an event, because the store refused it.
     * @throws CertifyError if they do
     */
    async refuseUnlike(ordersOf: () => Promise<readonly [Order | null, Order | null]>) {
      if (isKnownAlike) return;
      const [first, second] = await ordersOf();
      if (!first || !second) return;
      const wanted = await settled(first);
      const found = await equalTo(second, wanted, first);
      isKnownAlike = found === wanted || failureOf(wanted) !== null || failureOf(found) !== null;
      if (!isKnownAlike) throw unlike([wanted, found], [first.totalCents, second.totalCents]);
    },
  };
}

function unlike([first, second]: [string, string], totals: readonly [number, number]) {
  const advice =
    totals[0] === totals[1]
      ? 'Leave out everything that belongs to one order only, such as its number in your store or a time that is not in ISO 8601. If there is no such value, your store may lose or repeat events.'
      : `The checkout option opened them with different totals, ${totals.join(' and ')} cents. It must open all orders with the same total.`;
  return new CertifyError(
    'command',
    `The observe option shows two orders with the same history differently: ${shownApart(first, second).join(' and ')}. ${advice}`,
  );
}

export const changesByItself = (...states: [string, string]) =>
  new CertifyError(
    'command',
    `The observe option shows a different text each time it is read, even if nothing is sent: ${shownApart(...states).join(', then ')}. Leave out everything that changes by itself, such as a counter or a random token.`,
  );
