import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { describe, expect, inject, test as plain } from 'vitest';
import { pasted } from '../../src/cli/input/shell-quoted.ts';
import { createSimulator, readTrace, scenarioOfTrace, summarizeTrace } from '../../src/index.ts';
import { it, test } from '../../src/vitest.ts';
import { blocksOf, sectionOf } from '../support/walk-through.ts';

describe('interface §4: layaway/vitest', () => {
  const seen = new Set<string>();
  const servers = new Set<string>();

  test.for([1, 2, 3])(
    'each test has a merchant of its own on the simulator of the file (%i)',
    async (_round, { sim, shop }) => {
      expect(seen.has(shop.clientId)).toBe(false);
      seen.add(shop.clientId);
      servers.add(sim.url);
      expect(servers.size).toBe(1);
      expect(await shop.sessions.list()).toEqual([]);
      await shop.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
      expect((await sim.inject({ method: 'GET', url: '/v1/ping', headers: shop.headers })).statusCode).toBe(200);
    },
  );

  test('the clock is frozen', async ({ shop }) => {
    expect(await shop.clock.show()).toMatchObject({ now: '2026-01-01T00:00:00.000000Z', mode: 'frozen' });
  });

  it('is there under both names', async ({ shop }) => {
    expect((await shop.v1.ping()).client_id).toBe(shop.clientId);
  });

  describe('told otherwise', () => {
    test.override({ shopOptions: { state: 'NY', installment_count: 2, clock: { frozenAt: '2027-01-01T00:00:00Z' } } });

    test('the merchant has the values that it was given', async ({ shop }) => {
      expect(await shop.assumptions.get()).toMatchObject({ state: 'NY', installment_count: 2 });
      expect((await shop.clock.show()).now).toBe('2027-01-01T00:00:00.000000Z');
    });
  });
});

describe('interface §9: expect(await shop.coverage()).toHaveMet(…)', () => {
  test('passes once the situation was met, and says how to reach it before', async ({ shop, sim }) => {
    const before = await shop.coverage();
    expect(before).not.toHaveMet('operations.ping');
    expect(() => expect(before).toHaveMet('webhooks.duplicate')).toThrow(
      /^The store has not met webhooks\.duplicate: .*\nHow to reach it: `layaway faults add duplicate`/,
    );
    await sim.inject({ method: 'GET', url: '/v1/ping', headers: shop.headers });
    const after = await shop.coverage();
    expect(after).toHaveMet('operations.ping');
    expect(() => expect(after).not.toHaveMet('operations.ping')).toThrow(
      'met operations.ping 1 time, first with request req_',
    );
  });

  test('an unknown id, and a value that is not coverage, are refused in words', async ({ shop }) => {
    const report = await shop.coverage();
    expect(() => expect(report).not.toHaveMet('webhooks.duplicat')).toThrow(
      'Unknown situation "webhooks.duplicat". Did you mean webhooks.duplicate?',
    );
    // @ts-expect-error: the group has to be one of those that there are
    expect(() => expect(report).toHaveMet('webhook.duplicate')).toThrow('Did you mean webhooks.duplicate?');
    expect(() => expect(shop).toHaveMet('operations.ping')).toThrow('toHaveMet expects a coverage report');
  });
});

/** As a user's project has it: the built package, its own vitest, and these files. `run` runs their tests. */
async function project(files: Readonly<Record<string, string>>) {
  const folder = await mkdtemp(join(tmpdir(), 'layaway-vitest-'));
  const modules = join(folder, 'node_modules');
  await mkdir(modules);
  await symlink(inject('layaway'), join(modules, 'layaway'));
  await symlink(join(import.meta.dirname, '../../node_modules/vitest'), join(modules, 'vitest'));
  for (const [name, text] of Object.entries({ 'package.json': '{ "type": "module" }', ...files })) {
    await writeFile(join(folder, name), text);
  }
  // On a busy machine, the first test of a file takes longer than Vitest's five seconds.
  const flags = ['--root', folder, '--test-timeout', '60000'];
  return {
    folder,
    run: (traces?: string, reporter = 'json') =>
      execa(process.execPath, [join(modules, 'vitest/vitest.mjs'), 'run', '--reporter', reporter, ...flags], {
        cwd: folder,
        reject: false,
        env: {
          PATH: process.env.PATH ?? '',
          ...(traces === undefined ? {} : { LAYAWAY_TRACE: resolve(folder, traces) }),
        },
        extendEnv: false,
      }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

plain('the published file works in a project of its own', async () => {
  const file = (options: string, expected: string) => `
    import { expect } from 'vitest';
    import { test } from 'layaway/vitest';
    ${options}
    test('pays', async ({ shop, sim }) => {
      const { id } = await shop.sessions.create({ order_reference: 'A-1', total_amount: 20000 });
      const { reference } = await shop.sessions.complete(id, { customer_email: 'ada@example.com' });
      expect((await shop.emails.wait({ to: 'ada@example.com' })).reference).toBe(reference);
      expect(await shop.clock.show()).toMatchObject(${expected});
      expect(sim.url).toMatch(/^http/);
      expect(await shop.coverage()).not.toHaveMet('operations.createSession');
    });
    test('is alone', async ({ shop }) => {
      expect(await shop.events.list()).toEqual([]);
    });
  `;
  const running = "test.override({ simulatorOptions: { clock: { runningFrom: '2030-01-01T00:00:00Z' } } });";
  const readme = await readFile(join(import.meta.dirname, '../../README.md'), 'utf8');
  const [example = ''] = blocksOf(sectionOf(readme, 'In your tests'), 'ts');
  await using own = await project({
    'a.test.js': file('', "{ mode: 'frozen', now: '2026-01-01T00:00:00.000000Z' }"),
    'b.test.js': file(running, "{ mode: 'running' }"),
    'readme.test.ts': example,
  });
  const { stdout, exitCode } = await own.run();
  expect(JSON.parse(stdout)).toMatchObject({ numPassedTests: 5, numTotalTests: 5 });
  expect(exitCode).toBe(0);
});

const LONG = `asks 100% of "what is gone": ${'again & '.repeat(20)}`;

plain('interface §11: LAYAWAY_TRACE names a folder that gets one trace for each failing test', async () => {
  await using own = await project({
    'a.test.js': `
    import { expect, describe } from 'vitest';
    import { test } from 'layaway/vitest';
    describe('a store', () => {
      test('passes', async ({ shop }) => void (await shop.sessions.list()));
      test('opens an order', async ({ shop }) => {
        const { status } = await shop.sessions.create({ order_reference: 'A-1', total_amount: 20000 });
        expect(status).toBe('completed');
      });
      test('${LONG}', async ({ shop }) => void (await shop.sessions.get('cs_1')));
    });
  `,
  });
  const { folder, run } = own;
  const traces = join(folder, 'traces', 'of', 'ci');
  const traced = await run('traces/of/ci', 'default');
  expect(traced.exitCode).toBe(1);
  const [long = '', file = '', ...others] = (await readdir(traces)).toSorted();
  expect(others).toEqual([]);
  expect(file).toMatch(/^a-store-opens-an-order-\w+\.layaway$/);
  const begins = `a-store-asks-100-of-what-is-gone-${'again-'.repeat(20)}`.slice(0, 80);
  expect(long.slice(0, 81)).toBe(`${begins}-`);
  expect(long.slice(81)).toMatch(/^\w+\.layaway$/);
  for (const name of [long, file]) {
    expect(traced.stderr).toContain(`To look at it, run \`layaway trace open ${pasted(join(traces, name))}\`.`);
  }
  const { mode } = await stat(join(traces, file));
  if (process.platform !== 'win32') expect(mode & 0o777).toBe(0o600);
  const trace = await readTrace(await readFile(join(traces, file)));
  expect(trace.failure).toMatchObject({ what: 'a store > opens an order', exit_code: null });
  expect(trace.failure?.messages[0]).toContain("expected 'pending' to be 'completed'");
  expect((await summarizeTrace(trace)).sessions).toBe(1);

  // The seed of the fixtures is 1, and each test has drawn a merchant.
  await using same = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
  const [, shop] = [await same.merchant(), await same.merchant()];
  const { id } = await shop.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
  expect(JSON.stringify(trace.tables)).toContain(id);

  const resultsOf = async (traces?: string) =>
    JSON.parse((await run(traces)).stdout).testResults[0].assertionResults as {
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  const [, untraced] = await resultsOf();
  expect(untraced?.failureMessages).toEqual([expect.stringContaining("expected 'pending' to be 'completed'")]);
  for (const [traces, why] of [
    [join(folder, 'a.test.js'), 'a part of its path is not a directory'],
    // Node's own way to make folders never ends there.
    ...(process.platform === 'linux' ? [['/proc/none', 'there is no such file or directory'] as const] : []),
  ] as const) {
    const [passes, opens] = await resultsOf(traces);
    expect(passes?.status).toBe('passed');
    expect(opens?.failureMessages).toEqual([
      expect.stringContaining("expected 'pending' to be 'completed'"),
      expect.stringContaining(
        `The trace could not be saved in ${traces} (${why}). LAYAWAY_TRACE must name a writable folder.`,
      ),
    ]);
  }
});

plain(
  'interface §11: a trace tells the story of the test that failed, whatever other tests did, and an expected failure leaves none',
  async () => {
    await using own = await project({
      'a.test.js': `
    import { test } from 'layaway/vitest';
    const order = (reference) => ({ order_reference: reference, total_amount: 20000 });
    test('passes', async ({ shop }) => void (await shop.sessions.create(order('PASSES'))));
    test('levers', async ({ shop }) => {
      await shop.contracts.create(order('LEVERS'));
      throw new Error('It fails.');
    });
    test('live', async ({ shop }) => {
      await shop.live.sessions.create(order('LIVE'));
      throw new Error('It fails.');
    });
    test('nothing', async ({ shop }) => {
      throw new Error('It fails.');
    });
    test.fails('expected', async ({ shop }) => void (await shop.sessions.get('cs_1')));
    test.fails('unexpected', async ({ shop }) => void (await shop.sessions.create(order('UNEXPECTED'))));
    let begun;
    const first = new Promise((resolve) => { begun = resolve; });
    let ended;
    const second = new Promise((resolve) => { ended = resolve; });
    test.concurrent('early', async ({ shop }) => {
      await shop.sessions.create(order('EARLY'));
      begun();
      await second;
      throw new Error('It fails.');
    });
    test.concurrent('late', async ({ shop }) => {
      await first;
      await shop.sessions.create(order('LATE'));
      ended();
    });
  `,
    });
    expect((await own.run('traces')).exitCode).toBe(1);
    const folder = join(own.folder, 'traces');
    const files = (await readdir(folder)).toSorted();
    expect(files.map((file) => file.split('-')[0])).toEqual(['early', 'levers', 'live', 'nothing', 'unexpected']);
    const traces = await Promise.all(files.map(async (file) => readTrace(await readFile(join(folder, file)))));
    const told = await Promise.all(
      traces.map((trace) => scenarioOfTrace(trace).then(JSON.stringify, (error: Error) => error.message)),
    );
    expect(told.map((text) => text.match(/EARLY|LATE|LEVERS|LIVE|PASSES|UNEXPECTED/g) ?? text)).toEqual([
      ['EARLY'],
      ['LEVERS'],
      ['LIVE'],
      'The trace contains no request or lever to play.',
      ['UNEXPECTED'],
    ]);
    expect(traces.at(-1)?.failure).toMatchObject({
      what: 'unexpected',
      exit_code: null,
      messages: ['The test passed, but test.fails expects it to fail.'],
    });

    const { stdout } = await own.run('a.test.js');
    const { assertionResults } = JSON.parse(stdout).testResults[0];
    expect(assertionResults.find(({ title }: { title: string }) => title === 'unexpected').status).toBe('failed');
  },
);
