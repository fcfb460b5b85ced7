import { describe, expect, test } from 'vitest';
import { type Certificate, certify, createSimulator } from '../../src/index.ts';
import { needing } from '../support/programs.ts';
import { FAULTY, openStore, SECRET } from './receivers.ts';

const notes = ({ checks }: Certificate) =>
  checks.filter(({ verdict }) => verdict === 'fail').map(({ id, note }) => `${id}: ${note}`);

describe('interface §10: --observe', () => {
  const counting = () => FAULTY.find(({ fails }) => fails === 'out-of-order')?.fault();
  const only = ['out-of-order'];

  test('a URL', async () => {
    await using store = await openStore(counting());
    const certificate = await certify({ url: store.url, secret: SECRET, observe: store.stateUrl, only });
    expect(notes(certificate)).toEqual([
      expect.stringMatching(
        /^out-of-order: With the last event first, .* expected "{contract} completed: .*found "{contract} active: /,
      ),
    ]);
  });

  test('a command, with the variables of the order', needing('sh'), async () => {
    await using store = await openStore(counting());
    const script = `fetch('${store.stateUrl}'.replace('{contract}', process.env.LAYAWAY_CONTRACT)).then(async (answer) => console.log(await answer.text(), process.env.LAYAWAY_ORDER_REFERENCE, process.env.LAYAWAY_SESSION, process.env.LAYAWAY_BASE_URL !== undefined))`;
    const observe = `"${process.execPath}" -e "${script}"`;
    const certificate = await certify({ url: store.url, secret: SECRET, observe, only });
    expect(notes(certificate)).toEqual([
      expect.stringMatching(
        /expected "{contract} completed: .* {order_reference} {session} true", found "{contract} active/,
      ),
    ]);
  });

  test('a command that cannot be run', needing('sh'), async () => {
    await using store = await openStore();
    await expect(certify({ url: store.url, secret: SECRET, observe: './no-such-program', only })).rejects.toMatchObject(
      {
        code: 'command',
        message: expect.stringMatching(/^The --observe command "\.\/no-such-program" could not be run: /),
      },
    );
  });

  test('one that never shows the order says nothing about it, and the checks say so', async () => {
    await using store = await openStore(FAULTY.find(({ fails }) => fails === 'duplicate-burst')?.fault());
    const checks = ['duplicate', 'duplicate-burst', 'out-of-order', 'retry-after-outage'];
    const observe = `${new URL(store.stateUrl).origin}/nothing`;
    const certificate = await certify({ url: store.url, secret: SECRET, observe, only: checks });
    const noted = certificate.checks.filter(({ id }) => checks.includes(id)).map(({ note }) => note);
    expect(noted).toEqual(
      checks.map(() => expect.stringContaining('--observe showed no state of the order (HTTP 405)')),
    );
  });

  test('without it, what the answers cannot show passes', { timeout: 60_000 }, async () => {
    for (const { fault, needsObserve } of FAULTY.filter((each) => each.needsObserve)) {
      expect(needsObserve).toBe(true);
      await using store = await openStore(fault());
      const certificate = await certify({ url: store.url, secret: SECRET, skip: ['burst'] });
      expect(notes(certificate)).toEqual([]);
    }
  });
});

describe('interface §10: --checkout', () => {
  const openWith = (total: string) =>
    `"${process.execPath}" -e "fetch(process.env.LAYAWAY_BASE_URL + '/v1/sessions', { method: 'POST', headers: { 'content-type': 'application/json', 'x-client-id': process.env.LAYAWAY_CLIENT_ID, 'x-api-key': process.env.LAYAWAY_API_KEY }, body: JSON.stringify({ order_reference: 'shop-' + process.pid, total_amount: ${total}, return_url: 'https://shop.example/r', cancel_url: 'https://shop.example/c', metadata: { cart: '7' } }) })"`;

  test(
    'the events are of orders that the store opened, and the account keeps nothing else',
    needing('sh'),
    async () => {
      await using sim = await createSimulator({ clock: { frozenAt: '2026-01-01T00:00:00Z' } });
      const shop = sim.default;
      const bodies: { data: { id?: string; order_reference?: string; metadata?: object } }[] = [];
      await using store = await openStore({
        refuses: (event) => {
          bodies.push(event as never);
          return undefined;
        },
      });
      const lists = () =>
        Promise.all([
          shop.clock.show().then(({ now, mode }) => ({ now, mode })),
          shop.contracts.list(),
          shop.events.list(),
          shop.emails.list(),
          shop.webhooks.list(),
          shop.webhooks.deliveries(),
          shop.faults.list(),
          shop.keys.list(),
          sim.listMerchants(),
          shop.assumptions.get(),
        ]);
      const before = await lists();
      const options = { url: store.url, secret: SECRET, shop, checkout: openWith('20000') };
      const certificate = await certify({ ...options, only: ['genuine', 'out-of-order'] });
      expect(notes(certificate)).toEqual([]);
      expect(await lists()).toEqual(before);
      const sessions = await shop.sessions.list();
      const orders = new Set(sessions.map(({ order_reference }) => order_reference));
      expect(orders.size).toBe(8);
      for (const { data } of bodies) {
        if (data.order_reference !== undefined) expect(orders).toContain(data.order_reference);
        if (data.id !== undefined) expect(sessions.map(({ id }) => id)).toContain(data.id);
        if (data.metadata !== undefined) expect(data.metadata).toEqual({ cart: '7' });
      }
      expect(bodies.length).toBeGreaterThan(40);
    },
  );

  test.each([
    ['opens none', 'true', 'opened no checkout session'],
    ['fails', 'exit 3', 'ended with 3'],
  ])('a command that %s', needing('sh'), async (_name, checkout, message) => {
    await using store = await openStore();
    await expect(certify({ url: store.url, secret: SECRET, checkout })).rejects.toMatchObject({
      code: 'command',
      message: expect.stringContaining(message),
    });
  });
});
