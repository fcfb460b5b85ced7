import { describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../../src/domain/calendar.ts';
import { requestCause } from '../../../src/domain/cause.ts';
import { chainOf } from '../../../src/domain/explain/chain.ts';
import type { Story, ToldAttempt } from '../../../src/domain/explain/story.ts';
import type { FaultKind } from '../../../src/domain/faults.ts';
import { givenUpFor, UNHEARD } from '../../../src/domain/webhook.ts';
import { attempt, causeOf, delivery, event, lever, OPENED, SENT, STORE, story } from '../../support/story.ts';

const EVENT = event(1, 'contract.cancelled', 'LAY-1');
const NAME = 'Webhook contract.cancelled evt_1';
const LADDER =
  'webhook_retry_seconds was [0,5,300,1800,7200,18000,36000,36000], an assumption: the service description leaves it open (§6).';

const linksOf = (deliveries: Story['deliveries'], over: Partial<Story> = {}) =>
  chainOf(story({ session: null, events: [EVENT], deliveries, ...over })).filter(({ kind }) => kind === 'delivery');
const becausesOf = (...[deliveries, over]: Parameters<typeof linksOf>) =>
  linksOf(deliveries, over).map(({ because }) => because);

/** One delivery, with its attempts. */
const attempts = (...all: ToldAttempt[]) => [delivery(1, { attempts: all })];
const failed = (id: number, over: Partial<ToldAttempt> = {}) => attempt(id, { statusCode: 500, ...over });
const later = (id: number, number: number, over: Partial<ToldAttempt> = {}) =>
  attempt(id, { number, at: OPENED + id * MINUTE, ...over });
const struck = (kind: FaultKind) => ({ fault: { id: 'flt_1', kind } });

describe('interface §11: an attempt to deliver', () => {
  test('is told with its number, its receiver, its answer, its reason, its section and its real time', () => {
    expect(linksOf(attempts(attempt(1)))).toEqual([
      {
        kind: 'delivery',
        at: OPENED,
        sentAt: SENT + 1,
        what: `${NAME}, attempt 1, was sent to ${STORE}: 200.`,
        because: 'The endpoint subscribed to this event.',
        section: 'decisions §6',
        setting: null,
        id: 'dlv_1',
      },
    ]);
  });

  test('that follows a failure names the ladder, and what went wrong instead of a status', () => {
    const [first, second] = linksOf(
      attempts(failed(1, { statusCode: null, error: 'connection refused' }), later(2, 2)),
    );
    expect(first?.what).toBe(`${NAME}, attempt 1, was sent to ${STORE}: connection refused.`);
    expect(second?.because).toBe(`The previous attempt got no 2xx response. ${LADDER}`);
    expect(second?.setting).toMatchObject({ name: 'webhook_retry_seconds' });
  });

  test('that follows a lost answer says so', () => {
    const lost = attempt(1, { ...struck('lost_ack'), error: 'a fault lost the answer' });
    expect(becausesOf(attempts(lost, later(2, 2)))).toEqual([
      'The fault lost_ack (flt_1) struck this attempt.',
      `The response to the previous attempt was lost. ${LADDER}`,
    ]);
  });

  test('that follows a success is due to a fault alone', () => {
    const [, second, third] = becausesOf(
      attempts(failed(1), later(2, 2), later(3, 3, { ...struck('duplicate'), statusCode: 500 })),
    );
    expect(second).toMatch('The previous attempt got no 2xx response.');
    expect(third).toBe('The fault duplicate (flt_1) struck this attempt.');
    const copies = attempts(attempt(1, struck('duplicate')), attempt(2, { ...struck('duplicate'), statusCode: 500 }));
    expect(becausesOf(copies)).toEqual(Array(2).fill('The fault duplicate (flt_1) struck this attempt.'));
    expect(becausesOf(attempts(attempt(1), failed(2, { number: 2 }), later(3, 3)))[2]).toBe(
      'The endpoint subscribed to this event.',
    );
  });

  test.each([429, 503])(
    'that a Retry-After put off after %i says so, and one that put nothing off does not',
    (statusCode) => {
      const retryAfter = (seconds: number | string) =>
        linksOf(
          attempts(failed(1, { statusCode, responseHeaders: { 'retry-after': String(seconds) } }), later(2, 2)),
        )[1];
      expect(retryAfter(60)).toMatchObject({
        because: `The previous attempt got ${statusCode} with a Retry-After of 60 s.`,
        setting: null,
      });
      const ladder = `The previous attempt got no 2xx response. ${LADDER}`;
      expect(retryAfter(5)?.because).toBe(ladder);
      expect(retryAfter('soon')?.because).toBe(ladder);
    },
  );

  test('a Retry-After with a date counts from the real time of its attempt, and only after 429 and 503', () => {
    const asked = new Date(SENT + 90 * SECOND).toUTCString();
    const of = (statusCode: number) =>
      becausesOf(attempts(failed(0, { statusCode, responseHeaders: { 'retry-after': asked } }), later(2, 2)))[1];
    expect(of(503)).toBe('The previous attempt got 503 with a Retry-After of 90 s.');
    expect(of(500)).toBe(`The previous attempt got no 2xx response. ${LADDER}`);
  });

  test('has the ladder of its time', () => {
    const change = lever(0, 'updateSettings', {
      sentAt: SENT + 50,
      body: { before: { webhook_retry_seconds: [0, 7] } },
    });
    const ladders = (sentAt: number) =>
      linksOf(attempts(failed(1, { sentAt }), later(2, 2, { sentAt: SENT + 90 })), { levers: [change] })[1]?.setting
        ?.value;
    expect(ladders(SENT + 49)).toEqual([0, 7]);
    expect(ladders(SENT + 50)).toHaveLength(8);
  });

  test('is asked for by a lever, or by a request that made its event', () => {
    const by = (operation: string) => {
      const cause = causeOf(lever(4, operation));
      return becausesOf([delivery(1, { cause, attempts: [attempt(1)] })])[0];
    };
    expect(by('resendEvent')).toBe('The lever resendEvent (lvr_000000000004) sent the event again.');
    expect(by('testWebhookEndpoint')).toBe('The lever testWebhookEndpoint (lvr_000000000004) sent the event.');
    expect(by('endContract')).toBe('The endpoint subscribed to this event.');
    expect(becausesOf([delivery(1, { cause: requestCause(1), attempts: [attempt(1)] })])).toEqual([
      'The endpoint subscribed to this event.',
    ]);
  });

  test('with a wrong signature says that this is on purpose', () => {
    expect(becausesOf([delivery(1, { delivery: { isForged: true }, attempts: [failed(1)] })])).toEqual([
      'The endpoint subscribed to this event. Its signature was wrong on purpose.',
    ]);
  });

  test('that is the last of a failed delivery says so, unless it was given up', () => {
    const all = [failed(1), failed(2, { number: 2, at: OPENED + 1 })];
    const of = (status: 'failed' | 'pending', over: Parameters<typeof delivery>[1] = {}) =>
      becausesOf([delivery(1, { delivery: { status }, attempts: all, ...over })]);
    const end = ' No retry follows, so the delivery failed.';
    expect(of('failed').map((because) => because.includes(end))).toEqual([false, true]);
    expect(of('pending').join()).not.toContain(end);
    expect(
      of('failed', { givenUp: { at: OPENED + DAY, reason: 'the endpoint was disabled by hand' } }).join(),
    ).not.toContain(end);
  });
});

describe('interface §11: a delivery without an attempt', () => {
  const of = (over: Parameters<typeof delivery>[1]) => linksOf([delivery(1, over)])[0];
  const heldBy = (kind: FaultKind) => ({ id: 'flt_1', kind });

  test('says what it waits for', () => {
    const pending = { delivery: { status: 'pending' } } as const;
    expect(of(pending)).toMatchObject({
      what: `${NAME} to ${STORE}: pending, no attempt was made.`,
      because: 'Its first attempt is still to come.',
      section: 'decisions §6',
      id: 'dlv_1',
      sentAt: null,
    });
    expect(of({ ...pending, isHeard: false })?.because).toBe('No layaway listen is connected for it.');
    expect(of({ ...pending, heldBy: heldBy('delayed') })?.because).toBe('The fault delayed (flt_1) holds it back.');
    expect(of({ ...pending, heldBy: heldBy('reordered'), isHeard: false })?.because).toBe(
      'The fault reordered (flt_1) holds it back until the endpoint answers a later event. No layaway listen is connected for it.',
    );
  });

  test('failed because its endpoint was disabled before', () => {
    expect(of({ delivery: { status: 'failed' }, isHeard: false })?.because).toBe('The endpoint was disabled before.');
  });

  test('that was given up says when and why, and which fault held it', () => {
    const givenUp = { at: OPENED + HOUR, reason: givenUpFor(UNHEARD) };
    const failedEarly = { delivery: { status: 'failed' }, givenUp } as const;
    expect(of(failedEarly)).toMatchObject({
      at: OPENED + HOUR,
      what: `${NAME} to ${STORE} was given up.`,
      because: 'The endpoint was disabled: nobody listened for an hour.',
      section: 'decisions §6',
      id: 'dlv_1',
    });
    expect(of({ ...failedEarly, heldBy: heldBy('delayed') })?.because).toBe(
      'The endpoint was disabled: nobody listened for an hour. The fault delayed (flt_1) held it back.',
    );
  });
});

describe('interface §11: deliveries at one instant of a frozen clock', () => {
  const second = event(2, 'contract.defaulted', 'LAY-2');
  const wordsOf = (over: Partial<Story>) =>
    chainOf(story({ session: null, events: [EVENT, second], ...over })).map(({ kind, what }) =>
      kind === 'delivery' ? what.replace(/^Webhook \S+ |, was sent.*| to http.*/g, '') : kind,
    );

  test('stand after their event, those out of turn last, as they were made', () => {
    const deliveries = [
      delivery(2, { attempts: [failed(2), attempt(4, { number: 2 })] }),
      delivery(1, { attempts: [failed(1), failed(3, { number: 2 }), attempt(5, { number: 3 })] }),
    ];
    expect(wordsOf({ deliveries })).toEqual([
      'request',
      'transition',
      'event',
      'evt_1, attempt 1',
      'clock',
      'transition',
      'event',
      'evt_2, attempt 1',
      'evt_1, attempt 2',
      'evt_2, attempt 2',
      'evt_1, attempt 3',
    ]);
  });

  test('stand by the place of their attempts where one millisecond saw several', () => {
    const sentAt = SENT;
    const deliveries = [
      delivery(1, { attempts: [failed(1, { sentAt }), attempt(8, { number: 2, sentAt })] }),
      delivery(2, { attempts: [failed(2, { sentAt }), attempt(7, { number: 2, sentAt })] }),
    ];
    expect(wordsOf({ deliveries }).slice(-2)).toEqual(['evt_2, attempt 2', 'evt_1, attempt 2']);
  });

  test('stand before what was asked for later in real time', () => {
    const levers = [lever(10, 'endContract', { sentAt: SENT + 10 }), lever(20, 'endContract', { sentAt: SENT + 20 })];
    const [early, late] = levers.map(causeOf) as [string, string];
    const events = [{ ...EVENT, cause: early }, event(2, 'contract.cancelled', 'LAY-2', { cause: late })];
    const retried = (sentAt: number) =>
      wordsOf({
        events,
        levers,
        deliveries: [delivery(1, { attempts: [failed(11), attempt(12, { number: 2, sentAt })] })],
      });
    expect(retried(SENT + 15).slice(3, 6)).toEqual(['evt_1, attempt 1', 'evt_1, attempt 2', 'lever']);
    expect(retried(SENT + 20).slice(3, 6)).toEqual(['evt_1, attempt 1', 'lever', 'transition']);
    expect(retried(SENT + 20).at(-1)).toBe('evt_1, attempt 2');
  });

  test('that a lever or a fault put out of turn stand after what came before', () => {
    const asked = lever(5, 'resendEvent', { sentAt: SENT + 5 });
    const out = (over: Parameters<typeof delivery>[1]) =>
      wordsOf({ deliveries: [delivery(1, { attempts: [attempt(1)], ...over })] }).at(-1);
    expect(out({})).toBe('event');
    expect(out({ cause: causeOf(asked) })).toBe('evt_1, attempt 1');
    expect(out({ attempts: [attempt(1, struck('reordered'))] })).toBe('evt_1, attempt 1');
    expect(out({ attempts: [attempt(1, { at: OPENED + 1 })] })).toBe('evt_1, attempt 1');
  });

  test('of an event that is not in the story are left out', () => {
    expect(wordsOf({ deliveries: [delivery(3, { attempts: [attempt(1)] })] }).join()).not.toContain('attempt');
  });
});
