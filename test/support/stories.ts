import type { SandboxShop } from '../../src/index.ts';
import { dice } from './dice.ts';
import { CUSTOMER, order } from './shop.ts';

/** Performs random actions on a store's sessions and contracts. Refusals are expected. */
export async function liveThrough(shop: SandboxShop, seed: number, steps: number) {
  const { one, below } = dice(seed);
  const sessions: string[] = [];
  const contracts: string[] = [];
  const actions: readonly (() => Promise<unknown>)[] = [
    async () => {
      const key = one([undefined, 'key-1', `key-${below(99)}`]);
      const opened = await shop.v1.createSession(
        order({
          order_reference: `A-${below(1000)}`,
          total_amount: 8_000 + below(9_000),
          metadata: { seed: String(seed) },
        }),
        key === undefined ? {} : { idempotencyKey: key },
      );
      sessions.push(opened.id);
    },
    async () => void (await shop.sessions.accept(one(sessions), CUSTOMER)),
    async () =>
      contracts.push((await shop.sessions.pay(one(sessions), { outcome: one(['pay', 'pay', 'fail']) })).reference),
    async () => contracts.push((await shop.sessions.complete(one(sessions), CUSTOMER)).reference),
    async () => void (await shop.sessions.cancel(one(sessions))),
    async () =>
      void (await shop.contracts.outcomes(
        one(contracts),
        one([['fail'], ['fail', 'fail'], ['pay', 'fail', 'fail']] as const),
      )),
    async () => void (await shop.clock.advance(one(['30m', '1d', '5d', '14d', '20d', '45d']))),
    async () => void (await shop.contracts.settle(one(contracts))),
    async () => void (await shop.v1.cancelContract(one(contracts))),
    async () => void (await shop.v1.updateContract(one(contracts), { order_reference: `B-${below(100)}` })),
    async () => void (await shop.v1.getContract(one(contracts))),
    async () =>
      contracts.push((await shop.contracts.create({ status: one(['active', 'defaulted', 'cancelled']) })).reference),
    async () => void (await shop.assumptions.set({ grace_days: below(15) })),
    async () =>
      void (await shop.assumptions.set(
        one([
          { collection_retry_hours: 1 + below(72), default_days: below(40) },
          { installment_count: 1 + below(6), installment_cadence: one(['weekly', 'biweekly', 'monthly']) },
          { min_order_amount: 5_000 + below(9_000), down_payment_percentage: 10 + below(40) },
          { session_ttl_minutes: 1 + below(90) },
          { layaway_enabled: one([true, true, false]), excluded_states: one([[], ['CA'], ['NY']]) },
          { clearance: one(['cleared', 'cleared', 'in_review']) },
          { dba: `Shop ${below(9)}`, state: one(['NY', 'CA']) },
        ]),
      )),
    async () => void (await shop.live.assumptions.set({ state: one(['NY', 'CA', 'TX']), grace_days: below(15) })),
  ];
  for (let step = 0; step < steps; step += 1) {
    const action = step < 2 ? actions[0] : one(actions);
    await action?.().catch(() => undefined);
  }
  return { sessions, contracts };
}
