import { beforeEach, describe, expect, test } from 'vitest';
import { createObserver } from '../../src/certify/observe.ts';
import type { Order } from '../../src/certify/orders.ts';
import { createStateReader, type Observe } from '../../src/certify/state-reader.ts';
import { needing } from '../support/programs.ts';

/** Instead of waiting, the clock goes ahead. */
let now = 0;
const waiting = {
  now: () => now,
  pause: async (ms: number) => {
    now += ms;
  },
};
beforeEach(() => {
  now = 0;
});

const observer = (observe: Observe) =>
  createObserver(
    createStateReader(observe, {
      ...{ env: {}, exchange: () => Promise.reject(new Error('unused')), now: waiting.now, signal: undefined },
      ...{ insecure: false, isSilent: () => false },
    }),
    waiting,
  );
const order = (about: Partial<Order['about']> = {}, ids: readonly string[] = []) =>
  ({
    about: { contract: 'LAY-1', orderReference: 'A-1', session: 'cs_1', ...about },
    events: ids.map((id) => ({ id })),
    openedAndUntil: [],
  }) as unknown as Order;

/** A store that shows each event so many milliseconds after it came, and steps that each send one. */
function store(delaysMs: readonly [number, ...number[]]) {
  const shown: { readonly at: number; readonly text: string }[] = [];
  const send = (text: string, delayMs: number) => void shown.push({ at: now + delayMs, text });
  return {
    send,
    show: () => shown.findLast(({ at }) => at <= now)?.text ?? 'unknown',
    steps: delaysMs.map((delayMs, index) => async () => send(`step ${index + 1}`, delayMs)) as [
      () => Promise<void>,
      ...(() => Promise<void>)[],
    ],
  };
}

/** Gets to know such a store; then its state takes so long to change. */
async function acquainted(delaysMs: readonly [number, ...number[]], isBusy = true) {
  const { show, steps, send } = store(delaysMs);
  const known = observer(show);
  await known.getToKnow(order(), steps, () => isBusy);
  return { ...known, show, send };
}

describe('interface §10: how long a state must stay the same until it counts', () => {
  test('a store that shows each event at once is not waited for', async () => {
    const { settled, failureOf, send } = await acquainted([0, 0, 0]);
    send('more', 0);
    send('late', 200);
    const before = now;
    expect(await settled(order())).toBe('more');
    expect(now - before).toBe(60);
    expect(failureOf('more')).toBeNull();
  });

  test.each<[name: string, delaysMs: [number, ...number[]]]>([
    ['each event late', [600, 600, 600]],
    ['only the last one late', [0, 0, 600]],
    ['the first one late, and the last one at once', [100_000, 100_000, 0]],
  ])('a store that shows %s is waited for', async (_name, delaysMs) => {
    const { settled, failureOf, send } = await acquainted(delaysMs);
    send('more', 0);
    send('late', 1_400);
    expect(await settled(order())).toBe('late');
    expect(failureOf('late')).toBeNull();
  });

  test('to one that is late, an order that it does not show yet may be one that it has not come to', async () => {
    const { settled, send } = await acquainted([600, 600, 600]);
    send('unknown', 0);
    send('late', 19_000);
    expect(await settled(order())).toBe('late');
    send('unknown', 0);
    send('later', 25_000);
    expect(await settled(order())).toBe('unknown');
  });

  test('one that is usually at once may be behind, and then show only a part of its work', async () => {
    const { settled, send } = await acquainted([0, 0, 0]);
    send('unknown', 0);
    send('a part', 5_000);
    send('all', 6_000);
    expect(await settled(order())).toBe('all');
  });

  test('one that is usually at once and does not show an order is waited for once', async () => {
    const { settled, send } = await acquainted([0, 0, 0]);
    send('unknown', 0);
    send('later', 50_000);
    expect(await settled(order())).toBe('unknown');
    expect(now).toBeGreaterThan(20_000);
    const before = now;
    expect(await settled(order())).toBe('unknown');
    expect(now - before).toBe(60);
  });

  test.each<[what: string, laterMs: number, ignored: boolean]>([
    ['once a minute looks for work', 50_000, false],
    ['ignores later orders', 70_000, true],
  ])('one that showed an order and %s', async (_what, laterMs, ignored) => {
    const { settled, ignores, isUnheard, send } = await acquainted([0, 0, 0]);
    expect(await ignores(order(), await settled(order()))).toBe(false);
    send('unknown', 0);
    const state = await settled(order());
    send('later', laterMs);
    expect(await ignores(order(), state)).toBe(ignored);
    // The next one is not waited for as long.
    const before = now;
    send('unknown', 0);
    expect(await isUnheard(order())).toBe(true);
    expect(await ignores(order(), 'unknown')).toBe(true);
    expect(now - before < 5_000).toBe(ignored);
  });

  test.each([
    ['showed', 'LAY-0 active', true],
    ['did not show either', 'unknown', false],
  ])('one that ignores an order and %s an earlier one', async (_what, shown, ignored) => {
    const { getToKnow, ignores, failureOf } = observer(({ contract }) => (contract === 'LAY-0' ? shown : 'unknown'));
    await getToKnow(order(), [async () => undefined], () => true, order({ contract: 'LAY-0' }));
    expect(failureOf('unknown')).toBe('the same text before and after its events');
    expect(await ignores(order(), 'unknown')).toBe(ignored);
  });

  test('one that takes long is waited for longer', async () => {
    const { settled, failureOf, send, show } = await acquainted([10_000, 10_000, 10_000]);
    expect(show()).toBe('step 3');
    expect(failureOf('step 3')).toBeNull();
    send('late', 10_000);
    expect(await settled(order())).toBe('late');
  });

  test('one that looks for work every 3 s is waited for, whenever it looks first', async () => {
    for (const start of [0, 1_000, 2_900]) {
      now = start;
      const { send, show } = store([0]);
      const later = (text: string) => async () => send(text, 3_000 - (now % 3_000));
      const { getToKnow, settled, equalTo } = observer(show);
      await getToKnow(order(), [later('1'), later('2'), later('3')], () => true);
      await later('4')();
      expect(await settled(order())).toBe('4');
      await later('5')();
      expect(await equalTo(order(), '5', order())).toBe('5');
    }
  });

  test.each<[shows: string, start: number, everyMs: number, isSlow: boolean]>([
    ['a part of the events in time, and the rest late', 29_000, 30_000, true],
    ['no event in time', 0, 60_000, true],
    ['all events in time', 0, 15_000, false],
  ])('of one that shows %s, a difference says nothing if it is slow', async (_shows, start, everyMs, isSlow) => {
    now = start;
    const { send, show } = store([0]);
    const later = (text: string) => async () => send(text, everyMs - (now % everyMs));
    const { getToKnow, refuseSlow } = observer(show);
    await getToKnow(order(), [later('1'), later('2'), later('3')], () => true);
    const refusal = await refuseSlow().then(() => null, String);
    expect(refusal).toEqual(isSlow ? expect.stringContaining('more than 20 s after your store accepted it') : null);
    await refuseSlow();
  });

  test('one that is at once or never shows the order is not slow', async () => {
    for (const delayMs of [0, 1_000_000]) {
      const { refuseSlow } = await acquainted([delayMs, delayMs, delayMs]);
      await refuseSlow();
    }
  });

  test('one that has accepted nothing is not waited for', async () => {
    await acquainted([100_000, 100_000, 100_000], false);
    expect(now).toBeLessThan(2_000);
  });

  test('one that never shows the order says nothing about it', async () => {
    const { settled, failureOf } = await acquainted([100_000, 100_000, 100_000]);
    expect(failureOf('unknown')).toBe('the same text before and after its events');
    const before = now;
    await settled(order());
    expect(now - before).toBe(60);
  });

  test('a command that fails shows no state', needing('sh'), async () => {
    const { settled, failureOf } = observer('echo LAY-1; exit 3');
    const state = await settled(order());
    expect(state).toBe('exit code 3\n{contract}');
    expect(failureOf(state)).toBe('exit code 3');
  });

  test('a command with the placeholder of a URL is told so', needing('sh'), async () => {
    const { settled, failureOf } = observer('echo A/{order_reference}; exit 3');
    expect(failureOf(await settled(order()))).toBe(
      'exit code 3; {order_reference} is for a URL, which begins with http:// or https://, and a command gets LAYAWAY_ORDER_REFERENCE instead',
    );
  });

  test('a state that never comes to rest is taken as it is after half a minute', async () => {
    const { settled, send } = await acquainted([3_000, 3_000, 3_000]);
    for (let change = 0; change < 30; change += 1) send(`change ${change}`, change * 4_000);
    expect(await settled(order())).toBe('change 7');
  });

  test('a store that works on many events, one after the other, is waited for', async () => {
    const { settled, send } = await acquainted([600, 600, 600]);
    for (let change = 0; change < 30; change += 1) send(`change ${change}`, change * 1_400);
    expect(await settled(order())).toBe('change 29');
  });

  test('a text that changes about each second, such as an age, is refused', async () => {
    const { show, steps } = store([600, 600, 600]);
    const { getToKnow } = observer(() => `${show()}, ${Math.floor(now / 1_100)} s old`);
    await expect(getToKnow(order(), steps, () => false)).rejects.toMatchObject({
      code: 'command',
      message: expect.stringMatching(/ s old", then ".+ s old"\. Leave out everything that changes by itself/),
    });
    expect(now).toBeLessThan(60_000);
  });

  test('a text that is different at each reading is refused', async () => {
    const { settled } = observer(() => `read at ${now}`);
    await expect(settled(order())).rejects.toMatchObject({
      code: 'command',
      message: expect.stringContaining(
        '"read at 1800", then "read at 1860". Leave out everything that changes by itself',
      ),
    });
  });

  test('a text that changes about each second is refused before a difference counts', async () => {
    const { refuseTicking } = observer(() => `${Math.floor(now / 1_000)} s old`);
    await expect(refuseTicking(order())).rejects.toMatchObject({
      code: 'command',
      message: expect.stringContaining('"1 s old", then "2 s old". Leave out everything that changes by itself'),
    });
  });

  test('a state that changes once meanwhile, or not at all, is not refused; then it is not asked again', async () => {
    const { send, show } = store([0]);
    let views = 0;
    const { refuseTicking } = observer(() => {
      views += 1;
      return show();
    });
    send('late', 1_500);
    await refuseTicking(order());
    expect([now, views]).toEqual([2_200, 3]);
    await refuseTicking(order());
    expect([now, views]).toEqual([2_200, 3]);
  });

  test('a state that is expected is waited for', async () => {
    const { send, show } = store([0]);
    const { equalTo } = observer(show);
    send('wanted', 1_000);
    expect(await equalTo(order(), 'wanted', order())).toBe('wanted');
    send('other', 0);
    send('wanted', 2_000);
    expect(await equalTo(order(), 'wanted', order())).toBe('other');
  });
});

describe('interface §10: the times of the examination', () => {
  const at = Date.parse('2026-06-01T12:00:00.250Z');
  beforeEach(() => {
    now = at;
  });
  const shownAs = (text: string) => observer(() => text).settled(order());
  const local = (ms: number) => new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString();

  test.each([
    '2026-06-01T12:00:00.250Z',
    '2026-06-01T12:00:00Z',
    '2026-06-01T12:00Z',
    '2026-06-01T14:00:00+02:00',
    '2026-06-01T04:30:00-0730',
    '2026-06-01 12:00:00',
    '2026-06-01 12:00:00.250123',
    local(at).slice(0, 19),
    'Mon, 01 Jun 2026 12:00:00 GMT',
    String(at),
    String(Math.floor(at / 1000)),
    String(at / 1000),
  ])('%s is one', async (time) => {
    expect(await shownAs(`{"at":"${time}","n":1,"paid":true}`)).toBe('{"at":"{time}","n":1,"paid":true}');
  });

  test.each([
    '2026-06-01',
    '2026-06-15T00:00:00Z',
    '2026-05-31T12:00:00Z',
    'Sun, 31 May 2026 12:00:00 GMT',
    '4000000000',
    '17803152002509',
    '20000',
  ])('%s is none', async (text) => {
    expect(await shownAs(`due ${text}`)).toBe(`due ${text}`);
  });

  test('the clock of the store may be off by two minutes', async () => {
    const from = (ms: number) => new Date(now + ms).toISOString();
    for (const ms of [-119_000, 119_000]) expect(await shownAs(from(ms))).toBe('{time}');
    for (const ms of [-121_000, 121_000]) expect(await shownAs(from(ms))).not.toBe('{time}');
  });

  test('two orders that differ in nothing else are alike', async () => {
    const { equalTo } = observer(({ contract }) => `${contract} paid at ${new Date(now).toISOString()}`);
    const other = order({ contract: 'LAY-2' });
    expect(await equalTo(other, '{contract} paid at {time}', order())).toBe('{contract} paid at {time}');
  });
});

describe('interface §10: the orders of a store that numbers them', () => {
  const numbered = (orderReference: string) => order({ orderReference });

  test.each<[is: string, isAlike: boolean, texts: Readonly<Record<string, string>>]>([
    ['a part of an amount', true, { 5: 'order 5: paid 5000', 6: 'order 6: paid 5000' }],
    ['a count', true, { 4: 'order 4: 4 payments', 5: 'order 5: 4 payments' }],
    ['the count of the other', true, { 4: 'order 4: 5 payments', 5: 'order 5: 5 payments' }],
    ['the start of the other', true, { 1: 'order 1: 1 of 12', 12: 'order 12: 1 of 12' }],
    ['a part of a time', true, { 12: 'order 12 at 2026-06-01T12:00:00Z', 34: 'order 34 at 2026-06-01T12:00:34Z' }],
    [
      'longer than those of JavaScript',
      true,
      { '1790412345678901234': '{"id":1790412345678901234}', '1790412345678905678': '{"id": 1790412345678905678}' },
    ],
    ['shorter than another that differs', false, { 4: '{"at":1790412345678901234}', 5: '{"at":1790412345678901235}' }],
    ['nothing else, and the states differ', false, { 4: 'order 4: 7 payments', 5: 'order 5: 8 payments' }],
    ['a part of an amount that differs', false, { 5: 'order 5: paid 5000', 6: 'order 6: paid 6000' }],
  ])('a number that is also %s', async (_is, isAlike, texts) => {
    const [first, second] = Object.keys(texts).map(numbered) as [Order, Order];
    now = Date.parse('2026-06-01T12:00:00Z');
    const { settled, equalTo } = observer(({ orderReference }) => texts[orderReference] as string);
    const wanted = await settled(first);
    expect((await equalTo(second, wanted, first)) === wanted).toBe(isAlike);
  });
});

describe('interface §10: a state that is JSON', () => {
  const shownAs = (text: string) => observer(() => text).settled(order({}, ['evt_z', 'evt_a']));

  test.each([
    ['{"b":{"d":1,"c":[{"f":2,"e":null}]},"a":"x"}', '{"a":"x","b":{"c":[{"e":null,"f":2}],"d":1}}'],
    ['[ {"b": 1, "a": 2} ]\n', '[{"a":2,"b":1}]'],
    ['{"paid":["evt_z"],"contract":"LAY-1"}', '{"contract":"{contract}","paid":["{event 1}"]}'],
    ['{"evt_z":1,"evt_a":2}', '{"{event 1}":1,"{event 2}":2}'],
  ])('%s: its keys have no order', async (text, compared) => {
    expect(await shownAs(text)).toBe(compared);
  });

  test.each(['[2,1]', '"b"', '5000.00', '{"b":1,"a":2} and more', '{"b":1,"a"', ''])(
    '%j has an order, or is no object',
    async (text) => {
      expect(await shownAs(text)).toBe(text);
    },
  );
});

test.each([
  [
    'evt_b LAY-1 cs_1 A-1 evt_a',
    '{event 2} {contract} {session} {order_reference} {event 1}',
    order({}, ['evt_a', 'evt_b']),
  ],
  ['LAY-1-A', '{order_reference}', order({ orderReference: 'LAY-1-A' })],
  ['1970-01-01T00:00:00Z-7', '{order_reference}', order({ orderReference: '1970-01-01T00:00:00Z-7' })],
  ['LAY-1', '{contract}', order({ session: '' })],
  [' LAY-1 \n', ' {contract}', order()],
])('interface §10: %j is compared as %j', async (text, compared, of) => {
  expect(await observer(() => text).settled(of)).toBe(compared);
});
