import type { AttemptOutcome, Delivery, Endpoint } from '../domain/webhook.ts';
import { signedHeaders } from './sign.ts';

/** What the courier carries and where it writes down how it went; handed in by `simulator.ts`. */
export interface CourierWorks {
  now(accountId: number): number;
  realNow(): number;
  /** Endpoints with something due, those with a listening process elsewhere left out. */
  dueEndpointIds(accountId: number): number[];
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

  /** Starts what is due now and not under way; resolves when nothing of the account is due or under way. */
  async function drain(accountId: number): Promise<void> {
    for (let under = start(accountId); under.length > 0; under = start(accountId)) await Promise.all(under);
  }

  /** The same, without waiting. */
  function wake(accountId: number) {
    drain(accountId).catch(works.fault);
  }

  function start(accountId: number): Promise<void>[] {
    if (stopped) return [];
    return [
      ...works.dueEndpointIds(accountId).map((id) => lane(`endpoint ${id}`, () => emptyLane(accountId, id))),
      ...works
        .dueLoose(accountId)
        .map((delivery) => lane(`delivery ${delivery.id}`, async () => void (await attempt(delivery)))),
    ];
  }

  function lane(name: string, work: () => Promise<void>): Promise<void> {
    const under = lanes.get(name);
    if (under) return under;
    const begun = work().finally(() => lanes.delete(name));
    lanes.set(name, begun);
    return begun;
  }

  async function emptyLane(accountId: number, endpointId: number) {
    while (!stopped) {
      const delivery = works.dueAt(endpointId, works.now(accountId));
      if (!delivery || !(await attempt(delivery))) return;
    }
  }

  /** Whether it was attempted. */
  async function attempt(delivery: Delivery): Promise<boolean> {
    const endpoint = delivery.endpointId === null ? null : works.endpoint(delivery.endpointId);
    const outcome = await works.carry(delivery, endpoint, letterOf(delivery, endpoint));
    if (!outcome || stopped) return false;
    works.record(delivery, outcome);
    works.observe(delivery, outcome);
    return true;
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
