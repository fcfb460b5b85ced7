import { describe, expect, test } from 'vitest';
import { ACCOUNT_DEFAULTS } from '../../../src/domain/assumptions.ts';
import { DAY, HOUR } from '../../../src/domain/calendar.ts';
import { type EndpointStory, endpointAhead, endpointChain } from '../../../src/domain/explain/endpoint.ts';
import type { ToldAttempt, ToldDelivery, ToldLever } from '../../../src/domain/explain/story.ts';
import {
  BY_HAND,
  type Endpoint,
  OPENED as FROM_TRACE,
  failingFor,
  GONE,
  givenUpFor,
  UNHEARD,
} from '../../../src/domain/webhook.ts';
import { attempt, causeOf, delivery, email, endpoint, lever, OPENED, SENT, STORE, told } from '../../support/story.ts';

const ADDED = lever(1, 'createWebhookEndpoint', { body: { url: STORE } });
const ended = 'Its pending deliveries failed, and events that happen while it is disabled are not sent to it.';

const storyOf = ({
  endpoint: row,
  ...over
}: Partial<Omit<EndpointStory, 'endpoint'>> & { endpoint?: Partial<Endpoint> }) => ({
  endpoint: endpoint(row),
  cause: causeOf(ADDED),
  deliveries: [],
  emails: [],
  settings: ACCOUNT_DEFAULTS,
  ...over,
  levers: [ADDED, ...(over.levers ?? [])],
});
const chainOf = (over: Parameters<typeof storyOf>[0]) => endpointChain(storyOf(over));
/** What came after the endpoint was added and enabled. */
const linesOf = (over: Parameters<typeof storyOf>[0]) => told(chainOf(over)).slice(2);

const hours = (count: number) => OPENED + count * HOUR;
const failed = (id: number, over: Partial<ToldAttempt> = {}) =>
  attempt(id, { statusCode: 500, at: hours(id), ...over });
const arrived = (id: number, over: Partial<ToldAttempt> = {}) => attempt(id, { at: hours(id), ...over });
const sent = (...attempts: ToldAttempt[]): ToldDelivery[] =>
  attempts.map((each) => delivery(each.id, { attempts: [each] }));
const changed = (number: number, body: object, over: Partial<ToldLever> = {}) =>
  lever(number, 'updateWebhookEndpoint', { params: { id: 'we_1' }, body, at: hours(number), ...over });
const disabledEmail = (at: number, reason: string, over: Parameters<typeof email>[0] = {}) =>
  email({ template: 'endpoint_disabled', url: STORE, reason, at, recipient: 'store@example.com', ...over });

describe('interface §11: how an endpoint began', () => {
  test('is the lever that added it, with the URL that it had then', () => {
    expect(
      chainOf({ levers: [changed(2, { url: 'http://store/new' })], endpoint: { url: 'http://store/new' } }),
    ).toMatchObject([
      {
        kind: 'lever',
        at: OPENED,
        sentAt: SENT + 1,
        what: 'A webhook endpoint was added (createWebhookEndpoint).',
        because: 'A lever of the simulator did this.',
        section: null,
        id: ADDED.id,
      },
      {
        kind: 'transition',
        at: OPENED,
        sentAt: null,
        what: `Webhook endpoint ${STORE} was enabled.`,
        because: 'A new endpoint is enabled.',
        section: 'decisions §6',
        setting: null,
        id: 'we_1',
      },
      { what: 'The endpoint was changed: url (updateWebhookEndpoint).' },
    ]);
  });

  test('is the initial state, or was not recorded', () => {
    const first = (cause: string | null) => chainOf({ cause })[0];
    expect(first('start')).toMatchObject({
      what: 'It belongs to the initial state of the server.',
      because: 'The fixture or the flags ask for it.',
      id: null,
    });
    expect(first(null)).toMatchObject({
      what: 'A webhook endpoint was added. Its cause was not recorded.',
      because: 'Not recorded: an older version of layaway wrote this.',
      id: null,
    });
    expect(chainOf({ cause: causeOf(lever(99, 'createWebhookEndpoint')) })[0]?.sentAt).toBeNull();
    expect(told(chainOf({ cause: null, endpoint: { url: 'http://old' } }))[1]).toMatch('http://old');
  });
});

describe('interface §11: the attempts of an endpoint', () => {
  const line = (id: number, status: number | string, because: string) =>
    `delivery: Delivery dlv_${id}, attempt 1, was sent to ${STORE}: ${status}. ${because}`;
  const begins = 'It failed, and the endpoint counts as failing from here until an attempt succeeds.';

  test('are told where it began to fail, where it no longer did, and the last one', () => {
    expect(
      linesOf({ deliveries: sent(arrived(1), failed(2), failed(3), arrived(4), arrived(5), failed(6), failed(7)) }),
    ).toEqual([
      line(2, 500, begins),
      line(4, 200, 'It succeeded, so the endpoint no longer counts as failing.'),
      line(6, 500, begins),
      line(7, 500, 'It failed. The endpoint has been failing since 2026-01-01 06:00:00 UTC.'),
    ]);
    expect(linesOf({ deliveries: sent(arrived(1)) })).toEqual([line(1, 200, 'It succeeded.')]);
  });

  test('tell a fault, an error, and not what was signed wrongly on purpose', () => {
    const lost = failed(1, {
      statusCode: null,
      error: 'a fault lost the answer',
      fault: { id: 'flt_1', kind: 'lost_ack' },
    });
    const forged = delivery(9, { delivery: { isForged: true }, attempts: [failed(9)] });
    expect(linesOf({ deliveries: [...sent(lost), forged] })).toEqual([
      line(1, 'a fault lost the answer', `The fault lost_ack (flt_1) struck this attempt. ${begins}`),
    ]);
    expect(chainOf({ deliveries: sent(failed(1)) })[2]).toMatchObject({
      kind: 'delivery',
      at: hours(1),
      sentAt: SENT + 1,
      section: 'decisions §6',
      id: 'dlv_1',
    });
  });

  test('stand in the order in which they were made at one instant, and after a lever of that millisecond', () => {
    const same = { at: hours(2), sentAt: SENT };
    const deliveries = sent(failed(3, same), arrived(4, same), failed(2, { at: hours(2), sentAt: SENT - 1 }));
    const kinds = chainOf({ deliveries, levers: [changed(2, { insecure: true }, { sentAt: SENT })] }).slice(2);
    expect(kinds.map(({ id }) => id)).toEqual(['dlv_2', 'lvr_000000000002', 'dlv_4']);
  });
});

describe('interface §11: the changes of an endpoint', () => {
  test('are told, and count from where it was enabled again', () => {
    expect(
      linesOf({
        levers: [
          changed(2, { enabled: false }),
          changed(4, { enabled: true }),
          changed(6, { enabled: true, url: STORE }),
        ],
        deliveries: sent(failed(1), failed(5)),
      }),
    ).toEqual([
      `delivery: Delivery dlv_1, attempt 1, was sent to ${STORE}: 500. It failed, and the endpoint counts as failing from here until an attempt succeeds.`,
      'lever: The endpoint was changed: disabled (updateWebhookEndpoint). A lever of the simulator did this.',
      `transition: Webhook endpoint ${STORE} was disabled by hand. A lever of the simulator did this. ${ended}`,
      'lever: The endpoint was changed: enabled (updateWebhookEndpoint). A lever of the simulator did this.',
      `transition: Webhook endpoint ${STORE} was enabled. Failures are counted from here. Events recorded while it was disabled are sent only if you resend them.`,
      `delivery: Delivery dlv_5, attempt 1, was sent to ${STORE}: 500. It failed, and the endpoint counts as failing from here until an attempt succeeds.`,
      'lever: The endpoint was changed: enabled, url (updateWebhookEndpoint). A lever of the simulator did this.',
    ]);
  });

  test('without a field, of its secret, and of another endpoint', () => {
    const rotate = lever(3, 'rotateWebhookSecret', { params: { id: 'we_1' } });
    const others = [
      changed(4, {}, { params: { id: 'we_2' } }),
      lever(5, 'testWebhookEndpoint', { params: { id: 'we_1' } }),
    ];
    expect(linesOf({ levers: [changed(2, {}), rotate, ...others].map((each) => ({ ...each, at: OPENED })) })).toEqual([
      'lever: The endpoint was changed (updateWebhookEndpoint). A lever of the simulator did this.',
      'lever: The signing secret of the endpoint was rotated (rotateWebhookSecret). A lever of the simulator did this.',
    ]);
    const [, , change] = chainOf({ levers: [changed(2, { url: 'http://new' }), changed(3, { enabled: false })] });
    expect(change).toMatchObject({ at: hours(2), sentAt: SENT + 2, id: 'lvr_000000000002' });
    expect(
      told(chainOf({ levers: [changed(2, { url: 'http://new' }), changed(3, { enabled: false })] })).at(-1),
    ).toMatch('Webhook endpoint http://new was disabled by hand.');
  });
});

describe('decisions §6: why an endpoint was disabled', () => {
  const gone = failed(2, { statusCode: 410 });

  test('after 410, with the attempt and the email', () => {
    const emails = [disabledEmail(hours(2), GONE)];
    expect(
      linesOf({ endpoint: { enabled: false, disabledReason: GONE }, emails, deliveries: sent(failed(1), gone) }),
    ).toEqual([
      `delivery: Delivery dlv_1, attempt 1, was sent to ${STORE}: 500. It failed, and the endpoint counts as failing from here until an attempt succeeds.`,
      `delivery: Delivery dlv_2, attempt 1, was sent to ${STORE}: 410. It failed. The endpoint has been failing since 2026-01-01 01:00:00 UTC.`,
      `transition: Webhook endpoint ${STORE} was disabled: it answered 410 Gone. A receiver that returns 410 wants no more deliveries. ${ended}`,
      `email: Email endpoint_disabled was written to store@example.com. The endpoint ${STORE} was disabled: it answered 410 Gone.`,
    ]);
    const last = chainOf({ endpoint: { enabled: false }, emails, deliveries: sent(gone) }).at(-1);
    expect(last).toMatchObject({ kind: 'email', at: hours(2), section: 'decisions §7', id: 'eml_1' });
  });

  test('after days of failures, with the days of that time', () => {
    const at = OPENED + 3 * DAY;
    const emails = [disabledEmail(at, failingFor(3))];
    const deliveries = sent(failed(0), failed(1), failed(9, { at }));
    const chain = chainOf({ endpoint: { enabled: false, disabledReason: failingFor(3) }, emails, deliveries });
    expect(chain.at(-2)).toMatchObject({
      what: `Webhook endpoint ${STORE} was disabled: failing for 3 days.`,
      because: `No attempt had succeeded for that long. webhook_disable_days was 3, set for this account; 5 is assumed otherwise. ${ended}`,
      setting: { name: 'webhook_disable_days', value: 3 },
    });
  });

  test('is no email of another endpoint with the same URL', () => {
    const kindsOf = (over: Parameters<typeof chainOf>[0]) =>
      chainOf(over)
        .slice(2)
        .map(({ kind }) => kind);
    const at = OPENED + 3 * DAY;
    const emails = [disabledEmail(at, failingFor(3))];
    // This one has not been failing for so long.
    expect(kindsOf({ emails, deliveries: sent(failed(1), failed(9, { at })) })).toEqual(['delivery', 'delivery']);
    expect(kindsOf({ emails: [disabledEmail(hours(2), GONE)], deliveries: sent(failed(2)) })).toEqual(['delivery']);
    expect(kindsOf({ emails: [disabledEmail(hours(3), GONE)], deliveries: sent(gone) })).toEqual(['delivery']);
    expect(kindsOf({ emails: [disabledEmail(hours(2), GONE, { url: 'http://x' })], deliveries: sent(gone) })).toEqual([
      'delivery',
    ]);
    expect(kindsOf({ emails: [disabledEmail(hours(2), GONE)], deliveries: sent(arrived(2)) })).toEqual(['delivery']);
    expect(kindsOf({ emails: [disabledEmail(hours(2), GONE)], deliveries: sent(gone) })).toEqual([
      'delivery',
      'transition',
      'email',
    ]);
    // Without its oldest attempts, since when it was failing is not known.
    const many = Array.from({ length: 999 }, (_, index) => delivery(index + 100));
    expect(kindsOf({ emails, deliveries: [...many, ...sent(failed(9, { at }))] })).toEqual([
      'delivery',
      'transition',
      'email',
    ]);
  });

  test('by each email once, oldest first, where a frozen clock gives several the same instant', () => {
    const at = hours(2);
    const emails = ['eml_3', 'eml_2', 'eml_1'].map((token) => disabledEmail(at, GONE, { token }));
    const again = changed(2, { enabled: true }, { sentAt: SENT + 15 });
    const deliveries = sent(
      failed(10, { at, statusCode: 410 }),
      failed(20, { at, statusCode: 410 }),
      failed(30, { at, statusCode: 410 }),
    );
    const chain = chainOf({ emails, levers: [again], deliveries });
    expect(chain.filter(({ kind }) => kind === 'email').map(({ id }) => id)).toEqual(['eml_1', 'eml_2']);
  });

  test.each([
    [BY_HAND, 'disabled by hand. A lever of the simulator did this.'],
    [FROM_TRACE, 'disabled: opened from a trace. An opened trace sends nothing.'],
    [failingFor(1), 'disabled: failing for 1 day. No attempt had succeeded for that long.'],
    ['another', 'disabled: another. When that happened was not recorded.'],
  ])('where nothing recorded it, stands last: %s', (disabledReason, said) => {
    const chain = chainOf({ endpoint: { enabled: false, disabledReason }, deliveries: sent(arrived(3)) });
    expect(told(chain).at(-1)).toMatch(`transition: Webhook endpoint ${STORE} was ${said}`);
    expect(chain.at(-1)?.at).toBe(hours(3));
    const early = chainOf({
      endpoint: { enabled: false, disabledReason, createdAt: OPENED + DAY },
      deliveries: sent(arrived(3)),
    });
    expect(early.at(-1)?.at).toBe(OPENED + DAY);
  });
});

describe('interface §2: an endpoint of layaway listen', () => {
  const listener = { transport: 'listener', url: STORE } as const;
  const again = (number: number, over: Partial<ToldLever> = {}) =>
    lever(number, 'createWebhookEndpoint', { body: listener, at: hours(number), ...over });
  const givenUp = { at: hours(2), reason: givenUpFor(UNHEARD) };
  const waited = (id: number, over = {}) =>
    delivery(id, { delivery: { status: 'failed' }, givenUp: { ...givenUp, ...over } });
  const disabled = `transition: Webhook endpoint ${STORE} was disabled: nobody listened for an hour. An hour of real time passed without a layaway listen for it. ${ended}`;
  const heard =
    'lever: layaway listen ran for the endpoint again (createWebhookEndpoint). A lever of the simulator did this.';
  const enabled = `transition: Webhook endpoint ${STORE} was enabled. Failures are counted from here. Events recorded while it was disabled are sent only if you resend them.`;

  test('was disabled when nobody listened for an hour, once, and enabled when somebody did', () => {
    const over = { endpoint: listener, deliveries: [waited(1), waited(2)] };
    expect(linesOf(over)).toEqual([disabled]);
    expect(linesOf({ ...over, levers: [again(3)] })).toEqual([disabled, heard, enabled]);
    expect(linesOf({ ...over, levers: [again(2, { at: hours(1) })] })).toEqual([heard, disabled]);
  });

  test('that was given up for another reason was not unheard', () => {
    expect(linesOf({ endpoint: listener, deliveries: [waited(1, { reason: givenUpFor(BY_HAND) })] })).toEqual([]);
  });

  test('had its absence before it was heard again, at one instant of a frozen clock', () => {
    const levers = [again(3, { at: hours(2) }), again(4, { at: hours(2) })];
    expect(linesOf({ endpoint: listener, deliveries: [waited(1)], levers })).toEqual([disabled, heard, enabled, heard]);
  });

  test('is another one than that of another URL, another transport, or from before it was added', () => {
    const others = [
      again(3, { body: { ...listener, url: 'http://x' } }),
      again(3, { body: { ...listener, transport: 'http' } }),
      again(0),
      again(3, { operation: 'createContract' }),
      again(3, { body: null }),
    ];
    expect(linesOf({ endpoint: listener, levers: others })).toEqual([]);
    expect(linesOf({ endpoint: { url: STORE }, levers: [again(3)] })).toEqual([]);
    expect(linesOf({ endpoint: listener, cause: 'start', levers: [again(0)] })).toEqual([heard]);
  });
});

describe('interface §11: what lies ahead of an endpoint', () => {
  const now = OPENED + DAY;
  const attemptAt = (id: number, nextAttemptAt: number) =>
    delivery(id, { delivery: { status: 'pending', nextAttemptAt } });
  const aheadOf = (row: Partial<Endpoint>, deliveries: ToldDelivery[] = []) =>
    endpointAhead(storyOf({ endpoint: row, deliveries }), now);
  const disabling = {
    what: `any failed attempt disables the webhook endpoint ${STORE}`,
    unless: 'an attempt succeeds first',
  };

  test('are its attempts, and while it is failing, when a failure disables it', () => {
    const deliveries = [attemptAt(1, now + 1), attemptAt(2, now + 9 * DAY)];
    const whats = aheadOf({ failingSince: now }, deliveries).map(({ at, what }) => [at, what]);
    expect(whats).toEqual([
      [now + 1, `attempt 1 of the delivery dlv_1 to ${STORE}`],
      [now + ACCOUNT_DEFAULTS.webhook_disable_days * DAY, disabling.what],
      [now + 9 * DAY, `attempt 1 of the delivery dlv_2 to ${STORE}`],
    ]);
    expect(aheadOf({ failingSince: OPENED - 30 * DAY })).toEqual([{ at: now, ...disabling }]);
    expect(aheadOf({}, deliveries)).toHaveLength(2);
    expect(aheadOf({ failingSince: now, enabled: false }, deliveries)).toHaveLength(2);
  });
});
