import { explain } from '../operations/explain.ts';
import { asker, type Client, type Connection, dataOf, v1Client } from './client.ts';
import { assumptionLevers } from './levers/assumptions.ts';
import { clockLevers } from './levers/clock.ts';
import { contractLevers } from './levers/contracts.ts';
import { coverageLever } from './levers/coverage.ts';
import { emailLevers } from './levers/emails.ts';
import { eventLevers } from './levers/events.ts';
import { faultLevers } from './levers/faults.ts';
import { keyLevers } from './levers/keys.ts';
import { logLevers } from './levers/logs.ts';
import { sessionLevers } from './levers/sessions.ts';
import { webhookLevers } from './levers/webhooks.ts';
import { NO_REPLACEMENTS, type Replacements } from './since.ts';
import type { Waiting } from './wait.ts';
import type { Explanation } from './wire.ts';

// Under a name, so that the declarations of `{ ...shop }` need not repeat what these functions take, which is not public.
type Clock = ReturnType<typeof clockLevers>;
type Sessions = ReturnType<typeof sessionLevers>;
type Contracts = ReturnType<typeof contractLevers>;
type Events = ReturnType<typeof eventLevers>;
type Emails = ReturnType<typeof emailLevers>;
type Webhooks = ReturnType<typeof webhookLevers>;
type Faults = ReturnType<typeof faultLevers>;
type Coverage = ReturnType<typeof coverageLever>;
type Logs = ReturnType<typeof logLevers>;
type Assumptions = ReturnType<typeof assumptionLevers>;
type Keys = ReturnType<typeof keyLevers>;

/**
 * The levers of one account: what the commands do, as methods (interface §4). They resolve with the `data` of the
 * response, `contracts.list` with the whole page, and throw LayawayError for a refusal. Amounts are cents.
 */
export interface ShopLevers {
  readonly v1: Client;
  readonly clock: Clock;
  readonly sessions: Sessions;
  readonly contracts: Contracts;
  readonly events: Events;
  readonly emails: Emails;
  readonly webhooks: Webhooks;
  /** Faults that strike requests and deliveries of the account (interface §7). */
  readonly faults: Faults;
  /** What the store has met, and what it does wrong (interface §9). `clear()` deletes it. */
  readonly coverage: Coverage;
  readonly logs: Logs;
  /**
   * The causes of the state of a session, contract, installment (`LAY-…#2`), event, delivery, email, request, payment
   * attempt or webhook endpoint, and what comes next (interface §11).
   */
  explain(id: string): Promise<Explanation>;
  /** @deprecated Use `logs`. Removed in 0.2. */
  readonly requests: Logs;
  /** Settings of the account and its merchant. `ASSUMPTIONS` has their defaults, `sim.platform` those of the platform. */
  readonly assumptions: Assumptions;
  /** @deprecated Use `assumptions`. Removed in 0.2. */
  readonly settings: Assumptions;
  readonly keys: Keys;
}

export function shopLevers(
  connection: Connection,
  waiting: Waiting,
  replacements: Replacements = NO_REPLACEMENTS,
): ShopLevers {
  const ask = asker(connection);
  const v1 = v1Client(connection);
  const logs = logLevers(connection, waiting);
  const assumptions = assumptionLevers(connection);
  return {
    v1,
    clock: clockLevers(connection),
    sessions: sessionLevers(connection, v1),
    contracts: contractLevers(connection, v1),
    events: eventLevers(connection, waiting, replacements),
    emails: emailLevers(connection, waiting, replacements),
    webhooks: webhookLevers(connection),
    faults: faultLevers(connection),
    coverage: coverageLever(connection),
    logs,
    explain: (id) => ask(explain, { params: { id } }).then(dataOf),
    requests: logs,
    assumptions,
    settings: assumptions,
    keys: keyLevers(connection),
  };
}
