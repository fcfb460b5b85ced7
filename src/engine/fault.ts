import { HOUR } from '../domain/calendar.ts';
import type { Cause } from '../domain/cause.ts';
import { CHAOS_ID, type Chaos, chaosText, drawChaos } from '../domain/chaos.ts';
import {
  delayMsOf,
  FAULTS,
  type Fault,
  type FaultMark,
  type FaultRule,
  type FaultTarget,
  matchesAttempt,
  matchesRequest,
  type RequestFacts,
} from '../domain/faults.ts';
import type { Account } from '../domain/merchant.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Delivery, Struck } from '../domain/webhook.ts';
import { createFaultCounts } from './fault-counts.ts';
import { transact, type World } from './world.ts';

/** The longest time that a `reordered` delivery waits for the next event (interface §7). */
const HELD_MS = HOUR;

/** A fault that is about to strike a request. It is recorded once, by `settle` or in the transaction of `within`. */
export interface Strike extends Pick<FaultRule, 'status' | 'retryAfter' | 'delayMs'> {
  readonly account: Account;
  readonly fault: FaultMark;
  settle(): void;
  /** Runs `work` and records the strike in the same transaction; records nothing if `work` throws. */
  within<T>(work: () => T): T;
}

/** How a fault changes an attempt. */
export interface AttemptStrike {
  /**
   * `lose`: do not send it. `ignore`: disregard the answer. `copy`: send it again if it succeeds. `hold`: it has been
   * held back. `send`: it was held back before, or it is a copy; send it now.
   */
  readonly effect: 'lose' | 'ignore' | 'copy' | 'hold' | 'send';
  readonly struck: Struck;
  /** The attempt is not made, so the strike is not counted. */
  drop(): void;
}

export type Faults = ReturnType<typeof createFaults>;

/** The faults of all accounts: adding and removing them, and deciding when each strikes (interface §7). */
export function createFaults(world: World, chaos: Chaos | null = null) {
  const { store, clocks, digest } = world;
  const { next, begin, restart } = createFaultCounts(store);

  /** Chaos draws even if a fault strikes, so that its later decisions do not depend on the faults. */
  function drawn(accountId: number, target: FaultTarget, operation: string) {
    if (!chaos) return null;
    const number = store.transaction(() => store.faults.nextDraw(accountId, operation));
    return drawChaos(chaos, target, digest.sha256(chaosText(chaos, operation, number)));
  }

  function chaosOfAttempt({ accountId, endpointId, isForged }: Delivery, event: string) {
    // Receivers answer at different speeds, so only the deliveries to one endpoint have a fixed order.
    const place = endpointId === null ? 0 : store.endpoints.ordinal(accountId, endpointId);
    const found = drawn(accountId, 'delivery', `${event} to ${place}`);
    const isVain = (found?.kind === 'reordered' && endpointId === null) || (found?.kind === 'duplicate' && isForged);
    return isVain ? null : found;
  }

  /** Holds a delivery back and records why. */
  function hold(delivery: Delivery, struck: Struck, forMs: number): AttemptStrike {
    store.transaction(() => {
      store.deliveries.postpone(delivery, clocks.now(delivery.accountId) + forMs);
      store.struckDeliveries.put({ deliveryId: delivery.id, fault: struck.fault, copies: 0 });
      struck.settle();
    }, delivery.accountId);
    return { effect: 'hold', struck, drop: nothing };
  }

  return {
    add: (account: Account, rule: FaultRule, endpoint: string | null, cause: Cause): Fault =>
      transact({ ...world, cause }, account, ({ draw, now }) => {
        const id = store.faults.nextId();
        const fault: Fault = {
          ...rule,
          id,
          token: draw.id('flt', id),
          accountId: account.id,
          endpoint,
          seen: 0,
          met: 0,
          createdAt: now,
        };
        store.faults.insert(fault, cause);
        return fault;
      }),
    /** Lists the faults in the order in which they strike. */
    list: (account: Account) => store.faults.list(account.id),
    /** @throws Refusal `not_found` */
    remove(account: Account, token: string) {
      const fault = store.faults.list(account.id).find((candidate) => candidate.token === token);
      if (!fault) throw new Refusal('not_found', 'Fault');
      transact(world, account, () => store.faults.remove(fault));
    },
    clear: (account: Account) => transact(world, account, () => store.faults.clear(account.id)),
    restart,

    /** Finds the fault that strikes a request of the account, if any. */
    strikeRequest(account: Account, facts: RequestFacts): Strike | null {
      const chance = drawn(account.id, 'request', facts.operation);
      const fault = next(account.id, (candidate) => matchesRequest(candidate, facts));
      if (fault) {
        const { status, retryAfter, delayMs } = fault;
        return { account, fault: markOf(fault), status, retryAfter, delayMs, ...begin(fault) };
      }
      if (!chance) return null;
      const { kind, delayMs } = chance;
      const { status } = FAULTS.error.takes;
      return { account, fault: { id: CHAOS_ID, kind }, status, retryAfter: null, delayMs, ...CHANCE };
    },

    /** Finds the fault that strikes an attempt, if any. A delivery that is held back gets its new instant at once. */
    strikeAttempt(delivery: Delivery): AttemptStrike | null {
      const { accountId, endpointId, attempts } = delivery;
      const before = store.struckDeliveries.find(delivery.id);
      if (before) {
        const { fault, copies } = before;
        const struck = { fault, isCopy: copies > 0, copies: Math.max(0, copies - 1), settle: nothing };
        return { effect: 'send', struck, drop: nothing };
      }
      const armed = store.faults.list(accountId);
      if (!chaos && armed.length === 0) return null;

      const event = store.events.get(delivery.eventId).type;
      const isFirst = attempts === 0;
      const facts = { event, endpointId, isFirst, isForged: delivery.isForged };
      const chance = isFirst ? chaosOfAttempt(delivery, event) : null;
      const fault = next(accountId, (candidate) => matchesAttempt(candidate, facts));
      const mark = fault ? markOf(fault) : chance && { id: CHAOS_ID, kind: chance.kind };
      if (!mark) return null;
      const { settle, drop } = fault ? begin(fault) : CHANCE;
      const struck: Struck = { fault: mark, isCopy: false, copies: 0, settle };
      switch (mark.kind) {
        case 'delayed':
          return hold(delivery, struck, delayMsOf(fault?.by ?? ''));
        case 'reordered':
          return hold(delivery, struck, HELD_MS);
        case 'lost':
          return { effect: 'lose', struck, drop };
        case 'lost_ack':
          return { effect: 'ignore', struck, drop };
        default:
          return { effect: 'copy', struck: { ...struck, copies: fault?.copies ?? 1 }, drop };
      }
    },
  };
}

const nothing = () => undefined;

/** Strikes of chaos are not counted. */
const CHANCE = { settle: nothing, drop: nothing, within: <T>(work: () => T): T => work() };

const markOf = ({ token: id, kind }: Fault): FaultMark => ({ id, kind });
