import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSimulator, type SandboxShop, type Simulator } from '../../src/index.ts';
import type { Explanation } from '../../src/operations/wire.ts';
import { PLACEHOLDER } from '../support/placeholders.ts';
import { openReceiver } from '../support/receiver.ts';
import { CUSTOMER, caller, expectData, order } from '../support/shop.ts';
import { liveThrough } from '../support/stories.ts';

const seed = Number(process.env.WALK_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** The form of the API, which a sentence does not use. */
const TIMESTAMP = /\d{6}Z/;
const SECTION = /^(service §\d+(\.\d+)?|decisions §\d+)$/;

let sim: Simulator;
beforeAll(async () => {
  sim = await createSimulator({ clock: { frozenAt: '2026-01-01T00:00:00Z' }, rateLimit: 'off' });
});
afterAll(() => sim.close());

const roots = ({ chain }: Explanation) => chain.filter(({ kind }) => kind === 'request' || kind === 'lever');

async function everyIdOf(shop: SandboxShop) {
  const page = { limit: 1000 };
  const contracts = await shop.contracts.find(page);
  const attempts = await Promise.all(contracts.map(({ reference }) => shop.contracts.attempts(reference)));
  return {
    events: await shop.events.list(page),
    emails: await shop.emails.list(page),
    deliveries: await shop.webhooks.deliveries(page),
    sessions: await shop.sessions.list(page),
    attempts: attempts.flat(),
    contracts,
  };
}

describe(`interface §11: over random stories, WALK_SEED=${seed}`, () => {
  test('every event has one root, its chain has no gap and no cycle, and every id of a story tells the same', async () => {
    const shop = await sim.merchant();
    await using receiver = await openReceiver();
    await shop.webhooks.add(receiver.url);
    // However few events the walk happens on, there is a plan to explain.
    await shop.contracts.create({ status: 'active' });
    await liveThrough(shop, seed, 40);
    // No attempt is under way while the same is asked again and again.
    await shop.clock.advance('0s');
    const all = await everyIdOf(shop);
    expect(all.events.length).toBeGreaterThan(2);

    const chains = new Map<string, string>();
    const told = new Set<string>();
    for (const event of all.events) {
      const explained = await shop.explain(event.id);
      const [first] = explained.chain;
      expect(['request', 'lever'], event.type).toContain(first?.kind);
      expect(roots(explained)[0]).toBe(first);
      const instants = explained.chain.map(({ at }) => at);
      expect(instants).toEqual(instants.toSorted());
      const ids = explained.chain.flatMap(({ id, kind }) =>
        id === null || kind === 'transition' || kind === 'delivery' ? [] : [id],
      );
      expect(new Set(ids).size, 'nothing is told twice').toBe(ids.length);
      expect(ids).toContain(event.id);
      for (const { because, section, what } of explained.chain) {
        expect(because).not.toBe('');
        expect(what).not.toMatch(PLACEHOLDER);
        expect(because).not.toMatch(PLACEHOLDER);
        expect(because).not.toMatch(/not recorded/i);
        expect(because).not.toMatch(TIMESTAMP);
        if (section !== null) expect(section).toMatch(SECTION);
      }
      for (const { id } of explained.chain) if (id !== null) told.add(id);
      const root = JSON.stringify(explained.chain);
      for (const { id } of explained.chain)
        if (id?.startsWith('cs_')) expect((chains.get(id) ?? root) === root, id).toBe(true);
      const session = explained.chain.find(({ id }) => id?.startsWith('cs_'))?.id;
      if (session) chains.set(session, root);
    }

    const others = [
      ...all.emails.map(({ id }) => id),
      ...all.deliveries.map(({ id }) => id),
      ...all.attempts.map(({ reference }) => reference),
    ];
    expect(
      others.filter((id) => !told.has(id)),
      'no gap',
    ).toEqual([]);
    for (const id of [
      ...others,
      ...all.sessions.map(({ id }) => id),
      ...all.contracts.map(({ reference }) => reference),
    ]) {
      const { chain } = await shop.explain(id);
      const session = chain.find((link) => link.id?.startsWith('cs_'))?.id as string;
      expect(JSON.stringify(chain) === (chains.get(session) ?? JSON.stringify(chain)), id).toBe(true);
    }
  });
});

describe('the grid of kinds', () => {
  test('session, contract, installment, event, delivery, email, request and attempt of one story', async () => {
    const shop = await sim.merchant();
    await using receiver = await openReceiver();
    await shop.webhooks.add(receiver.url);
    const { id } = await shop.v1.createSession({
      order_reference: 'A-1',
      total_amount: 20_000,
      return_url: 'https://shop.example/return',
      cancel_url: 'https://shop.example/cancel',
    });
    const { reference } = await shop.sessions.complete(id, { customer_email: 'ada@example.com' });
    await shop.contracts.outcomes(reference, ['pay', 'fail', 'fail']);
    await shop.clock.advance({ until: `${reference}#2=past_due` });

    const [request] = await shop.logs.list({ path: '/v1/sessions' });
    const pastDue = (await shop.events.list()).find(({ type }) => type === 'installment.past_due');
    const [notice] = await shop.emails.list({ to: 'ada@example.com' });
    const [delivery] = await shop.webhooks.deliveries();
    const [attempt] = await shop.contracts.attempts(reference);
    const installment = await shop.explain(`${reference}#2`);
    expect(installment).toMatchObject({ subject: `${reference}#2`, state: 'past_due' });
    expect(installment.chain[0]).toMatchObject({
      kind: 'request',
      id: request?.id,
      what: 'POST /v1/sessions returned 201.',
    });
    const overdue = installment.chain.find(({ what }) => what.includes('from due to past_due'));
    expect(overdue).toMatchObject({ section: 'service §3.3', setting: { name: 'grace_days', value: 10 } });
    expect(overdue?.because).toContain('an assumption');
    expect(installment.chain.find(({ what }) => what.includes('attempt 2 on installment 2'))?.because).toContain(
      'outcome script said `fail`, arranged by lvr_',
    );
    expect(installment.ahead.map(({ what }) => what)).toEqual([
      `installment.delinquent of ${reference}#2`,
      `contract.defaulted of ${reference}`,
    ]);
    expect(installment.ahead[0]?.unless).toContain(`layaway contracts settle ${reference} 2`);
    expect(installment.summary).toContain('is past_due.');
    expect(installment.summary).toMatch(/ Next: .+ at 2026-\d\d-\d\d \d\d:00:00 UTC, unless /);

    const states: Record<string, string> = {
      [id]: 'completed',
      [reference]: 'active',
      [pastDue?.id as string]: 'an event of type installment.past_due',
      [notice?.id as string]: 'an email, past_due_notice',
      [delivery?.id as string]: 'delivered',
      [attempt?.reference as string]: 'a payment attempt on installment 2 with the outcome fail',
      [request?.id as string]: 'a request that returned 201',
    };
    for (const [subject, state] of Object.entries(states)) {
      const explained = await shop.explain(subject);
      expect(explained).toMatchObject({ subject, state, chain: installment.chain });
    }
    expect((await shop.explain(reference)).ahead.map(({ what }) => what)).toContain(
      `contract.defaulted of ${reference}`,
    );
  });

  test('attempts of one instant are in the order in which they were made; copies, resends and tests have their own reasons', async () => {
    const shop = await sim.merchant();
    await using receiver = await openReceiver([200, 500, 200, 500]);
    const endpoint = await shop.webhooks.add(receiver.url, { events: ['session.expired'] });
    const { id } = await shop.v1.createSession({
      order_reference: 'A-1',
      total_amount: 20_000,
      return_url: 'https://shop.example/return',
      cancel_url: 'https://shop.example/cancel',
    });
    const fault = await shop.faults.add({ kind: 'duplicate', copies: 2 });
    await shop.clock.advance({ until: `${id}=expired` });
    const [event] = await shop.events.list();
    await shop.events.resend(event?.id as string);
    await shop.clock.advance('0s');
    const [resent, original] = await shop.webhooks.deliveries();
    const linksOf = async (subject: string) =>
      (await shop.explain(subject)).chain
        .filter(({ kind }) => kind === 'delivery')
        .map((link) => [link.id, link.what.match(/attempt \d/)?.[0], link.because, link.setting]);
    const copy = `The fault duplicate (${fault.id}) struck this attempt.`;
    expect(await linksOf(event?.id as string)).toEqual([
      [original?.id, 'attempt 1', copy, null],
      [original?.id, 'attempt 2', copy, null],
      [original?.id, 'attempt 3', copy, null],
      [
        resent?.id,
        'attempt 1',
        expect.stringMatching(/^The lever resendEvent \(lvr_\d{12}\) sent the event again\.$/),
        null,
      ],
    ]);

    await shop.clock.advance('5s');
    const retried = (await linksOf(event?.id as string)).at(-1);
    expect(retried).toEqual([
      resent?.id,
      'attempt 2',
      expect.stringContaining('got no 2xx response'),
      expect.objectContaining({ name: 'webhook_retry_seconds' }),
    ]);
    const tested = await shop.webhooks.test(endpoint.id);
    const asked = /^The lever testWebhookEndpoint \(lvr_\d{12}\) sent the event\.$/;
    expect((await linksOf(tested.id))[0]?.[2]).toMatch(asked);
    const forged = await shop.webhooks.test(endpoint.id, { forged: true });
    const because = String((await linksOf(forged.id))[0]?.[2]);
    const wrongly = ' Its signature was wrong on purpose.';
    expect([because.replace(wrongly, ''), because]).toEqual([
      expect.stringMatching(asked),
      expect.stringContaining(wrongly),
    ]);
  });

  test('an attempt that a fault held back comes after those that overtook it', async () => {
    const shop = await sim.merchant();
    await using receiver = await openReceiver([]);
    await shop.webhooks.add(receiver.url);
    const { id } = await shop.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
    for (const event of ['contract.activated', 'session.decision_made'] as const)
      await shop.faults.add({ kind: 'reordered', event });
    await shop.faults.add({ kind: 'duplicate', event: 'session.completed' });
    await shop.sessions.complete(id, { wait: true });
    const arrived = receiver.received.map(({ body }) => JSON.parse(String(body)).type);
    expect([arrived[0], arrived.length]).toEqual(['session.completed', 4]);
    const sent = (await shop.explain(id)).chain.filter(({ kind }) => kind === 'delivery');
    expect(sent.map(({ what }) => what.split(' ')[1])).toEqual(arrived);
  });

  test('a changed setting is shown with its value at that time; a refused request with its message; a fault by its kind', async () => {
    const shop = await sim.merchant({ grace_days: 4 });
    const { reference } = await shop.contracts.create({
      status: 'active',
      installment: { number: 1, status: 'delinquent' },
    });
    await shop.settings.set({ grace_days: 9 });
    const { chain } = await shop.explain(`${reference}#1`);
    expect(chain[0]).toMatchObject({ kind: 'lever', what: 'A contract was made with its history (createContract).' });
    expect(chain.find(({ what }) => what.includes('grace period'))).toMatchObject({
      setting: { name: 'grace_days', value: 4 },
    });

    await expect(shop.v1.createSession({ order_reference: '' } as never)).rejects.toThrow();
    const [refused] = await shop.logs.list({ status: 422 });
    const alone = await shop.explain(refused?.id as string);
    expect(alone).toMatchObject({ state: 'a request that returned 422', ahead: [] });
    expect(alone.chain).toHaveLength(1);
    expect(alone.chain[0]?.because).toContain('The order reference field is required.');

    await shop.faults.add({ kind: 'late_error' });
    await expect(
      shop.v1.createSession({
        order_reference: 'F',
        total_amount: 20_000,
        return_url: 'https://shop.example/return',
        cancel_url: 'https://shop.example/cancel',
      }),
    ).rejects.toThrow();
    const [session] = await shop.sessions.list();
    const { chain: story, ahead } = await shop.explain(session?.id as string);
    expect(story[0]?.because).toContain('the fault late_error');
    const [struck] = await shop.logs.list({ status: 503 });
    expect(await shop.explain(struck?.id as string)).toMatchObject({ chain: story, ahead });
  });

  test('a request that a fault struck tells what the fault does: the status alone would mislead', async () => {
    const shop = await sim.merchant();
    await shop.faults.add({ kind: 'lost_answer' });
    await expect(shop.v1.ping()).rejects.toThrow();
    const [lost] = await shop.logs.list();
    const { state, chain } = await shop.explain(lost?.id as string);
    expect(state).toBe('a request that would have returned 200');
    expect(chain[0]).toMatchObject({ what: 'GET /v1/ping would have returned 200.' });
    expect(chain[0]?.because).toMatch(
      / the fault lost_answer \(flt_\w+\) struck\. Everything is done and committed\. The connection is closed without a response\.$/,
    );
  });

  test('a request that got no response is called so', async () => {
    const shop = await sim.merchant();
    await shop.faults.add({ kind: 'lost_request' });
    await expect(shop.v1.ping()).rejects.toThrow();
    const [lost] = await shop.logs.list();
    const { state, summary } = await shop.explain(lost?.id as string);
    expect(state).toBe('a request that got no response');
    expect(summary).toContain(`${lost?.id} is a request that got no response.`);
  });

  test('a summary tells why its own subject is as it is', async () => {
    const shop = await sim.merchant();
    const { id } = await shop.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
    const { reference } = await shop.sessions.complete(id);
    await shop.contracts.outcomes(reference, ['fail', 'fail']);
    await shop.clock.advance({ next: true });
    expect((await shop.explain(`${reference}#1`)).summary).toContain(
      `is due. Payment attempt 1 on installment 1, $40.00, failed. The contract’s outcome script said \`fail\`, arranged by lvr_`,
    );
    await shop.clock.advance({ until: `${reference}#1=past_due` });
    const { summary: ofSession } = await shop.explain(id);
    expect(ofSession).toContain(`${id} is completed. Session ${id} moved from decision_made to completed. `);
    expect(ofSession).not.toContain('past_due');
    expect((await shop.explain(`${reference}#1`)).summary).toContain('moved from due to past_due');
    expect((await shop.explain(`${reference}#2`)).summary).toMatch(
      new RegExp(`^${reference}#2 is upcoming\\. Next: installment\\.paid of ${reference}#2 at `),
    );
    expect((await shop.explain(reference)).summary).toContain('moved from due to past_due');

    await shop.contracts.cancel(reference);
    const isCancelled = `Contract ${reference} moved from active to cancelled.`;
    expect((await shop.explain(`${reference}#1`)).summary).toMatch(
      new RegExp(`is past_due\\. Installment 1 .* moved from due to past_due\\. .* ${isCancelled} `),
    );
    expect((await shop.explain(`${reference}#2`)).summary).toContain(`${reference}#2 is upcoming. ${isCancelled} `);
    expect((await shop.explain(id)).summary).not.toContain('cancelled');
  });

  test('of a retry after a fault: its receiver answered, and the response was lost', async () => {
    const shop = await sim.merchant();
    await using receiver = await openReceiver();
    await shop.webhooks.add(receiver.url, { events: ['session.cancelled'] });
    await shop.faults.add({ kind: 'lost_ack' });
    const { id } = await shop.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
    await shop.sessions.cancel(id);
    await shop.clock.advance('5s');
    const [delivery] = await shop.webhooks.deliveries();
    const { chain } = await shop.explain(delivery?.id as string);
    expect(chain.at(-1)?.because).toMatch(
      /^The response to the previous attempt was lost\. webhook_retry_seconds was /,
    );
  });

  test('what was sent again at an instant comes before what was asked for after it', async () => {
    const shop = await sim.merchant();
    await using receiver = await openReceiver();
    await shop.webhooks.add(receiver.url);
    const { id } = await shop.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
    const { reference } = await shop.sessions.complete(id, { wait: true });
    const [event] = await shop.events.list();
    await shop.events.resend(event?.id as string);
    await shop.clock.advance('0s');
    await shop.contracts.outcomes(reference, ['fail']);
    await shop.contracts.cancel(reference, { wait: true });
    const { chain } = await shop.explain(reference);
    const sent = chain.flatMap(({ sent_at: at }) => at ?? []);
    expect(sent).toEqual(sent.toSorted());
    expect(chain.filter(({ because }) => because.includes('resendEvent'))).toHaveLength(1);
  });

  test('of a delivery whose retries are used up: which attempt was the last one', async () => {
    const shop = await sim.merchant({ webhook_retry_seconds: [0, 5] });
    await using receiver = await openReceiver([500, 500, 500]);
    await shop.webhooks.add(receiver.url, { events: ['session.cancelled'] });
    const { id } = await shop.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
    await shop.sessions.cancel(id);
    await shop.clock.advance('1m');
    const [used] = await shop.webhooks.deliveries();
    const [event] = await shop.events.list();
    await shop.events.resend(event?.id as string, { url: receiver.url });
    const [once] = await shop.webhooks.deliveries();
    const over = 'No retry follows, so the delivery failed.';
    expect((await shop.explain(used?.id as string)).summary).toMatch(
      new RegExp(`is failed\\. .* attempt 2, .* got no 2xx response\\. ${over} webhook_retry_seconds was `),
    );
    const { summary, chain } = await shop.explain(once?.id as string);
    expect(summary).toMatch(new RegExp(`is failed\\. .* attempt 1, .* sent the event again\\. ${over}$`));
    expect(chain.filter(({ because }) => because.includes(over))).toHaveLength(2);
  });

  test('the end of a contract is told of its unpaid installments only, also if it never began', async () => {
    const shop = await sim.merchant();
    const { reference } = await shop.contracts.create({
      status: 'cancelled',
      installment: { number: 1, status: 'paid' },
    });
    expect((await shop.explain(`${reference}#1`)).summary).toMatch(
      /is paid\. Installment 1 of .* is paid\. It was collected\.$/,
    );
    const { id } = await shop.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
    const pending = await shop.sessions.accept(id, CUSTOMER);
    await shop.sessions.cancel(id);
    expect((await shop.explain(`${pending.reference}#1`)).summary).toBe(
      `${pending.reference}#1 is upcoming. Session ${id} moved to cancelled, and so did contract ${pending.reference}. The customer backed out. A pending contract is cancelled silently.`,
    );
  });

  test('an id that nothing has, an installment that is not there, and another account’s id are not found', async () => {
    const shop = await sim.merchant();
    const other = await sim.merchant();
    const { reference } = await shop.contracts.create({});
    for (const [who, id] of [
      [shop, 'evt_unknown'],
      [shop, `${reference}#9`],
      [shop, `${reference}#1#2`],
      [shop, 'cs_x#1'],
      [other, reference],
      [other, `${reference}#1`],
      [shop.live, reference],
    ] as const) {
      await expect(who.explain(id), id).rejects.toMatchObject({ status: 404 });
    }
  });
});

test.each(['reset', 'restore'])(
  'of a request before a %s: the request alone, even if its id is in use again',
  async (undone) => {
    const clock = { frozenAt: '2026-01-01T00:00:00Z' };
    await using seeded = await createSimulator({ clock, rateLimit: 'off', seed: 7 });
    const shop = seeded.default;
    await seeded.snapshots.save('start');
    const first = await shop.v1.createSession(order({ order_reference: 'FIRST' }));
    await shop.sessions.complete(first.id);
    await expect(shop.v1.createSession(order({ order_reference: '' }))).rejects.toThrow();
    if (undone === 'reset') await seeded.reset();
    else await seeded.snapshots.restore('start');
    const second = await shop.v1.createSession(order({ order_reference: 'SECOND' }));
    expect(second.id).toBe(first.id);
    const [latest, refused, earliest] = (await shop.logs.list()).map(({ id }) => id) as [string, string, string];

    const explained = await shop.explain(earliest);
    expect(explained).toMatchObject({
      state: 'a request that returned 201',
      chain: [
        {
          kind: 'request',
          id: earliest,
          what: 'POST /v1/sessions returned 201.',
          because:
            'The request came from a command or a test, not from the store. A later reset or restore discarded what it did.',
        },
      ],
      ahead: [],
    });
    expect(explained.chain).toHaveLength(1);
    expect((await shop.explain(refused)).chain[0]?.because).toMatch(
      /The order reference field is required\. A later reset or restore discarded what it did\.$/,
    );
    expect((await shop.explain(latest)).chain.map(({ id }) => id)).toEqual([latest, second.id]);
    const related = await caller(seeded, { ...shop.headers })('GET', `/_sim/browse/related/${second.id}`);
    expect(expectData(related).requests.map(({ id }: { id: string }) => id)).toEqual([latest]);

    await using opened = await createSimulator({ trace: await seeded.trace() });
    expect(await opened.default.explain(earliest)).toEqual(explained);
  },
);
