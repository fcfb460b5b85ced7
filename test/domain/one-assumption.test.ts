import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type * as Table from '../../scripts/assumption-table.ts';
import type * as Library from '../../src/index.ts';
import type * as Schema from '../../src/scenario/schema.ts';
import { programWith } from '../support/program-with.ts';

/** The law of CONTRIBUTING, "A setting": one entry in `domain/assumptions.ts`, and everything else follows from it. */
const ENTRY = `reminder_days: { ...integer(3, 1, 60), ...collection('§3.3', 'a reminder before the due date') },`;
const BOUNDS = { type: 'integer', minimum: 1, maximum: 60 };
const LINE = {
  name: 'reminder_days',
  default: 3,
  scope: 'account',
  completes: '§3.3',
  note: 'a reminder before the due date',
};

let program: Awaited<ReturnType<typeof programWith>>;
let sim: Library.Simulator;
let createSimulator: typeof Library.createSimulator;
// biome-ignore lint/suspicious/noExplicitAny: an answer of any route
const call = async (method: 'GET' | 'PATCH', url: string, payload?: object): Promise<any> => {
  const headers = { ...sim.default.headers, authorization: `Bearer ${sim.controlToken}` };
  return (await sim.inject({ method, url, headers, ...(payload ? { payload } : {}) })).json();
};
async function layaway(...args: string[]) {
  const { exitCode, stdout, stderr } = await execa(process.execPath, [program.fileOf('layaway'), ...args], {
    cwd: program.folder,
    env: { PATH: process.env.PATH, HOME: program.folder, XDG_CONFIG_HOME: program.folder, ...sim.default.env },
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
  });
  return { exitCode, stdout, stderr };
}
const load = async <Module>(name: string) => (await import(pathToFileURL(program.fileOf(name)).href)) as Module;

beforeAll(async () => {
  program = await programWith(ENTRY, {
    index: 'src/index.ts',
    layaway: 'src/cli/main.ts',
    table: 'scripts/assumption-table.ts',
    schema: 'src/scenario/schema.ts',
  });
  ({ createSimulator } = await load<typeof Library>('index'));
  sim = await createSimulator({ seed: 1, fixture: { settings: { reminder_days: 5 } as object } });
});
afterAll(async () => {
  await sim.close();
  await program[Symbol.asyncDispose]();
});

test('one entry: the settings of an account hold it, check it, and are documented with it', async () => {
  expect((await call('GET', '/_sim/settings')).data.reminder_days).toBe(5);
  const live = await sim.inject({ method: 'GET', url: '/_sim/settings', headers: sim.default.live.headers });
  expect((live.json() as { data: object }).data).toHaveProperty('reminder_days', 3);
  expect(await call('PATCH', '/_sim/settings', { reminder_days: 61 })).toMatchObject({
    errors: { reminder_days: ['The reminder days field must not be greater than 60.'] },
  });
  expect((await call('PATCH', '/_sim/settings', { reminder_days: 7 })).data.reminder_days).toBe(7);
  const { schemas } = (await call('GET', '/_sim/openapi.json')).components;
  for (const name of ['Settings', 'SettingsUpdate']) {
    expect(schemas[name].properties.reminder_days).toEqual({ ...BOUNDS, description: LINE.note });
  }
  expect(schemas.Settings.required).toContain('reminder_days');
});

test('one entry: a fixture and a new merchant may set it, within its bounds', async () => {
  const merchant = await sim.merchant({ reminder_days: 9 } as object);
  const answer = await sim.inject({ method: 'GET', url: '/_sim/settings', headers: merchant.headers });
  expect((answer.json() as { data: object }).data).toHaveProperty('reminder_days', 9);
  await expect(createSimulator({ fixture: { settings: { reminder_days: 0 } as object } })).rejects.toThrow(
    'settings.reminder_days: The reminder days field must be at least 1.',
  );
});

test('one entry: layaway assumptions lists, sets and checks it, and completes its name', async () => {
  const listed = await layaway('assumptions', 'list', '--json');
  expect(JSON.parse(listed.stdout).data).toContainEqual({ ...LINE, value: expect.any(Number) });
  expect((await layaway('assumptions', 'set', 'reminder_days', '12')).stdout).toMatch(/reminder_days\s+12/);
  expect((await call('GET', '/_sim/settings')).data.reminder_days).toBe(12);
  const wrong = await layaway('assumptions', 'set', 'reminder_days', 'soon');
  expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining('reminder_days must be a whole number')]);
  expect((await layaway('assumptions', 'set', 'reminder_day', '1')).stderr).toContain('Did you mean reminder_days?');
});

test('one entry: the dashboard is told its group, kind and bounds, and knows no assumption of its own', async () => {
  const { data } = await call('GET', '/_sim/browse/assumptions');
  expect(data).toContainEqual({ ...LINE, group: 'Collection', kind: 'integer', min: 1, max: 60 });
  // What it draws of them is in test/browser/dashboard/settings.test.ts: a field for each line that has a group.
  const view = await readFile(join(import.meta.dirname, '../../src/web/dashboard/views/settings.tsx'), 'utf8');
  expect(view).not.toMatch(/domain\/assumptions|grace_days|excluded_states/);
});

test('one entry: a scenario may set it, and its schema describes it', async () => {
  const { ScenarioFile } = await load<typeof Schema>('schema');
  const { merchant, steps } = JSON.parse(JSON.stringify(ScenarioFile)).properties;
  for (const settings of [merchant.properties.settings, steps.items.properties.settings]) {
    expect(settings.properties.reminder_days).toMatchObject({
      anyOf: [BOUNDS, { type: 'string' }],
      description: 'a reminder before the due date (completes §3.3)',
    });
  }
  const { runScenario } = await load<typeof Library>('index');
  const scenario = {
    name: 'Reminders',
    merchant: { settings: { reminder_days: 4 } },
    steps: [{ settings: { reminder_days: 8 }, expect: { status: 200, body: { data: { reminder_days: 8 } } } }],
  };
  expect(await runScenario(scenario)).toMatchObject({ status: 'passed' });
});

test('one entry: the table of the README has its row', async () => {
  const { assumptionTable } = await load<typeof Table>('table');
  expect(assumptionTable()).toContain('| `reminder_days` | 3 | §3.3 | account | a reminder before the due date |');
});
