import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { everyCommand } from '../support/commands.ts';
import { AFTER, BEFORE, EVIL, expectHarmless, type Hostile, NUMBERS, openHostile, type Poison } from './hostile.ts';
import { emptyPlace, oneProcess, start } from './layaway.ts';

/** Each command that asks a server, with what it needs to come as far as its answer. */
const COMMANDS: Readonly<Record<string, (made: Hostile['made']) => string[]>> = {
  'sessions create': () => ['--order-reference', 'A-3', '--total-amount', '20000', '--metadata', 'cart=8'],
  'sessions get': ({ session }) => [session],
  'sessions list': () => [],
  'sessions accept': ({ session }) => [session, '--customer-name', 'Ada', '--customer-email', 'ada@example.com'],
  'sessions pay': ({ session }) => [session],
  'sessions complete': ({ session }) => [session],
  'sessions cancel': ({ session }) => [session],
  'sessions open': ({ session }) => [session],
  'contracts create': () => ['--status', 'past_due', '--customer-name', 'Ada'],
  'contracts list': () => [],
  'contracts get': ({ contract }) => [contract],
  'contracts update': ({ contract }) => [contract, '--order-reference', 'A-9'],
  'contracts cancel': ({ contract }) => [contract],
  'contracts outcomes': ({ contract }) => [contract, 'fail', 'pay'],
  'contracts settle': ({ contract }) => [contract, '1'],
  'clock show': () => [],
  'clock advance': () => ['14d', '--dry-run'],
  'clock freeze': () => [],
  'clock progress': () => [],
  'clock stop': () => [],
  'clock resume': () => [],
  'clock forecast': () => [],
  'events list': () => [],
  'events get': ({ event }) => [event],
  'events resend': ({ event }) => [event],
  'events tail': () => [],
  'events wait': () => ['contract.activated', '--timeout', '1s'],
  listen: () => ['--forward-to', 'http://127.0.0.1:1/'],
  'webhooks list': () => [],
  'webhooks add': () => ['http://127.0.0.1:1/other'],
  'webhooks remove': ({ endpoint }) => [endpoint],
  'webhooks enable': ({ endpoint }) => [endpoint],
  'webhooks disable': ({ endpoint }) => [endpoint],
  'webhooks secret': ({ endpoint }) => [endpoint],
  'webhooks rotate': ({ endpoint }) => [endpoint],
  'webhooks test': ({ endpoint }) => [endpoint],
  'webhooks deliveries': () => [],
  certify: ({ endpoint }) => ['--endpoint', endpoint],
  'deliveries list': () => [],
  'deliveries get': ({ delivery }) => [delivery],
  'faults list': () => [],
  'faults add': () => ['slow', '--path', '/v1/ping', '--skip', '1000'],
  'faults remove': ({ fault }) => [fault],
  'faults clear': () => [],
  coverage: () => [],
  'coverage clear': () => [],
  'emails list': () => [],
  'emails get': ({ email }) => [email],
  'emails wait': () => ['--to', 'ada@example.com', '--timeout', '1s'],
  'merchants create': () => ['--legal-name', 'Second Inc', '--state', 'NY'],
  'merchants list': () => [],
  'merchants get': ({ merchant }) => [merchant + EVIL],
  'merchants set': () => ['--dba', 'Other'],
  'keys create': () => ['--name', 'one'],
  'keys list': () => [],
  'keys revoke': ({ key }) => [key],
  'assumptions list': () => [],
  'assumptions set': () => ['grace_days', '3'],
  'assumptions reset': () => ['grace_days'],
  import: ({ hostile }) => ['--from', hostile, '--dry-run'],
  compare: ({ sound }) => ['--against', sound],
  'snapshots save': () => ['two'],
  'snapshots restore': () => ['one'],
  'snapshots list': () => [],
  'snapshots delete': () => ['one'],
  reset: () => [],
  explain: ({ contract }) => [contract],
  'logs list': () => [],
  'logs tail': () => [],
  'trace save': () => ['saved.layaway'],
  env: () => [],
  openapi: () => [],
  dashboard: () => [],
  doctor: () => [],
  __complete: () => ['contracts'],
};
/** These start a server of their own, or ask none. */
const ASK_NOBODY =
  /^(serve|exec|run|new|coverage merge|completion|schema|mcp|config .*|webhooks verify|trace (?:open|show|scenario))$/;
/**
 * A secret is malformed, the receiver fails, no answer is as it was, nothing was accepted, nothing is overdue, and no type
 * of the server is the one that is waited for.
 */
const ENDS: Readonly<Record<string, number>> = {
  certify: 2,
  doctor: 1,
  'sessions pay': 3,
  'contracts settle': 3,
  compare: 5,
  'events wait': 5,
  'webhooks test': 5,
};
const STREAMS = ['events tail', 'logs tail', 'listen'];

let enemy: Hostile['enemy'];
let place: Hostile['place'];
let made: Hostile['made'];
beforeAll(async () => {
  ({ enemy, place, made } = await openHostile());
  return () => enemy.close();
});

const { finish, runner } = oneProcess();

/** Runs a command to its end; one that follows the server is stopped once it has told something. */
async function outcome(name: string, args: readonly string[], how: Poison | 'refuse') {
  enemy.answers(how);
  const words = [...name.split(' '), ...args];
  const { exitCode, stdout, stderr } = await (STREAMS.includes(name) ? follow(name, words, how) : finish(place, words));
  return { code: exitCode, stdout, stderr };
}

function follow(name: string, words: readonly string[], how: Poison | 'refuse') {
  const child = start(place, words);
  child.stdout.once('data', () => child.kill('SIGTERM'));
  if (name === 'logs tail') child.stderr.once('data', () => void request(how));
  return child;
}

const request = (how: Poison | 'refuse') =>
  how === 'refuse'
    ? undefined
    : fetch(`${enemy.sim.url}/v1/contracts/LAY-${encodeURIComponent(EVIL)}`, { headers: enemy.sim.default.headers });

test('every command there is, is asked here', async () => {
  const names = (await everyCommand()).filter((name) => !ASK_NOBODY.test(name));
  expect(names).toEqual(Object.keys(COMMANDS).sort());
});

/** Every text and every number of the answer is a trap. */
const BOTH: Poison = (value) => (NUMBERS(value) === value ? BEFORE(value) : NUMBERS(value));

describe.each(Object.entries(COMMANDS))('interface §1: what a hostile server sends to layaway %s', (name, args) => {
  beforeAll(() => enemy.sim.snapshots.restore('furnished'));
  const tab = name === '__complete' ? '\n\t' : '\n';

  test('steers no terminal, read by a person', async () => {
    const told = await outcome(name, args(made), AFTER);
    expectHarmless(told, tab);
    expect(told.code, told.stderr).toBe(ENDS[name] ?? 0);
    if (!STREAMS.includes(name)) expectHarmless(await outcome(name, args(made), BOTH), tab);
  });

  test('steers no terminal with --json, and stays JSON', async () => {
    const told = await outcome(name, [...args(made), '--json'], AFTER);
    expectHarmless(told, tab);
    if (STREAMS.includes(name)) for (const line of told.stdout.split('\n')) JSON.parse(line);
    else if (told.stdout !== '' && name !== '__complete') JSON.parse(told.stdout);
  });
});

/** An id that a shell would run a part of. */
const RUN: Poison = (value) => (/^we_/.test(String(value)) ? `${value};id` : value);

test('a command that is suggested for an id of a hostile server runs nothing else when it is pasted', async () => {
  await enemy.sim.snapshots.restore('furnished');
  const { stderr } = await outcome('webhooks add', ['http://127.0.0.1:1/hook'], RUN);
  expect(stderr).toMatch(/`layaway webhooks remove 'we_\w+;id'`/);
  expect(stderr).toMatch(/`layaway webhooks secret 'we_\w+;id'`/);
  await enemy.sim.snapshots.restore('furnished');
  await enemy.sim.default.webhooks.disable(made.endpoint);
  const { stdout } = await outcome('doctor', [], RUN);
  expect(stdout).toMatch(/`layaway webhooks enable 'we_\w+;id'`/);
});

test.each([
  ['contracts list', []],
  ['clock advance', ['14d']],
  ['clock advance', ['--until', 'cs_1=expired']],
  ['events tail', []],
  ['doctor', []],
  ['snapshots save', ['two']],
])('interface §1: a refusal of a hostile server steers no terminal: layaway %s %s', async (name, args) => {
  for (const more of [[], ['--json'], ['--debug'], ['--json', '--debug']]) {
    const told = await outcome(name, [...args, ...more], 'refuse');
    expectHarmless(told);
    expect(told.stdout + told.stderr).toContain('PWN');
  }
});

test.each(['spec', 'json', 'junit'])(
  'interface §5: what a hostile server sends to layaway run steers no terminal: %s',
  async (reporter) => {
    await enemy.sim.snapshots.restore('furnished');
    const scenario = [
      `name: one`,
      'steps:',
      '  - create-session: { order_reference: A-1, total_amount: 20000 }',
      '    expect: { body: { data: { status: completed } } }',
      '',
    ].join('\n');
    await writeFile(join(place.cwd, 'a.yaml'), scenario);
    const report = join(place.cwd, 'report');
    const at = ['a.yaml', '--reporter', reporter, '--base-url', enemy.url];
    for (const [how, more] of [
      [AFTER, []],
      [AFTER, ['--output', report]],
      ['refuse', []],
    ] as const) {
      const told = await outcome('run', [...at, ...more], how);
      expectHarmless(told);
      expect(told.stdout + told.stderr).toContain('PWN');
    }
    const kept = await readFile(report, 'utf8');
    expectHarmless({ stdout: kept, stderr: '' });
    expect(kept).toContain('PWN');
  },
);

test('interface §1: a setting that somebody has planted steers no terminal', async () => {
  const own = await emptyPlace();
  await mkdir(join(own.cwd, 'config', 'layaway'), { recursive: true });
  const profiles = { [EVIL]: { 'base-url': `http://a${EVIL}`, 'client-id': EVIL, 'api-key': EVIL } };
  await writeFile(join(own.cwd, 'config', 'layaway', 'config.json'), JSON.stringify({ selected: EVIL, profiles }));
  const layaway = runner(own);
  for (const args of [
    ['get', 'base-url'],
    ['get', 'client-id'],
    ['list'],
    ['list', '--json'],
    ['get', 'api-key', '--json'],
  ]) {
    const told = await layaway('config', ...args);
    expect(told.code).toBe(0);
    expectHarmless(told);
  }
  for (const args of [
    ['contracts', 'list'],
    ['contracts', 'list', '--debug'],
    ['config', 'get', 'base-url', '--profile', EVIL],
  ]) {
    expectHarmless(await layaway(...args));
  }
});
