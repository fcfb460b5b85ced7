import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSimulator, type Outcome, type PlanInstallment, type Simulator } from '../../src/index.ts';
import { failing } from '../../src/web/dashboard/parts/levers/failing.ts';
import { buy } from '../support/shop.ts';

let sim: Simulator;
beforeAll(async () => {
  sim = await createSimulator();
});
afterAll(() => sim.close());

test.each<[string, number, { arranged: Outcome[]; before?: Outcome[] }, string[]]>([
  ['without outcomes, the others are paid', 3, { arranged: [] }, ['1 pay', '2 pay', '3 fail', '3 fail', '4 pay']],
  [
    'those of earlier and later installments stay',
    2,
    { arranged: ['fail', 'pay', 'fail', 'pay', 'pay', 'fail', 'pay'] },
    ['1 fail', '1 pay', '2 fail', '2 fail', '3 pay', '4 fail', '4 pay'],
  ],
  [
    'one that is due has a single attempt left',
    1,
    { arranged: ['pay', 'fail', 'pay'], before: ['fail'] },
    ['1 fail', '2 fail', '2 pay', '3 pay'],
  ],
])('an installment that is made to fail: %s', async (_what, number, { arranged, before = [] }, attempts) => {
  const shop = await sim.merchant({ clock: { frozenAt: '2026-01-01T00:00:00Z' } });
  const { clock, contracts } = shop;
  const { reference } = await buy(shop);
  await contracts.outcomes(reference, before);
  await clock.advance({ to: before.length > 0 ? '2026-01-15T00:00:00Z' : '2026-01-02T00:00:00Z' });
  const contract = await contracts.get(reference);
  const of = contract.installments[number] as PlanInstallment;
  const made = (await contracts.attempts(reference)).length;
  await contracts.outcomes(reference, failing(contract, of, arranged));
  await clock.advance('10w');
  const later = (await contracts.attempts(reference)).toReversed().slice(made);
  expect(later.map(({ sequence, outcome }) => `${sequence - 1} ${outcome}`)).toEqual(attempts);
});

test('an installment without an attempt left arranges nothing', async () => {
  const shop = await sim.merchant({ clock: { frozenAt: '2026-01-01T00:00:00Z' } });
  const { reference } = await shop.contracts.create({ installment: { number: 1, status: 'past_due' } });
  const contract = await shop.contracts.get(reference);
  const of = contract.installments[1] as PlanInstallment;
  expect(failing(contract, of, ['fail', 'pay'])).toEqual([]);
});
