import { describe, expect, test } from 'vitest';
import {
  certify,
  createSimulator,
  type LayawayEvent,
  type SessionCreate,
  type Shop,
  type Simulator,
} from '../../src/index.ts';
import { needing } from '../support/programs.ts';
import { besideSessions, everything, openServer } from './everything.ts';
import { notes, openFaulty, openStore, SECRET } from './receivers.ts';

describe('interface §10: a command as --observe', needing('sh'), () => {
  const only = ['out-of-order'];

  test('a command, with the variables of the order', needing('sh', 'curl'), async () => {
    await using store = await openFaulty('out-of-order');
    const page = store.stateUrl.replace('{contract}', '$LAYAWAY_CONTRACT');
    const observe = `echo "$(curl -sS "${page}") $LAYAWAY_ORDER_REFERENCE $LAYAWAY_SESSION \${LAYAWAY_BASE_URL+true}"`;
    const certificate = await certify({ url: store.url, secret: SECRET, observe, only });
    expect(notes(certificate)).toEqual([
      expect.stringMatching(
        /expected "{contract} completed: .* {order_reference} {session} true", found "{contract} active/,
      ),
    ]);
  });

  test('a command that cannot be run', async () => {
    await using store = await openStore();
    await expect(
      certify({ url: store.url, secret: SECRET, observe: './no-such-program {x}', only }),
    ).rejects.toMatchObject({
      code: 'command',
      message: expect.stringMatching(/^The observe command "\.\/no-such-program {x}" could not be run: /),
    });
  });

  test('a URL without its scheme', async () => {
    await using store = await openStore();
    const observe = 'localhost:3000/orders/{contract}';
    await expect(certify({ url: store.url, secret: SECRET, observe, only })).rejects.toMatchObject({
      code: 'command',
      message: expect.stringMatching(
        /could not be run: .+; {contract} is for a URL, which begins with http:\/\/ or https:\/\/, and a command gets LAYAWAY_CONTRACT instead\.$/,
      ),
    });
  });
});

describe('interface §10: --checkout', needing('sh', 'curl'), () => {
  /** A store opens a session with this body, in which `$$` is another number each time. curl starts sooner than Node. */
  const opening = (body: string) => `curl -sS "$LAYAWAY_BASE_URL/v1/sessions" -H 'content-type: application/json' \
-H "x-client-id: $LAYAWAY_CLIENT_ID" -H "x-api-key: $LAYAWAY_API_KEY" --data-binary @- <<END
${body}
END
`;
  const urls = { return_url: 'https://shop.example/r', cancel_url: 'https://shop.example/c' };
  const checkout = opening(
    JSON.stringify({ order_reference: 'shop-$$', total_amount: 20_000, ...urls, metadata: { cart: '7' } }),
  );

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
    expect(orders.size).toBe(18);
    for (const { data } of bodies) {
      if (data.order_reference !== undefined) expect(orders).toContain(data.order_reference);
      if (data.id !== undefined) expect(sessions.map(({ id }) => id)).toContain(data.id);
      if (data.metadata !== undefined) expect(data.metadata).toEqual({ cart: '7' });
    }
    expect(bodies.length).toBeGreaterThan(40);
  });

  /** A command that opens a session at `shop`, and the events that the check sends about it. */
  async function told(shop: Shop, create: Partial<SessionCreate>, only: readonly string[], server?: Simulator) {
    const command = opening(JSON.stringify({ order_reference: 'A-1', ...urls, ...create }));
    const events: LayawayEvent[] = [];
    const sizes: number[] = [];
    await using store = await openStore({
      before: async ({ body: sent }) => void sizes.push(sent.length),
      refuses: (event) => void events.push(event as never),
    });
    const options = { url: store.url, secret: SECRET, shop, checkout: command, only };
    const certificate = await certify({ ...options, ...(server && { server }) });
    expect(notes(certificate)).toEqual([]);
    const contracts = events.flatMap((event) => (event.type === 'contract.activated' ? [event.data] : []));
    const sessions = events.flatMap((event) => (event.type === 'session.completed' ? [event.data] : []));
    return { events, contracts, sessions, opened: await shop.sessions.list(), sizes };
  }

  test('a store that shows when its session was opened and until when it is open, months ahead, passes', async () => {
    await using sim = await createSimulator();
    const shop = sim.default;
    await shop.clock.advance('90d');
    await using store = await openStore();
    const observe = async (about: { readonly contract: string; readonly session: string }) => {
      const { created_at, expires_at } = await shop.sessions.get(about.session);
      return `${await store.observe(about)}, opened ${created_at}, until ${Math.floor(Date.parse(expires_at) / 1000)}`;
    };
    const only = ['duplicate-burst', 'out-of-order'];
    expect(notes(await certify({ url: store.url, secret: SECRET, shop, checkout, observe, only }))).toEqual([]);
  });

  test('orders with different totals end the examination, even if a store shows amounts only after a payment', async () => {
    await using sim = await createSimulator();
    const shop = sim.default;
    await using store = await openStore();
    const observe = async (about: { readonly contract: string; readonly session: string }) => {
      const shown = await store.observe(about);
      return shown.includes('paid') ? `${shown}, of ${(await shop.sessions.get(about.session)).total_amount}` : shown;
    };
    const varied = checkout.replace('20000', () => '$((20000 + $$ % 1000))');
    const options = { url: store.url, secret: SECRET, shop, checkout: varied, observe, only: ['out-of-order'] };
    await expect(certify(options)).rejects.toMatchObject({
      code: 'command',
      message: expect.stringMatching(
        /^The observe option shows two orders with the same history differently: .* opened them with different totals, \d+ and \d+ cents\. It must open/,
      ),
    });
  });

  test('the events are on the terms of the account, and their session is the one that the store reads', async () => {
    await using sim = await createSimulator();
    const shop = sim.default;
    await shop.assumptions.set({
      ...{ down_payment_percentage: 50, reservation_fee_percentage: 0, late_charge_percentage: 0 },
      ...{ installment_count: 3, installment_cadence: 'monthly' },
    });
    const create = { total_amount: 20_000, return_url: 'https://a.example/r' };
    const { contracts, sessions, opened, events } = await told(shop, create, ['genuine']);
    const terms = { down_payment_amount: 10_000, reservation_fee_amount: 0, customer_total: 20_000 };
    expect(contracts).toMatchObject([terms, terms, terms]);
    const months = contracts[0]?.installments.map(({ due_date }) => due_date.slice(0, 'YYYY-MM'.length));
    expect(months).toHaveLength(4);
    expect(new Set(months).size).toBe(4);
    expect(sessions).toHaveLength(3);
    for (const { status: _, ...session } of sessions) expect(opened).toContainEqual({ ...session, status: 'pending' });
    const delinquent = events.find(({ type }) => type === 'installment.delinquent');
    expect(delinquent?.data).toMatchObject({ late_charge_amount: 0 });
  });

  test('an account with other limits, and one whose orders have a single installment', async () => {
    await using sim = await createSimulator();
    const small = await sim.merchant({ min_order_amount: 400, max_order_amount: 300_000_000 });
    const { contracts } = await told(small, { total_amount: 500 }, ['duplicate']);
    expect(contracts[0]).toMatchObject({ total_amount: 500 });
    const large = await told(small, { total_amount: 250_000_000 }, ['duplicate']);
    expect(large.contracts[0]).toMatchObject({ total_amount: 250_000_000 });
    const single = await sim.merchant({ installment_count: 1, min_order_amount: 100 });
    await told(single, { total_amount: 300 }, ['duplicate', 'burst'], sim);
  });

  test('the metadata of the store stays in every event, the largest included', async () => {
    await using sim = await createSimulator();
    const create = { total_amount: 20_000, metadata: { cart: '7', 'k0 Grüße, ç': 'mine' } };
    const { contracts, sessions, sizes } = await told(sim.default, create, ['large', 'unicode']);
    expect(sessions).toHaveLength(2);
    for (const { metadata } of [...contracts, ...sessions]) expect(metadata).toMatchObject(create.metadata);
    expect(Object.keys(contracts[0]?.metadata ?? {})).toHaveLength(50);
    expect(Math.max(...sizes)).toBeGreaterThan(100_000);
  });

  test.each([
    ['opens none', 'true', /opened no new checkout session .* and LAYAWAY_API_KEY\.$/],
    [
      'opens none and says why',
      'echo unauthenticated',
      /opened no new checkout session .* It printed: unauthenticated$/,
    ],
    [
      'opens one for the same order each time',
      checkout.replace('curl', "curl -H 'idempotency-key: order-1'").replace('$$', '1'),
      /opened no new checkout session at .*\. Each time it runs, .* for another order, /,
    ],
    ['fails', 'exit 1', /" exited with 1\.$/],
    ['fails and says why', 'echo no; echo key >&2; exit 3', /" exited with 3\. It printed: no\nkey$/],
    ['says a lot', 'printf "a%2000s" key; exit 3', /" exited with 3\. It printed: … {997}key$/],
  ])('a command that %s', async (_name, command, message) => {
    await using store = await openStore();
    await expect(certify({ url: store.url, secret: SECRET, checkout: command })).rejects.toMatchObject({
      code: 'command',
      message: expect.stringMatching(message),
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
