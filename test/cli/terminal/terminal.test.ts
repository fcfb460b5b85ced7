import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { Agent, get, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { createClient, createSimulator, type LayawayError } from '../../../src/index.ts';
import { EXAMPLE_URLS } from '../../../src/operations/schemas.ts';
import { needing } from '../../support/programs.ts';
import { openReceiver } from '../../support/receiver.ts';
import { atTerminal, CTRL_C, DOWN, ENTER, TAB } from '../../support/terminal.ts';
import { bin, emptyPlace, HOST, needsProcess, oneProcess, plan, quotedBin, start, startReady } from '../layaway.ts';

const { runner, withSimulator } = oneProcess();
type World = Awaited<ReturnType<typeof withSimulator>>;

const typed = ({ place }: Pick<World, 'place'>, args: readonly string[], columns?: number) =>
  atTerminal([process.execPath, bin, ...args], place, columns);

interface Described {
  readonly name: string;
  readonly arguments: readonly { readonly required: boolean }[];
  readonly flags: readonly { readonly required: boolean }[];
  readonly commands: readonly Described[];
}

/** The commands that need an argument or a flag. */
const lackingArguments = ({ commands }: Described, before: readonly string[] = []): string[][] =>
  commands.flatMap((command) => {
    const words = [...before, command.name];
    const isLacking = [...command.arguments, ...command.flags].some(({ required }) => required);
    return [...(isLacking ? [words] : []), ...lackingArguments(command, words)];
  });

/** Something for each list to choose from. */
async function populate({ sim }: World) {
  const { default: shop } = sim;
  await shop.webhooks.add('http://127.0.0.1:1/');
  for (const reference of ['A-1', 'A-2']) {
    const { id } = await shop.sessions.create({ order_reference: reference, total_amount: 20_000 });
    if (reference === 'A-2')
      await shop.sessions.accept(id, { customer_name: 'Ada', customer_email: 'ada@example.com' });
  }
  await shop.contracts.create({ installment: { number: 1, status: 'past_due' } });
  await shop.faults.add({ kind: 'lost' });
  await sim.snapshots.save('one');
}

describe('prompts at a real terminal', needing('script'), () => {
  test('a session is created step by step, without the spaces around a pasted answer', async () => {
    await using world = await withSimulator();
    const terminal = typed(world, ['sessions', 'create']);
    await terminal.see('Order reference');
    terminal.type(` A-77 ${ENTER}`);
    await terminal.see('Order total in cents');
    terminal.type(` 20000 ${ENTER}`);
    await terminal.see('Email of the customer (optional)');
    terminal.type(`ada${ENTER}`);
    await terminal.see('It must be an email address');
    terminal.type(`@example.com${ENTER}`);
    await terminal.see('State it ships to (optional)');
    terminal.type(`Texas${ENTER}`);
    await terminal.see('It must be the two-letter code');
    terminal.type(`\u0015${ENTER}`);
    expect(await terminal.ended).toBe(0);
    const { sessions } = world.sim.default;
    const [session] = await sessions.list();
    expect(session).toMatchObject({ order_reference: 'A-77', total_amount: 20_000 });
    expect(await sessions.complete(String(session?.id))).toMatchObject({ customer_email: 'ada@example.com' });
  });

  test('a command for exec is read as a shell reads it', async () => {
    const place = await emptyPlace();
    const terminal = atTerminal([process.execPath, bin, 'exec', '--trace', 'typed.layaway'], place);
    await terminal.see('Command to run');
    terminal.type(`printf '<%s>' 'two words' "$LAYAWAY_BASE_URL"; exit 3${ENTER}`);
    await terminal.see(/<two words><http:\/\/127\.0\.0\.1:\d+>/);
    expect(await terminal.ended).toBe(3);
    const trace = await start(place, ['trace', 'show', 'typed.layaway']);
    expect(trace.stdout).toContain(`\nFailed: printf '<%s>' 'two words' "$LAYAWAY_BASE_URL"; exit 3 (exit code 3)\n`);
  });

  test('a question goes on after Ctrl-Z and fg', needing('bash', 'ps'), async () => {
    await using world = await withSimulator();
    const shell = atTerminal(['bash', '--norc', '-i'], world.place);
    const key = randomUUID();
    /** It waits for input, or has ended. */
    async function isIdle() {
      const { stdout } = await execa('ps', ['-eo', 'stat=,args=']);
      return stdout.split('\n').every((line) => !line.includes(key) || line.startsWith('S'));
    }
    shell.type(`${quotedBin} sessions create --idempotency-key ${key}${ENTER}`);
    await shell.see('Order reference');
    shell.type('A-\u001a');
    await shell.see('Stopped');
    shell.type(`fg${ENTER}`);
    await shell.see('sessions create');
    while (!(await isIdle()));
    shell.type(`7${ENTER}`);
    await shell.see('Order reference A-7');
    await shell.see('Order total in cents');
    shell.type(CTRL_C);
    await shell.see('Nothing done.');
    shell.type(`exit${ENTER}`);
    await shell.ended;
  });

  test('a wrong answer is asked for again', async () => {
    await using world = await withSimulator();
    const terminal = typed(world, ['sessions', 'create', '--order-reference', 'A-1']);
    await terminal.see('Order total in cents');
    terminal.type(`12.345${ENTER}`);
    await terminal.see('cents');
    terminal.type(CTRL_C);
    expect(await terminal.ended).toBe(130);
    expect(await world.sim.default.sessions.list()).toEqual([]);
  });

  test.each([
    { args: ['webhooks', 'add'], asks: 'URL of the receiver', wrong: 'ftp://shop', says: 'It must be a URL' },
    { args: ['listen'], asks: 'URL of your receiver', wrong: '300000', says: 'It must be a URL' },
    { args: ['clock', 'advance'], asks: 'How far?', wrong: 'soon', says: 'It must be a duration' },
    { args: ['config', 'set', 'client-id'], asks: 'Value of client-id', wrong: 'x', says: 'must start with mch_test_' },
    { args: ['compare'], asks: 'Profile or URL', wrong: 'real', says: 'there is no profile named real' },
    { args: ['trace', 'show'], asks: 'File of the trace', wrong: 'no.layaway', says: 'no.layaway cannot be read' },
    { args: ['run'], asks: 'Scenario files', wrong: 'no*.yaml', says: 'no*.yaml cannot be read' },
    {
      args: ['webhooks', 'verify', '--secret', 'x'],
      asks: 'File with the headers',
      wrong: '-',
      says: 'Enter the path',
    },
    { args: ['events', 'wait'], asks: 'Which type', wrong: 'contract.gone', says: 'No results' },
  ])('$args asks for a wrong answer again', async ({ args, asks, wrong, says }) => {
    await using world = await withSimulator();
    const terminal = typed(world, args, 160);
    await terminal.see(asks);
    terminal.type(`${wrong}${ENTER}`);
    await terminal.see(says);
    terminal.type(CTRL_C);
    expect(await terminal.ended).toBe(130);
  });

  test('interface §1: each command asks for what it cannot do without', { timeout: 90_000 }, async () => {
    await using world = await withSimulator();
    await populate(world);
    const commands = lackingArguments((await world.layaway('--help', '--json')).json);
    expect(commands.length).toBeGreaterThan(45);
    for (const words of commands.filter(needsProcess)) {
      const terminal = typed(world, words);
      await terminal.see(/^\? /m);
      terminal.type(CTRL_C);
      expect(await terminal.ended, words.join(' ')).toBe(130);
    }
    // One process runs the others: to start it takes longer than to ask.
    const others = commands.filter((words) => !needsProcess(words));
    const terminal = atTerminal([process.execPath, HOST, bin, JSON.stringify(others)], world.place);
    for (const words of others) {
      await terminal.see(/^\? /m);
      terminal.type(CTRL_C);
      await terminal.see(/: ended with \d+/);
      expect(terminal.text()).toContain(`${words.join(' ')}: ended with 130`);
    }
    expect(await terminal.ended).toBe(0);
  });

  test.each([
    ['n', false],
    ['y', true],
  ])('revoking the key in use is asked about as such: %s', async (answer, isRevoked) => {
    await using world = await withSimulator();
    const [key] = await world.sim.default.keys.list();
    const terminal = typed(world, ['keys', 'revoke', key?.id ?? ''], 200);
    await terminal.see(`This command itself uses ${key?.id}. Revoke it and lose access with it?`);
    await terminal.see('(y/N)');
    terminal.type(`${answer}${ENTER}`);
    expect(await terminal.ended).toBe(0);
    const { status } = await fetch(`${world.sim.url}/v1/ping`, { headers: world.sim.default.headers });
    expect(status).toBe(isRevoked ? 401 : 200);
  });

  test('a contract to cancel is found by typing a part of it, and confirmed', async () => {
    await using world = await withSimulator();
    const { contract } = await plan(world.sim.default);
    await world.sim.default.contracts.create({ order_reference: 'a longer reference', customer_name: 'Ada' });
    const terminal = typed(world, ['contracts', 'cancel']);
    await terminal.see('Which contract');
    await terminal.see(contract);
    expect(terminal.text()).toMatch(new RegExp(`${contract}.*A-1.*Test Customer.*active.*\\$210\\.00`));
    terminal.type('Test Customer ');
    // Drawn when typed, when looked for, and when found: Enter counts from then on.
    const drawn = ['typed', 'looked for', 'found'];
    for (const _ of drawn) await terminal.see('cancel? Test Customer');
    await terminal.see(contract);
    terminal.type(TAB);
    for (const _ of drawn) await terminal.see(`cancel? ${contract}`);
    terminal.type(ENTER);
    await terminal.see(`Cancel ${contract}? This cannot be undone. (y/N)`);
    terminal.type(`y${ENTER}`);
    expect(await terminal.ended).toBe(0);
    expect((await world.sim.default.contracts.get(contract)).status).toBe('cancelled');
  });

  test.each([
    [
      ['sessions', 'complete'],
      'There are no pending or decision_made sessions. Create one with `layaway sessions create`.',
    ],
    [
      ['sessions', 'pay'],
      'There are no decision_made sessions. Accept the plan of one with `layaway sessions accept`.',
    ],
    [['sessions', 'get'], 'There are no sessions. Create one with `layaway sessions create`.'],
    [['contracts', 'get'], 'There are no contracts. Create one with `layaway contracts create`.'],
    [['contracts', 'cancel'], 'There are no active contracts. Create one with `layaway contracts create`.'],
    [
      ['contracts', 'settle'],
      'There are no overdue contracts. Create one with `layaway contracts create --status past_due`.',
    ],
    [['faults', 'remove'], 'There are no faults. Add one with `layaway faults add <kind>`.'],
    [['snapshots', 'restore'], 'There are no snapshots. Save one with `layaway snapshots save <name>`.'],
    [['webhooks', 'test'], 'There are no webhook endpoints. Add one with `layaway webhooks add <url>`.'],
    [['events', 'get'], 'There are no events.'],
  ])('%j with nothing to choose from says how to get it', async (args, says) => {
    await using world = await withSimulator();
    const terminal = typed(world, args, 200);
    expect(await terminal.ended).toBe(2);
    // On a busy machine, progress was shown before.
    expect(terminal.text().split('\r').at(-1)?.trim()).toBe(says);
  });

  test('a question is seen even if stderr goes elsewhere', async () => {
    await using world = await withSimulator();
    await world.sim.default.faults.add({ kind: 'lost' });
    const asking = (words: string) =>
      atTerminal(['sh', '-c', `exec ${quotedBin} ${words} 2>/dev/null`], world.place, 60);
    const reset = asking('reset');
    await reset.see('(y/N)');
    reset.type(`n${ENTER}`);
    expect(await reset.ended).toBe(0);
    const removal = asking('faults remove');
    await removal.see('Which fault?');
    removal.type(ENTER);
    expect(await removal.ended).toBe(0);
    expect(await world.sim.default.faults.list()).toEqual([]);
  });

  test('contracts settle offers only contracts with something to settle', async () => {
    await using world = await withSimulator();
    const { contracts } = world.sim.default;
    const none = typed(world, ['contracts', 'settle']);
    expect(await none.ended).toBe(2);
    expect(none.text()).toContain('There are no overdue contracts.');
    const late = await contracts.create({ installment: { number: 2, status: 'delinquent' }, order_reference: 'late' });
    await contracts.create({ order_reference: 'in time' });
    const terminal = typed(world, ['contracts', 'settle']);
    await terminal.see(late.reference);
    expect(terminal.text()).not.toContain('in time');
    terminal.type(ENTER);
    expect(await terminal.ended).toBe(0);
    expect((await contracts.get(late.reference)).installments[2]?.status).toBe('paid');
  });

  test('contracts settle offers the oldest of many overdue contracts too', async () => {
    await using world = await withSimulator();
    const { contracts } = world.sim.default;
    const late = { installment: { number: 1, status: 'delinquent' }, webhooks: false } as const;
    const { reference } = await contracts.create({ ...late, order_reference: 'oldest' });
    for (let n = 1; n <= 100; n += 1) await contracts.create(late);
    const terminal = typed(world, ['contracts', 'settle']);
    await terminal.see('Which contract?');
    terminal.type('oldest');
    await terminal.see(reference);
    terminal.type(ENTER);
    expect(await terminal.ended).toBe(0);
    expect((await contracts.get(reference)).installments[1]?.status).toBe('paid');
  });

  test('sessions get and accept offer the oldest of many sessions too', async () => {
    await using world = await withSimulator();
    const { contracts, sessions } = world.sim.default;
    const { id } = await sessions.create({ order_reference: 'oldest', total_amount: 20_000 });
    for (let n = 1; n <= 100; n += 1) await contracts.create({ webhooks: false });
    const get = typed(world, ['sessions', 'get']);
    await get.see('Which session?');
    get.type('oldest');
    await get.see(id);
    get.type(ENTER);
    expect(await get.ended).toBe(0);
    const customer = ['--customer-name', 'Ada Byron', '--customer-email', 'ada@example.com'];
    const accept = typed(world, ['sessions', 'accept', ...customer]);
    await accept.see(id);
    accept.type(ENTER);
    expect(await accept.ended).toBe(0);
    expect((await sessions.get(id)).status).toBe('decision_made');
  });

  test('a list to choose from is aligned, and fits a narrow terminal', async () => {
    await using world = await withSimulator();
    const { sessions } = world.sim.default;
    for (const reference of ['A-1', 'a much longer reference']) {
      const { id } = await sessions.create({ order_reference: reference, total_amount: 20_000 });
      await sessions.complete(id, { customer_name: 'Ada Byron' });
    }
    const wide = typed(world, ['contracts', 'get'], 120);
    await wide.see('A-1');
    const rows = wide.text().match(/LAY-.*$/gm) as string[];
    expect(new Set(rows.map((row) => row.indexOf('Ada Byron'))).size).toBe(1);
    wide.type(CTRL_C);
    expect(await wide.ended).toBe(130);
    const narrow = typed(world, ['contracts', 'get'], 40);
    await narrow.see('A-1');
    for (const line of narrow.text().split('\n')) expect(line.length, line).toBeLessThanOrEqual(40);
    narrow.type(CTRL_C);
    expect(await narrow.ended).toBe(130);
  });

  test('a long cell of a list leaves room for those that follow it, and is found by all of it', async () => {
    await using world = await withSimulator();
    const { contracts } = world.sim.default;
    const { reference } = await contracts.create({ order_reference: `${'long '.repeat(19)}tail`, webhooks: false });
    await contracts.create({ order_reference: 'A-1', customer_name: 'Ada Byron', webhooks: false });
    const terminal = typed(world, ['contracts', 'get'], 80);
    await terminal.see(/LAY-\w+ {2}A-1 +Ada Byron +active/);
    expect(terminal.text()).toMatch(new RegExp(`${reference} {2}long [long ]+… {2}Test Customer +active`));
    for (const line of terminal.text().split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
    terminal.type('tail');
    for (const _ of ['typed', 'looked for', 'found']) await terminal.see('contract? tail');
    await terminal.see(reference);
    terminal.type(ENTER);
    expect(await terminal.ended).toBe(0);
    expect(terminal.text()).toContain(`contract         ${reference}`);
  });

  test('a list of emails shows the subject beside an address of any length', async () => {
    await using world = await withSimulator();
    const shop = world.sim.default;
    const { id } = await shop.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
    const address = `${'ada'.repeat(10)}@example.com`;
    await shop.sessions.complete(id, { customer_email: address });
    const email = (await shop.emails.list())[0];
    if (!email) throw new Error('no email');
    const terminal = typed(world, ['emails', 'get'], 80);
    // Its id is shortened, because the line has no room for the address otherwise.
    await terminal.see(`eml_…${email.id.slice(-8)}  ${email.subject.slice(0, 20)}`);
    await terminal.see(`…  ${address.slice(0, 20)}`);
    terminal.type(address);
    await terminal.see(`email? ${address.slice(0, 20)}`);
    terminal.type(ENTER);
    expect(await terminal.ended).toBe(0);
    expect(terminal.text()).toContain(`email    ${email.id}`);
  });

  test.each([
    ['no', 0, `n${ENTER}`],
    ['nothing', 0, ENTER],
    ['Ctrl-C', 130, CTRL_C],
  ])('interface §1: a confirmation answered with %s does nothing and ends with %d', async (_answer, code, keys) => {
    await using world = await withSimulator();
    const { contract } = await plan(world.sim.default);
    const terminal = typed(world, ['contracts', 'cancel', contract]);
    await terminal.see('(y/N)');
    terminal.type(keys);
    expect(await terminal.ended).toBe(code);
    expect(terminal.text()).toContain('Nothing done.');
    expect((await world.sim.default.contracts.get(contract)).status).toBe('active');
  });

  test('--yes and CI ask nothing', async () => {
    await using world = await withSimulator();
    const { contract } = await plan(world.sim.default);
    const withYes = typed(world, ['contracts', 'cancel', contract, '--yes']);
    expect(await withYes.ended).toBe(0);
    const place = { ...world.place, env: { ...world.place.env, CI: 'true' } };
    const inCi = typed({ place }, ['contracts', 'cancel']);
    expect(await inCi.ended).toBe(2);
    expect(inCi.text()).toContain('contract reference');
  });

  test.each([
    ['stdin', '< /dev/null'],
    ['stdout', '> /dev/null'],
  ])('nothing is asked where only %s is no terminal', async (_stream, redirected) => {
    await using world = await withSimulator();
    const line = `exec ${quotedBin} contracts cancel ${redirected}`;
    const terminal = atTerminal(['sh', '-c', line], world.place);
    expect(await terminal.ended).toBe(2);
    expect(terminal.text().trim()).toBe('Missing contract reference, LAY-….');
  });

  test('a secret that is typed is not shown', async () => {
    const place = await emptyPlace();
    const terminal = typed({ place }, ['config', 'set', 'api-key']);
    await terminal.see('Value of api-key');
    const secret = ['sk', 'test', 'a'.repeat(32)].join('_');
    terminal.type(`${secret}${ENTER}`);
    expect(await terminal.ended).toBe(0);
    expect(terminal.text()).toContain('Stored api-key');
    expect(terminal.text()).not.toContain(secret.slice(0, 9));
    expect((await runner(place)('config', 'get', 'api-key')).stdout).toBe(`${secret.slice(0, 12)}…`);
  });

  test.each([
    ['snapshots restore', ['snapshots', 'restore', 'one']],
    ['snapshots delete', ['snapshots', 'delete', 'one']],
    ['assumptions reset', ['assumptions', 'reset']],
    ['config delete', ['config', 'delete', 'default']],
  ])('interface §1: %s asks first; a no changes nothing, and --yes does not ask', async (_name, args) => {
    await using world = await withSimulator();
    const { sim, layaway } = world;
    await sim.snapshots.save('one');
    await sim.default.assumptions.set({ grace_days: 3 });
    await layaway('config', 'set', 'base-url', 'http://127.0.0.1:4801');
    const state = async () => [
      (await sim.snapshots.list()).length,
      (await sim.default.assumptions.get()).grace_days,
      (await layaway('config', 'get', 'base-url')).code,
    ];
    const before = await state();
    const asked = typed(world, args);
    await asked.see('(y/N)');
    asked.type(`n${ENTER}`);
    expect(await asked.ended).toBe(0);
    expect(await state()).toEqual(before);
    const unasked = typed(world, [...args, '--yes']);
    expect(await unasked.ended).toBe(0);
    expect(await state()).not.toEqual(before);
  });

  test('an endpoint to test is picked from a list', async () => {
    await using world = await withSimulator();
    await world.sim.default.webhooks.add('http://127.0.0.1:1/first');
    await world.sim.default.webhooks.add('http://127.0.0.1:1/second');
    const terminal = typed(world, ['webhooks', 'disable']);
    await terminal.see('Which endpoint');
    await terminal.see('/first');
    terminal.type(`${DOWN}${ENTER}`);
    expect(await terminal.ended).toBe(0);
    const endpoints = await world.sim.default.webhooks.list();
    expect(endpoints.map(({ url, enabled }) => [url, enabled])).toEqual([
      ['http://127.0.0.1:1/second', true],
      ['http://127.0.0.1:1/first', false],
    ]);
  });

  test('listen at a terminal ends with 0 on Ctrl-C', async () => {
    await using world = await withSimulator();
    const terminal = typed(world, ['listen', '--forward-to', 'localhost:1']);
    await terminal.see('Press Ctrl-C to stop.');
    terminal.type(CTRL_C);
    expect(await terminal.ended).toBe(0);
    // What the shell writes next begins a line.
    expect(terminal.text()).toMatch(/stop\.\n\^C\n$/);
  });

  test('mcp at a terminal says what it waits for', async () => {
    await using world = await withSimulator();
    const terminal = typed(world, ['mcp']);
    await terminal.see('Press Ctrl-C to stop.');
    terminal.type(CTRL_C);
    expect(await terminal.ended).toBe(0);
  });

  test('dashboard at a terminal opens the browser', async () => {
    await using world = await withSimulator();
    const { cwd } = world.place;
    const browser = join(cwd, 'browser');
    await writeFile(browser, `#!/bin/sh\ntouch '${cwd}/opened'\n`, { mode: 0o755 });
    const place = { ...world.place, env: { ...world.place.env, BROWSER: browser } };
    const terminal = typed({ place }, ['dashboard']);
    await terminal.see('Opened in your browser.');
    expect(await terminal.ended).toBe(0);
    await expect.poll(() => existsSync(join(cwd, 'opened'))).toBe(true);
    await rm(join(cwd, 'opened'));
    const forProgram = typed({ place }, ['dashboard', '--json']);
    expect(await forProgram.ended).toBe(0);
    expect(JSON.parse(forProgram.text())).toMatchObject({ data: { url: expect.stringContaining('/dashboard/enter') } });
    expect(existsSync(join(cwd, 'opened'))).toBe(false);
  });
});

describe('interface §1: colour and width', needing('script'), () => {
  const ESCAPE = '\u001b[';

  test('colour on a terminal, none with NO_COLOR, none with --json', async () => {
    await using world = await withSimulator();
    await plan(world.sim.default);
    const coloured = typed(world, ['contracts', 'list']);
    await coloured.ended;
    expect(coloured.raw()).toContain(ESCAPE);
    const place = { ...world.place, env: { ...world.place.env, NO_COLOR: '1' } };
    const plain = typed({ place }, ['contracts', 'list']);
    await plain.ended;
    expect(plain.raw()).not.toContain(ESCAPE);
    const json = typed(world, ['contracts', 'list', '--json']);
    await json.ended;
    expect(JSON.parse(json.raw()).data).toHaveLength(1);
  });

  test('a disabled endpoint stands out', async () => {
    await using world = await withSimulator();
    const { webhooks } = world.sim.default;
    const { id } = await webhooks.add('http://127.0.0.1:1/');
    await webhooks.disable(id);
    await webhooks.add('http://127.0.0.1:2/');
    const listed = typed(world, ['webhooks', 'list'], 120);
    await listed.ended;
    expect(listed.raw()).toContain(`${ESCAPE}31mdisabled by hand${ESCAPE}39m`);
    expect(listed.raw()).toContain(`${ESCAPE}32menabled${ESCAPE}39m`);
  });

  test('a stderr that is no terminal gets neither colour nor line breaks', async () => {
    const place = await emptyPlace();
    const toFile = ['sh', '-c', '"$0" "$@" 2>told', process.execPath, bin];
    await using receiver = await openReceiver();
    for (const args of [
      ['exec', '--coverage', '--', 'true'],
      ['certify', '--webhook-url', receiver.url, '--only', 'genuine,unsigned', '--output', 'report.txt'],
    ]) {
      const terminal = atTerminal([...toFile, ...args], place, 50);
      await terminal.ended;
      const told = await readFile(join(place.cwd, 'told'), 'utf8');
      expect(told).not.toContain(ESCAPE);
      expect(told).toMatch(/^ {2}\S.{60,}$/m);
      expect(told).not.toMatch(/^ {2}\S.{30,47}\n {6,24}\S/m);
    }
  });

  test.each([
    [['contracts', 'list']],
    [['sessions', 'list']],
    [['webhooks', 'list']],
    [['webhooks', 'deliveries']],
    [['events', 'list']],
    [['emails', 'list']],
  ])('at 40 columns %s wraps no line', async (args) => {
    await using world = await withSimulator();
    await world.sim.default.webhooks.add('http://127.0.0.1:1/a/rather/long/path/of/a/receiver');
    const { contract } = await plan(world.sim.default);
    const terminal = typed(world, args, 40);
    expect(await terminal.ended).toBe(0);
    const lines = terminal.text().trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(1);
    // An id is never cut: it may stand alone on a line that is too long for it.
    for (const line of lines) expect(line.length <= 40 || /^ *\S+$/.test(line), line).toBe(true);
    if (args[0] === 'contracts') expect(terminal.text()).toContain(contract);
  });
});

test('interface §1: at 80 columns a schedule is a table, and a short list is not cut', needing('script'), async () => {
  await using world = await withSimulator();
  const url = 'http://127.0.0.1:1/a/rather/long/path/of/a/receiver';
  await world.sim.default.webhooks.add(url);
  const { reference } = await world.sim.default.contracts.create({ webhooks: false });
  const contract = typed(world, ['contracts', 'get', reference], 80);
  expect(await contract.ended).toBe(0);
  expect(contract.text()).toMatch(/^NO\. +PAYMENT +AMOUNT +DUE +STATUS +PAID$/m);
  for (const line of contract.text().split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
  const endpoints = typed(world, ['webhooks', 'list'], 80);
  expect(await endpoints.ended).toBe(0);
  expect(endpoints.text()).toContain(url);
});

test('interface §1: at 80 columns a long list of keys tells their scopes', needing('script'), async () => {
  await using world = await withSimulator();
  const { keys } = world.sim.default;
  for (let count = 0; count < 5; count += 1) await keys.create();
  const { id } = await keys.create({ scopes: ['checkout:read'] });
  const list = typed(world, ['keys', 'list'], 80);
  expect(await list.ended).toBe(0);
  const [titles, first, second] = list.text().split('\n');
  expect(titles).toMatch(/^ID +NAME +KEY +SCOPES +REVOKED$/);
  expect(first).toMatch(new RegExp(`^${id} .* checkout:read +—$`));
  expect(second).toMatch(/ all +—$/);
});

test.each([
  ['contracts', '--help'],
  ['exec', '--help'],
  ['clock', 'advance', '--help'],
])('at 40 columns help is broken between words: %s %s', needing('script'), async (...args) => {
  const terminal = typed({ place: await emptyPlace() }, args, 40);
  expect(await terminal.ended).toBe(0);
  const lines = terminal.text().trimEnd().split('\n');
  expect(lines.length).toBeGreaterThan(20);
  // What is copied stays whole.
  for (const line of lines) expect(line.length <= 40 || /^(Usage:| {2}\$) /.test(line), line).toBe(true);
});

/** A word, a command in backticks, or the label of either. */
const WHOLE = /^ *(\w+ +)?(`[^`]*`[.,;]?|\S+)$/;

test('at 40 columns doctor breaks its lines between words', needing('script'), async () => {
  await using world = await withSimulator();
  const terminal = typed(world, ['doctor'], 40);
  expect(await terminal.ended).toBe(0);
  const lines = terminal.text().trimEnd().split('\n');
  expect(lines.length).toBeGreaterThan(9);
  for (const line of lines) expect(line.length <= 40 || WHOLE.test(line.replace(/^ok/, '')), line).toBe(true);
});

describe('prose is broken between words', needing('script'), () => {
  test.each([80, 50])('at %i columns by explain and coverage', async (columns) => {
    await using world = await withSimulator();
    const { contract } = await plan(world.sim.default);
    for (const args of [['explain', contract], ['coverage']]) {
      const terminal = typed(world, args, columns);
      expect(await terminal.ended).toBe(0);
      const lines = terminal.text().trimEnd().split('\n');
      expect(lines.length).toBeGreaterThan(20);
      for (const line of lines) expect(line.length <= columns || WHOLE.test(line), line).toBe(true);
    }
  });

  test.each([80, 50])('at %i columns by certify, except for what is sent', async (columns) => {
    await using world = await withSimulator();
    await using receiver = await openReceiver();
    const terminal = typed(world, ['certify', '--webhook-url', receiver.url, '--only', 'genuine,unsigned'], columns);
    expect(await terminal.ended).toBe(5);
    const lines = terminal
      .text()
      .replaceAll(/(\rExamining… \d+ s)+\r/g, '')
      .trimEnd()
      .split('\n');
    const sent = /^ {16}(webhook-signature: |\{"id":)/;
    const note = /^Signing with /;
    const told = lines.filter((line) => !sent.test(line) && !note.test(line));
    expect(told.length).toBeGreaterThan(10);
    for (const line of told) expect(line.length <= columns || WHOLE.test(line), line).toBe(true);
    expect(told.join('\n')).toMatch(/✓ genuine.*\n {24}\S/);
  });
});

describe('interface §1: work longer than a second shows progress at a terminal', needing('script'), () => {
  /** A receiver that keeps its first answer until it is let go. */
  async function openWaiting() {
    let letGo: () => void = () => undefined;
    const receiver = await openReceiver([
      (response) => {
        letGo = () => response.end();
      },
    ]);
    return { receiver, letGo: () => letGo(), [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose]() };
  }

  const CLEARED = '\r\u001b[K';

  /** No line of the output begins behind the progress, and its last line is cleared. */
  function expectCleared(raw: string, label: string) {
    const shown = raw.replaceAll(new RegExp(`(?:\\r${label}… \\d+ s)+\\r\\x1b\\[K`, 'g'), '');
    expect(shown).not.toBe(raw);
    expect(shown).not.toContain(`${label}…`);
  }

  test('certify and run, between their lines', async () => {
    await using world = await withSimulator();
    await using slow = await openWaiting();
    const args = ['certify', '--webhook-url', slow.receiver.url, '--only', 'genuine,unsigned'];
    const certifying = typed(world, args);
    await certifying.see(/Examining… \d+ s/);
    slow.letGo();
    await certifying.see(/[✓✗] unsigned/);
    await certifying.ended;
    expectCleared(certifying.raw(), 'Examining');

    await using other = await openWaiting();
    const scenario = `name: one
steps:
  - create-contract: { status: active, webhooks: false }
  - endpoint: { url: "${other.receiver.url}" }
  - create-contract: { status: active }
`;
    await writeFile(join(world.place.cwd, 'one.yaml'), scenario);
    const playing = typed(world, ['run', 'one.yaml']);
    await playing.see('endpoint');
    await playing.see(/Playing… \d+ s/);
    other.letGo();
    expect(await playing.ended).toBe(0);
    expectCleared(playing.raw(), 'Playing');
  });

  test('Ctrl-C clears it, and says that an advance goes on', async () => {
    await using world = await withSimulator();
    await using slow = await openWaiting();
    await world.sim.default.webhooks.add(slow.receiver.url);
    await plan(world.sim.default);
    const advancing = typed(world, ['clock', 'advance', '14d']);
    await advancing.see(/Working… \d+ s/);
    advancing.type(CTRL_C);
    expect(await advancing.ended).toBe(130);
    expect(advancing.raw().split(CLEARED).at(-1)).toMatch(/^The server continues the advance\. .*\r\n$/);
    const [, advice = ''] = /run `layaway (clock stop)`/.exec(advancing.text()) ?? [];
    const stopping = world.layaway(...advice.split(' '), '--json');
    slow.letGo();
    expect((await stopping).code).toBe(0);

    const waiting = typed(world, ['emails', 'wait', '--to', 'nobody@example.com']);
    await waiting.see(/Waiting… \d+ s/);
    waiting.type(CTRL_C);
    expect(await waiting.ended).toBe(130);
    expect(waiting.raw().split(CLEARED).at(-1)).toBe('');
  });

  test('a dumb terminal gets no control sequences', async () => {
    await using world = await withSimulator();
    const place = { ...world.place, env: { ...world.place.env, TERM: 'dumb' } };
    const waiting = typed({ place }, ['emails', 'wait', '--to', 'nobody@example.com', '--timeout', '2s']);
    expect(await waiting.ended).toBe(5);
    expect(waiting.raw()).toBe('No email to nobody@example.com arrived within 2 seconds. There is no email yet.\r\n');
  });

  test('import and compare, until the other service has answered; without a terminal nothing', async () => {
    await using world = await withSimulator();
    const held: (() => void)[] = [];
    await using there = await openReceiver(
      Array(2).fill((response: ServerResponse) => void held.push(() => response.end('{}'))),
    );
    for (const [command, flag, label] of [
      ['import', '--from', 'Reading'],
      ['compare', '--against', 'Comparing'],
    ] as const) {
      const asking = typed(world, [command, flag, there.url]);
      await asking.see(new RegExp(`${label}… \\d+ s`));
      held.pop()?.();
      await asking.see('is not the Layaway Checkout Service');
      expect(await asking.ended).toBe(4);
      expectCleared(asking.raw(), label);
    }
    const piped = await world.layaway('import', '--from', there.url);
    expect(piped.stderr).toMatch(/^The server at .*\.$/);
  });
});

describe('pipes, closed streams and full disks', () => {
  test('a reader that has seen enough ends the command quietly', needing('bash'), async () => {
    await using world = await withSimulator();
    await plan(world.sim.default);
    const { cwd, env } = world.place;
    const options = { cwd, env: { PATH: process.env.PATH, ...env }, extendEnv: false };
    for (const words of ['contracts list', 'openapi', 'completion fish', 'webhooks deliveries --help']) {
      const { stdout, stderr } = await execa('bash', ['-c', `${quotedBin} ${words} | head -1`], options);
      expect(stdout.split('\n')).toHaveLength(1);
      expect(stderr).toBe('');
    }
  });

  test.each([
    ['run broken.yaml', 5],
    ['certify --webhook-url RECEIVER --only get-harmless --level should', 5],
    ['doctor --base-url http://127.0.0.1:1', 1],
    ['contracts get LAY-0000000000 --json', 3],
    ['--help', 0],
  ])('%s | head -0 ends with the code of what it did: %i', needing('bash'), async (words, code) => {
    await using world = await withSimulator();
    await using receiver = await openReceiver();
    const { cwd, env } = world.place;
    const failing = 'name: one\nsteps:\n  - request: { method: GET, path: / }\n    expect: { status: 299 }\n';
    await writeFile(join(cwd, 'broken.yaml'), failing);
    const { exitCode } = await execa(
      'bash',
      ['-c', `set -o pipefail; ${quotedBin} ${words.replace('RECEIVER', receiver.url)} | true`],
      { cwd, env: { PATH: process.env.PATH, ...env }, extendEnv: false, reject: false },
    );
    expect(exitCode).toBe(code);
  });

  test('stderr on a full disk or closed changes no exit code', needing('bash'), async () => {
    await using world = await withSimulator();
    const { cwd, env } = world.place;
    for (const where of ['2> /dev/full', '2>&-', '2> >(true)']) {
      const { exitCode } = await execa('bash', ['-c', `${quotedBin} contracts get LAY-0000000000 ${where}`], {
        cwd,
        env: { PATH: process.env.PATH, ...env },
        extendEnv: false,
        reject: false,
      });
      expect(exitCode, where).toBe(3);
    }
  });

  test('stdin closed: a missing argument is a usage error, never a question that hangs', needing('bash'), async () => {
    await using world = await withSimulator();
    const { cwd, env } = world.place;
    const run = (words: string) =>
      execa('bash', ['-c', `${quotedBin} ${words} <&-`], {
        cwd,
        env: { PATH: process.env.PATH, ...env },
        extendEnv: false,
        reject: false,
      });
    for (const words of ['contracts cancel', 'webhooks test', 'events resend', 'listen', 'sessions create']) {
      expect((await run(words)).exitCode, words).toBe(2);
    }
    expect((await run('webhooks list')).exitCode).toBe(0);
  });

  test('stdout on a full disk: 1 and a sentence', needing('bash'), async () => {
    await using world = await withSimulator();
    await plan(world.sim.default);
    const { cwd, env } = world.place;
    const { exitCode, stderr } = await execa('bash', ['-c', `${quotedBin} contracts list --json > /dev/full`], {
      cwd,
      env: { PATH: process.env.PATH, ...env },
      extendEnv: false,
      reject: false,
    });
    expect(exitCode).toBe(1);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(stderr).toMatch(/full|space/i);
  });

  test('a server whose output no longer fits on the disk goes on', needing('bash'), async () => {
    const place = await emptyPlace();
    // Room for the first lines only.
    const serving = execa('bash', ['-c', `ulimit -f 4; exec ${quotedBin} serve --memory --port 0 --json > log`], {
      ...{ cwd: place.cwd, env: { PATH: process.env.PATH, ...place.env } },
      ...{ extendEnv: false, reject: false, stdin: 'ignore' },
    });
    const { stdout } = await runner(place)('env', '--wait', '30s');
    const url = /LAYAWAY_BASE_URL=(\S+)/.exec(stdout)?.[1];
    for (let times = 1; times <= 60; times += 1) expect((await fetch(`${url}/v1/ping`)).status).toBe(401);
    serving.kill();
    expect(await serving).toMatchObject({
      exitCode: 0,
      stderr: 'The output could not be written: the file would be larger than allowed.',
    });
    expect((await stat(join(place.cwd, 'log'))).size).toBe(4096);
  });

  test(
    'on a full disk, requests that a fault strikes do not end the server, not even if the client leaves',
    needing('bash'),
    async () => {
      const { cwd, env } = await emptyPlace();
      const serving = execa('bash', ['-c', `ulimit -f 2048; exec ${quotedBin} serve --port 0 --json`], {
        cwd,
        env: { PATH: process.env.PATH, ...env },
        extendEnv: false,
        reject: false,
        stdin: 'ignore',
      });
      const { base_url: baseUrl, sandbox } = JSON.parse(
        (await serving.iterable()[Symbol.asyncIterator]().next()).value as string,
      );
      const headers = { 'x-client-id': sandbox.client_id, 'x-api-key': sandbox.api_key };
      const statusOf = async (method: string, path: string, body: object) => {
        const json = { ...headers, 'content-type': 'application/json' };
        return (await fetch(baseUrl + path, { method, headers: json, body: JSON.stringify(body) })).status;
      };
      const fault = { kind: 'slow', operation: 'createSession', times: null, delay_ms: 0 };
      expect(await statusOf('POST', '/_sim/faults', fault)).toBe(201);
      const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`key-${n}`, 'x'.repeat(500)]));
      const order = { order_reference: 'A-1', total_amount: 20_000, ...EXAMPLE_URLS };
      while ((await statusOf('POST', '/v1/sessions', { ...order, metadata })) !== 507);
      // Until there is no room for the smallest change either.
      for (let days = 1; (await statusOf('PATCH', '/_sim/settings', { grace_days: days })) !== 507; days += 1);

      const { host, hostname, port } = new URL(baseUrl);
      const socket = connect(Number(port), hostname);
      const head = Object.entries({ host, ...headers, 'content-length': 100, expect: '100-continue' });
      socket.write(`POST /v1/sessions HTTP/1.1\r\n${head.map((header) => `${header.join(': ')}\r\n`).join('')}`);
      socket.write('content-type: application/json\r\n\r\n');
      // It answers so when it takes the request.
      await once(socket, 'data');
      socket.destroy();
      await fetch(`${baseUrl}/_sim/health`);
      serving.kill('SIGTERM');
      const { exitCode, stderr } = await serving;
      expect(exitCode).toBe(0);
      expect(stderr).not.toMatch(/^\s+at /m);
    },
  );

  test(
    'a server whose disk is full: 507 on every route, 1 with a sentence for a command, and it stops as always',
    needing('bash'),
    async () => {
      const place = await emptyPlace();
      let answer: () => void = () => undefined;
      let isUnderWay: () => void = () => undefined;
      const underWay = new Promise<void>((resolve) => {
        isUnderWay = resolve;
      });
      await using receiver = await openReceiver([
        (response) => {
          answer = () => response.end();
          isUnderWay();
        },
      ]);
      // The limit of a file's size is met like the end of a disk.
      const serving = execa(
        'bash',
        ['-c', `ulimit -f 2048; exec ${quotedBin} serve --port 0 --json --forward-to ${receiver.url}`],
        {
          cwd: place.cwd,
          env: { PATH: process.env.PATH, ...place.env },
          extendEnv: false,
          reject: false,
          stdin: 'ignore',
        },
      );
      const {
        base_url: baseUrl,
        sandbox,
        control_token: controlToken,
      } = JSON.parse((await serving.iterable()[Symbol.asyncIterator]().next()).value as string);
      const client = createClient({ baseUrl, clientId: sandbox.client_id, apiKey: sandbox.api_key });
      const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`key-${n}`, 'x'.repeat(500)]));
      const order = { order_reference: 'A-1', total_amount: 20_000, metadata };
      const urls = { return_url: 'https://example.com/', cancel_url: 'https://example.com/' };
      const { id } = await client.createSession({ ...order, ...urls });
      const headers = { 'x-client-id': sandbox.client_id, 'x-api-key': sandbox.api_key };
      await fetch(`${baseUrl}/_sim/sessions/${id}/cancel`, { method: 'POST', headers });
      await underWay;
      const token = { authorization: `Bearer ${controlToken}` };
      const lever = (path: string, body: string) =>
        fetch(baseUrl + path, { method: 'POST', headers: { ...token, 'content-type': 'application/json' }, body });
      expect((await lever('/_sim/snapshots', '{"name":"early"}')).status).toBe(201);
      const filling = (async () => {
        for (let n = 0; n < 500; n += 1) await client.createSession({ ...order, ...urls });
      })();
      await expect(filling).rejects.toMatchObject({ status: 507, message: expect.stringContaining('Free some space') });
      // Coverage counts the requests, and in the midst of one of these it writes down how many there were.
      const statuses = new Set<number>();
      for (let n = 0; n < 600; n += 1) {
        const create = client.createSession({ ...order, ...urls });
        statuses.add(
          await create.then(
            () => 201,
            ({ status }: LayawayError) => status,
          ),
        );
      }
      expect([...statuses]).toEqual([507]);
      // Until there is no room for the smallest change either.
      const change = (days: number) =>
        fetch(`${baseUrl}/_sim/settings`, {
          method: 'PATCH',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify({ grace_days: days }),
        });
      for (let days = 1; (await change(days)).status !== 507; days += 1);
      const json = { method: 'PATCH', headers: { ...token, 'content-type': 'application/json' } };
      const disabled = await fetch(`${baseUrl}/_sim/platform`, { ...json, body: '{"disabled":true}' });
      const frozen = await fetch(`${baseUrl}/_sim/clock/freeze`, { method: 'POST', headers });
      expect([disabled.status, frozen.status]).toEqual([507, 507]);
      const saved = await lever('/_sim/snapshots', '{"name":"late"}');
      const restored = await lever('/_sim/snapshots/early/restore', '{}');
      expect([saved.status, restored.status]).toEqual([507, 507]);
      expect(await readdir(join(place.cwd, '.layaway', 'snapshots'))).toEqual(['early.db']);
      const message = expect.stringMatching(/^The disk of the server’s state .* then try again\.$/);
      for (const request of [() => client.createSession({ ...order, ...urls }), () => client.ping()]) {
        const error = await request().catch((reason: LayawayError) => reason);
        expect(error).toMatchObject({ status: 507 });
        expect((error as LayawayError).body).toEqual({ message });
      }

      const layaway = runner(place);
      const flags = Object.entries(metadata).flatMap(([key, value]) => ['--metadata', `${key}=${value}`]);
      const command = await layaway(
        ...['sessions', 'create', '--order-reference', 'A-1', '--total-amount', '20000'],
        ...flags,
      );
      expect(command).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('Free some space') });
      expect((await layaway('contracts', 'list')).code).toBe(0);
      serving.kill('SIGTERM');
      // The webhook is answered while the server is stopping, and that cannot be written down.
      const isUp = () =>
        fetch(`${baseUrl}/_sim/health`).then(
          () => true,
          () => false,
        );
      while (await isUp());
      answer();
      const { exitCode, stderr } = await serving;
      expect(exitCode).toBe(0);
      expect(stderr).toContain('is full or cannot be written');
      expect(stderr).not.toMatch(/^\s+at /m);
    },
  );

  test(
    'a disk without room for the temporary file of what was read: every contract is read',
    needing('bash'),
    async () => {
      const place = await emptyPlace();
      const flags = ['serve', '--port', '0', '--json', '--rate-limit', 'off', '--no-request-log'];
      const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`key-${n}`, 'x'.repeat(500)]));
      const references: string[] = [];
      {
        // One more than are written at once; 14 MB.
        const contracts = Array(520).fill({ metadata, webhooks: false });
        await using before = await createSimulator({ data: join(place.cwd, '.layaway'), fixture: { contracts } });
        const found = await before.default.contracts.find({ limit: 1000 });
        references.push(...found.map(({ reference }) => reference));
      }
      expect(references).toHaveLength(520);
      const full = execa('bash', ['-c', `ulimit -f 8192; exec ${quotedBin} ${flags.join(' ')}`], {
        cwd: place.cwd,
        env: { PATH: process.env.PATH, ...place.env },
        extendEnv: false,
        stdin: 'ignore',
      });
      const { base_url: baseUrl, sandbox } = JSON.parse(
        (await full.iterable()[Symbol.asyncIterator]().next()).value as string,
      );
      const client = createClient({ baseUrl, clientId: sandbox.client_id, apiKey: sandbox.api_key });
      for (const reference of [...references, ...references]) {
        const read = await client.getContract(reference);
        // A thousand times fifty values: looked at one by one, they would take as long as the rest of the test.
        if (JSON.stringify(read.metadata) !== JSON.stringify(metadata)) expect(read.metadata).toEqual(metadata);
        expect(read.reference).toBe(reference);
      }
      full.kill('SIGTERM');
      expect((await full).stderr).not.toMatch(/^\s+at |errno/m);
    },
  );

  test('a disk without room for a snapshot: a sentence, and nothing is left of it', needing('bash'), async () => {
    const place = await emptyPlace();
    const first = await startReady(place, ['serve', '--port', '0']);
    await first.stop();
    const { size } = await stat(join(place.cwd, '.layaway', 'layaway.db'));
    const serving = execa(
      'bash',
      ['-c', `ulimit -f ${Math.floor(size / 1024) - 1}; exec ${quotedBin} serve --port 0 --json`],
      { cwd: place.cwd, env: { PATH: process.env.PATH, ...place.env }, extendEnv: false, stdin: 'ignore' },
    );
    await serving.iterable()[Symbol.asyncIterator]().next();
    const { code, stderr } = await runner(place)('snapshots', 'save', 'early');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('Free some space') });
    expect(await readdir(join(place.cwd, '.layaway', 'snapshots'))).toEqual([]);
    serving.kill('SIGTERM');
    expect((await serving).stderr).not.toMatch(/^\s+at |errno/m);
  });

  test(
    'a server that ran out of file handles answers everything once there are some again',
    needing('bash'),
    async () => {
      const { cwd, env } = await emptyPlace();
      const serving = execa('bash', ['-c', `ulimit -n 80; exec ${quotedBin} serve --port 0 --json`], {
        ...{ cwd, env: { PATH: process.env.PATH, ...env }, extendEnv: false, stdin: 'ignore' },
      });
      const { base_url: baseUrl, sandbox } = JSON.parse(
        (await serving.iterable()[Symbol.asyncIterator]().next()).value as string,
      );
      const headers = { 'x-client-id': sandbox.client_id, 'x-api-key': sandbox.api_key };
      // One connection, which is there before the handles are used up.
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const ask = (path: string) =>
        new Promise<number | undefined>((resolve, reject) => {
          get(baseUrl + path, { agent, headers }, (answer) => {
            answer.resume().on('end', () => resolve(answer.statusCode));
          }).on('error', reject);
        });
      expect(await ask('/v1/ping')).toBe(200);
      const { hostname, port } = new URL(baseUrl);
      const idle = Array.from({ length: 100 }, () => connect(Number(port), hostname).on('error', () => undefined));
      await Promise.any(idle.map((socket) => once(socket, 'close')));
      expect(await ask('/_sim/clock')).toBe(500);
      for (const socket of idle) socket.destroy();
      await expect.poll(() => ask('/_sim/clock')).toBe(200);
      agent.destroy();
      serving.kill('SIGTERM');
      expect((await serving).stderr).toContain('EMFILE');
    },
  );

  test('a disk without room for a reset: a sentence, and everything is as before', needing('bash'), async () => {
    const place = await emptyPlace();
    await writeFile(join(place.cwd, 'plans.json'), JSON.stringify({ contracts: Array(300).fill({}) }));
    const now = ['--now', '2026-01-01T00:00:00Z'];
    const flags = ['serve', '--port', '0', '--json', '--no-request-log', '--fixture', 'plans.json', ...now];
    const first = await startReady(place, [...flags, '--data', 'measured']);
    const { size } = await stat(join(place.cwd, 'measured', 'layaway.db-wal'));
    await first.stop();
    // Room for the start and for an empty state, but not for the contracts a second time.
    const kib = Math.floor(size / 1024) + 400;
    const serving = execa('bash', ['-c', `ulimit -f ${kib}; exec ${quotedBin} ${flags.join(' ')}`], {
      ...{ cwd: place.cwd, env: { PATH: process.env.PATH, ...place.env }, extendEnv: false, stdin: 'ignore' },
    });
    const { value: ready } = await serving.iterable()[Symbol.asyncIterator]().next();
    const { base_url: baseUrl } = JSON.parse(ready as string);
    const layaway = runner(place);
    const listed = async () => JSON.parse((await layaway('contracts', 'list', '--json')).stdout);
    const before = await listed();
    expect(before.meta.total).toBe(300);
    const { code, stderr } = await layaway('reset');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('Nothing was changed') });
    expect(await listed()).toEqual(before);
    // Also the instant at which clocks begin: that of a new merchant shows the time of the others.
    const { sandbox } = JSON.parse((await layaway('merchants', 'create', '--json')).stdout).data;
    const pair = ['--base-url', baseUrl, '--client-id', sandbox.client_id, '--api-key', sandbox.api_key];
    const clock = async (...words: string[]) =>
      Date.parse(JSON.parse((await layaway('clock', 'show', '--json', ...words)).stdout).data.now);
    const times = [await clock(), await clock(...pair), await clock()];
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    serving.kill('SIGTERM');
    expect((await serving).stderr).not.toMatch(/^\s+at |errno/m);
  });

  test(
    'a disk that ends in the midst of a checkout: a sentence, and the plan is not accepted',
    needing('bash'),
    async () => {
      const place = await emptyPlace();
      const flags = ['serve', '--port', '0', '--json', '--no-request-log'];
      const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`key-${n}`, 'x'.repeat(500)]));
      const order = { order_reference: 'A-1', total_amount: 20_000, metadata };
      const urls = { return_url: 'https://example.com/', cancel_url: 'https://example.com/' };
      const open = async (ready: string) => {
        const { base_url: baseUrl, sandbox } = JSON.parse(ready);
        const client = createClient({ baseUrl, clientId: sandbox.client_id, apiKey: sandbox.api_key });
        return { client, session: await client.createSession({ ...order, ...urls }) };
      };
      const first = await startReady(place, [...flags, '--data', 'measured']);
      const { session: measured } = await open(first.ready);
      const customer = ['--customer-name', 'Ada Byron', '--customer-email', 'ada@example.com'];
      expect((await runner(place)('sessions', 'accept', measured.id, ...customer)).code).toBe(0);
      const { size } = await stat(join(place.cwd, 'measured', 'layaway.db-wal'));
      await first.stop();
      // Room for the acceptance, but not also for the payment, whose events hold the metadata again.
      const kib = Math.floor(size / 1024) + 12;
      const serving = execa('bash', ['-c', `ulimit -f ${kib}; exec ${quotedBin} ${flags.join(' ')}`], {
        ...{ cwd: place.cwd, env: { PATH: process.env.PATH, ...place.env }, extendEnv: false, stdin: 'ignore' },
      });
      const { client, session } = await open((await serving.iterable()[Symbol.asyncIterator]().next()).value as string);
      const { code, stderr } = await runner(place)('sessions', 'complete', session.id);
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('Nothing was changed') });
      expect(await client.getSession(session.id)).toEqual(session);
      serving.kill('SIGTERM');
      expect((await serving).stderr).not.toMatch(/^\s+at |errno/m);
    },
  );

  test('a disk without room for a restore: a sentence, and everything is as before', needing('bash'), async () => {
    const place = await emptyPlace();
    const flags = ['serve', '--port', '0', '--json', '--no-request-log'];
    const first = await startReady(place, flags);
    const layaway = runner(place);
    const { base_url: baseUrl, control_token: token } = JSON.parse(first.ready);
    // Each has two clocks that run, and a restore sets them back.
    const authorized = { method: 'POST', headers: { authorization: `Bearer ${token}` } };
    for (let n = 0; n < 40; n += 1) expect((await fetch(`${baseUrl}/_sim/merchants`, authorized)).status).toBe(201);
    await layaway('snapshots', 'save', 'early');
    await layaway('sessions', 'create', '--order-reference', 'A-1', '--total-amount', '20000');
    await first.stop();
    await cp(join(place.cwd, '.layaway'), join(place.cwd, 'measured'), { recursive: true });
    const second = await startReady(place, [...flags, '--data', 'measured']);
    expect((await layaway('snapshots', 'restore', 'early')).code).toBe(0);
    const { size } = await stat(join(place.cwd, 'measured', 'layaway.db-wal'));
    await second.stop();
    const kib = Math.floor(size / 1024) - 100;
    const serving = execa('bash', ['-c', `ulimit -f ${kib}; exec ${quotedBin} ${flags.join(' ')}`], {
      ...{ cwd: place.cwd, env: { PATH: process.env.PATH, ...place.env }, extendEnv: false, stdin: 'ignore' },
    });
    await serving.iterable()[Symbol.asyncIterator]().next();
    const listed = async () => JSON.parse((await layaway('sessions', 'list', '--json')).stdout).data.length;
    expect(await listed()).toBe(1);
    const { code, stderr } = await layaway('snapshots', 'restore', 'early');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('Nothing was changed') });
    expect(await listed()).toBe(1);
    serving.kill('SIGTERM');
    expect((await serving).stderr).not.toMatch(/^\s+at |errno/m);
  });

  test(
    'a disk that ends in the midst of an advance: a sentence that says how far it came',
    needing('bash'),
    async () => {
      const place = await emptyPlace();
      await writeFile(join(place.cwd, 'plans.json'), JSON.stringify({ contracts: Array(40).fill({ days_ago: 0 }) }));
      const clock = ['--clock', 'frozen', '--now', '2026-01-01T00:00:00Z'];
      const flags = ['serve', '--port', '0', '--json', '--no-request-log', '--fixture', 'plans.json', ...clock];
      const first = await startReady(place, [...flags, '--data', 'measured']);
      const { size } = await stat(join(place.cwd, 'measured', 'layaway.db-wal'));
      await first.stop();
      // Room for the start and for some of the forty payments of each fortnight.
      const kib = Math.floor(size / 1024) + 300;
      const serving = execa('bash', ['-c', `ulimit -f ${kib}; exec ${quotedBin} ${flags.join(' ')}`], {
        ...{ cwd: place.cwd, env: { PATH: process.env.PATH, ...place.env }, extendEnv: false, stdin: 'ignore' },
      });
      await serving.iterable()[Symbol.asyncIterator]().next();
      const layaway = runner(place);
      const { code, stderr } = await layaway('clock', 'advance', '60d');
      const now = (await layaway('clock', 'show', '--json')).json.data.now;
      expect(now > '2026-01-14').toBe(true);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `The disk of the server’s state is full or cannot be written. The advance stopped at ${now}; steps completed by then are not undone. Free some space, then advance again.`,
      });
      serving.kill('SIGTERM');
      expect((await serving).stderr).not.toMatch(/^\s+at |errno|Nothing was changed/m);
    },
  );

  test('a disk that fills up while a new state begins: a sentence', needing('bash'), async () => {
    const roomy = await emptyPlace();
    const serving = await startReady(roomy, ['serve', '--port', '0']);
    const { size } = await stat(join(roomy.cwd, '.layaway', 'layaway.db-wal'));
    await serving.stop();
    const { cwd, env } = await emptyPlace();
    // As much as a state needs, less the last KiB.
    const { exitCode, stderr } = await execa(
      'bash',
      ['-c', `ulimit -f ${Math.floor(size / 1024)}; exec ${quotedBin} serve --port 0`],
      { cwd, env: { PATH: process.env.PATH, ...env }, extendEnv: false, reject: false, stdin: 'ignore' },
    );
    expect([exitCode, stderr]).toEqual([
      1,
      'The disk of the state directory is full or cannot be written. Free some space, or choose another directory with --data.',
    ]);
  });

  test('a state directory on a full disk is refused in a sentence', async () => {
    const place = await emptyPlace();
    const { exitCode, stderr } = await start(place, ['serve', '--port', '0', '--data', '/dev/full/state']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('--data');
    expect(stderr.split('\n')).toHaveLength(1);
  });
});
