import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ChildServer, startServer } from '../support/child.ts';
import { type Dump, dump } from '../support/dump.ts';
import { expectData, order } from '../support/shop.ts';

const PLANS = 400;
const END = '2026-08-01T00:00:00Z';
const SCRIPTS = [
  [],
  ['fail'],
  ['fail', 'fail'],
  ['pay', 'fail', 'fail', 'fail', 'fail'],
  ['fail', 'pay', 'fail', 'fail'],
];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'layaway-test-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const serve = (name: string) =>
  startServer('--data', join(folder, name), '--clock', 'frozen', '--now', '2026-01-01T00:00:00Z', '--seed', '1');

/** Plans that take every path, opened over some days, and sessions left open. */
async function prepare() {
  const server = await serve('original');
  for (let plan = 0; plan < PLANS; plan += 1) {
    const { id } = expectData(await server.call('POST', '/v1/sessions', order({ total_amount: 20_000 + plan })), 201);
    if (plan % 20 === 7) continue;
    const { reference } = expectData(await server.call('POST', `/_sim/sessions/${id}/complete`, {}));
    const outcomes = SCRIPTS[plan % SCRIPTS.length];
    expectData(await server.call('PUT', `/_sim/contracts/${reference}/outcomes`, { outcomes }));
    if (plan % 50 === 49) expectData(await server.call('POST', '/_sim/clock/advance', { by: '30h' }));
  }
  await server.stop();
}

const eventsOf = async (server: ChildServer) =>
  expectData(await server.call('GET', '/_sim/events?limit=1'))[0].id as string;

/** Kills the server when its advance has got somewhere, but not to the end. */
async function killInTheMiddle(server: ChildServer, afterEvents: number) {
  const start = await eventsOf(server);
  const advancing = server.call('POST', '/_sim/clock/advance', { to: END }).then(
    () => 'done',
    () => 'cut off',
  );
  for (;;) {
    const news = expectData(await server.call('GET', `/_sim/events?limit=${afterEvents}&after=${start}`));
    if (news.length >= afterEvents) break;
  }
  await server.kill();
  expect(await advancing).toBe('cut off');
}

/** Every plan is where the loop could have left it: nothing half done, nothing due that the clock has passed. */
function isWhole({ accounts, contracts, installments, events, payment_attempts }: Dump) {
  const rows = <T>(table: unknown[] | undefined) => table as T[];
  type Numbers = Record<string, number>;
  const clock = rows<Numbers>(accounts)[0]?.clock_ms as number;
  for (const contract of rows<Numbers & { status: string }>(contracts)) {
    const own = rows<Numbers & { status: string }>(installments).filter((i) => i.contract_id === contract.id);
    const told = rows<Numbers & { type: string }>(events).filter((event) => event.contract_id === contract.id);
    const tried = rows<Numbers & { outcome: string }>(payment_attempts).filter((a) => a.contract_id === contract.id);
    const count = (type: string) => told.filter((event) => event.type === type).length;
    const paid = own.filter(({ status }) => status === 'paid').length;
    expect(count('installment.paid')).toBe(Math.max(0, paid - 1));
    expect(count('contract.completed')).toBe(contract.status === 'completed' ? 1 : 0);
    expect(count('contract.defaulted')).toBe(contract.status === 'defaulted' ? 1 : 0);
    expect(contract.status === 'completed').toBe(paid === own.length);
    expect(own.reduce((sum, { attempts }) => sum + (attempts ?? 0), 0)).toBe(tried.length);
    expect(tried.filter(({ outcome }) => outcome === 'pay')).toHaveLength(paid);
    for (const { next_at } of own) if (next_at) expect(next_at).toBeGreaterThan(clock);
  }
}

/** Without what differs between any two servers: ports, and the real times at which people asked for something. */
const comparable = (tables: Dump) =>
  JSON.parse(
    JSON.stringify(tables)
      .replace(/127\.0\.0\.1:\d+/g, 'host')
      .replace(/"sent_at":\d+/g, '"sent_at":0'),
  ) as Dump;

test('kill -9 in the middle of a long advance, again and again, leads to the same end', async () => {
  await prepare();
  cpSync(join(folder, 'original'), join(folder, 'undisturbed'), { recursive: true });

  const undisturbed = await serve('undisturbed');
  expectData(await undisturbed.call('POST', '/_sim/clock/advance', { to: END }));
  const should = comparable(await dump(undisturbed, join(folder, 'undisturbed')));
  await undisturbed.stop();
  expect(should.events?.length).toBeGreaterThan(1_000);

  for (const afterEvents of [1, 120, 333]) {
    const server = await serve('original');
    await killInTheMiddle(server, afterEvents);
    const restarted = await serve('original');
    const left = await dump(restarted, join(folder, 'original'));
    isWhole(left);
    expect(left.events?.length).toBeLessThan(should.events?.length as number);
    await restarted.kill();
  }

  const last = await serve('original');
  expectData(await last.call('POST', '/_sim/clock/advance', { to: END }));
  const is = comparable(await dump(last, join(folder, 'original')));
  await last.stop();
  expect(Object.keys(is)).toEqual(Object.keys(should));
  for (const table of Object.keys(should)) expect(is[table], table).toEqual(should[table]);
});
