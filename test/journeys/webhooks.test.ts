import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSimulator, type Simulator } from '../../src/index.ts';
import { journey } from '../support/journey.ts';
import { openReceiver, type Reply } from '../support/receiver.ts';
import { expectData } from '../support/shop.ts';

let sim: Simulator;
beforeAll(async () => {
  sim = await createSimulator({ seed: 4 });
});
afterAll(() => sim.close());

const START = '2026-01-01T00:00:00Z';

/** A shop whose events go to a scripted receiver. */
async function begin(script: readonly Reply[] = [], input: object = {}, settings: object = {}) {
  const receiver = await openReceiver(script);
  const story = await journey(sim, { at: START, settings });
  const endpoint = expectData(
    await story.call('POST', '/_sim/webhook-endpoints', { url: receiver.url, ...input }),
    201,
  );
  const deliveries = async (query = '') => expectData(await story.call('GET', `/_sim/deliveries${query}`));
  const endpoints = async () => expectData(await story.call('GET', '/_sim/webhook-endpoints'));
  /** Everything that is due at this instant is sent, without moving the clock further. */
  const settle = () => story.call('POST', '/_sim/clock/advance', { by: '0s' });
  const tests = async () => expectData(await story.call('POST', `/_sim/webhook-endpoints/${endpoint.id}/test`));
  return { ...story, story, receiver, endpoint, deliveries, endpoints, settle, tests };
}

describe('decisions §6: what a receiver gets', () => {
  test('every event, in order, signed, with the bytes of the event list', async () => {
    const shop = await begin();
    await shop.story.buys();
    await shop.advances({ by: '3mo' });
    const events = expectData(await shop.call('GET', '/_sim/events')).reverse();
    expect(shop.receiver.received.map(({ body }) => JSON.parse(body))).toEqual(events);
    expect(shop.receiver.types()).toEqual([
      'session.decision_made',
      'contract.activated',
      'session.completed',
      'installment.paid',
      'installment.paid',
      'installment.paid',
      'installment.paid',
      'contract.completed',
    ]);
    const verifier = new Webhook(shop.endpoint.secret);
    for (const { body, headers } of shop.receiver.received) {
      const event = verifier.verify(body, headers as Record<string, string>) as { id: string; livemode: boolean };
      expect(headers['webhook-id']).toBe(event.id);
      expect(event.livemode).toBe(false);
    }
  });

  test('only what it subscribed to', async () => {
    const shop = await begin([], { events: ['contract.completed', 'contract.activated'] });
    await shop.story.buys();
    await shop.advances({ by: '3mo' });
    expect(shop.receiver.types()).toEqual(['contract.activated', 'contract.completed']);
  });

  test('the data is the resource as the API returns it right after', async () => {
    const shop = await begin([], { events: ['contract.cancelled'] });
    await shop.story.buys();
    const cancelled = await shop.story.isCancelled();
    await shop.settle();
    expect(JSON.parse(shop.receiver.received[0]?.body as string).data).toEqual(cancelled);
  });

  test('endpoints get an event in the order in which they were created', async () => {
    const shop = await begin();
    await using second = await openReceiver();
    await using third = await openReceiver();
    for (const { url } of [second, third]) await shop.call('POST', '/_sim/webhook-endpoints', { url });
    await shop.story.opens();
    await shop.story.accepts();
    const deliveries = (await shop.deliveries()).reverse();
    expect(deliveries.map(({ url }: { url: string }) => url)).toEqual([shop.receiver.url, second.url, third.url]);
    for (const { id } of deliveries) expect(id).toMatch(/^dlv_/);
  });

  test('two endpoints are served side by side: one that fails does not hold up the other', async () => {
    const shop = await begin([500, 500, 500]);
    await using second = await openReceiver();
    await shop.call('POST', '/_sim/webhook-endpoints', { url: second.url });
    await shop.story.buys();
    await shop.settle();
    expect(second.types()).toEqual(['session.decision_made', 'contract.activated', 'session.completed']);
  });

  test('a failed first attempt does not hold back later events', async () => {
    const shop = await begin([500]);
    await shop.story.buys();
    await shop.settle();
    expect(shop.receiver.types()).toEqual(['session.decision_made', 'contract.activated', 'session.completed']);
    await shop.advances({ by: '5s' });
    expect(shop.receiver.types().at(-1)).toBe('session.decision_made');
  });
});

describe('decisions §6: the ladder, on the account clock', () => {
  test('eight attempts at 0 s, 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h, then failed; same id, same bytes', async () => {
    const shop = await begin(Array<Reply>(8).fill(500));
    await shop.tests();
    await shop.advances({ by: '4d' });
    const [delivery] = await shop.deliveries();
    const waits = [0, 5, 300, 1800, 7200, 18000, 36000, 36000];
    const expected = waits.map((_, n) =>
      waits.slice(0, n + 1).reduce((sum, wait) => sum + wait, Date.parse(START) / 1000),
    );
    expect(delivery).toMatchObject({ status: 'failed', next_attempt_at: null });
    expect(delivery.attempts.map(({ at }: { at: string }) => Date.parse(at) / 1000)).toEqual(expected);
    expect(delivery.attempts.map(({ number }: { number: number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(new Set(shop.receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(shop.receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(shop.receiver.received).toHaveLength(8);
  });

  test('it stops at the first 2xx', async () => {
    const shop = await begin([500, 302, 201]);
    await shop.tests();
    await shop.advances({ by: '4d' });
    expect((await shop.deliveries())[0]).toMatchObject({ status: 'delivered' });
    expect(shop.receiver.received).toHaveLength(3);
  });

  test('`next` travels to a retry, and the clock says what is due', async () => {
    const shop = await begin([500]);
    await shop.tests();
    const at = '2026-01-01T00:00:05.000000Z';
    const [{ id }] = await shop.deliveries();
    const clock = async () => expectData(await shop.call('GET', '/_sim/clock'));
    expect(await clock()).toMatchObject({ next_due: { at, type: 'webhook.attempt', subject: id } });
    expect((await shop.advances({ next: true })).now).toBe(at);
    expect((await shop.deliveries())[0].status).toBe('delivered');
    expect(await clock()).toMatchObject({ next_due: null });
  });

  const asks = (status: number, retryAfter: string) => (response: Parameters<Extract<Reply, CallableFunction>>[0]) =>
    void response.writeHead(status, { 'retry-after': retryAfter }).end();

  test.each([
    [429, '60', '2026-01-01T00:01:00.000000Z'],
    [503, '60', '2026-01-01T00:01:00.000000Z'],
    [503, '1', '2026-01-01T00:00:05.000000Z'],
    [503, '999999', '2026-01-02T00:00:00.000000Z'],
    [503, '9999999999', '2026-01-02T00:00:00.000000Z'],
    [429, '9'.repeat(30), '2026-01-02T00:00:00.000000Z'],
    [500, '60', '2026-01-01T00:00:05.000000Z'],
    [429, 'soon', '2026-01-01T00:00:05.000000Z'],
  ])('after %i with Retry-After %s the next attempt is at %s', async (status, retryAfter, at) => {
    const shop = await begin([asks(status, retryAfter)]);
    expect(await shop.tests()).toMatchObject({ status: 'pending', next_attempt_at: at });
  });

  test('a date in Retry-After is of the receiver’s clock: it counts from the real time of the attempt', async () => {
    const shop = await begin([asks(503, new Date(Date.now() + 3_600_000).toUTCString())]);
    const waitMs = Date.parse((await shop.tests()).next_attempt_at) - Date.parse('2026-01-01T00:00:00Z');
    // Some of the hour passes before the attempt is sent.
    expect(Math.abs(waitMs - 3_600_000)).toBeLessThan(60_000);
  });

  test('webhook_retry_seconds is the account’s own', async () => {
    const shop = await begin([500, 500, 500], {}, { webhook_retry_seconds: [0, 60] });
    await shop.tests();
    await shop.advances({ by: '1d' });
    expect(shop.receiver.received).toHaveLength(2);
    expect((await shop.deliveries())[0].status).toBe('failed');
  });
});

describe('decisions §6: disabling', () => {
  /** One attempt a delivery, so that a script of answers is one of deliveries. */
  const ONCE = { webhook_retry_seconds: [0] };

  test('410 disables the endpoint immediately, ends what is pending, and the merchant gets an email', async () => {
    const shop = await begin([500, 410]);
    await shop.story.buys();
    await shop.settle();
    expect(await shop.endpoints()).toMatchObject([{ enabled: false, disabled_reason: 'it answered 410 Gone' }]);
    expect(await shop.deliveries('?status=pending')).toEqual([]);
    const [email] = expectData(await shop.call('GET', '/_sim/emails?to=shop@example.com'));
    expect(email).toMatchObject({
      template: 'endpoint_disabled',
      subject: '[Sandbox] A webhook endpoint was disabled',
    });
    expect(email.text).toContain(shop.receiver.url);
  });

  test('failures for five days disable; what happens meanwhile makes no delivery; enabling and resending catches up', async () => {
    const shop = await begin(Array<Reply>(100).fill(500), {}, { webhook_retry_seconds: Array(20).fill(86_400) });
    await shop.story.opens();
    await shop.story.accepts();
    await shop.advances({ by: '5d' });
    expect((await shop.endpoints())[0].enabled).toBe(true);
    await shop.advances({ by: '1d' });
    expect(await shop.endpoints()).toMatchObject([{ enabled: false, disabled_reason: 'failing for 5 days' }]);
    const before = (await shop.deliveries()).length;
    await shop.story.pays();
    await shop.settle();
    expect(await shop.deliveries()).toHaveLength(before);

    shop.receiver.script();
    const enabled = await shop.call('PATCH', `/_sim/webhook-endpoints/${shop.endpoint.id}`, { enabled: true });
    expect(expectData(enabled)).toMatchObject({ enabled: true, disabled_reason: null });
    const [event] = expectData(await shop.call('GET', '/_sim/events'));
    const [resent] = expectData(await shop.call('POST', `/_sim/events/${event.id}/resend`, {}));
    expect(resent).toMatchObject({ event_id: event.id, endpoint_id: shop.endpoint.id });
    expect(JSON.parse(shop.receiver.received.at(-1)?.body as string)).toEqual(event);
  });

  test('a success restarts the five days', async () => {
    const shop = await begin([500, 200, 500, 200]);
    await shop.tests();
    await shop.advances({ by: '6d' });
    await shop.tests();
    await shop.advances({ by: '6d' });
    expect((await shop.endpoints())[0].enabled).toBe(true);
  });

  test('enabling restarts the five days', async () => {
    const shop = await begin([500, 500], {}, ONCE);
    const change = (body: object) => shop.call('PATCH', `/_sim/webhook-endpoints/${shop.endpoint.id}`, body);
    await shop.tests();
    await change({ enabled: false });
    await shop.advances({ by: '6d' });
    await change({ enabled: true });
    await shop.tests();
    expect(shop.receiver.received).toHaveLength(2);
    expect((await shop.endpoints())[0].enabled).toBe(true);
  });

  test('the response to a forged event neither begins nor ends the five days, nor does its 410 disable', async () => {
    const shop = await begin([400, 400, 410, 500, 200, 500], {}, ONCE);
    const forges = () => shop.call('POST', `/_sim/webhook-endpoints/${shop.endpoint.id}/test`, { forged: true });
    await forges();
    await shop.advances({ by: '6d' });
    await forges();
    await forges();
    expect((await shop.endpoints())[0].enabled).toBe(true);

    await shop.tests();
    await forges();
    await shop.advances({ by: '6d' });
    await shop.tests();
    expect(shop.receiver.received).toHaveLength(6);
    expect(await shop.endpoints()).toMatchObject([{ enabled: false, disabled_reason: 'failing for 5 days' }]);
  });
});

describe('decisions §6: secrets', () => {
  test('after a rotation two signatures for 24 h of the account clock, then one', async () => {
    const shop = await begin();
    const rotated = expectData(await shop.call('POST', `/_sim/webhook-endpoints/${shop.endpoint.id}/rotate`));
    expect(rotated.secret).not.toBe(shop.endpoint.secret);
    const signaturesOf = () => String(shop.receiver.received.at(-1)?.headers['webhook-signature']).split(' ').length;
    await shop.tests();
    expect(signaturesOf()).toBe(2);
    const { body, headers } = shop.receiver.received[0] as (typeof shop.receiver.received)[0];
    for (const secret of [rotated.secret, shop.endpoint.secret]) {
      new Webhook(secret).verify(body, headers as Record<string, string>);
    }
    // The secret of the first rotation signs for 24 h of its own.
    await shop.advances({ by: '12h' });
    const path = `/_sim/webhook-endpoints/${shop.endpoint.id}`;
    expectData(await shop.call('POST', `${path}/rotate`));
    for (const enabled of [false, true]) expectData(await shop.call('PATCH', path, { enabled }));
    for (const [by, signatures] of [
      ['23h', 2],
      ['1h', 1],
    ] as const) {
      await shop.advances({ by });
      await shop.tests();
      expect(signaturesOf()).toBe(signatures);
    }
  });

  test('each rotation gives a new secret, however often at one instant; the two newest sign', async () => {
    const shop = await begin();
    const rotate = async () =>
      expectData(await shop.call('POST', `/_sim/webhook-endpoints/${shop.endpoint.id}/rotate`)).secret as string;
    const secrets = [shop.endpoint.secret as string];
    for (let round = 0; round < 5; round += 1) secrets.push(await rotate());
    expect(new Set(secrets).size).toBe(6);
    await shop.tests();
    const { body, headers } = shop.receiver.received[0] as (typeof shop.receiver.received)[0];
    const verifies = (secret: string) => {
      try {
        return new Webhook(secret).verify(body, headers as Record<string, string>) !== null;
      } catch {
        return false;
      }
    };
    expect(secrets.map(verifies)).toEqual([false, false, false, false, true, true]);
  });

  test('secrets are shown on creation and rotation only', async () => {
    const shop = await begin();
    expect(shop.endpoint.secret).toMatch(/^whsec_/);
    expect((await shop.endpoints())[0]).not.toHaveProperty('secret');
  });
});

describe('interface §3: sending again', () => {
  test('to a URL that is not an endpoint: once, same id and bytes, signed with the account’s secret', async () => {
    const shop = await begin();
    await shop.tests();
    await using elsewhere = await openReceiver([500]);
    const [event] = expectData(await shop.call('GET', '/_sim/events'));
    const answer = expectData(await shop.call('POST', `/_sim/events/${event.id}/resend`, { url: elsewhere.url }));
    expect(answer).toMatchObject([{ endpoint_id: null, url: elsewhere.url, status: 'failed' }]);
    expect(elsewhere.received[0]?.body).toBe(shop.receiver.received[0]?.body);
    expect(elsewhere.received[0]?.headers['webhook-id']).toBe(event.id);
  });

  test('a test event goes to the endpoint that it was made for, whatever the others subscribe to', async () => {
    const shop = await begin();
    await using other = await openReceiver();
    expectData(await shop.call('POST', '/_sim/webhook-endpoints', { url: other.url }), 201);
    const input = { url: shop.receiver.url, events: ['contract.cancelled'] };
    const { id } = expectData(await shop.call('POST', '/_sim/webhook-endpoints', input), 201);
    const { event_id: event } = expectData(await shop.call('POST', `/_sim/webhook-endpoints/${id}/test`));
    const resent = expectData(await shop.call('POST', `/_sim/events/${event}/resend`, {}));
    expect(resent).toMatchObject([{ endpoint_id: id, status: 'delivered' }]);
    expect(other.received).toEqual([]);
  });

  test('an unknown event is 404, an unknown or disabled endpoint is refused, both targets at once too', async () => {
    const shop = await begin();
    await shop.tests();
    const [event] = expectData(await shop.call('GET', '/_sim/events'));
    const resend = (id: string, body: object) => shop.call('POST', `/_sim/events/${id}/resend`, body);
    expect((await resend('evt_nothing', {})).status).toBe(404);
    expect((await resend(event.id, { endpoint_id: 'we_nothing' })).status).toBe(404);
    expect((await resend(event.id, { endpoint_id: shop.endpoint.id, url: shop.receiver.url })).status).toBe(422);
    await shop.call('PATCH', `/_sim/webhook-endpoints/${shop.endpoint.id}`, { enabled: false });
    const enabling = `\`layaway webhooks enable ${shop.endpoint.id}\``;
    const message = `This webhook endpoint is disabled. Enable it first: ${enabling}.`;
    const disabled = { status: 409, body: { message } };
    expect(await resend(event.id, { endpoint_id: shop.endpoint.id })).toMatchObject(disabled);
    expect(await shop.call('POST', `/_sim/webhook-endpoints/${shop.endpoint.id}/test`)).toMatchObject(disabled);
    expect(expectData(await resend(event.id, {}))).toEqual([]);
    expect(await shop.deliveries()).toHaveLength(1);
  });
});

describe('interface §3: endpoints', () => {
  test('a delivery goes on naming the endpoint that it went to after that was removed', async () => {
    const shop = await begin();
    await shop.tests();
    expect((await shop.call('DELETE', `/_sim/webhook-endpoints/${shop.endpoint.id}`)).status).toBe(204);
    expect(await shop.deliveries()).toMatchObject([{ endpoint_id: shop.endpoint.id, status: 'delivered' }]);
  });

  test('a URL of another scheme is refused with those that there are', async () => {
    const story = await journey(sim, { at: START });
    const { status, body } = await story.call('POST', '/_sim/webhook-endpoints', { url: 'ftp://example.com/' });
    const message = 'The url field must start with one of the following: http://, https://.';
    expect([status, body]).toEqual([422, { message, errors: { url: [message] } }]);
  });

  test.each([
    ['http://localhost:9/grüße?a b', ' Write it as http://localhost:9/gr%C3%BC%C3%9Fe?a%20b'],
    ['https://müller.example/', ' Write it as https://xn--mller-kva.example/'],
    ['localhost:3000', ''],
    ['shop', ''],
  ])('a URL that is not written out, %j, is refused with how to write it', async (url, advice) => {
    const story = await journey(sim, { at: START });
    const { status, body } = await story.call('POST', '/_sim/webhook-endpoints', { url });
    expect([status, body.message]).toEqual([422, `The url field must be a valid URL.${advice}`]);
  });

  test('a URL whose user name or password cannot be sent is refused', async () => {
    const story = await journey(sim, { at: START });
    const open = (url: string) => story.call('POST', '/_sim/webhook-endpoints', { url });
    const message = 'The url field must have a user name and a password whose percent escapes are UTF-8.';
    for (const url of ['http://a%ff:b@localhost:1/', 'https://a:%c3@localhost:1/', 'http://%c3:%a4@localhost:1/']) {
      const { status, body } = await open(url);
      expect([status, body], url).toEqual([422, { message, errors: { url: [message] } }]);
    }
    expect((await open('http://%c3%a4:b@localhost:1/%ff')).status).toBe(201);
  });

  test.each([
    [{ url: 'javascript:alert(1)' }, 'url'],
    [{ url: 'localhost:3000' }, 'url'],
    [{}, 'url'],
    [{ url: 'http://localhost:1/', events: ['contract.exploded'] }, 'events.0'],
    [{ url: 'http://localhost:1/', events: [] }, 'events'],
    [{ url: 'http://localhost:1/', secret: 'hunter2' }, 'secret'],
    [{ url: 'http://localhost:1/', colour: 'red' }, 'colour'],
  ])('%o is refused at %s', async (input, field) => {
    const story = await journey(sim, { at: START });
    const answer = await story.call('POST', '/_sim/webhook-endpoints', input);
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body.errors)).toEqual([field]);
  });

  test('an event type that is given twice is stored once', async () => {
    const shop = await begin([], { events: ['session.expired', 'webhook.test', 'session.expired'] });
    expect(shop.endpoint.events).toEqual(['session.expired', 'webhook.test']);
    const path = `/_sim/webhook-endpoints/${shop.endpoint.id}`;
    const changed = await shop.call('PATCH', path, { events: ['webhook.test', 'webhook.test'] });
    expect(expectData(changed).events).toEqual(['webhook.test']);
  });

  test('a removed endpoint gets nothing more, and is gone', async () => {
    const shop = await begin([500]);
    await shop.tests();
    expect((await shop.call('DELETE', `/_sim/webhook-endpoints/${shop.endpoint.id}`)).status).toBe(204);
    await shop.advances({ by: '1d' });
    expect(shop.receiver.received).toHaveLength(1);
    expect(await shop.endpoints()).toEqual([]);
    expect((await shop.deliveries())[0]).toMatchObject({ status: 'failed', endpoint_id: shop.endpoint.id });
  });

  test('a new URL takes over what is still owed', async () => {
    const shop = await begin([500]);
    await shop.tests();
    await using moved = await openReceiver();
    await shop.call('PATCH', `/_sim/webhook-endpoints/${shop.endpoint.id}`, { url: moved.url });
    await shop.advances({ by: '5s' });
    expect(moved.received).toHaveLength(1);
  });

  test('accounts do not see each other’s endpoints', async () => {
    const shop = await begin();
    const other = await journey(sim, { at: START });
    expect((await other.call('DELETE', `/_sim/webhook-endpoints/${shop.endpoint.id}`)).status).toBe(404);
  });
});

test('interface §13: only an endpoint that says so takes a certificate that nobody knows', async () => {
  const story = await journey(sim, { at: START });
  await using receiver = await openReceiver([], { https: true });
  const sent = async (input: object) => {
    const endpoint = expectData(
      await story.call('POST', '/_sim/webhook-endpoints', { url: receiver.url, ...input }),
      201,
    );
    return expectData(await story.call('POST', `/_sim/webhook-endpoints/${endpoint.id}/test`));
  };
  expect(await sent({ insecure: true })).toMatchObject({ status: 'delivered' });
  const refused = { status_code: null, error: expect.stringMatching(/certificate/) };
  expect(await sent({})).toMatchObject({ status: 'pending', attempts: [refused] });
  const [event] = expectData(await story.call('GET', '/_sim/events'));
  const [resent] = expectData(await story.call('POST', `/_sim/events/${event.id}/resend`, { url: receiver.url }));
  expect(resent).toMatchObject({ status: 'failed', attempts: [refused] });
  expect(receiver.received).toHaveLength(1);
});

test('§4.8: fifty concurrent cancels give one contract.cancelled and two emails', async () => {
  const shop = await begin([], { events: ['contract.cancelled'] });
  await shop.story.buys();
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => shop.call('POST', `/v1/contracts/${shop.reference()}/cancel`)),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  await shop.settle();
  expect(shop.receiver.types()).toEqual(['contract.cancelled']);
  const emails = expectData(await shop.call('GET', `/_sim/emails?reference=${shop.reference()}`));
  const cancels = emails.filter(({ template }: { template: string }) => template.startsWith('plan_cancelled'));
  expect(cancels.map(({ to }: { to: string }) => to).sort()).toEqual(['ada@example.com', 'shop@example.com']);
});
