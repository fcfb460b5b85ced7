import { mkdir, readFile, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSimulator, type SandboxShop, type Simulator } from '../../src/index.ts';
import { everyCommand } from '../support/commands.ts';
import { needing } from '../support/programs.ts';
import { atTerminal, ENTER } from '../support/terminal.ts';
import { bin, emptyPlace, otherServer, type Place, runner, start } from './layaway.ts';

/** A title for the window, a C1 colour, a text turned round, a mark of its own for each direction, a line that is faked. */
const EVIL = '\u001b]0;PWN\u0007\u001b[31m\u009b32m\u202e\u2066\u200f\u061c\u007f\u2028\r\n\tfaked: yes\u001b[2J';
const RAW = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u;

type Poison = (value: string | number) => unknown;
const AFTER: Poison = (value) => (typeof value === 'string' ? value + EVIL : value);
const BEFORE: Poison = (value) => (typeof value === 'string' ? `\u0000${EVIL}${value}` : value);
const NUMBERS: Poison = (value) => (typeof value === 'number' ? `${value}${EVIL}` : value);

/** Every text, and in each object a key more. */
function poisoned(value: unknown, poison: Poison): unknown {
  if (typeof value === 'string' || typeof value === 'number') return poison(value);
  if (Array.isArray(value)) return value.map((item) => poisoned(item, poison));
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.entries(value).map(([key, each]) => [key, USED.test(key) ? each : poisoned(each, poison)]);
  return Object.fromEntries([...inner, [EVIL, EVIL]]);
}

/** A scenario goes on with the pair of its merchant: a header that HTTP refuses would end it too early. */
const USED = /^(client_id|api_key)$/;

const REFUSAL = { message: `No.${EVIL}`, errors: { [EVIL]: [EVIL] }, reason: EVIL };

/** A simulator with one of everything, and in front of it a server that poisons what it answers. */
async function hostile() {
  const sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
  let poison: Poison | 'refuse' = AFTER;
  const server = await otherServer((request, response) => void answer(request, response));

  async function answer(request: IncomingMessage, response: ServerResponse) {
    // Ids come back as they were sent; the simulator knows them without the trap.
    const path = String(request.url).replaceAll(new URLSearchParams({ '': EVIL }).toString().slice(1), '');
    const body = Buffer.concat(await request.toArray());
    if (poison === 'refuse' && path !== '/_sim/health') {
      response.writeHead(422, { 'content-type': 'application/json' }).end(JSON.stringify(REFUSAL));
      return;
    }
    const change = poison === 'refuse' ? AFTER : poison;
    if (path.endsWith('/stream')) return stream(path, response, change);
    // Whoever follows the events begins with the first.
    if (path === '/_sim/events?limit=1') return response.end('{"data":[]}');
    const real = await fetch(`${sim.url}${path}`, {
      method: request.method as string,
      headers: request.headers as Record<string, string>,
      ...(body.length > 0 ? { body } : {}),
    });
    const text = await real.text();
    response.writeHead(real.status, { 'content-type': 'application/json', date: String(real.headers.get('date')) });
    if (path === '/_sim/health' || text === '') return response.end(text);
    // Pretty-printed with what JSON allows between its texts, and its texts unescaped beyond what JSON demands.
    response.end(JSON.stringify(poisoned(JSON.parse(text), change), null, '\t').replaceAll('\n', '\r\n'));
  }

  function stream(path: string, response: ServerResponse, change: Poison) {
    const event = {
      id: 'evt_1',
      type: 'webhook.test',
      created_at: '2026-01-01T00:00:00Z',
      data: { reference: 'LAY-1' },
    };
    const letter = {
      delivery_id: 'dlv_1',
      url: 'u',
      attempt: 1,
      headers: {},
      body: JSON.stringify(poisoned(event, change)),
    };
    const data = poisoned(
      path.includes('webhook-endpoints') ? { ...letter, body: undefined } : event,
      change,
    ) as object;
    const whole = path.includes('webhook-endpoints') ? { ...data, body: letter.body } : data;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`id: ${EVIL.replaceAll(/[\r\n]/g, '')}\ndata: ${JSON.stringify(whole)}\n\n`);
  }

  return {
    sim,
    url: server.url,
    answers(how: Poison | 'refuse') {
      poison = how;
    },
    async close() {
      await server[Symbol.asyncDispose]();
      await sim.close();
    },
  };
}

interface Made {
  readonly session: string;
  readonly contract: string;
  readonly endpoint: string;
  readonly delivery: string;
  readonly event: string;
  readonly email: string;
  readonly key: string;
  readonly merchant: string;
  readonly fault: string;
  /** The same simulator, without the poison. */
  readonly sound: string;
  readonly hostile: string;
}

async function furnish({ sim, url }: { sim: Simulator; url: string }): Promise<Made> {
  const shop: SandboxShop = sim.default;
  const done = await shop.sessions.create({ order_reference: 'A-1', total_amount: 20_000, metadata: { cart: '7' } });
  const endpoint = await shop.webhooks.add('http://127.0.0.1:1/hook');
  const { reference } = await shop.sessions.complete(done.id, { customer_email: 'ada@example.com' });
  const fault = await shop.faults.add({ kind: 'slow', path: '/v1/ping', skip: 1000 });
  const open = await shop.sessions.create({ order_reference: 'A-2', total_amount: 20_000 });
  await shop.clock.advance('0s');
  await sim.snapshots.save('one');
  const [[email], [event], [delivery], key] = await Promise.all([
    shop.emails.list(),
    shop.events.list(),
    shop.webhooks.deliveries(),
    shop.keys.create(),
  ]);
  const merchants = await fetch(`${sim.url}/_sim/merchants`, {
    headers: { authorization: `Bearer ${sim.controlToken}` },
  });
  const [merchant] = ((await merchants.json()) as { data: { id: string }[] }).data;
  return {
    session: open.id,
    contract: reference,
    endpoint: endpoint.id,
    delivery: String(delivery?.id),
    event: String(event?.id),
    email: String(email?.id),
    key: key.id,
    merchant: String(merchant?.id),
    fault: fault.id,
    sound: sim.url,
    hostile: url,
  };
}

/** Each command that asks a server, with what it needs to come as far as its answer. */
const COMMANDS: Readonly<Record<string, (made: Made) => string[]>> = {
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

let enemy: Awaited<ReturnType<typeof hostile>>;
let place: Place;
let made: Made;
beforeAll(async () => {
  enemy = await hostile();
  made = await furnish(enemy);
  await enemy.sim.snapshots.save('furnished');
  const { LAYAWAY_BASE_URL: _, ...env } = enemy.sim.default.env;
  place = await emptyPlace({ ...env, LAYAWAY_BASE_URL: enemy.url, BROWSER: '/bin/true' } as Record<string, string>);
});
afterAll(() => enemy.close());

/** Runs a command to its end; one that follows the server is stopped once it has told something. */
async function outcome(name: string, args: readonly string[], how: Poison | 'refuse') {
  enemy.answers(how);
  const child = start(place, [...name.split(' '), ...args]);
  if (STREAMS.includes(name)) {
    child.stdout.once('data', () => child.kill('SIGTERM'));
    if (name === 'logs tail') child.stderr.once('data', () => void request(how));
  }
  const { exitCode, stdout, stderr } = await child;
  return { code: exitCode, stdout, stderr };
}

const request = (how: Poison | 'refuse') =>
  how === 'refuse'
    ? undefined
    : fetch(`${enemy.sim.url}/v1/contracts/LAY-${encodeURIComponent(EVIL)}`, { headers: enemy.sim.default.headers });

function expectHarmless({ stdout, stderr }: { stdout: string; stderr: string }, allowed = '\n') {
  for (const text of [stdout, stderr]) {
    const raw = [...text].filter((character) => RAW.test(character) && !allowed.includes(character));
    expect(raw, JSON.stringify(text)).toEqual([]);
    expect(text).not.toMatch(/^\s*faked: yes/m);
  }
}

test('every command there is, is asked here', async () => {
  const names = (await everyCommand()).filter((name) => !ASK_NOBODY.test(name));
  expect(names.sort()).toEqual(Object.keys(COMMANDS).sort());
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

describe('interface §1: at a terminal, of what a hostile server sends', needing('script'), () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are ours
  const OURS = /\u001b\[(?:1|2|22|3[1-6]|39)m/g;

  // biome-ignore lint/suspicious/noControlCharactersInRegex: a line that is written again and then erased
  const PROGRESS = /\rWorking… \d+ s|\r\u001b\[K/g;

  test.each([
    ['contracts', 'list'],
    ['contracts', 'get', 'REF'],
    ['sessions', 'list'],
    ['events', 'list'],
    ['webhooks', 'deliveries'],
    ['doctor'],
  ])('only our own colours are colours: layaway %s %s', async (...words) => {
    await enemy.sim.snapshots.restore('furnished');
    enemy.answers(AFTER);
    const args = words.map((word) => (word === 'REF' ? made.contract : word));
    const terminal = atTerminal([process.execPath, bin, ...args], {
      ...place,
      env: { ...place.env, FORCE_COLOR: '1' },
    });
    await terminal.ended;
    const shown = terminal.raw();
    expect(shown).toMatch(OURS);
    // A terminal ends its lines with both.
    const rest = shown.replace(OURS, '').replaceAll('\r\n', '\n').replaceAll(PROGRESS, '');
    expectHarmless({ stdout: rest, stderr: '' });
    // The server's red is shown, not obeyed.
    expect(rest.replaceAll('\n', '')).toContain('\\u{1b}[31m');
  });

  test('a list to choose from, and a question', async () => {
    await enemy.sim.snapshots.restore('furnished');
    enemy.answers(AFTER);
    const terminal = atTerminal([process.execPath, bin, 'contracts', 'cancel'], place, 200);
    await terminal.see('PWN');
    terminal.type(ENTER);
    await terminal.see('(y/N)');
    terminal.type(`n${ENTER}`);
    expect(await terminal.ended).toBe(0);
    for (const trap of ['\u001b]0;PWN', '\u001b[31m', '\u009b', '\u202e', '\u200f'])
      expect(terminal.raw()).not.toContain(trap);
  });
});
