import { createSimulator, type Simulator } from '../../src/index.ts';

/** A server with data of its own, and what it answered. */
export async function openServer() {
  const lines: string[] = [];
  const sim = await createSimulator({
    seed: 1,
    clock: { frozenAt: '2026-01-01T00:00:00Z' },
    onRequest: ({ method, path, status }) => void lines.push(`${method} ${path} ${status}`),
  });
  await sim.default.contracts.create();
  await sim.inject({ method: 'GET', url: '/v1/ping', headers: sim.default.headers });
  const counted = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;
  return {
    sim,
    sends: () => counted(/^POST \/_sim\/merchants\/mer_\w+\/send 200$/),
    made: () => counted(/^POST \/_sim\/merchants 201$/),
    deleted: () => counted(/^DELETE \/_sim\/merchants\/mer_\w+ 204$/),
    [Symbol.asyncDispose]: () => sim.close(),
  };
}

/** What the levers list of an account and its workspace, but for what a new session adds. */
export const besideSessions = (sim: Simulator) => {
  const shop = sim.default;
  return Promise.all([
    shop.contracts.find(),
    shop.events.list(),
    shop.emails.list(),
    shop.webhooks.list(),
    shop.webhooks.deliveries(),
    shop.faults.list(),
    shop.keys.list(),
    shop.assumptions.get(),
    sim.listMerchants(),
  ]);
};

/** Every row of every table, and everything that the levers of the account and the workspace list. */
export async function everything(sim: Simulator) {
  const shop = sim.default;
  const { saved_at: _, ...tables } = await sim.trace();
  const lists = await Promise.all([
    besideSessions(sim),
    shop.clock.show(),
    shop.sessions.list(),
    shop.logs.list(),
    shop.coverage(),
    sim.coverage(),
    sim.snapshots.list(),
  ]);
  return JSON.stringify([tables, lists]);
}
