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

/**
 * The levers of one account: what the commands do, as methods (interface §4). They resolve with the `data` of the
 * response, `contracts.list` with the whole page, and throw LayawayError for a refusal. Amounts are cents.
 */
export interface ShopLevers {
  readonly v1: Client;
  readonly clock: ReturnType<typeof clockLevers>;
  readonly sessions: ReturnType<typeof sessionLevers>;
  readonly contracts: ReturnType<typeof contractLevers>;
  readonly events: ReturnType<typeof eventLevers>;
  readonly emails: ReturnType<typeof emailLevers>;
  readonly webhooks: ReturnType<typeof webhookLevers>;
  /** Faults that requests and deliveries of the account meet (interface §7). */
  readonly faults: ReturnType<typeof faultLevers>;
  /** What the store has met, and what it does wrong (interface §9). `clear()` deletes it. */
  readonly coverage: ReturnType<typeof coverageLever>;
  readonly logs: ReturnType<typeof logLevers>;
  /**
   * The causes of the state of a session, contract, installment (`LAY-…#2`), event, delivery, email, request, payment
   * attempt or webhook endpoint, and what comes next (interface §11).
   */
  explain(id: string): Promise<Explanation>;
  /** @deprecated Use `logs`. Removed in 0.2. */
  readonly requests: ReturnType<typeof logLevers>;
  /** Settings of the account and its merchant. `ASSUMPTIONS` has their defaults, `sim.platform` those of the platform. */
  readonly assumptions: ReturnType<typeof assumptionLevers>;
  /** @deprecated Use `assumptions`. Removed in 0.2. */
  readonly settings: ReturnType<typeof assumptionLevers>;
  readonly keys: ReturnType<typeof keyLevers>;
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
