import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimulator, type Simulator } from '../../../src/index.ts';
import { type Call, caller, expectData, manualTime, openShop, order } from '../../support/shop.ts';

let sim: Simulator;
let workspace: Call;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
  workspace = caller(sim, { authorization: `Bearer ${sim.controlToken}` });
});
afterAll(() => sim.close());

describe('interface §3: workspace levers take the control token', () => {
  const LEVERS = [
    ['GET', '/_sim/merchants'],
    ['POST', '/_sim/merchants'],
    ['GET', '/_sim/platform'],
    ['PATCH', '/_sim/platform'],
  ] as const;

  it('and nothing else', async () => {
    const { shop } = await openShop(sim);
    const wrong: Record<string, string>[] = [
      {},
      { ...shop.headers },
      { authorization: 'Bearer wrong' },
      { authorization: 'Bearer ' },
      { authorization: `Basic ${sim.controlToken}` },
      { authorization: sim.controlToken },
      { authorization: `Bearer ${sim.controlToken}x` },
    ];
    const before = expectData(await workspace('GET', '/_sim/merchants?limit=1000')).length;
    for (const headers of wrong) {
      for (const [method, path] of LEVERS) {
        const answer = await caller(sim, headers)(method, path, method === 'GET' ? undefined : {});
        expect([answer.status, answer.body], `${method} ${path}`).toEqual([401, { message: 'Unauthenticated.' }]);
      }
    }
    expect(expectData(await workspace('GET', '/_sim/merchants?limit=1000'))).toHaveLength(before);
  });

  it('the scheme of the token is the same in small letters, as everywhere in HTTP', async () => {
    const headers = { authorization: `bearer ${sim.controlToken}` };
    expect((await caller(sim, headers)('GET', '/_sim/platform')).status).toBe(200);
  });

  it('the token opens no account', async () => {
    expect((await workspace('GET', '/_sim/settings')).status).toBe(401);
  });

  it('health needs nothing and is not wrapped', async () => {
    const { status, body } = await caller(sim)('GET', '/_sim/health');
    expect([status, body]).toEqual([200, { status: 'ok', version: expect.stringMatching(/^\d+\.\d+\.\d+/) }]);
  });
});

describe('interface §3: merchants', () => {
  const half = (mode: 'test' | 'live') => ({
    client_id: expect.stringMatching(new RegExp(`^mch_${mode}_[0-9A-Za-z]{32}$`)),
    webhook_secret: expect.stringMatching(/^whsec_/),
  });
  const key = (mode: 'test' | 'live') => ({
    api_key: expect.stringMatching(new RegExp(`^sk_${mode}_[0-9A-Za-z]{32}$`)),
  });
  const profile = { legal_name: 'Example Store LLC', dba: 'Example Store', state: 'TX', email: 'merchant@example.com' };

  it('one is created with both accounts, its keys shown only then', async () => {
    const created = await workspace('POST', '/_sim/merchants');
    const made = expectData(created, 201);
    expect(made).toEqual({
      id: expect.any(String),
      ...profile,
      sandbox: { ...half('test'), ...key('test') },
      live: { ...half('live'), ...key('live') },
    });
    const listed = await workspace('GET', '/_sim/merchants');
    expect(expectData(listed)[0]).toEqual({ id: made.id, ...profile, sandbox: half('test'), live: half('live') });
    expect(listed.text).not.toMatch(/sk_(test|live)_/);
    for (const { client_id, api_key } of [made.sandbox, made.live]) {
      const call = caller(sim, { 'x-client-id': client_id, 'x-api-key': api_key });
      expect(expectData(await call('GET', '/v1/ping')).client_id).toBe(client_id);
    }
  });

  it('with its own profile, settings and clock in both accounts', async () => {
    const body = {
      legal_name: 'Ada’s LLC',
      dba: null,
      state: 'CA',
      email: 'ada@shop.example',
      clock: { frozen_at: '2030-05-06T07:08:09Z' },
      settings: { session_ttl_minutes: 10, down_payment_percentage: 50 },
    };
    const made = expectData(await workspace('POST', '/_sim/merchants', body), 201);
    for (const { client_id, api_key } of [made.sandbox, made.live]) {
      const call = caller(sim, { 'x-client-id': client_id, 'x-api-key': api_key });
      expect(expectData(await call('POST', '/v1/sessions', order()), 201)).toMatchObject({
        created_at: '2030-05-06T07:08:09.000000Z',
        expires_at: '2030-05-06T07:18:09.000000Z',
        down_payment_amount: 10_000,
      });
      expect(expectData(await call('GET', '/_sim/settings'))).toMatchObject({ legal_name: 'Ada’s LLC', dba: null });
    }
  });

  it.each([
    ['an unknown field', { name: 'x' }, 'name'],
    ['an unknown setting', { settings: { grace: 1 } }, 'settings.grace'],
    ['a bad setting', { settings: { grace_days: -1 } }, 'settings.grace_days'],
    ['settings that contradict each other', { settings: { min_order_amount: 600_000 } }, 'settings.max_order_amount'],
    ['settings that are a list', { settings: [] }, 'settings'],
    ['a bad state', { state: 'Texas' }, 'state'],
    ['an instant that is none', { clock: { frozen_at: 'tomorrow' } }, 'clock.frozen_at'],
    ['a day that does not exist', { clock: { frozen_at: '2026-02-30T00:00:00Z' } }, 'clock.frozen_at'],
    [
      'an instant that leaves no room for schedules',
      { clock: { frozen_at: '9980-01-01T00:00:00Z' } },
      'clock.frozen_at',
    ],
    ['an unknown field of the clock', { clock: { frozen_at: '2026-01-01', mode: 'frozen' } }, 'clock.mode'],
    ['a clock without instant', { clock: {} }, 'clock.frozen_at'],
    ['a clock that is no object', { clock: '2026-01-01' }, 'clock'],
  ])('%s is 422 and creates nothing', async (_name, body, field) => {
    const before = expectData(await workspace('GET', '/_sim/merchants?limit=1000')).length;
    const answer = await workspace('POST', '/_sim/merchants', body);
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, [field]]);
    expect(expectData(await workspace('GET', '/_sim/merchants?limit=1000'))).toHaveLength(before);
  });

  it('has the clock that the server starts with, also after a reset', async () => {
    const time = manualTime();
    await using own = await createSimulator({ clock: { runningFrom: '2030-01-01T00:00:00Z' }, time });
    time.pass(3_600_000);
    expect((await (await own.merchant()).clock.show()).now).toBe('2030-01-01T01:00:00.000000Z');
    await own.reset();
    for (const shop of [own.default, await own.merchant()]) {
      expect((await shop.clock.show()).now).toBe('2030-01-01T00:00:00.000000Z');
    }
  });

  it('lists are newest first, and ?after reads forward', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) ids.push(expectData(await workspace('POST', '/_sim/merchants'), 201).id);
    const read = async (query: string) =>
      expectData(await workspace('GET', `/_sim/merchants${query}`)).map(({ id }: { id: string }) => id);
    expect(await read('?limit=3')).toEqual(ids.toReversed());
    expect(await read(`?after=${ids[0]}`)).toEqual(ids.slice(1));
    expect((await workspace('GET', '/_sim/merchants?after=x')).status).toBe(422);
  });

  it('decisions §1: the n-th merchant under one seed is always the same', async () => {
    const start = () => createSimulator({ seed: 7, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
    await using one = await start();
    await using two = await start();
    const drawn = async (each: Simulator) => {
      const shop = await openShop(each);
      return [shop.shop.apiKey, (await shop.open()).id, (await shop.complete()).reference];
    };
    expect(await drawn(one)).toEqual(await drawn(two));
  });
});

describe('interface §3: platform', () => {
  it('reads, changes what is named, and answers the whole object', async () => {
    const defaults = { disabled: false, unavailable_states: ['DC', 'MD'] };
    expect(expectData(await workspace('GET', '/_sim/platform'))).toEqual(defaults);
    expect(expectData(await workspace('PATCH', '/_sim/platform', { disabled: true }))).toEqual({
      ...defaults,
      disabled: true,
    });
    const changed = expectData(await workspace('PATCH', '/_sim/platform', { unavailable_states: [] }));
    expect(changed).toEqual({ disabled: true, unavailable_states: [] });
    expect(expectData(await workspace('PATCH', '/_sim/platform', defaults))).toEqual(defaults);
  });

  it.each([
    { enabled: true },
    { disabled: 'yes' },
    { disabled: null },
    { unavailable_states: ['Texas'] },
    { unavailable_states: 'TX' },
  ])('%j is 422', async (body) => {
    const answer = await workspace('PATCH', '/_sim/platform', { disabled: true, ...body });
    expect(answer.status).toBe(422);
    expect(expectData(await workspace('GET', '/_sim/platform')).disabled).toBe(false);
  });
});
