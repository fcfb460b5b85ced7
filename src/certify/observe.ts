import { untilFound, type Waiting } from '../library/wait.ts';
import { CertifyError } from './error.ts';
import type { Order } from './orders.ts';
import { changesByItself, createPreconditions } from './preconditions.ts';
import type { StateReader } from './state-reader.ts';
import { without } from './state-text.ts';

/** Two readings must agree. */
const PAUSE_MS = 60;
/** A store may answer first and work afterwards: how long, in real time, its state may stay the same before it changes. */
const LAG_MS = 1_500;
/** How long it may work on earlier events before it shows an order at all. */
const BACKLOG_MS = 20_000;
/** A state that changes now and then, but never comes to rest, is taken as it is. */
const RESTLESS_MS = 30_000;
/** A state with this many changes by then either comes to rest soon or changes by itself. */
const CHANGES_MANY = 10;
/** How long an order may take to appear if another one has: a worker may look for events once a minute. */
const APPEARS_MS = 60_000;
/** More changes than an order has deliveries come from something else. */
const CHANGES_MAX = 30;

export type Observer = ReturnType<typeof createObserver>;

/** Waits for the state of the store, and finds out what changes it. */
export function createObserver({ look, noteFailure, failureOf }: StateReader, waiting: Waiting) {
  /** How long a state must stay the same until it counts. */
  let restMs = PAUSE_MS;
  /**
   * The state of an order that the store may not have reached yet: `unheard`, until no other state has come in time.
   */
  let blank: string | undefined;
  /** The state that the store shows for an order that it does not know, if that of others differs. */
  let unheard: string | undefined;
  /** How long to wait for an order to appear: not long again once one has not. */
  let appearsMs = APPEARS_MS;
  /** What the store showed of an order within `BACKLOG_MS`, if its events should have changed more than that. */
  let unfinished: { readonly order: Order; readonly state: string } | undefined;

  async function settled(order: Order): Promise<string> {
    const endsAt = waiting.now() + RESTLESS_MS;
    let [state, since] = [await look(order), waiting.now()];
    for (let changes = 0; ; ) {
      await waiting.pause(PAUSE_MS);
      const next = await look(order);
      const now = waiting.now();
      if (next !== state) {
        changes += 1;
        if (changes > CHANGES_MAX) throw changesByItself(state, next);
        // A store that usually works immediately can fall behind, such as after a burst, and then shows only a part of
        // its work.
        if (state === blank) restMs = Math.max(restMs, LAG_MS);
        [state, since] = [next, now];
      }
      const isAtRest = now - since >= (state === blank ? BACKLOG_MS : restMs);
      if (!isAtRest && (now < endsAt || changes >= CHANGES_MANY)) continue;
      if (state === blank && restMs === PAUSE_MS) blank = undefined;
      return state;
    }
  }

  /** How long the state takes to become another one; null if it stays as it is. */
  async function changed(order: Order, state: string, withinMs = BACKLOG_MS): Promise<number | null> {
    const begunAt = waiting.now();
    const takes = async () => ((await look(order)) === state ? undefined : waiting.now() - begunAt);
    return (await untilFound(waiting, takes, withinMs)) ?? null;
  }

  /** `wanted`, the state of another order, once this order has it too; what it shows if that stays different. */
  async function equalTo(order: Order, wanted: string, other: Order): Promise<string> {
    let state = '';
    const found = await untilFound(
      waiting,
      async () => {
        state = await look(order);
        // A number of one order may also stand for something else, such as a count: then it does so in both states.
        const isAlike = state === wanted || without(state, other) === without(wanted, order);
        return isAlike ? wanted : undefined;
      },
      Math.max(LAG_MS, restMs),
    );
    return found ?? state;
  }

  return {
    ...createPreconditions({ look, failureOf, settled, equalTo }, waiting),

    /**
     * A difference between two states says nothing if the store had not reached all events yet.
     * @throws CertifyError if it takes longer than the examination waits
     */
    async refuseSlow() {
      if (!unfinished) return;
      const { order, state } = unfinished;
      unfinished = undefined;
      if ((await changed(order, state, APPEARS_MS)) !== null) throw slow();
    },

    failureOf,

    /**
     * Finds out how long the store takes to show what an event changed. Each step sends events about the order. A store
     * that is busy may still work on them, or on those of earlier checks. If it looks for work now and then, what comes
     * right after it has worked takes longest. `earlier` is an order whose events came before.
     */
    async getToKnow(
      order: Order,
      [first, ...others]: readonly [() => Promise<unknown>, ...(() => Promise<unknown>)[]],
      isBusy: () => boolean,
      earlier?: Order,
    ) {
      const unknown = await look(order);
      await first();
      const isAtOnce = (await look(order)) !== unknown;
      if (!isAtOnce && isBusy()) await changed(order, unknown);
      const begun = await look(order);
      const states = [begun];
      for (const step of others) {
        await step();
        states.push(await look(order));
      }
      const isEachOtherShown = states.every((state, index) => index === 0 || state !== states[index - 1]);
      const isEachShown = isAtOnce && isEachOtherShown;
      const lag = isAtOnce || begun === unknown ? 0 : await changed(order, begun);
      const lagMs = lag ?? 0;
      restMs = isEachShown ? PAUSE_MS : LAG_MS + lagMs;
      const end = await settled(order);
      unfinished = lag === null || end === unknown ? { order, state: end } : undefined;
      const isShown = end !== unknown;
      // The store may show nothing of the checkout, for example if it only counts payments.
      const isPrompt = isAtOnce || (begun === unknown && isEachOtherShown);
      const isLate = isPrompt ? end !== states.at(-1) : isShown;
      restMs = isLate ? LAG_MS + lagMs : PAUSE_MS;
      blank = isShown ? unknown : undefined;
      unheard = isShown || (earlier && (await look(earlier)) !== unknown) ? unknown : undefined;
      if (!isShown) noteFailure(end, 'the same text before and after its events');
    },

    /** Whether the store shows nothing of the order, even if it is only behind. */
    async isUnheard(order: Order): Promise<boolean> {
      if (unheard === undefined) return false;
      if ((await changed(order, unheard, blank === undefined ? restMs : BACKLOG_MS)) !== null) return false;
      if (restMs === PAUSE_MS) blank = undefined;
      return true;
    },

    /** Whether the store ignores the order, of which it shows this state, although it showed events of another one. */
    async ignores(order: Order, state: string): Promise<boolean> {
      if (state !== unheard || (await changed(order, state, appearsMs)) !== null) return false;
      // It may have stopped: later orders are not waited for as long.
      blank = undefined;
      appearsMs = restMs;
      return true;
    },

    /** Whether this order gets to the state of another one, as long as the store may be working on it. */
    async reaches(order: Order, wanted: string, other: Order): Promise<boolean> {
      for (let changes = 0; changes <= CHANGES_MAX; changes += 1) {
        const state = await equalTo(order, wanted, other);
        if (state === wanted) return true;
        if ((await changed(order, state)) === null) return false;
      }
      return false;
    },

    /** Once it stays the same for long enough. */
    settled,

    equalTo,
  };
}

const slow = () =>
  new CertifyError(
    'command',
    `The observe option shows the effect of an event more than ${BACKLOG_MS / 1_000} s after your store accepted it. Make the worker of your store look for events more often during the examination.`,
  );
