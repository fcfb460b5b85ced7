import { test as base } from 'vitest';
import {
  createSimulator,
  type MerchantOptions,
  type SandboxShop,
  type Simulator,
  type SimulatorOptions,
} from './index.ts';

/** What a test may ask for. */
export interface LayawayFixtures {
  /** How the simulator is started; beside what is named here, in memory, under seed 1, its clock frozen at 2026. */
  simulatorOptions: SimulatorOptions;
  /** The simulator that the tests of a file share. */
  sim: Simulator;
  /** What the test's merchant is given: name, state, settings, clock. */
  shopOptions: MerchantOptions;
  /** A fresh merchant: keys, clock, inbox and endpoints that no other test sees. */
  shop: SandboxShop;
}

/**
 * Vitest's `test` with a simulator for the file and a merchant for each test (interface §4):
 *
 *     import { test } from 'layaway/vitest';
 *     test('a plan is paid off', async ({ shop }) => { … });
 *     test.override({ shopOptions: { state: 'NY' } });
 */
export const test = base.extend<LayawayFixtures>({
  simulatorOptions: [{}, { scope: 'file' }],
  sim: [
    async ({ simulatorOptions }, use) => {
      const sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' }, ...simulatorOptions });
      await use(sim);
      await sim.close();
    },
    { scope: 'file' },
  ],
  shopOptions: {},
  shop: async ({ sim, shopOptions }, use) => {
    await use(await sim.merchant(shopOptions));
  },
});

/** @alias */
export const it = test;
