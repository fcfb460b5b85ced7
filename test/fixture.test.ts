import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createSimulator, type FixtureContent, type Shop } from '../src/index.ts';
import { openReceiver } from './support/receiver.ts';

const shipped = (name: string) => join(import.meta.dirname, '..', 'fixtures', 'merchants', name);

async function refusal(fixture: string | object): Promise<Error> {
  try {
    const sim = await createSimulator({ fixture });
    await sim.close();
  } catch (error) {
    return error as Error;
  }
  throw new Error('it started');
}

/** The same of a file that holds this. */
async function refusalOf(text: string) {
  const file = join(await mkdtemp(join(tmpdir(), 'layaway-fixture-')), 'fixture.yaml');
  await writeFile(file, text);
  const { name, message } = await refusal(file);
  return { name, message, file };
}

/** Every line stands for ten of the line before it. */
const BOMB = [
  'a0: &a0 x',
  ...Array.from({ length: 9 }, (_, n) => `a${n + 1}: &a${n + 1} [${Array(10).fill(`*a${n}`).join(', ')}]`),
].join('\n');

describe('interface §2: serve --fixture', () => {
  test('settings of the default merchant, each account its own, the profile shared', async () => {
    await using sim = await createSimulator({ fixture: shipped('monthly-plans.yaml') });
    expect(await sim.default.assumptions.get()).toMatchObject({
      legal_name: 'Harbor Furniture LLC',
      state: 'CA',
      installment_count: 12,
      installment_cadence: 'monthly',
      max_order_amount: 2_000_000,
    });
    expect(await sim.default.live.assumptions.get()).toMatchObject({
      legal_name: 'Harbor Furniture LLC',
      installment_count: 6,
      max_order_amount: 500_000,
    });
  });

  test('merchants with credentials that are the same everywhere, whatever the seed; platform; endpoints', async () => {
    const start = (seed: number) => createSimulator({ fixture: shipped('marketplace.yaml'), seed });
    await using one = await start(1);
    await using two = await start(2);
    expect(one.merchants.map(({ apiKey }) => apiKey)).toEqual(two.merchants.map(({ apiKey }) => apiKey));
    const names = await Promise.all(one.merchants.map(async (shop) => (await shop.assumptions.get()).legal_name));
    expect(names).toEqual(['Corner Bikes Inc', 'Newcomer Goods LLC', 'Paused Jewelry LLC']);
    expect((await one.merchants[2]?.live.clock.show())?.now).toBe('2026-01-01T00:00:00.000000Z');
    expect((await one.merchants[2]?.assumptions.get())?.excluded_states).toEqual(['NJ', 'CT']);
    expect(await one.default.webhooks.list()).toMatchObject([
      { url: 'http://localhost:3000/webhooks', events: ['contract.cancelled', 'contract.defaulted'] },
    ]);
    expect(one.webhooks).toEqual([{ url: 'http://localhost:3000/webhooks', secret: one.default.webhookSecret }]);
    const platform = await one.inject({
      method: 'GET',
      url: '/_sim/platform',
      headers: { authorization: `Bearer ${one.controlToken}` },
    });
    expect(platform.json()).toEqual({ data: { disabled: false, unavailable_states: ['DC', 'MD', 'NV'] } });
  });

  test('a platform that is switched off', async () => {
    await using sim = await createSimulator({ fixture: { platform: { disabled: true } } });
    const answer = await sim.inject({ method: 'GET', url: '/v1/config', headers: sim.default.headers });
    expect(answer.json<{ data: object }>().data).toMatchObject({ layaway: { reason: 'platform_disabled' } });
  });

  test('interface §2: reset returns to the fixture', async () => {
    await using sim = await createSimulator({ fixture: shipped('marketplace.yaml') });
    const [bikes] = sim.merchants;
    await bikes?.assumptions.set({ grace_days: 3 });
    for (const { id } of await sim.default.webhooks.list()) await sim.default.webhooks.remove(id);
    await sim.reset();
    expect(await bikes?.assumptions.get()).toMatchObject({ legal_name: 'Corner Bikes Inc', grace_days: 10 });
    expect(await sim.default.webhooks.list()).toHaveLength(1);
  });

  test('interface §3: its merchants start with the clock of the server, unless they have their own', async () => {
    const merchants = [{}, { clock: { frozen_at: '2026-01-01T00:00:00Z' } }];
    await using sim = await createSimulator({ fixture: { merchants }, clock: { frozenAt: '2026-02-03T04:05:06Z' } });
    const clocks = await Promise.all(sim.merchants.map(({ clock }) => clock.show()));
    expect(clocks.map(({ now }) => now)).toEqual(['2026-02-03T04:05:06.000000Z', '2026-01-01T00:00:00.000000Z']);
  });

  test('interface §2: reset returns to the fixture as it was at the start, even if the object has changed', async () => {
    const fixture = {
      settings: { excluded_states: ['CA'] },
      merchants: [{ dba: 'Sweaters', settings: { installment_count: 2 } }],
      contracts: [{ order_reference: 'A-1', metadata: { cart: '7' } }],
    };
    await using sim = await createSimulator({ fixture });
    fixture.settings.excluded_states.push('NY');
    Object.assign(fixture.merchants[0] as object, { dba: 'Hats', settings: { installment_count: 3 } });
    Object.assign(fixture.contracts[0] as object, { order_reference: 'A-2', metadata: {} });
    await sim.reset();
    expect(await sim.default.assumptions.get()).toMatchObject({ excluded_states: ['CA'] });
    expect(await sim.merchants[0]?.assumptions.get()).toMatchObject({ dba: 'Sweaters', installment_count: 2 });
    expect(await sim.default.contracts.find()).toMatchObject([{ order_reference: 'A-1', metadata: { cart: '7' } }]);
  });

  test('an existing state keeps its content, with a note', async () => {
    const data = await mkdtemp(join(tmpdir(), 'layaway-fixture-'));
    await (await createSimulator({ data })).close();
    await using sim = await createSimulator({ data, fixture: shipped('marketplace.yaml') });
    expect(sim.merchants).toEqual([]);
    expect(await sim.default.webhooks.list()).toEqual([]);
    expect(sim.notes.join('\n')).toContain('the fixture applies to a new one');
  });

  test('after a restart its merchants are there again, with the same credentials', async () => {
    const data = await mkdtemp(join(tmpdir(), 'layaway-fixture-'));
    const options = { data, fixture: shipped('marketplace.yaml') };
    const first = await createSimulator(options);
    const keys = first.merchants.map(({ apiKey }) => apiKey);
    await first.close();
    await using again = await createSimulator(options);
    expect(again.merchants.map(({ apiKey }) => apiKey)).toEqual(keys);
    expect((await again.merchants[0]?.assumptions.get())?.dba).toBe('Corner Bikes');
    expect(await again.default.webhooks.list()).toHaveLength(1);
  });

  test('a start that was cut off is begun again: the fixture is whole, and its flags count', async () => {
    const data = await mkdtemp(join(tmpdir(), 'layaway-fixture-'));
    const fixture = { merchants: [{}], webhooks: [{ url: 'http://127.0.0.1:9/' }], contracts: [{}, {}] };
    await using other = await openReceiver();
    const port = Number(new URL(other.url).port);
    await expect(createSimulator({ data, port, fixture: { contracts: [{}] } })).rejects.toThrow('is in use');

    const clock = { frozenAt: '2026-01-01T00:00:00Z' };
    const first = await createSimulator({ data, fixture, clock });
    const { data: contracts } = await first.default.contracts.list();
    expect(contracts).toHaveLength(2);
    expect(first.merchants).toHaveLength(1);
    expect(await first.default.webhooks.list()).toMatchObject([{ url: 'http://127.0.0.1:9/' }]);
    expect(await first.default.clock.show()).toMatchObject({ mode: 'frozen', now: '2026-01-01T00:00:00.000000Z' });
    expect(first.notes).toEqual([]);
    await first.close();

    await using again = await createSimulator({ data, fixture });
    expect((await again.default.contracts.list()).data).toEqual(contracts);
  });
});

describe('interface §8: contracts of a fixture', () => {
  const clock = { frozenAt: '2026-03-31T09:30:00Z' };
  const contracts: FixtureContent['contracts'] = [
    { installment: { number: 2, status: 'delinquent' }, order_reference: 'A-1' },
    { status: 'completed', days_ago: 30, order_reference: 'A-2' },
    { status: 'pending', order_reference: 'A-3', total_amount: 6_000, webhooks: false },
  ];
  const stateOf = async (shop: Shop) =>
    (await shop.contracts.listAll())
      .map(({ order_reference, status, installments }) => [order_reference, status, installments[2]?.status])
      .sort();
  const STATE = [
    ['A-1', 'active', 'delinquent'],
    ['A-2', 'completed', 'paid'],
    ['A-3', 'pending', 'upcoming'],
  ];

  test('are those of the default sandbox account, on its terms, and their events carry the server’s URL', async () => {
    await using sim = await createSimulator({ clock, fixture: { contracts, settings: { installment_count: 2 } } });
    expect(await stateOf(sim.default)).toEqual(STATE);
    expect(await sim.default.live.contracts.listAll()).toEqual([]);
    expect((await sim.default.contracts.listAll())[0]?.installments).toHaveLength(3);
    const events = await sim.default.events.list({ limit: 1000 });
    const urls = events.flatMap(({ data }) => ('checkout_url' in data ? [data.checkout_url] : []));
    expect(urls.length).toBe(5);
    expect(urls.every((url) => url.startsWith(`${sim.url}/checkout/`))).toBe(true);
    expect((await sim.default.clock.show()).now).toBe('2026-03-31T09:30:00.000000Z');
  });

  test('their events are sent to the fixture’s endpoints', async () => {
    await using receiver = await openReceiver();
    await using sim = await createSimulator({ clock, fixture: { contracts, webhooks: [{ url: receiver.url }] } });
    await sim.default.clock.advance('0s');
    const events = [...(await sim.default.events.list({ limit: 1000 }))].reverse().map(({ type }) => type);
    // The pending one has one event, which is not sent.
    expect(receiver.types()).toEqual(events.slice(0, -1));
  });

  test('reset makes them again; a restart and a state that is there already do not', async () => {
    const data = await mkdtemp(join(tmpdir(), 'layaway-fixture-'));
    const options = { clock, data, fixture: { contracts } };
    const first = await createSimulator(options);
    await first.default.clock.advance('P3M');
    await first.reset();
    expect(await stateOf(first.default)).toEqual(STATE);
    await first.close();
    await using again = await createSimulator(options);
    expect(await stateOf(again.default)).toEqual(STATE);
  });

  test('a file of thousands of them is read', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'layaway-fixture-')), 'many.yaml');
    const pending = (n: number) => `  - { status: pending, order_reference: A-${n}, customer_name: Ada Byron ${n} }\n`;
    await writeFile(file, `contracts:\n${Array.from({ length: 3_000 }, (_, n) => pending(n)).join('')}`);
    await using sim = await createSimulator({ clock, fixture: file });
    const page = await sim.default.contracts.list({ status: 'pending' });
    expect([page.meta.total, page.data[0]?.order_reference]).toEqual([3_000, 'A-2999']);
  });

  test('what is wrong with one is reported by its path, before anything is stored', async () => {
    const { message, file } = await refusalOf(
      'contracts:\n  - {}\n  - status: late\n    installment: { number: 1, late: true }\n  - days_ago: -1\n',
    );
    expect(message.split('\n')).toEqual([
      `The fixture ${file} cannot be used. Correct this:`,
      `  ${file}:3:5 contracts.1.status: The selected status is invalid. Valid values: pending, active, completed, cancelled, defaulted.`,
      `  ${file}:5:5 contracts.2.days_ago: The days ago field must be at least 0.`,
    ]);
    const data = await mkdtemp(join(tmpdir(), 'layaway-fixture-'));
    for (const [wrong, mistake] of [
      [{ installment: { number: 9 } }, 'contracts.1.installment.number: The installment.number field must not be'],
      [{ total_amount: 100 }, 'contracts.1.total_amount: The total amount field must be at least 5000.'],
      [{ days_ago: 14 }, 'contracts.1.days_ago: The contract would not be in this state at'],
    ] as const) {
      const options = { clock, data, fixture: { contracts: [{}, wrong] } };
      await expect(createSimulator(options)).rejects.toMatchObject({
        name: 'CannotStart',
        message: expect.stringContaining(`The fixture cannot be used. Correct this:\n  ${mistake}`),
      });
    }
    // So that the corrected fixture still applies to this directory.
    await using sim = await createSimulator({ clock, data, fixture: { contracts } });
    expect(await stateOf(sim.default)).toEqual(STATE);
  });
});

describe('interface §2: a fixture is checked before the start', () => {
  test('everything that is wrong is named by its path', async () => {
    const error = await refusal({
      settings: { min_order_amount: 10, nope: 1 },
      live_settings: { legal_name: 'X' },
      merchants: [{ state: 'TX' }, { state: 'Texas', settings: { grace_days: -1 } }, 'one more'],
      webhooks: [{ url: 'ftp://example.com' }, { url: 'http://localhost', events: ['contract.lost'] }],
      platform: { disabled: 'yes' },
      merchant: {},
    });
    expect(error.name).toBe('CannotStart');
    const paths = [...error.message.matchAll(/^ {2}(\S+): /gm)].map(([, path]) => path);
    expect(paths.sort()).toEqual(
      [
        'live_settings.legal_name',
        'merchant',
        'merchants.1.state',
        'merchants.2',
        'platform.disabled',
        'settings.nope',
        'webhooks.0.url',
        'webhooks.1.events.0',
      ].sort(),
    );
  });

  test('fields that have an effect only in a request are none of a fixture', async () => {
    const { message } = await refusal({
      merchants: [{ throw_away: true }],
      webhooks: [{ url: 'http://127.0.0.1:9/', skip_missed: true }],
    });
    expect(message.split('\n').slice(1)).toEqual([
      '  merchants.0.throw_away: The throw_away field is not possible in a fixture.',
      '  webhooks.0.skip_missed: The skip_missed field is not possible in a fixture.',
    ]);
    const unknown = await refusal({ merchants: [{ owner: 'Ada' }], webhooks: [{ owner: 'Ada' }] });
    expect(unknown.message.split('\n').slice(1)).toEqual([
      '  merchants.0.owner: The owner field is not known. Available: legal_name, dba, state, email, clock, settings.',
      '  webhooks.0.owner: The owner field is not known. Available: url, events, secret, transport, insecure.',
    ]);
  });

  test('two endpoints with one URL, of which only the first would get its events', async () => {
    const url = 'http://127.0.0.1:9/';
    const events = [['contract.activated'], ['contract.cancelled']];
    const { message } = await refusal({ webhooks: events.map((each) => ({ url, events: each })) });
    expect(message).toContain('\n  webhooks.1.url: An earlier endpoint of this fixture has the same URL.');
  });

  test('terms that contradict each other', async () => {
    const { name, message } = await refusal({
      merchants: [{ settings: { min_order_amount: 6000, max_order_amount: 5500 } }],
    });
    expect(name).toBe('CannotStart');
    expect(message).toMatch(/^ {2}merchants\.0\.settings\.m\w+_order_amount: /m);
  });

  test.each([[[]], [{ merchants: {} }], [{ settings: [] }]])('%j is not a fixture', async (content) => {
    expect((await refusal(content)).name).toBe('CannotStart');
  });

  test('a missing file, and one that is not valid YAML: the line is named', async () => {
    expect(await refusal('/nowhere/at/all.yaml')).toMatchObject({
      name: 'CannotStart',
      message: 'The fixture /nowhere/at/all.yaml cannot be read (there is no such file or directory). Check the path.',
    });
    const { name, message, file } = await refusalOf('settings:\n  state: [TX\nmerchants: []\n');
    expect(name).toBe('CannotStart');
    expect(message).toMatch(
      new RegExp(`^The fixture ${file} cannot be read. Correct this:\n  ${file}:\\d+:\\d+ Flow sequence`),
    );
  });

  test('what is wrong has its line and column, and the first twenty are told', async () => {
    const { message, file } = await refusalOf('merchants:\n  - &a { state: Texas }\n  - *a\nwebhooks: 1\nnope: {}\n');
    expect(message.split('\n')).toEqual([
      `The fixture ${file} cannot be used. Correct this:`,
      `  ${file}:5:1 nope: The nope field is not known. Available: platform, settings, live_settings, merchants, webhooks, contracts.`,
      `  ${file}:2:10 merchants.0.state: The state field must be 2 characters.`,
      `  ${file}:3:5 merchants.1.state: The state field must be 2 characters.`,
      `  ${file}:4:1 webhooks: must be a list.`,
    ]);
    const many = await refusalOf(`{${Array.from({ length: 50 }, (_, n) => `"k${n}":1`).join(',')}}`);
    expect(many.message.split('\n')).toHaveLength(22);
    expect(many.message).toMatch(/and 30 more like these$/);
  });

  test.each([
    ['__proto__: { disabled: true }\n', '1:1 __proto__: The __proto__ field is not known.'],
    ['{"__proto__": {"platform": {"disabled": true}}}', '1:2 __proto__: The __proto__ field is not known.'],
    ['settings:\n  __proto__: { grace_days: 3 }\n', '2:3 settings.__proto__: The __proto__ field is not known.'],
    ['merchants:\n  - state: TX\n    __proto__: 1\n', '3:5 merchants.0.__proto__: The __proto__ field is not known.'],
    [
      'merchants:\n  - settings: { __proto__: {} }\n',
      '2:17 merchants.0.settings.__proto__: The __proto__ field is not known.',
    ],
    ['platform: { __proto__: 1 }\n', '1:13 platform.__proto__: The __proto__ field is not known.'],
    [
      'webhooks:\n  - url: http://localhost\n    __proto__: {}\n',
      '3:5 webhooks.0.__proto__: The __proto__ field is not known.',
    ],
  ])('__proto__ is refused by its name: %j', async (text, sentence) => {
    expect((await refusalOf(text)).message).toContain(sentence);
    expect({}).not.toHaveProperty('disabled');
  });

  test('__proto__ in an object, too', async () => {
    const { message } = await refusal(JSON.parse('{"__proto__": {"disabled": true}}'));
    expect(message).toContain('  __proto__: The __proto__ field is not known.');
  });

  test.each([
    ['an alias that is part of itself', 'merchants: &a [*a]\n', '1:16 *a is an alias for a value that contains it'],
    ['an alias to nothing', 'settings: *a\n', '1:11 *a is an alias for an anchor that is not defined before it'],
    ['a bomb of aliases', BOMB, 'expand to more than 100,000 values'],
    ['brackets without end', '['.repeat(60_000), ':1:'],
    ['a file without end', 'x'.repeat(3_000_000), 'is larger than 2048 KiB'],
    ['a list', '- state: TX\n', 'The fixture must be an object with any of platform, '],
    ['a text', 'TX\n', 'The fixture must be an object with any of platform, '],
  ])('%s is refused', async (_what, text, sentence) => {
    const { name, message } = await refusalOf(text);
    expect(name).toBe('CannotStart');
    expect(message).toContain(sentence);
  });
});
