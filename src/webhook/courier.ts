import { Refusal } from '../domain/refusal.ts';
import {
  type Attempted,
  type Carried,
  type Delivery,
  type Endpoint,
  isDelivered,
  type Letter,
} from '../domain/webhook.ts';
import type { Outbox } from '../engine/outbox.ts';
import type { Clocks } from '../time/clocks.ts';
import type { RealTime } from '../time/real.ts';
import type { Carry } from './carry.ts';
import { signedHeaders } from './sign.ts';

/** What the courier works with, joined by `simulator.ts`. */
export interface CourierRooms {
  readonly outbox: Outbox;
  readonly clocks: Pick<Clocks, 'now'>;
  readonly time: Pick<RealTime, 'now'>;
  readonly carry: Carry;
  /** Told of each attempt, for whoever watches the server. */
  observe(delivery: Delivery, outcome: Carried): void;
  fault(error: unknown): void;
}

/** Read at once of what an endpoint is owed. */
const AHEAD = 32;
/**
 * Answers of one account that are written down together, while receivers work on the next deliveries: each alone would
 * cost more than sending it. A crash forgets at most these, and they are sent again with the same ids (decisions §6).
 */
const TOGETHER = 32;
/** What was answered waits no longer than this to be written down. */
const SOON_MS = 5;
/** Real patience with receivers when the server closes. */
const STOP_MS = 1000;

export type Courier = ReturnType<typeof createCourier>;

/**
 * Sends what the outbox owes: one attempt in flight per endpoint, endpoints side by side, first attempts in the order
 * of events. What it does not finish stays owed.
 */
export function createCourier({ outbox, clocks, time, carry, observe, fault }: CourierRooms) {
  const lanes = new Map<string, Lane>();
  /** What receivers answered and is not written down yet, by account. */
  const answered = new Map<number, Answered>();
  let stopped = false;
  /** Counts resets and restores: what was under way before one says nothing about what is there after it. */
  let era = 0;

  /**
   * Starts what is due now and not under way; resolves when nothing of the account is due or under way.
   * @throws Refusal `conflict` when a reset or restore comes first: ids may mean something else then
   */
  async function drain(accountId: number): Promise<void> {
    const begun = era;
    for (let under = start(accountId); under.length > 0; under = start(accountId)) {
      await Promise.all(under);
      if (begun !== era && !stopped) throw replaced();
    }
  }

  /** Starts what is due without waiting for it: a lane under way looks for more by itself. */
  const wake = (accountId: number) => attemptTo(() => outbox.isAnyDue(accountId) && start(accountId));

  /** For what nobody waits for. */
  function attemptTo(work: () => unknown) {
    try {
      work();
    } catch (error) {
      fault(error);
    }
  }

  function start(accountId: number): Promise<void>[] {
    if (stopped) return [];
    const under: Promise<void>[] = [];
    for (const id of outbox.heard(accountId)) {
      const name = `${era} endpoint ${id}`;
      const isOwed = () => outbox.due(accountId, id, 1).length > 0;
      const lane = lanes.get(name) ?? (isOwed() && open(name, () => emptyLane(accountId, id)));
      if (lane) under.push(lane.ended);
    }
    for (const delivery of outbox.dueLoose(accountId)) {
      const name = `${era} delivery ${delivery.id}`;
      under.push((lanes.get(name) ?? open(name, () => sendLoose(delivery))).ended);
    }
    return under;
  }

  function open(name: string, work: () => Promise<void>): Lane {
    let giveUp = (): void => undefined;
    const givenUp = new Promise<void>((resolve) => {
      giveUp = resolve;
    });
    const ended = Promise.race([work(), givenUp]).finally(() => lanes.delete(name));
    ended.catch(fault);
    const lane = { ended, giveUp };
    lanes.set(name, lane);
    return lane;
  }

  async function emptyLane(accountId: number, endpointId: number) {
    const begun = era;
    while (!stopped && begun === era && outbox.heard(accountId).includes(endpointId)) {
      const owed = outbox.due(accountId, endpointId, AHEAD);
      if (owed.length === 0) return;
      const isProgress = await sendAll(accountId, endpointId, owed);
      // Without progress this loop would never give other work a turn.
      if (!isProgress) throw new Error(`The courier carried nothing of what endpoint ${endpointId} is owed.`);
    }
  }

  /**
   * One after the other, until the endpoint changes: that may end or redirect what was read before. While the receiver
   * works on one, the next is made ready. Tells whether any was carried.
   */
  async function sendAll(accountId: number, endpointId: number, owed: readonly Delivery[]): Promise<boolean> {
    const begun = era;
    const endpoint = outbox.endpoint(endpointId);
    const revision = outbox.endpointRevision(endpointId);
    let isCarried = false;
    let ready: Letter | null = null;
    for (const [n, delivery] of owed.entries()) {
      if (stopped || outbox.endpointRevision(endpointId) !== revision) break;
      const letter = ready && isOfThisSecond(ready) ? ready : letterOf(delivery, endpoint);
      const underWay = carry(delivery, endpoint, letter);
      isCarried = true;
      await requestWritten();
      writeTogether(accountId, TOGETHER);
      const next = owed[n + 1];
      // While two secrets sign, the account's clock says for how long.
      ready = next && begun === era && !endpoint?.previous ? letterOf(next, endpoint) : null;
      const outcome = await underWay;
      if (!outcome || begun !== era) break;
      note(accountId, { delivery, outcome, at: clocks.now(accountId) });
      const isOther = outcome.struck !== null || outbox.isAwaited(delivery);
      if (isOther || !isDelivered(outcome)) writeTogether(accountId, 1);
      // A copy, or what was held back, goes before the rest of what was read.
      if (isOther) break;
    }
    // What is read next must not hold what was sent already.
    writeTogether(accountId, 1);
    return isCarried;
  }

  /** To a URL that is no endpoint. */
  async function sendLoose(delivery: Delivery) {
    const begun = era;
    const outcome = await carry(delivery, null, letterOf(delivery, null));
    if (outcome && begun === era)
      writeDown(delivery.accountId, [{ delivery, outcome, at: clocks.now(delivery.accountId) }]);
  }

  /** It is written down soon, with what else the account's receivers answer meanwhile. */
  function note(accountId: number, attempt: Attempted) {
    const noted = answered.get(accountId);
    if (noted) noted.attempts.push(attempt);
    else {
      const soon = setTimeout(() => attemptTo(() => writeTogether(accountId, 1)), SOON_MS);
      answered.set(accountId, { attempts: [attempt], soon });
    }
  }

  /** Writes down what is noted, if it is that much. */
  function writeTogether(accountId: number, atLeast: number) {
    const noted = answered.get(accountId);
    if (!noted || noted.attempts.length < atLeast) return;
    forget(accountId, noted);
    writeDown(accountId, noted.attempts);
  }

  function forget(accountId: number, { soon }: Answered) {
    clearTimeout(soon);
    answered.delete(accountId);
  }

  function writeDown(accountId: number, attempts: readonly Attempted[]) {
    outbox.record(accountId, attempts);
    for (const { delivery, outcome } of attempts) observe(delivery, outcome);
  }

  /** The stored body, byte for byte, with the signatures of this instant. */
  function letterOf(delivery: Delivery, endpoint: Endpoint | null): Letter {
    const { token, body, accountSecret } = outbox.outgoing(delivery);
    const secrets = delivery.isForged
      ? [FORGED_SECRET]
      : secretsOf(endpoint, accountSecret, clocks.now(delivery.accountId));
    return { headers: signedHeaders(token, seconds(), body, secrets), body };
  }

  const seconds = () => Math.floor(time.now() / 1000);
  const isOfThisSecond = ({ headers }: Letter) => headers['webhook-timestamp'] === String(seconds());

  return {
    drain,
    wake,
    /** The workspace became another one: nobody waits for what was under way in the one before. */
    startAnew() {
      era += 1;
      for (const [accountId, noted] of answered) forget(accountId, noted);
      for (const { giveUp } of lanes.values()) giveUp();
    },
    /**
     * Waits for the answers under way, but not for a receiver that hangs: what it is sent stays owed. So does what cannot
     * be written down: a full disk keeps nobody from closing.
     */
    async stop() {
      stopped = true;
      // A lane that failed has told why.
      const underWay = Promise.allSettled([...lanes.values()].map(({ ended }) => ended));
      let patience: NodeJS.Timeout | undefined;
      const hangs = new Promise<void>((resolve) => {
        patience = setTimeout(resolve, STOP_MS);
      });
      await Promise.race([underWay, hangs]);
      clearTimeout(patience);
      for (const accountId of answered.keys()) attemptTo(() => writeTogether(accountId, 1));
      era += 1;
    },
  };
}

interface Answered {
  readonly attempts: Attempted[];
  readonly soon: NodeJS.Timeout;
}

interface Lane {
  readonly ended: Promise<void>;
  giveUp(): void;
}

const replaced = () =>
  new Refusal(
    'conflict',
    'A reset or restore replaced the state before the webhook was answered. Send it again if the new state has it.',
  );

/** Nobody's: what it signs has to be refused. */
const FORGED_SECRET = `whsec_${Buffer.from('this secret is no endpoint’s own').toString('base64')}`;

/** A request goes out when the present turn is over. */
const requestWritten = () => new Promise<void>((resolve) => process.nextTick(resolve));

/** The endpoint's own, and for a day the one before it. */
function secretsOf(endpoint: Endpoint | null, fallback: string, now: number): string[] {
  if (!endpoint) return [fallback];
  const { previous } = endpoint;
  return previous && now < previous.until ? [endpoint.secret, previous.secret] : [endpoint.secret];
}
