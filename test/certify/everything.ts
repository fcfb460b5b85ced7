import type { Simulator } from '../../src/index.ts';

/** Every row of every table, and everything that the levers of the account and the workspace list. */
export async function everything(sim: Simulator) {
  const shop = sim.default;
  const { saved_at: _, ...tables } = await sim.trace();
  const lists = await Promise.all([
    shop.clock.show(),
    shop.sessions.list(),
    shop.contracts.find(),
    shop.events.list(),
    shop.emails.list(),
    shop.webhooks.list(),
    shop.webhooks.deliveries(),
    shop.faults.list(),
    shop.keys.list(),
    shop.logs.list(),
    shop.coverage(),
    shop.assumptions.get(),
    sim.coverage(),
    sim.listMerchants(),
    sim.snapshots.list(),
  ]);
  return JSON.stringify([tables, lists]);
}
