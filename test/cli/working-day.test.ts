import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { openReceiver } from '../support/receiver.ts';
import { emptyPlace, oneProcess, plan } from './layaway.ts';

const { runner, withSimulator } = oneProcess();

const ORDER = ['--order-reference', 'A-9', '--total-amount', '20000'];

describe('interface §2: lists are narrowed where the server is', () => {
  test('events, sessions and contracts', async () => {
    await using world = await withSimulator();
    const { layaway } = world;
    const { contract } = await plan(world.sim.default);
    await world.sim.default.sessions.create({ order_reference: 'A-9', total_amount: 20_000 });
    const events = await layaway('events', 'list', '--type', 'contract.activated', '--contract', contract, '--json');
    expect(events.json.data).toMatchObject([{ type: 'contract.activated', data: { reference: contract } }]);
    const sessions = await layaway('sessions', 'list', '--status', 'pending', '--order-reference', 'A-9', '--json');
    expect(sessions.json.data).toMatchObject([{ order_reference: 'A-9', status: 'pending' }]);
    expect((await layaway('sessions', 'list', '--status', 'expired')).stderr).toBe('No matching sessions.');
    expect((await layaway('contracts', 'list', '--overdue')).stderr).toBe('No matching contracts.');
    await world.sim.default.contracts.outcomes(contract, ['fail', 'fail']);
    await world.sim.default.clock.advance({ until: `${contract}#1=past_due` });
    expect((await layaway('contracts', 'list', '--overdue')).stdout).toContain(contract);
    const named = ['contracts', 'list', '--order-reference', 'A-1', '--json', '--status'];
    expect((await layaway(...named, 'active')).json.data).toHaveLength(1);
    expect((await layaway(...named, 'cancelled')).json.data).toEqual([]);
  });

  test('the first page of no contracts is not called a page', async () => {
    await using world = await withSimulator();
    expect((await world.layaway('contracts', 'list')).stderr).toBe('There are no contracts.');
    expect((await world.layaway('contracts', 'list', '--page', '2')).stderr).toBe(
      'There are no contracts on this page.',
    );
  });
});

describe('interface §2: installment numbers', () => {
  test('contracts get shows both, the attempts and what is arranged; settle says which one is meant', async () => {
    await using world = await withSimulator();
    const { layaway } = world;
    const { contract } = await plan(world.sim.default);
    await world.sim.default.contracts.outcomes(contract, ['fail', 'pay', 'fail']);
    await world.sim.default.clock.advance('14d');
    const { stdout } = await layaway('contracts', 'get', contract);
    expect(stdout).toMatch(/at checkout, sequence 1 /);
    expect(stdout).toMatch(/^ +2 {2}payment 2 of 4, sequence 3 /m);
    expect(stdout).toMatch(/^2026-01-15 00:00:00 UTC +1 +1 +fail +\$40\.00 +sim_/m);
    expect(stdout).toMatch(/^Arranged outcomes of the next attempts: pay, fail; later attempts succeed\.$/m);
    const ninth = await layaway('contracts', 'settle', contract, '9');
    expect(ninth.code).toBe(3);
    expect(ninth.stderr).toContain(`${contract} has 4 installments, numbered 1 to 4; there is no installment 9.`);
    const second = await layaway('contracts', 'settle', contract, '2');
    expect(second.stderr).toContain(`${contract}#2 (payment 2 of 4, sequence 3) is upcoming; the contract is active.`);
  });
});

describe('interface §2: the tools of a working day', () => {
  test('deliveries get shows each attempt; the list names the event type', async () => {
    await using world = await withSimulator();
    await using receiver = await openReceiver([
      (response) => void response.writeHead(500, { 'x-store': 'shop 7' }).end('no space'),
    ]);
    const { layaway } = world;
    const added = await layaway('webhooks', 'add', receiver.url, '--json');
    await layaway('webhooks', 'test', added.json.data.id);
    expect((await layaway('webhooks', 'deliveries')).stdout).toMatch(/ webhook\.test /);
    const [{ id }] = (await layaway('deliveries', 'list', '--json')).json.data;
    const { stdout } = await layaway('deliveries', 'get', id);
    expect(stdout).toMatch(/^event +webhook\.test evt_/m);
    expect(stdout).toMatch(/^response +500 \(\d+ ms\)$/m);
    expect(stdout).toMatch(/^body +no space$/m);
    expect(stdout).toMatch(
      /^request headers$.*^ {2}webhook-id: evt_.*^ {2}webhook-signature: v1,.*^response headers$/ms,
    );
    expect(stdout).toMatch(/^response headers$.*^ {2}x-store: shop 7$/ms);
  });

  test('assumptions reset, one or all', async () => {
    await using world = await withSimulator();
    const { layaway } = world;
    await world.sim.default.assumptions.set({ grace_days: 3 });
    await world.sim.default.assumptions.set({ default_days: 9 });
    await world.sim.platform.set({ disabled: true });
    expect((await layaway('assumptions', 'reset', 'grace_days')).stdout).toMatch(/^grace_days +10$/);
    const all = await layaway('assumptions', 'reset', '--json');
    expect(all.json.data).toMatchObject({ grace_days: 10, default_days: 30, disabled: false });
    const fixed = await layaway('assumptions', 'set', 'page_size', '3');
    expect(fixed).toMatchObject({ code: 2, stderr: 'page_size is fixed and cannot be changed.' });
    expect((await layaway('assumptions', 'reset', 'rate_limit_key')).stderr).toContain('layaway serve --rate-limit');
  });

  test('without the control token, the values of the platform are neither shown nor reset', async () => {
    await using world = await withSimulator();
    const { LAYAWAY_CONTROL_TOKEN: _, ...env } = world.place.env;
    const layaway = runner({ ...world.place, env });
    await world.sim.platform.set({ disabled: true });
    const listed = await layaway('assumptions', 'list');
    expect(listed.stdout).toMatch(/^disabled +\? +false /m);
    expect(listed.stderr).toContain('Platform values need the control token of the server and show as "?".');
    expect(await layaway('assumptions', 'reset', '--yes')).toMatchObject({
      code: 0,
      stdout: '',
      stderr:
        'Every value of the account has its default.\nPlatform values need the control token of the server and were left as they are.',
    });
    expect(await world.sim.platform.get()).toMatchObject({ disabled: true });
  });

  test('logs list shows what was sent and answered, and the id that explain takes', async () => {
    await using world = await withSimulator();
    await world.layaway('sessions', 'create', '--order-reference', 'A-9', '--total-amount', '1');
    const { default: shop, url } = world.sim;
    await shop.faults.add({ kind: 'throttled', path: '/v1/config' });
    for (const path of ['ping?1', 'ping?2', 'ping?3', 'config']) {
      await fetch(`${url}/v1/${path}`, { headers: shop.headers });
    }
    const { stdout } = await world.layaway('logs', 'list', '--status', '4xx');
    expect(stdout).toMatch(/ 429 {2}GET {4}\/v1\/config {2}.* {2}fault: throttled$/m);
    const [, , pinged] = await shop.logs.list({ path: '/v1/ping' });
    const filter = ['--path', '/v1/ping', '--after', pinged?.id ?? '', '--limit', '1'];
    const { json } = await world.layaway('logs', 'list', ...filter, '--json');
    expect(json.data.map(({ path }: { path: string }) => path)).toEqual(['/v1/ping?2']);
    expect(stdout).toMatch(/^[-\d]+ [:\d]+ UTC {2}422 {2}POST +\/v1\/sessions {2}[\d.]+ ms {2}req_\d+$/m);
    const [, id = ''] = /POST .*(req_\d+)$/m.exec(stdout) ?? [];
    expect((await world.layaway('explain', id)).stdout).toContain('POST /v1/sessions returned 422.');
    expect(stdout).toMatch(/^ +sent +\{"order_reference":"A-9"/m);
    expect(stdout).toMatch(/^ +answered +\{"message":"The total amount/m);
  });

  test('explain describes a setting where it first decides, and later only names it', async () => {
    await using world = await withSimulator();
    const { contract } = await plan(world.sim.default);
    await world.layaway('clock', 'advance', '28d');
    const { stdout } = await world.layaway('explain', contract);
    const fellDue = 'Its due date came. The first collection attempt is made at the same moment. installment_cadence';
    expect(stdout.split(fellDue).length - 1).toBe(2);
    expect(stdout).toContain(`${fellDue} was biweekly, an assumption: the service description leaves it open (§2.7).`);
    expect(stdout).toContain(`${fellDue}: see above. [service §3.3]`);
    // Programs get each link whole.
    const { json } = await world.layaway('explain', contract, '--json');
    const told = json.data.chain.filter(({ because }: { because: string }) => because.startsWith(fellDue));
    expect(new Set(told.map(({ because }: { because: string }) => because)).size).toBe(1);
  });

  test('an idempotency key that was used before is reported as a replay', async () => {
    await using world = await withSimulator();
    const create = ['sessions', 'create', ...ORDER, '--idempotency-key', 'k-1'];
    expect((await world.layaway(...create)).stderr).toBe('');
    expect((await world.layaway(...create)).stderr).toMatch(/^Replayed: the idempotency key k-1 /);
  });

  test('accept uses the address of the session; all missing arguments are named together', async () => {
    await using world = await withSimulator();
    const { layaway } = world;
    expect(await layaway('sessions', 'accept')).toMatchObject({
      code: 2,
      stderr: 'Missing: session id, cs_…; --customer-name, the customer’s name.',
    });
    expect(await layaway('sessions', 'create')).toMatchObject({
      code: 2,
      stderr: 'Missing: --order-reference, your order ID; --total-amount, the order total in cents.',
    });
    const { json } = await layaway('sessions', 'create', ...ORDER, '--customer-email', 'ada@example.com', '--json');
    const accepted = await layaway('sessions', 'accept', json.data.id, '--customer-name', 'Ada', '--json');
    expect(accepted.json.data.customer_email).toBe('ada@example.com');
  });

  test('durations of several units; a wait without a unit says what it needs', async () => {
    await using world = await withSimulator();
    const { json } = await world.layaway('clock', 'advance', '1d12h', '--json');
    expect(json.data.now).toBe('2026-01-02T12:00:00.000000Z');
    const wait = await world.layaway('events', 'wait', 'webhook.test', '--timeout', '2');
    expect(wait.code).toBe(2);
    expect(wait.stderr).toContain('It must be a duration with its unit, such as 30s, 2m or 1h.');
  });

  test('an unknown scope is answered with those that there are', async () => {
    await using world = await withSimulator();
    const { code, stderr } = await world.layaway('keys', 'create', '--scopes', 'nonsense');
    expect(code).toBe(3);
    expect(stderr).toContain('The scopes field may contain only checkout:read, checkout:write');
  });

  test('openapi without a server prints the document of this version', async () => {
    const place = await emptyPlace();
    // Another test’s or a developer’s own server may hold the default port: then its document is printed.
    const { code, stdout } = await runner(place)('openapi');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ openapi: '3.1.0', info: { version: '2.0.0' } });
    expect((await runner(place)('openapi', '--base-url', 'http://127.0.0.1:1')).code).toBe(4);
  });

  test.each([
    ['sessions complete', 'session.completed'],
    ['sessions accept', 'session.decision_made'],
    ['sessions pay', 'session.completed'],
    ['sessions cancel', 'session.cancelled'],
    ['contracts settle', 'installment.paid'],
  ] as const)('%s --wait answers when the webhooks were attempted', async (command, type) => {
    const verb = command.split(' ')[1];
    const order: unknown[] = [];
    const onRequest = ({ path }: { path: string }) => path.includes(`/${verb}`) && order.push(verb);
    await using world = await withSimulator({ onRequest });
    const late = (response: ServerResponse) => setTimeout(() => response.end(() => order.push(type)), 150);
    await using receiver = await openReceiver([(response) => void late(response)]);
    const { contracts, sessions, webhooks } = world.sim.default;
    const { id } = await sessions.create({ order_reference: 'A-9', total_amount: 20_000 });
    const ada = { customer_name: 'Ada', customer_email: 'ada@example.com' };
    if (verb === 'pay') await sessions.accept(id, ada);
    const overdue = await contracts.create({ installment: { number: 1, status: 'past_due' }, webhooks: false });
    await webhooks.add(receiver.url, { events: [type] });
    const subject = verb === 'settle' ? overdue.reference : id;
    const customer = verb === 'accept' ? ['--customer-name', 'Ada', '--customer-email', 'ada@example.com'] : [];
    expect((await world.layaway(...command.split(' '), subject, ...customer, '--wait')).code).toBe(0);
    expect(order).toEqual([type, verb]);
  });
});

describe('interface §1: profiles', () => {
  test('use keeps the values of a profile; unset and delete', async () => {
    const layaway = runner(await emptyPlace());
    await layaway('config', 'use', 'staging');
    await layaway('config', 'set', 'base-url', 'http://127.0.0.1:4801');
    await layaway('config', 'use', 'old');
    expect((await layaway('config', 'use', 'staging', '--json')).json).toEqual({ data: { selected: 'staging' } });
    expect((await layaway('config', 'delete', 'old')).stderr).toBe('Deleted the profile old. Selected: staging.');
    expect((await layaway('config', 'unset', 'base-url')).stderr).toBe('Removed base-url from the profile staging.');
    expect(await layaway('config', 'unset', 'base-url')).toMatchObject({
      code: 0,
      stderr: 'base-url is not set in the profile staging.',
    });
    expect(await layaway('config', 'delete', 'stagin')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean staging?'),
    });
    expect((await layaway('config', 'delete', 'staging')).code).toBe(0);
    expect((await layaway('config', 'list', '--json')).json.data).toMatchObject([{ name: 'default', selected: true }]);
  });
});
