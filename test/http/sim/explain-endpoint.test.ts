import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { disabledFor } from '../../../src/domain/webhook.ts';
import { createSimulator, type SandboxShop, type Simulator } from '../../../src/index.ts';
import { PLACEHOLDER } from '../../support/placeholders.ts';
import { openReceiver } from '../../support/receiver.ts';
import { buy, caller, manualTime } from '../../support/shop.ts';

let sim: Simulator;
let shop: SandboxShop;
beforeAll(async () => {
  sim = await createSimulator({ clock: { frozenAt: '2026-01-01T00:00:00Z' }, rateLimit: 'off' });
});
afterAll(() => sim.close());

const change = (id: string, changes: object) =>
  caller(sim, { ...shop.headers })('PATCH', `/_sim/webhook-endpoints/${id}`, changes);

const EVENTS = ['contract.activated'] as const;

/** The kind of each link and what it tells, without the ids and the URL. */
const toldOf = ({ chain }: Awaited<ReturnType<SandboxShop['explain']>>, url: string) =>
  chain.map(({ kind, what }) => `${kind}: ${what.replaceAll(url, 'URL').replace(/ dlv_\w+/, '')}`);

describe('interface §11: a webhook endpoint', () => {
  it('was added, has succeeded, and has nothing ahead', async () => {
    shop = await sim.merchant();
    await using receiver = await openReceiver([204]);
    const { id } = await shop.webhooks.add(receiver.url, { events: [...EVENTS] });
    await buy(shop);
    await shop.clock.advance('0s');
    const explained = await shop.explain(id);
    expect(toldOf(explained, receiver.url)).toEqual([
      'lever: A webhook endpoint was added (createWebhookEndpoint).',
      'transition: Webhook endpoint URL was enabled.',
      'delivery: Delivery, attempt 1, was sent to URL: 204.',
    ]);
    expect(explained).toMatchObject({ subject: id, state: 'enabled', ahead: [] });
    expect(explained.summary).toMatch(new RegExp(`^${id} is enabled\\. Delivery .+: 204\\. It succeeded\\.$`));
    const [delivery] = await shop.webhooks.deliveries();
    expect(explained.chain.map((link) => link.id)).toEqual([expect.stringMatching(/^lvr_/), id, delivery?.id]);
  });

  it('has the URL that it had then', async () => {
    shop = await sim.merchant();
    const [before, after] = ['http://127.0.0.1:9/before', 'http://127.0.0.1:9/after'];
    const { id } = await shop.webhooks.add(before);
    for (const changes of [{ enabled: false }, { url: after }, { enabled: true }]) await change(id, changes);
    const { chain } = await shop.explain(id);
    expect(chain.filter(({ kind }) => kind === 'transition').map(({ what, because }) => [what, because])).toEqual([
      [`Webhook endpoint ${before} was enabled.`, 'A new endpoint is enabled.'],
      [
        `Webhook endpoint ${before} was disabled by hand.`,
        'A lever of the simulator did this. Its pending deliveries failed, and events that happen while it is disabled are not sent to it.',
      ],
      [
        `Webhook endpoint ${after} was enabled.`,
        'Failures are counted from here. Events recorded while it was disabled are sent only if you resend them.',
      ],
    ]);
    // A lever comes with its real time, in order.
    const sent = chain.flatMap(({ kind, sent_at }) => (kind === 'lever' ? String(sent_at) : []));
    expect(sent).toEqual(sent.toSorted());
    expect(sent.filter((at) => /^\d{4}-/.test(at))).toHaveLength(4);
  });

  it('that was removed is refused with what to explain instead', async () => {
    shop = await sim.merchant();
    const { id } = await shop.webhooks.add('http://127.0.0.1:9/');
    await shop.webhooks.remove(id);
    const refusalOf = ({ headers }: SandboxShop) => caller(sim, { ...headers })('GET', `/_sim/explain/${id}`);
    expect(await refusalOf(shop)).toMatchObject({
      status: 404,
      body: {
        message: `The webhook endpoint ${id} was removed at 2026-01-01 00:00:00 UTC. Instead, explain one of its deliveries.`,
      },
    });
    const { body } = await refusalOf(await sim.merchant());
    expect(body.message).toMatch(/^Id not found\. /);
  });

  it('is the story of an email about it, also after it got another URL', async () => {
    shop = await sim.merchant();
    await using receiver = await openReceiver([410]);
    const { id } = await shop.webhooks.add(receiver.url);
    await shop.webhooks.test(id);
    const [email] = await shop.emails.list({ to: 'merchant@example.com' });
    await change(id, { url: 'http://127.0.0.1:9/after' });
    expect((await shop.explain(String(email?.id))).chain).toEqual((await shop.explain(id)).chain);
  });

  it('is failing: since when, and when a failure will disable it', async () => {
    shop = await sim.merchant({ webhook_disable_days: 2 });
    await using receiver = await openReceiver([204, 500, 503, 500]);
    const { id } = await shop.webhooks.add(receiver.url, { events: [...EVENTS] });
    await buy(shop);
    await shop.clock.advance('1h');
    await buy(shop);
    await shop.clock.advance('5s');
    const { summary, chain, ahead } = await shop.explain(id);
    expect(summary).toContain('The endpoint has been failing since 2026-01-01 01:00:00 UTC. Next: attempt 3 of');
    expect(chain.slice(2).map(({ at, because }) => [at.slice(11, 19), because])).toEqual([
      ['01:00:00', 'It failed, and the endpoint counts as failing from here until an attempt succeeds.'],
      ['01:00:05', 'It failed. The endpoint has been failing since 2026-01-01 01:00:00 UTC.'],
    ]);
    expect(ahead).toMatchObject([
      { at: '2026-01-01T01:05:05.000000Z', what: expect.stringMatching(/^attempt 3 of the delivery dlv_/) },
      {
        at: '2026-01-03T01:00:00.000000Z',
        what: `any failed attempt disables the webhook endpoint ${receiver.url}`,
        unless: 'an attempt succeeds first',
      },
    ]);

    // With no attempt left, the next failure is one of an event to come.
    await shop.assumptions.set({ webhook_retry_seconds: [0, 5] });
    const { now } = await shop.clock.advance('3d');
    expect((await shop.explain(id)).ahead).toMatchObject([
      { at: now, what: `any failed attempt disables the webhook endpoint ${receiver.url}` },
    ]);
  });

  it('attempts within one millisecond of a frozen clock are told in the order in which they were made', async () => {
    await using still = await createSimulator({ clock: { frozenAt: '2026-01-01T00:00:00Z' }, time: manualTime() });
    await using receiver = await openReceiver([500, 204]);
    const { id } = await still.default.webhooks.add(receiver.url, { events: [...EVENTS] });
    await buy(still.default);
    await buy(still.default);
    await still.default.clock.advance('0s');
    const { chain } = await still.default.explain(id);
    expect(chain.slice(2).map(({ because }) => because)).toEqual([
      'It failed, and the endpoint counts as failing from here until an attempt succeeds.',
      'It succeeded, so the endpoint no longer counts as failing.',
    ]);
  });

  it('so is a copy that came after the attempt of a later delivery', async () => {
    await using still = await createSimulator({ clock: { frozenAt: '2026-01-01T00:00:00Z' }, time: manualTime() });
    const { default: shop } = still;
    await using receiver = await openReceiver([204, 500, 204]);
    await shop.assumptions.set({ webhook_retry_seconds: [5, 60] });
    const { id } = await shop.webhooks.add(receiver.url, { events: [...EVENTS] });
    await shop.faults.add({ kind: 'duplicate' });
    await buy(shop);
    await buy(shop);
    // Both are due since then, and the copy from now on.
    await shop.clock.advance('30s', { wait: false });
    await shop.clock.advance('0s');
    const { chain, ahead } = await shop.explain(id);
    expect(receiver.received).toHaveLength(3);
    expect(chain.slice(2).map(({ what }) => what.split(', ')[1])).toEqual(['attempt 1', 'attempt 2']);
    expect(chain.at(-1)?.because).toMatch(
      /^The fault duplicate \(flt_\w+\) struck this attempt\. It succeeded, so the endpoint no longer counts as failing\.$/,
    );
    expect(ahead.map(({ what }) => what)).toEqual([expect.stringMatching(/^attempt 2 of the delivery/)]);
  });

  it('recovered: the attempts that turned it', async () => {
    shop = await sim.merchant();
    await using receiver = await openReceiver([500, 500, 204, 204]);
    const { id } = await shop.webhooks.add(receiver.url, { events: [...EVENTS] });
    await buy(shop);
    await shop.clock.advance('1h');
    await buy(shop);
    await shop.clock.advance('1h');
    const { chain, ahead } = await shop.explain(id);
    expect(chain.slice(2).map(({ because }) => because)).toEqual([
      'It failed, and the endpoint counts as failing from here until an attempt succeeds.',
      'It succeeded, so the endpoint no longer counts as failing.',
      'It succeeded.',
    ]);
    expect(ahead).toEqual([]);
  });

  it('is failing for several events at one instant: their retries are ahead in the order in which they come', async () => {
    shop = await sim.merchant();
    await using receiver = await openReceiver([500, 500, 500]);
    const { id } = await shop.webhooks.add(receiver.url);
    await buy(shop);
    await shop.clock.advance('0s');
    const { summary, ahead } = await shop.explain(id);
    const ids = ahead.flatMap(({ what }) => what.match(/dlv_\w+/) ?? []);
    expect(summary).toContain(`Next: attempt 2 of the delivery ${ids[0]} `);
    await shop.clock.advance('5s');
    const sent = receiver.received.slice(3).map(({ headers }) => headers['webhook-id']);
    const deliveries = await shop.webhooks.deliveries();
    expect(ids.map((each) => deliveries.find((delivery) => delivery.id === each)?.event_id)).toEqual(sent);
    expect(sent).toHaveLength(3);
  });

  it('recovered, with retries ahead: the earliest comes next', async () => {
    shop = await sim.merchant({ webhook_retry_seconds: [0, 5] });
    await using receiver = await openReceiver([500, 500, 204]);
    const { id } = await shop.webhooks.add(receiver.url, { events: [...EVENTS] });
    for (const webhook_retry_seconds of [[0, 5], [0, 300], [0]]) {
      await shop.assumptions.set({ webhook_retry_seconds });
      await buy(shop);
      await shop.clock.advance('0s');
    }
    const { summary, ahead } = await shop.explain(id);
    expect(ahead.map(({ at }) => at.slice(11, 19))).toEqual(['00:00:05', '00:05:00']);
    expect(summary).toContain(`Next: ${ahead[0]?.what} at 2026-01-01 00:00:05 UTC`);
  });

  it('that refused a forged event, which counts for nothing', async () => {
    shop = await sim.merchant();
    await using receiver = await openReceiver([401]);
    const { id } = await shop.webhooks.add(receiver.url);
    await shop.webhooks.test(id, { forged: true });
    expect((await shop.explain(id)).chain).toHaveLength(2);
  });

  it('that answered 410, and was enabled again', async () => {
    shop = await sim.merchant();
    await using receiver = await openReceiver([410, 204]);
    const { id } = await shop.webhooks.add(receiver.url, { events: [...EVENTS] });
    await buy(shop);
    await shop.clock.advance('0s');
    const disabled = await shop.explain(id);
    expect(disabled.state).toBe('disabled');
    expect(toldOf(disabled, receiver.url).slice(2)).toEqual([
      'delivery: Delivery, attempt 1, was sent to URL: 410.',
      'transition: Webhook endpoint URL was disabled: it answered 410 Gone.',
      'email: Email endpoint_disabled was written to merchant@example.com.',
    ]);
    expect(disabled.summary).toContain('A receiver that returns 410 wants no more deliveries.');
    const [email] = await shop.emails.list({ to: 'merchant@example.com' });
    expect(disabled.chain.at(-1)).toMatchObject({ id: email?.id, section: 'decisions §7' });
    // The email is part of that story, also beside another endpoint with that URL.
    await shop.webhooks.add(receiver.url, { events: ['contract.cancelled'] });
    expect(await shop.explain(email?.id ?? '')).toMatchObject({
      subject: email?.id,
      state: 'an email, endpoint_disabled',
      chain: disabled.chain,
    });

    await change(id, { enabled: true });
    await buy(shop);
    await shop.clock.advance('0s');
    const enabled = await shop.explain(id);
    expect(enabled.state).toBe('enabled');
    expect(toldOf(enabled, receiver.url).slice(5)).toEqual([
      'lever: The endpoint was changed: enabled (updateWebhookEndpoint).',
      'transition: Webhook endpoint URL was enabled.',
      'delivery: Delivery, attempt 1, was sent to URL: 204.',
    ]);
  });

  it('that answered 410, was enabled and failed again, all at one instant: each email is told once', async () => {
    shop = await sim.merchant();
    await using receiver = await openReceiver([410, 500, 410]);
    const { id } = await shop.webhooks.add(receiver.url, { events: [...EVENTS] });
    await shop.webhooks.test(id);
    await change(id, { enabled: true });
    await shop.webhooks.test(id);
    const failing = await shop.explain(id);
    expect(failing.summary).toMatch(new RegExp(`^${id} is enabled\\. Delivery .+: 500\\. It failed, and`));
    const untilFailing = [
      'delivery: Delivery, attempt 1, was sent to URL: 410.',
      'transition: Webhook endpoint URL was disabled: it answered 410 Gone.',
      'email: Email endpoint_disabled was written to merchant@example.com.',
      'lever: The endpoint was changed: enabled (updateWebhookEndpoint).',
      'transition: Webhook endpoint URL was enabled.',
      'delivery: Delivery, attempt 1, was sent to URL: 500.',
    ];
    expect(toldOf(failing, receiver.url).slice(2)).toEqual(untilFailing);
    await shop.webhooks.test(id);
    const emails = await shop.emails.list({ to: 'merchant@example.com' });
    const again = await shop.explain(id);
    expect(toldOf(again, receiver.url).slice(2)).toEqual([...untilFailing, ...untilFailing.slice(0, 3)]);
    expect(again.chain.filter(({ kind }) => kind === 'email').map((link) => link.id)).toEqual(
      emails.map((email) => email.id).toReversed(),
    );
  });

  it('that failed for too long: the setting of that time', async () => {
    shop = await sim.merchant({ webhook_disable_days: 1 });
    await using receiver = await openReceiver(Array(9).fill(500));
    const { id } = await shop.webhooks.add(receiver.url, { events: [...EVENTS] });
    await buy(shop);
    await shop.clock.advance('3d');
    await shop.assumptions.set({ webhook_disable_days: 9 });
    const { state, chain } = await shop.explain(id);
    expect(state).toBe('disabled');
    expect(chain.find(({ setting }) => setting)).toMatchObject({
      kind: 'transition',
      what: `Webhook endpoint ${receiver.url} was disabled: failing for 1 day.`,
      because: expect.stringMatching(/^No attempt had succeeded for that long\. webhook_disable_days was 1, set for/),
      section: 'decisions §6',
      setting: { name: 'webhook_disable_days', value: 1 },
    });
  });

  it('that failed for too long: the setting of that time, also if it changes at the same instant', async () => {
    shop = await sim.merchant({ webhook_disable_days: 2, webhook_retry_seconds: [0, 60] });
    await using receiver = await openReceiver(Array(9).fill(500));
    const { id } = await shop.webhooks.add(receiver.url);
    await shop.webhooks.test(id);
    await shop.clock.advance('3d');
    await shop.webhooks.test(id);
    await shop.assumptions.set({ webhook_disable_days: 9 });
    const { chain } = await shop.explain(id);
    expect(chain.find(({ setting }) => setting)).toMatchObject({
      what: `Webhook endpoint ${receiver.url} was disabled: failing for 2 days.`,
      setting: { name: 'webhook_disable_days', value: 2 },
    });
  });

  it('that fails beside one with the same URL, which is disabled at the same instant, is not', async () => {
    shop = await sim.merchant({ webhook_disable_days: 2, webhook_retry_seconds: [0, 60] });
    await using receiver = await openReceiver(Array(9).fill(500));
    const first = await shop.webhooks.add(receiver.url);
    await shop.webhooks.test(first.id);
    await shop.clock.advance('3d');
    const second = await shop.webhooks.add(receiver.url);
    await shop.webhooks.test(second.id);
    await shop.webhooks.test(first.id);
    expect((await shop.explain(first.id)).chain.map(({ kind }) => kind).slice(-2)).toEqual(['transition', 'email']);
    const { state, chain } = await shop.explain(second.id);
    expect(state).toBe('enabled');
    expect(chain.map(({ kind }) => kind)).toEqual(['lever', 'transition', 'delivery']);
  });

  it('that belongs to the start of the server', async () => {
    await using own = await createSimulator({ forwardTo: ['http://127.0.0.1:9/webhooks'] });
    const [endpoint] = await own.default.webhooks.list();
    const { chain } = await own.default.explain(String(endpoint?.id));
    expect(chain).toMatchObject([
      { kind: 'lever', what: 'It belongs to the initial state of the server.', id: null },
      { kind: 'transition', because: 'A new endpoint is enabled.', id: endpoint?.id },
    ]);
  });

  it('that was changed and disabled by hand, and is told apart from another one', async () => {
    shop = await sim.merchant();
    await using receiver = await openReceiver([410]);
    const other = await shop.webhooks.add(receiver.url, { events: [...EVENTS] });
    const { id } = await shop.webhooks.add(`${receiver.url}new`);
    await shop.webhooks.rotate(id);
    await change(id, { events: ['session.completed'], enabled: false });
    await buy(shop);
    await shop.clock.advance('0s');
    expect(toldOf(await shop.explain(id), receiver.url)).toEqual([
      'lever: A webhook endpoint was added (createWebhookEndpoint).',
      'transition: Webhook endpoint URLnew was enabled.',
      'lever: The signing secret of the endpoint was rotated (rotateWebhookSecret).',
      'lever: The endpoint was changed: events, disabled (updateWebhookEndpoint).',
      'transition: Webhook endpoint URLnew was disabled by hand.',
    ]);
    expect((await shop.explain(other.id)).chain.filter(({ kind }) => kind === 'lever')).toHaveLength(1);
  });

  it('over random stories: its last change is its state, in order, and nothing is unrecorded', async () => {
    const step = fc.oneof(
      fc.constantFrom(200, 500, 410).map((status) => ({ status })),
      fc.boolean().map((enabled) => ({ enabled })),
      fc.constantFrom('0s', '1h', '1d').map((by) => ({ by })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        shop = await sim.merchant({ webhook_disable_days: 1 });
        await using receiver = await openReceiver();
        const { id } = await shop.webhooks.add(receiver.url, { events: [...EVENTS] });
        for (const each of steps) {
          if ('enabled' in each) await change(id, each);
          else if ('by' in each) await shop.clock.advance(each.by);
          else {
            // The rest of its attempts, too.
            receiver.script(...Array(9).fill(each.status));
            await buy(shop);
            await shop.clock.advance('0s');
          }
        }
        const [endpoint] = await shop.webhooks.list();
        const { state, chain } = await shop.explain(id);
        expect(state).toBe(endpoint?.enabled ? 'enabled' : 'disabled');
        const last = chain.findLast(({ kind }) => kind === 'transition');
        expect(last?.what).toContain(
          endpoint?.enabled ? 'was enabled.' : ` was ${disabledFor(String(endpoint?.disabled_reason))}.`,
        );
        const instants = chain.map(({ at }) => at);
        expect(instants).toEqual(instants.toSorted());
        for (const { what, because } of chain) {
          expect(`${what} ${because}`).not.toMatch(PLACEHOLDER);
          expect(because).not.toMatch(/not recorded/);
        }
      }),
      { numRuns: 25 },
    );
  });
});
