import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CannotStart, createSimulator, type SandboxShop, type Simulator } from '../../src/index.ts';
import { finder, NO_REPLACEMENTS, pagesSince, type Reader } from '../../src/library/since.ts';
import { openReceiver, silence } from '../support/receiver.ts';

let sim: Simulator;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
});
afterAll(() => sim.close());

const order = { order_reference: 'A-1', total_amount: 20_000 };
const nothing = async () => '';
const opened = async (shop: SandboxShop) => (await shop.sessions.create(order)).id;
const ada = { customer_name: 'Ada', customer_email: 'ada@example.com' };
const accepted = async (shop: SandboxShop) => {
  const id = await opened(shop);
  await shop.sessions.accept(id, ada);
  return id;
};
const active = async (shop: SandboxShop) => (await shop.sessions.complete(await opened(shop))).reference;
const overdue = async (shop: SandboxShop) => {
  const reference = await active(shop);
  await shop.contracts.outcomes(reference, ['fail', 'fail']);
  await shop.clock.advance({ until: `${reference}#1=past_due` });
  return reference;
};

/** What must be there first; the lever; the last event that it makes. */
const LEVERS: readonly (readonly [
  string,
  (shop: SandboxShop) => Promise<string>,
  (shop: SandboxShop, subject: string) => Promise<unknown>,
  string,
])[] = [
  ['sessions.accept', opened, (shop, id) => shop.sessions.accept(id, { ...ada, wait: true }), 'session.decision_made'],
  ['sessions.pay', accepted, (shop, id) => shop.sessions.pay(id, { wait: true }), 'session.completed'],
  ['sessions.complete', opened, (shop, id) => shop.sessions.complete(id, { wait: true }), 'session.completed'],
  ['sessions.cancel', opened, (shop, id) => shop.sessions.cancel(id, { wait: true }), 'session.cancelled'],
  ['contracts.create', nothing, (shop) => shop.contracts.create({}, { wait: true }), 'session.completed'],
  ['contracts.cancel', active, (shop, ref) => shop.contracts.cancel(ref, { wait: true }), 'contract.cancelled'],
  ['contracts.settle', overdue, (shop, ref) => shop.contracts.settle(ref, { wait: true }), 'installment.paid'],
  [
    'contracts.settle, of one',
    overdue,
    (shop, ref) => shop.contracts.settle(ref, 1, { wait: true }),
    'installment.paid',
  ],
];

test('what came since an item is read to the end, page by page; without an item, the latest page', async () => {
  const items = Array.from({ length: 2_500 }, (_, n) => ({ id: String(n) }));
  const list: Reader<{ id: string }> = async ({ limit, after }) =>
    after === undefined ? items.toReversed().slice(0, limit) : items.slice(Number(after) + 1).slice(0, limit);
  const read = async (after?: string) => {
    const found: string[] = [];
    for await (const page of pagesSince(list, after)) found.push(...page.map(({ id }) => id));
    return found;
  };
  const ids = items.map(({ id }) => id);
  expect(await read('0')).toEqual(ids.slice(1));
  expect(await read('499')).toEqual(ids.slice(500));
  expect(await read()).toEqual(ids.slice(1_500));
});

test('a wait that found none so far takes the first of those that come at once', async () => {
  const items = [{ id: '0', isSought: false }];
  const after = (found: typeof items, cursor: string | undefined) =>
    cursor === undefined ? found.toReversed() : found.filter(({ id }) => Number(id) > Number(cursor));
  const everything: Reader<(typeof items)[number]> = async (cursor) => after(items, cursor.after);
  const sought: typeof everything = async (cursor) =>
    after(
      items.filter(({ isSought }) => isSought),
      cursor.after,
    );
  const look = finder(sought, everything, () => true, undefined, NO_REPLACEMENTS);
  expect(await look()).toBeUndefined();
  items.push({ id: '1', isSought: true }, { id: '2', isSought: true });
  expect(await look()).toMatchObject({ id: '1' });
});

describe('interface §4: { wait: true } resolves when the webhooks were attempted', () => {
  test.each(LEVERS)('%s', async (_name, prepare, lever, type) => {
    const shop = await sim.merchant();
    const subject = await prepare(shop);
    // Slow: a lever that does not wait is back long before.
    await using receiver = await openReceiver(
      Array.from({ length: 4 }, () => (response) => void setTimeout(() => response.end(), 150)),
    );
    await shop.webhooks.add(receiver.url);
    await lever(shop, subject);
    expect((await shop.events.list({ limit: 1 }))[0]?.type).toBe(type);
    const deliveries = await shop.webhooks.deliveries();
    expect(deliveries.length).toBeGreaterThan(0);
    expect(deliveries.map(({ status }) => status)).toEqual(deliveries.map(() => 'delivered'));
  });

  test('docs/faults.md: a settlement waits for the copies of a duplicate, too', async () => {
    const shop = await sim.merchant();
    await using receiver = await openReceiver();
    await shop.webhooks.add(receiver.url, { events: ['contract.completed'] });
    const { reference } = await shop.contracts.create({ installment: { number: 4, status: 'past_due' } });
    await shop.faults.add({ kind: 'duplicate', event: 'contract.completed', copies: 2 });
    await shop.contracts.settle(reference, { wait: true });
    expect(receiver.types()).toEqual(Array(3).fill('contract.completed'));
  });

  test('clock.freeze waits for webhooks that are due already', async () => {
    const shop = await sim.merchant();
    const id = await opened(shop);
    await using receiver = await openReceiver();
    const held = silence(receiver);
    await shop.webhooks.add(receiver.url, { events: ['session.cancelled'] });
    await shop.sessions.cancel(id);
    await held.reached;
    expect(await shop.webhooks.deliveries()).toMatchObject([{ status: 'pending' }]);
    setTimeout(held.answer, 150);
    await shop.clock.freeze({ wait: true });
    expect(await shop.webhooks.deliveries()).toMatchObject([{ status: 'delivered' }]);
  });

  test('clock.advance waits unless it is told not to', async () => {
    const shop = await sim.merchant();
    await using receiver = await openReceiver();
    const held = silence(receiver);
    await shop.webhooks.add(receiver.url, { events: ['contract.activated'] });
    await shop.contracts.create();
    expect(await shop.clock.advance('1h', { wait: false })).toMatchObject({ webhooks: null });
    expect(await shop.webhooks.deliveries()).toMatchObject([{ status: 'pending', attempts: [] }]);
    await held.reached;
    held.answer();
    expect(await shop.clock.advance('0s')).toMatchObject({ webhooks: expect.anything() });
    expect(await shop.webhooks.deliveries()).toMatchObject([{ status: 'delivered' }]);
  });

  test('without it, a lever does not wait', async () => {
    const shop = await sim.merchant();
    await using receiver = await openReceiver();
    const held = silence(receiver);
    await shop.webhooks.add(receiver.url, { events: ['session.cancelled'] });
    await shop.sessions.cancel(await opened(shop));
    expect(await shop.webhooks.deliveries()).toMatchObject([{ status: 'pending' }]);
    await held.reached;
    held.answer();
  });
});

describe('interface §4: one vocabulary with the commands', () => {
  test('assumptions, logs and dryRun; the old names stay until 0.2', async () => {
    const shop = await sim.merchant();
    expect(shop.settings).toBe(shop.assumptions);
    expect(shop.requests).toBe(shop.logs);
    await active(shop);
    const rehearsed = await shop.clock.advance('14d', { dryRun: true });
    expect(rehearsed).toMatchObject({ happened: [{ type: 'installment.paid', event_id: null }], webhooks: null });
    expect(await shop.clock.rehearse('14d')).toEqual(rehearsed);
    expect((await shop.clock.show()).now).toBe('2026-01-01T00:00:00.000000Z');
  });

  test('an option that createSimulator does not know is refused', async () => {
    await expect(createSimulator({ sed: 1 } as object)).rejects.toThrow(
      'createSimulator has no option "sed". Did you mean seed?',
    );
    await expect(createSimulator({ clock: { frozen: '2026-01-01' } } as never)).rejects.toThrow(
      'clock has no option "frozen". Did you mean frozenAt?',
    );
  });

  test.each<[string, unknown, string]>([
    ['no options', null, 'The options of createSimulator must be an object.'],
    [
      'a clock that is a date',
      { clock: new Date(0) },
      'The options of clock must be a plain object. Available: frozenAt, runningFrom.',
    ],
    ['a clock without an instant', { clock: {} }, 'The option clock needs either frozenAt or runningFrom.'],
    ['a clock that is a string', { clock: '2026-01-01' }, 'The option clock of createSimulator must be an object.'],
    [
      'an instant that is a date',
      { clock: { frozenAt: new Date(0) } },
      'The option frozenAt of clock must be a string.',
    ],
    [
      'two clocks',
      { clock: { frozenAt: '2026-01-01', runningFrom: '2026-01-01' } },
      'The option clock needs either frozenAt or runningFrom.',
    ],
    [
      'one URL',
      { forwardTo: 'http://localhost:1' },
      'The option forwardTo of createSimulator must be a list of strings.',
    ],
    ['chaos without a seed', { chaos: {} }, 'The option chaos needs a seed.'],
    ['chaos that is a seed', { chaos: 7 }, 'The option chaos of createSimulator must be an object.'],
    ...([{}, 1.5, -1, 2 ** 53, ''] as const).map((seed): [string, unknown, string] => [
      `a seed that the flag --seed refuses, too: ${JSON.stringify(seed)}`,
      { seed },
      'The option seed of createSimulator must be a whole number of at least 0, or a string with at least one character.',
    ]),
    [
      'chaos with an empty seed',
      { chaos: { seed: '' } },
      'The option seed of chaos must be a number, or a string with at least one character.',
    ],
    [
      'a mail server with the port 0',
      { smtp: { host: 'localhost', port: 0 } },
      'The option port of smtp must be a whole number from 1 to 65535.',
    ],
    [
      'a mail server with its port in the host',
      { smtp: { host: 'localhost:1025', port: 1025 } },
      'The option host of smtp must be a host name or an IP address.',
    ],
    [
      'port 0 to forward to',
      { forwardTo: ['http://localhost:0/webhooks'] },
      'http://localhost:0/webhooks is not a URL to forward to. Write it like http://localhost:3000/webhooks.',
    ],
    [
      'a host that is none',
      { host: '192.0.2.1' },
      '192.0.2.1 is not an address of this machine. Use 127.0.0.1 or 0.0.0.0, or leave the host out.',
    ],
    [
      'a limit in words',
      { rateLimit: 'of' },
      'The option rateLimit of createSimulator must be a whole number of at least 0, or off.',
    ],
    ['a port too high', { port: 65_536 }, 'The option port of createSimulator must be a whole number from 0 to 65535.'],
    ['an empty path', { data: '' }, 'The option data of createSimulator must be a path.'],
    [
      'an empty path of a fixture',
      { fixture: '' },
      'The option fixture of createSimulator must be a path or an object.',
    ],
    ...[
      new URL('file:///shop/fixture.yaml'),
      Promise.resolve({ platform: { disabled: true } }),
      new Map([['platform', { disabled: true }]]),
    ].map((fixture): [string, unknown, string] => [
      `a fixture that would be empty: ${Object.prototype.toString.call(fixture)}`,
      { fixture },
      'The option fixture of createSimulator must be a path or an object.',
    ]),
    ['a mail server without a port', { smtp: { host: 'localhost' } }, 'The option smtp needs a host and a port.'],
    [
      'a mail server with a port in words',
      { smtp: { host: 'localhost', port: '1025' } },
      'The option port of smtp must be a whole number from 1 to 65535.',
    ],
    [
      'a mail server with a mistyped option',
      { smtp: { hots: 'localhost', port: 1025 } },
      'smtp has no option "hots". Did you mean host?',
    ],
    ...[{}, { trace: 1 }].map((trace): [string, unknown, string] => [
      `a trace that is none: ${JSON.stringify(trace)}`,
      { trace },
      'The option trace of createSimulator must be a trace, as readTrace returns it.',
    ]),
    [
      'half a time',
      { time: { now: () => 0 } },
      'The option time of createSimulator must be an object with the functions now and after.',
    ],
    ['a callback that is none', { onRequest: 'log' }, 'The option onRequest of createSimulator must be a function.'],
  ])('an option of createSimulator with a wrong value is refused: %s', async (_name, options, message) => {
    const refused = await createSimulator(options as object).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(CannotStart);
    expect((refused as Error).message).toBe(message);
  });

  test('an option that is undefined counts as left out', async () => {
    await using plain = await createSimulator({ seed: undefined, clock: undefined, port: undefined } as object);
    expect((await plain.default.clock.show()).mode).toBe('running');
  });
});
