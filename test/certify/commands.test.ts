import { describe, expect, test } from 'vitest';
import { certify, createSimulator } from '../../src/index.ts';
import { needing } from '../support/programs.ts';
import { besideSessions, everything, openServer } from './everything.ts';
import { notes, openFaulty, openStore, SECRET } from './receivers.ts';

describe('interface §10: a command as --observe', needing('sh'), () => {
  const only = ['out-of-order'];

  test('a command, with the variables of the order', async () => {
    await using store = await openFaulty('out-of-order');
    const script = `fetch('${store.stateUrl}'.replace('{contract}', process.env.LAYAWAY_CONTRACT)).then(async (answer) => console.log(await answer.text(), process.env.LAYAWAY_ORDER_REFERENCE, process.env.LAYAWAY_SESSION, process.env.LAYAWAY_BASE_URL !== undefined))`;
    const observe = `"${process.execPath}" -e "${script}"`;
    const certificate = await certify({ url: store.url, secret: SECRET, observe, only });
    expect(notes(certificate)).toEqual([
      expect.stringMatching(
        /expected "{contract} completed: .* {order_reference} {session} true", found "{contract} active/,
      ),
    ]);
  });

  test('a command that cannot be run', async () => {
    await using store = await openStore();
    await expect(certify({ url: store.url, secret: SECRET, observe: './no-such-program', only })).rejects.toMatchObject(
      {
        code: 'command',
        message: expect.stringMatching(/^The --observe command "\.\/no-such-program" could not be run: /),
      },
    );
  });
});

describe('interface §10: --checkout', needing('sh'), () => {
  const checkout = `"${process.execPath}" -e "fetch(process.env.LAYAWAY_BASE_URL + '/v1/sessions', { method: 'POST', headers: { 'content-type': 'application/json', 'x-client-id': process.env.LAYAWAY_CLIENT_ID, 'x-api-key': process.env.LAYAWAY_API_KEY }, body: JSON.stringify({ order_reference: 'shop-' + process.pid, total_amount: 20000, return_url: 'https://shop.example/r', cancel_url: 'https://shop.example/c', metadata: { cart: '7' } }) })"`;

  test('the events are of orders that the store opened, and the account keeps nothing else', async () => {
    await using sim = await createSimulator({ clock: { frozenAt: '2026-01-01T00:00:00Z' } });
    const shop = sim.default;
    const bodies: { data: { id?: string; order_reference?: string; metadata?: object } }[] = [];
    await using store = await openStore({
      refuses: (event) => {
        bodies.push(event as never);
        return undefined;
      },
    });
    const state = async () => {
      const { now, mode } = await shop.clock.show();
      return [now, mode, await besideSessions(sim)];
    };
    const before = await state();
    const options = { url: store.url, secret: SECRET, shop, checkout };
    const certificate = await certify({ ...options, only: ['genuine', 'out-of-order'] });
    expect(notes(certificate)).toEqual([]);
    expect(await state()).toEqual(before);
    const sessions = await shop.sessions.list();
    const orders = new Set(sessions.map(({ order_reference }) => order_reference));
    expect(orders.size).toBe(8);
    for (const { data } of bodies) {
      if (data.order_reference !== undefined) expect(orders).toContain(data.order_reference);
      if (data.id !== undefined) expect(sessions.map(({ id }) => id)).toContain(data.id);
      if (data.metadata !== undefined) expect(data.metadata).toEqual({ cart: '7' });
    }
    expect(bodies.length).toBeGreaterThan(40);
  });

  test.each([
    ['opens none', 'true', 'opened no checkout session'],
    ['fails', 'exit 3', 'ended with 3'],
  ])('a command that %s', async (_name, command, message) => {
    await using store = await openStore();
    await expect(certify({ url: store.url, secret: SECRET, checkout: command })).rejects.toMatchObject({
      code: 'command',
      message: expect.stringContaining(message),
    });
  });

  test('a store without an account of its own opens its sessions on the throw-away merchant', async () => {
    await using server = await openServer();
    await using store = await openStore();
    const before = await everything(server.sim);
    const options = { url: store.url, secret: SECRET, server: server.sim, checkout, only: ['duplicate'] };
    expect(notes(await certify(options))).toEqual([]);
    expect(await everything(server.sim)).toBe(before);
  });
});
