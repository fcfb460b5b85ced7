import type { AttemptOutcome, Delivery, Endpoint } from '../domain/webhook.ts';
import { signedHeaders } from './sign.ts';

/** What the courier carries and where it writes down how it went; handed in by `simulator.ts`. */
export interface CourierWorks {
  now(accountId: number): number;
  realNow(): number;
  /** Endpoints that can be sent to: those whose listening process is away are left out. */
  endpointIds(accountId: number): number[];
  dueAt(endpointId: number, now: number): Delivery | null;
  dueLoose(accountId: number): Delivery[];
  endpoint(id: number): Endpoint | null;
  /** Id and body of the event, and the secrets to sign with when no endpoint has any. */
  event(delivery: Delivery): { readonly token: string; readonly body: string; readonly secret: string };
  /** Null when it could not be attempted: it stays owed. */
  carry(delivery: Delivery, endpoint: Endpoint | null, letter: Letter): Promise<AttemptOutcome | null>;
  record(delivery: Delivery, outcome: AttemptOutcome): void;
  /** Told of each attempt, for whoever watches the server. */
  observe(delivery: Delivery, outcome: AttemptOutcome): void;
  fault(error: unknown): void;
}

export interface Letter {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Courier = ReturnType<typeof createCourier>;

/**
 * Sends what the outbox owes: one attempt in flight per endpoint, endpoints side by side, first attempts in the order
 * of events. What it does not finish stays owed.
 */
export function createCourier(works: CourierWorks) {
  const lanes = new Map<string, Promise<void>>();
  let stopped = false;
  /** Counts resets and restores: what was under way before one says nothing about what is there after it. */
  let era = 0;

  /** Starts what is due now and not under way; resolves when nothing of the account is due or under way. */
  async function drain(accountId: number): Promise<void> {
    for (let under = start(accountId); under.length > 0; under = start(accountId)) await Promise.all(under);
  }

  /** The same, without waiting: a lane under way looks for more by itself. */
  function wake(accountId: number) {
    try {
      start(accountId);
    } catch (error) {
      works.fault(error);
    }
  }

  function start(accountId: number): Promise<void>[] {
    if (stopped) return [];
    const now = works.now(accountId);
    const under: Promise<void>[] = [];
    for (const id of works.endpointIds(accountId)) {
      const name = `${era} endpoint ${id}`;
      const lane = lanes.get(name) ?? (works.dueAt(id, now) && open(name, () => emptyLane(accountId, id)));
      if (lane) under.push(lane);
    }
    for (const delivery of works.dueLoose(accountId)) {
      const name = `${era} delivery ${delivery.id}`;
      under.push(lanes.get(name) ?? open(name, () => attempt(delivery)));
    }
    return under;
  }

  function open(name: string, work: () => Promise<void>): Promise<void> {
    const lane = work().finally(() => lanes.delete(name));
    lane.catch(works.fault);
    lanes.set(name, lane);
    return lane;
  }

  async function emptyLane(accountId: number, endpointId: number) {
    const begun = era;
    while (!stopped && begun === era && works.endpointIds(accountId).includes(endpointId)) {
      const delivery = works.dueAt(endpointId, works.now(accountId));
      if (!delivery) return;
      await attempt(delivery);
    }
  }

  async function attempt(delivery: Delivery) {
    const endpoint = delivery.endpointId === null ? null : works.endpoint(delivery.endpointId);
    const begun = era;
    const outcome = await works.carry(delivery, endpoint, letterOf(delivery, endpoint));
    if (!outcome || stopped || begun !== era) return;
    works.record(delivery, outcome);
    works.observe(delivery, outcome);
  }

  /** The stored body, byte for byte, with the signatures of this instant. */
  function letterOf(delivery: Delivery, endpoint: Endpoint | null): Letter {
    const { token, body, secret } = works.event(delivery);
    const seconds = Math.floor(works.realNow() / 1000);
    const secrets = secretsOf(endpoint, secret, works.now(delivery.accountId));
    return { headers: signedHeaders(token, seconds, body, secrets), body };
  }

  return {
    drain,
    wake,
    /** The workspace became another one. */
    startAnew() {
      era += 1;
    },
    async stop() {
      stopped = true;
      await Promise.all(lanes.values());
    },
  };
}

/** The endpoint's own, and for a day the one before it. */
function secretsOf(endpoint: Endpoint | null, fallback: string, now: number): string[] {
  if (!endpoint) return [fallback];
  const { previous } = endpoint;
  return previous && now < previous.until ? [endpoint.secret, previous.secret] : [endpoint.secret];
}
