import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test as base, expect } from 'vitest';
import { makeFolder } from './cli/folder.ts';
import { toLookAt } from './cli/server/write-trace.ts';
import { firstText } from './domain/coverage.ts';
import { fileReason } from './domain/file-error.ts';
import type { SituationGroup } from './domain/situations.ts';
import { counted } from './domain/text.ts';
import {
  createSimulator,
  type MerchantOptions,
  packTrace,
  type SandboxShop,
  type Simulator,
  type SimulatorOptions,
} from './index.ts';
import type { CoverageReport } from './library/wire.ts';
import { suggestion } from './nearest.ts';

/** The types of the fixtures and of what they answer, so that the declarations of whoever extends `test` can name them. */
export type {
  Client,
  InjectedResponse,
  MerchantOptions,
  SandboxShop,
  Shop,
  Simulator,
  SimulatorOptions,
  StartEndpoint,
  TraceDocument,
} from './index.ts';
export type * from './library/wire.ts';

/** A situation of a coverage report (interface §9), such as `webhooks.duplicate`. docs/coverage.md lists them all. */
export type SituationId = `${SituationGroup}.${string}`;

// The parameters of Vitest's `Matchers` are not the same in every version, and a declaration must repeat them. These
// interfaces have none, and `expect` has their members in every version.
declare module 'vitest' {
  interface AsymmetricMatchersContaining {
    /** `expect.toHaveMet('webhooks.duplicate')` */
    // biome-ignore lint/suspicious/noExplicitAny: as all matchers of this interface, it stands for any value
    toHaveMet(id: SituationId): any;
  }
}
declare global {
  namespace Chai {
    interface Assertion {
      /** `expect(await shop.coverage()).toHaveMet('webhooks.duplicate')` */
      toHaveMet(id: SituationId): void;
    }
  }
}

expect.extend({
  toHaveMet(report: CoverageReport, id: string) {
    if (!Array.isArray(report?.situations)) {
      throw new TypeError('toHaveMet expects a coverage report: expect(await shop.coverage()).toHaveMet(id).');
    }
    const situation = report.situations.find((each) => each.id === id);
    if (!situation) {
      const ids = report.situations.map((each) => each.id);
      throw new Error(`Unknown situation "${id}". ${suggestion(id, ids)}`);
    }
    const { met, title, how, first } = situation;
    return {
      pass: met > 0,
      message: () =>
        met > 0
          ? `The store has met ${id} ${counted(met, 'time')}, first with ${first && firstText(first)}: ${title}.`
          : `The store has not met ${id}: ${title}.\nHow to reach it: ${how}`,
    };
  },
});

/** The fixtures of `test`. */
export interface LayawayFixtures {
  /** The options of the simulator. Defaults: in memory, seed 1, clock frozen at 2026-01-01T00:00:00Z. */
  simulatorOptions: SimulatorOptions;
  /** The simulator that the tests of a file share. */
  sim: Simulator;
  /** The name, state, settings and clock of the test's merchant. */
  shopOptions: MerchantOptions;
  /** A new merchant for each test: keys, clock, inbox and endpoints that no other test sees. */
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
  shop: async ({ sim, shopOptions, onTestFailed, onTestFinished }, use) => {
    const folder = process.env.LAYAWAY_TRACE;
    let shop: SandboxShop | undefined;
    if (folder) {
      // Nobody looks for the cause of a failure that `test.fails` expects.
      onTestFailed(({ task }) => (task.fails ? undefined : saveTrace(sim, folder, task, shop?.clientId)));
      onTestFinished(async ({ task }) => {
        if (!task.fails || task.result?.state !== 'pass') return;
        // Here, an error would be the failure that `test.fails` expects.
        await saveTrace(sim, folder, task, shop?.clientId).catch((error: Error) => console.error(error.message));
      });
    }
    shop = await sim.merchant(shopOptions);
    await use(shop);
  },
});

/** Writes a trace into the folder LAYAWAY_TRACE, named after the failed test (interface §11), and says how to open it. */
async function saveTrace(sim: Simulator, folder: string, task: Failed, clientId?: string) {
  const names: string[] = [];
  for (let at: Failed['suite'] | Failed = task; at; at = at.suite) names.unshift(at.name);
  const what = names.join(' > ');
  const messages = (task.result?.errors ?? []).map(({ message }) => message);
  const document = await sim.trace({
    what,
    exit_code: null,
    messages: task.fails ? ['The test passed, but test.fails expects it to fail.'] : messages,
    ...(clientId === undefined ? {} : { client_id: clientId }),
  });
  const name = `${what.replace(/[^A-Za-z0-9]+/g, '-').slice(0, 80)}-${task.id.replace(/\W/g, '')}.layaway`;
  const file = join(folder, name);
  const packed = await packTrace(document);
  try {
    makeFolder(folder);
    await writeFile(file, packed, { mode: 0o600 });
  } catch (cause) {
    throw new Error(
      `The trace could not be saved in ${folder} (${fileReason(cause)}). LAYAWAY_TRACE must name a writable folder.`,
      { cause },
    );
  }
  console.error(`Saved a trace. ${toLookAt(file)}`);
}

interface Failed {
  readonly id: string;
  readonly name: string;
  readonly fails?: boolean | undefined;
  readonly suite?: { readonly name: string; readonly suite?: Failed['suite'] } | undefined;
  readonly result?: { readonly errors?: readonly { readonly message: string }[] | undefined } | undefined;
}

/** @alias */
export const it = test;
