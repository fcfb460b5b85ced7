import { MINUTE } from '../domain/calendar.ts';
import { Refusal } from '../domain/refusal.ts';
import { type Delivery, isDelivered, type Letter } from '../domain/webhook.ts';
import type { Outbox } from '../engine/outbox.ts';
import type { Clocks } from '../time/clocks.ts';
import type { RealTime } from '../time/real.ts';
import type { Carry } from './carry.ts';
import { createLetters } from './letters.ts';
import { createOutcomes, type OutcomeRooms } from './outcomes.ts';

/** What the courier works with, joined by `simulator.ts`. */
export interface CourierRooms extends Pick<OutcomeRooms, 'observe'> {
  readonly outbox: Outbox;
  readonly clocks: Pick<Clocks, 'now'>;
  readonly time: RealTime;
  readonly carry: Carry;
  fault(error: unknown): void;
}

/** How many deliveries of an endpoint are read at once. */
const AHEAD = 128;
/** How long, in real time, receivers may take while the server closes. */
const STOP_MS = 1000;
/** After a failure, such as a full disk, nothing else may start what is still owed. */
const TRY_AGAIN_MS = MINUTE;

export type Courier = ReturnType<typeof createCourier>;

/**
 * Sends the deliveries of the outbox: one attempt at a time for each endpoint, several endpoints at the same time,
 * first attempts in the order of events. Unfinished deliveries stay owed.
 */
export function createCourier({ outbox, clocks, time, carry, observe, fault }: CourierRooms) {
  const lanes = new Map<string, Lane>();
  const { letterOf, isOfThisSecond } = createLetters({ outbox, clocks, time });
  const outcomes = createOutcomes({ outbox, observe, attemptTo });
  let stopped = false;
  /** Counts resets and restores, and the end. Work that began before one must not touch the rows after it. */
  let era = 0;

  /**
   * Starts the due deliveries. Resolves when none of the account is due or under way; with `these`, none to their
   * receivers.
   * @throws Refusal `conflict` when a reset or restore comes first, because ids may then name other rows; with `these`,
   * when the server stops before the answer, because they can no longer be read
   */
  async function drain(accountId: number, these?: readonly Addressed[]): Promise<void> {
    const begun = era;
    const names = these && new Set(these.map(laneOf));
    for (let under = start(accountId, names); under.length > 0; under = start(accountId, names)) {
      await Promise.all(under);
      if (begun === era) continue;
      if (!stopped) throw replaced();
      if (these) throw ended();
    }
  }

  /** Starts the due deliveries without waiting. A lane under way finds new ones itself. */
  const wake = (accountId: number) => attemptTo(() => outbox.isAnyDue(accountId) && start(accountId));

  /** Reports the failure of work that nobody awaits. */
  function attemptTo(work: () => unknown) {
    try {
      work();
    } catch (error) {
      fault(error);
    }
  }

  const keyOf = (name: string) => `${era} ${name}`;

  /** Returns what is under way: in all lanes, or in those with these names. */
  function start(accountId: number, names?: ReadonlySet<string>): Promise<void>[] {
    if (stopped) return [];
    const under = new Map<string, Promise<void>>();
    for (const id of outbox.heard(accountId)) {
      const name = endpointLane(id);
      const isOwed = () => outbox.due(accountId, id, 1).length > 0;
      const lane = lanes.get(keyOf(name)) ?? (isOwed() && open(keyOf(name), accountId, () => emptyLane(accountId, id)));
      if (lane) under.set(name, lane.ended);
    }
    for (const delivery of outbox.dueLoose(accountId)) {
      const name = looseLane(delivery.id);
      const lane = lanes.get(keyOf(name)) ?? open(keyOf(name), accountId, () => sendLoose(delivery));
      under.set(name, lane.ended);
    }
    return [...under].filter(([name]) => names?.has(name) ?? true).map(([, ended]) => ended);
  }

  function open(name: string, accountId: number, work: () => Promise<void>): Lane {
    let giveUp = (): void => undefined;
    const givenUp = new Promise<void>((resolve) => {
      giveUp = resolve;
    });
    const ended = Promise.race([work(), givenUp]).finally(() => lanes.delete(name));
    ended.catch((error) => {
      fault(error);
      tryAgain(accountId);
    });
    const lane = { ended, giveUp };
    lanes.set(name, lane);
    return lane;
  }

  function tryAgain(accountId: number) {
    const begun = era;
    time.after(TRY_AGAIN_MS, () => {
      if (begun === era) wake(accountId);
    });
  }

  async function emptyLane(accountId: number, endpointId: number) {
    const begun = era;
    while (!stopped && begun === era && outbox.heard(accountId).includes(endpointId)) {
      const owed = outbox.due(accountId, endpointId, AHEAD);
      if (owed.length === 0) return;
      const isProgress = await sendAll(accountId, endpointId, owed);
      // Without progress, this loop would block all other work.
      if (!isProgress) throw new Error(`The courier sent none of the deliveries owed to endpoint ${endpointId}.`);
    }
  }

  /**
   * Sends one delivery after the other until the endpoint changes, because a change may end or redirect those already
   * read. Prepares the next one while the receiver works. Returns whether any was sent.
   */
  async function sendAll(accountId: number, endpointId: number, owed: readonly Delivery[]): Promise<boolean> {
    const begun = era;
    const endpoint = outbox.endpoint(endpointId);
    const revision = outbox.endpointRevision(endpointId);
    let isCarried = false;
    let ready: Letter | null = null;
    for (const [n, delivery] of owed.entries()) {
      // The answers of this turn are all read first, so that the next requests leave together and wake a receiver once.
      if (n > 0 && lanes.size > 1) await endOfTurn();
      if (stopped || begun !== era || outbox.endpointRevision(endpointId) !== revision) break;
      const letter = ready && isOfThisSecond(ready) ? ready : letterOf(delivery, endpoint);
      const underWay = carry(delivery, endpoint, letter);
      // A failure counts when it is awaited below. Until then, it must not end the process.
      underWay.catch(() => undefined);
      isCarried = true;
      await endOfTurn();
      outcomes.flushIfMany(accountId);
      const next = owed[n + 1];
      // While two secrets sign, the account's clock decides until when.
      ready = next && begun === era && !endpoint?.previous ? letterOf(next, endpoint) : null;
      const outcome = await underWay;
      if (!outcome || begun !== era) break;
      outcomes.note(accountId, { delivery, outcome, at: clocks.now(accountId) });
      const isOther = outcome.struck !== null || outbox.isAwaited(delivery);
      if (isOther || !isDelivered(outcome)) outcomes.flush(accountId);
      // A copy, or a delivery that was held back, goes before the rest of those read.
      if (isOther) break;
    }
    // Deliveries read next must not include those already sent.
    outcomes.flush(accountId);
    return isCarried;
  }

  /** Sends to a URL without an endpoint. */
  async function sendLoose(delivery: Delivery) {
    const begun = era;
    const outcome = await carry(delivery, null, letterOf(delivery, null));
    if (outcome && begun === era)
      outcomes.write(delivery.accountId, [{ delivery, outcome, at: clocks.now(delivery.accountId) }]);
  }

  /** Ends the waiting for what is under way. */
  function beginEra() {
    era += 1;
    for (const { giveUp } of lanes.values()) giveUp();
  }

  return {
    drain,
    wake,
    /** Call it after a reset or restore. Callers that wait for earlier deliveries get a conflict. */
    restart() {
      outcomes.forgetAll();
      beginEra();
    },
    /**
     * Waits for the answers under way, but not for a receiver that hangs: its delivery stays owed. The same goes for
     * outcomes that a full disk does not take.
     */
    async stop() {
      stopped = true;
      // A failed lane has already reported its error.
      const underWay = Promise.allSettled([...lanes.values()].map(({ ended }) => ended));
      let patience: NodeJS.Timeout | undefined;
      const hangs = new Promise<void>((resolve) => {
        patience = setTimeout(resolve, STOP_MS);
      });
      await Promise.race([underWay, hangs]);
      clearTimeout(patience);
      outcomes.flushAll();
      beginEra();
    },
  };
}

type Addressed = Pick<Delivery, 'id' | 'endpointId'>;

const endpointLane = (id: number) => `endpoint ${id}`;
const looseLane = (id: number) => `delivery ${id}`;
const laneOf = ({ id, endpointId }: Addressed) => (endpointId === null ? looseLane(id) : endpointLane(endpointId));

interface Lane {
  readonly ended: Promise<void>;
  giveUp(): void;
}

const replaced = () =>
  new Refusal(
    'conflict',
    'A reset or restore replaced the state before the webhook was answered. Send it again if the new state has it.',
  );

const ended = () => new Refusal('conflict', 'The server shut down before the webhook was answered.');

/** By then, what was sent in this turn has left. */
const endOfTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
