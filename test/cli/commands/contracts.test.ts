import { afterAll, describe, expect, test } from 'vitest';
import { oneProcess, otherServer, plan } from '../layaway.ts';

const { withSimulator } = oneProcess();

const world = await withSimulator();
const { sim, layaway } = world;
afterAll(() => world[Symbol.asyncDispose]());

const fetched = async (path: string) =>
  await (await fetch(`${sim.url}${path}`, { headers: sim.default.headers })).text();

describe('§4.5 to §4.8: contracts', () => {
  test('get prints the API’s body unchanged', async () => {
    const { contract } = await plan(sim.default);
    const { code, stdout, stderr } = await layaway('contracts', 'get', contract, '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(await fetched(`/v1/contracts/${contract}`));
  });

  test('get without --json: the money, and the schedule with dates relative to the account clock', async () => {
    const { contract } = await plan(sim.default);
    const { stdout } = await layaway('contracts', 'get', contract);
    expect(stdout).toContain('customer total   $210.00\n');
    expect(stdout).toMatch(/^ {5}at checkout, sequence 1 +\$50\.00 {2}2026-01-01 \(today\) +paid/m);
    expect(stdout).toMatch(
      /^ {2}1 {2}payment 1 of 4, sequence 2 {2}\$40\.00 {2}2026-01-15 \(in 14 days\) {2}upcoming {2}—$/m,
    );
  });

  test('update corrects the bookkeeping fields; metadata replaces the whole map', async () => {
    const { contract } = await plan(sim.default);
    await layaway('contracts', 'update', contract, '--metadata', 'a=1', '--metadata', 'b=2');
    const updated = await layaway(
      ...['contracts', 'update', contract, '--order-reference', 'B-7', '--metadata', 'c=3', '--json'],
    );
    expect(updated.json.data).toMatchObject({ order_reference: 'B-7', metadata: { c: '3' } });
    expect(updated.json.data.metadata).toEqual({ c: '3' });
    const cleared = await layaway('contracts', 'update', contract, '--clear-metadata', '--json');
    expect(cleared.json.data).toMatchObject({ order_reference: 'B-7' });
    expect(cleared.json.data.metadata).toEqual({});
  });

  test('cancel needs no --yes without a terminal; a second time is unchanged', async () => {
    const { contract } = await plan(sim.default);
    const first = await layaway('contracts', 'cancel', contract, '--json');
    expect(first).toMatchObject({ code: 0, json: { data: { status: 'cancelled' } } });
    expect((await layaway('contracts', 'cancel', contract, '--yes', '--json')).stdout).toBe(first.stdout);
  });

  test('list: one page, or --all of them', async () => {
    const { sessions } = sim.default;
    for (let n = 0; n < 31; n += 1) {
      await sessions.complete((await sessions.create({ order_reference: 'A-1', total_amount: 20_000 })).id);
    }
    const page = await layaway('contracts', 'list', '--page', '2', '--status', 'active', '--json');
    expect(page.stdout).toBe(await fetched('/v1/contracts?status=active&page=2'));
    const human = await layaway('contracts', 'list', '--status', 'active');
    expect(human.stdout.split('\n')).toHaveLength(16);
    expect(human.stderr).toMatch(/^Page 1 of 3/);
    const all = await layaway('contracts', 'list', '--status', 'active', '--all', '--json');
    expect(all.json.data).toHaveLength(page.json.meta.total);
    expect(new Set(all.json.data.map(({ reference }: { reference: string }) => reference)).size).toBe(
      page.json.meta.total,
    );
  });

  test('list --all: each contract once, even if others are made between two pages', async () => {
    await using crowded = await withSimulator();
    const { contracts } = crowded.sim.default;
    for (let count = 0; count < 16; count += 1) await contracts.create();
    await using between = await otherServer(async ({ url = '/', headers }, response) => {
      const { statusCode, body } = await crowded.sim.inject({
        method: 'GET',
        url,
        headers: headers as Record<string, string>,
      });
      await contracts.create();
      response.writeHead(statusCode).end(body);
    });
    const { json } = await crowded.layaway('contracts', 'list', '--all', '--json', '--base-url', between.url);
    const references = json.data.map(({ reference }: { reference: string }) => reference);
    expect(references).toHaveLength(16);
    expect(new Set(references).size).toBe(16);
  });
});

describe('interface §2: contracts outcomes and settle', () => {
  test('the outcomes arranged are those of the next attempts; settle takes the earliest overdue installment', async () => {
    await using isolated = await withSimulator();
    const { layaway } = isolated;
    const { contract } = await plan(isolated.sim.default);
    const arranged = await layaway('contracts', 'outcomes', contract, 'fail', 'fail', 'fail', 'fail', '--json');
    expect(arranged).toMatchObject({ code: 0, json: { data: { outcomes: ['fail', 'fail', 'fail', 'fail'] } } });
    const advanced = await layaway('clock', 'advance', '--until', `${contract}#2=past_due`, '--json');
    expect(advanced.code).toBe(0);
    await isolated.sim.default.faults.add({ kind: 'error', operation: 'getContract' });
    const settled = await layaway('contracts', 'settle', contract, '--json');
    expect((await isolated.sim.default.faults.list()).map(({ met }) => met)).toEqual([0]);
    await isolated.sim.default.faults.clear();
    expect(settled.json.data.installments[1]).toMatchObject({ installment_number: 1, status: 'paid' });
    expect(settled.json.data.installments[2]).toMatchObject({ installment_number: 2, status: 'past_due' });
    expect(await layaway('contracts', 'settle', `${contract}#2`, '3')).toMatchObject({
      code: 2,
      stderr: `${contract}#2 and 3 name two installments. Name one.`,
    });
    const second = await layaway('contracts', 'settle', `${contract}#2`, '--json');
    expect(second.json.data.installments[2].status).toBe('paid');
  });

  test('decisions §4: settling what is not overdue is refused', async () => {
    const { contract } = await plan(world.sim.default);
    for (const n of [[], ['2']]) {
      const { code, json } = await layaway('contracts', 'settle', contract, ...n, '--json');
      expect({ code, json }).toEqual({ code: 3, json: { message: 'Only an overdue installment can be settled.' } });
    }
  });
});

describe('interface §8: contracts create', () => {
  const create = (...flags: string[]) => layaway('contracts', 'create', ...flags, '--json');
  const statuses = ({ installments }: { installments: { status: string }[] }) =>
    installments.map((each) => each.status);

  test('each flag is a field of the body; what is printed is the API’s body', async () => {
    const before = await sim.default.events.list({ limit: 1 });
    const { code, stdout, json } = await create(
      ...['--order-reference', 'B-9', '--total-amount', '9000', '--customer-name', 'Ada Byron'],
      ...['--customer-email', 'ada@example.com', '--customer-state', 'CA', '--metadata', 'cart=77', '--days-ago', '3'],
    );
    expect(code).toBe(0);
    expect(json.data).toMatchObject({
      status: 'active',
      created_at: '2025-12-29T00:00:00.000000Z',
      order_reference: 'B-9',
      total_amount: 9_000,
      customer_name: 'Ada Byron',
      customer_email: 'ada@example.com',
      customer_state: 'CA',
      metadata: { cart: '77' },
    });
    expect(stdout).toBe(await fetched(`/v1/contracts/${json.data.reference}`));
    expect((await sim.default.events.list({ after: before[0]?.id as string })).length).toBe(3);
  });

  test('the status of an installment means an active contract, and its first installment', async () => {
    const first = await create('--status', 'past_due');
    expect([first.json.data.status, statuses(first.json.data)[1]]).toEqual(['active', 'past_due']);
    const second = await create('--status', 'delinquent', '--installment', '2');
    expect(statuses(second.json.data).slice(0, 3)).toEqual(['paid', 'paid', 'delinquent']);
    const paid = await create('--installment', '3');
    expect(statuses(paid.json.data)).toEqual([...Array(4).fill('paid'), 'upcoming']);
  });

  test('the status of a contract; an installment next to it is the last paid one, or the one that defaults', async () => {
    const cancelled = await create('--status', 'cancelled', '--installment', '2');
    expect(cancelled.json.data.status).toBe('cancelled');
    expect(statuses(cancelled.json.data)).toEqual([...Array(3).fill('paid'), 'upcoming', 'upcoming']);
    const defaulted = await create('--status', 'defaulted', '--installment', '2');
    expect(statuses(defaulted.json.data).slice(0, 3)).toEqual(['paid', 'paid', 'delinquent']);
  });

  test('--no-webhooks records the events and owes nothing', async () => {
    const endpoint = await sim.default.webhooks.add('http://127.0.0.1:9/webhooks');
    await create('--no-webhooks');
    expect(await sim.default.webhooks.deliveries()).toEqual([]);
    await sim.default.webhooks.remove(endpoint.id);
  });

  test('a state that cannot be: exit 3 with the reason; a status that does not exist: exit 2', async () => {
    const never = await create('--status', 'due', '--installment', '5');
    expect([never.code, Object.keys(never.json.errors)]).toEqual([3, ['installment.number']]);
    const unknown = await create('--status', 'late');
    expect([unknown.code, unknown.stdout]).toEqual([2, '']);
    expect(unknown.stderr).toContain('delinquent');
  });
});
