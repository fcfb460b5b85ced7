import { expect, test } from 'vitest';
import { UNSENT, UNSUBSCRIBED, WITHOUT_WEBHOOKS } from '../../../src/domain/explain/events.ts';
import type { ChainKind, Link } from '../../../src/domain/explain/story.ts';
import { summaryOf, waitingOf } from '../../../src/domain/explain/summary.ts';
import { contract, OPENED, payment, session, story } from '../../support/story.ts';

const link = (kind: ChainKind, id: string | null, what: string, over: Partial<Link> = {}): Link => ({
  at: OPENED,
  sentAt: null,
  what,
  because: 'So it is.',
  section: null,
  setting: null,
  id,
  kind,
  ...over,
});

const summary = (subject: string, chain: readonly Link[], state = 'active') =>
  summaryOf(subject, state, chain, [], null);

test('interface §11: a summary tells the state, its reason, what it waits for, and the next event', () => {
  const chain = [link('transition', 'LAY-1', 'Contract LAY-1 moved.')];
  const ahead = [
    { at: OPENED, what: 'installment.paid of LAY-1#1', unless: 'a failure is arranged' },
    { at: OPENED, what: 'contract.completed of LAY-1', unless: 'it ends' },
  ];
  expect(summaryOf('LAY-1', 'active', chain, ahead, 'It waits.')).toBe(
    'LAY-1 is active. Contract LAY-1 moved. So it is. It waits. Next: installment.paid of LAY-1#1 at 2026-01-01 00:00:00 UTC, unless a failure is arranged.',
  );
  expect(summaryOf('LAY-1', 'active', [], [], null)).toBe('LAY-1 is active.');
});

test('interface §11: a contract is explained by its own last change', () => {
  const chain = [
    link('transition', 'LAY-1', 'First.'),
    link('transition', 'LAY-1', 'Second.'),
    link('event', 'LAY-1', 'Third.'),
    link('transition', 'LAY-10', 'Another.'),
  ];
  expect(summary('LAY-1', chain)).toBe('LAY-1 is active. Second. So it is.');
  expect(summary('cs_1', [...chain, link('transition', 'cs_1', 'Opened.')])).toBe('cs_1 is active. Opened. So it is.');
});

test('interface §11: a change that names a contract is its own, too', () => {
  const chain = [
    link('transition', 'cs_1', 'Session cs_1 moved to cancelled, and so did contract LAY-1.'),
    link('transition', 'cs_1', 'Session cs_1 moved on.'),
  ];
  expect(summary('LAY-1', chain)).toBe(
    'LAY-1 is active. Session cs_1 moved to cancelled, and so did contract LAY-1. So it is.',
  );
});

test('interface §11: an installment that is due is explained by what caused its last event', () => {
  const chain = [
    link('clock', null, 'It fell due.'),
    link('event', 'evt_1', 'Event installment.payment_failed was recorded for LAY-1#1.'),
    link('event', 'evt_2', 'Event installment.paid was recorded for LAY-1#2.'),
  ];
  expect(summary('LAY-1#1', chain, 'due')).toBe('LAY-1#1 is due. It fell due. So it is.');
  expect(summary('LAY-1#3', chain, 'upcoming')).toBe('LAY-1#3 is upcoming.');
});

test('interface §11: an unpaid installment tells of the end of its contract, after which nothing comes', () => {
  const ended = (to: string) => [
    link('transition', 'LAY-1#1', 'Installment 1 of LAY-1 moved from due to past_due.'),
    link('transition', 'LAY-1', `Contract LAY-1 moved from active to ${to}.`),
  ];
  const own = 'Installment 1 of LAY-1 moved from due to past_due. So it is.';
  for (const to of ['cancelled', 'defaulted']) {
    const end = `Contract LAY-1 moved from active to ${to}. So it is.`;
    expect(summary('LAY-1#1', ended(to), 'past_due')).toBe(`LAY-1#1 is past_due. ${own} ${end}`);
    expect(summary('LAY-1#1', ended(to), 'paid')).toBe(`LAY-1#1 is paid. ${own}`);
    expect(summary('LAY-1', ended(to), to)).toBe(`LAY-1 is ${to}. ${end}`);
  }
  expect(summary('LAY-1#1', ended('completed'), 'past_due')).toBe(`LAY-1#1 is past_due. ${own}`);
  const silent = [link('transition', 'cs_1', 'Session cs_1 moved to cancelled, and so did contract LAY-1.')];
  expect(summary('LAY-1#1', silent, 'upcoming')).toMatch('moved to cancelled, and so did contract LAY-1. So it is.');
  expect(summary('LAY-1#1', [link('event', 'evt_1', 'It moved to cancelled.')], 'upcoming')).toBe(
    'LAY-1#1 is upcoming.',
  );
});

test('interface §11: an event is explained by the change behind it, which shares its transaction', () => {
  const chain = [
    link('transition', 'cs_9', 'Earlier.', { at: OPENED - 1 }),
    link('lever', 'lvr_1', 'A lever was used.'),
    link('transition', 'LAY-1', 'Contract LAY-1 moved.'),
    link('transition', 'cs_1', 'Session cs_1 moved.'),
    link('event', 'evt_1', 'Event contract.activated was recorded for LAY-1.'),
    link('event', 'evt_2', 'Event session.completed was recorded for cs_1.'),
    link('event', 'evt_3', 'Event installment.payment_failed was recorded for LAY-1#1.'),
    link('transition', 'LAY-1', 'Contract LAY-1 moved again.'),
  ];
  expect(summary('evt_1', chain, 'an event')).toBe('evt_1 is an event. Contract LAY-1 moved. So it is.');
  expect(summary('evt_2', chain, 'an event')).toBe('evt_2 is an event. Session cs_1 moved. So it is.');
  // No change is its own: what came last before it, at its instant.
  expect(summary('evt_3', chain, 'an event')).toBe('evt_3 is an event. Session cs_1 moved. So it is.');
  expect(summary('evt_1', [chain[0] as Link, chain[4] as Link], 'an event')).toBe(
    'evt_1 is an event. Event contract.activated was recorded for LAY-1. So it is.',
  );
});

test('interface §11: any other id is explained by its last link, or else by the last of the chain', () => {
  const chain = [
    link('delivery', 'dlv_1', 'Sent.'),
    link('delivery', 'dlv_1', 'Sent again.'),
    link('email', 'eml_1', 'Written.'),
  ];
  expect(summary('dlv_1', chain)).toBe('dlv_1 is active. Sent again. So it is.');
  expect(summary('req_1', chain)).toBe('req_1 is active. Written. So it is.');
  expect(summary('req_1', [])).toBe('req_1 is active.');
});

test('interface §11: a webhook endpoint is explained by its last change or attempt', () => {
  const chain = [
    link('transition', 'we_1', 'Enabled.'),
    link('delivery', 'dlv_1', 'Sent.'),
    link('lever', 'lvr_1', 'Changed.'),
  ];
  expect(summary('we_1', chain, 'enabled')).toBe('we_1 is enabled. Sent. So it is.');
  expect(summary('we_1', chain.slice(0, 1), 'enabled')).toBe('we_1 is enabled. Enabled. So it is.');
  expect(summary('we_1', chain.slice(2), 'enabled')).toBe('we_1 is enabled.');
});

test.each([UNSUBSCRIBED, WITHOUT_WEBHOOKS, UNSENT])(
  'interface §11: an event that was not sent says how to send it: %s',
  (why) => {
    const chain = [link('event', 'evt_1', 'Event webhook.test was recorded for we_1.', { because: `Written. ${why}` })];
    expect(summary('evt_1', chain, 'an event')).toBe(
      `evt_1 is an event. Event webhook.test was recorded for we_1. Written. ${why} ${why} Once an endpoint is enabled, \`layaway events resend evt_1\` sends it.`,
    );
    const other = [...chain, link('event', 'evt_2', 'Event webhook.test was recorded for we_1.')];
    expect(summary('evt_2', other, 'an event')).not.toContain(why);
  },
);

test('interface §11: a pending contract waits for the Cart Capture, and tells of a declined one', () => {
  const pending = story({ session: session(), contract: contract({ status: 'pending' }) });
  const waits = 'The Cart Capture is still to be paid, without a deadline: `layaway sessions pay cs_1`.';
  expect(waitingOf(pending)).toBe(waits);
  expect(waitingOf({ ...pending, attempts: [payment(1)] })).toBe(`The customer’s last payment was declined. ${waits}`);
  expect(waitingOf({ ...pending, contract: contract() })).toBeNull();
  expect(waitingOf({ ...pending, contract: null })).toBeNull();
  expect(waitingOf({ ...pending, session: null })).toBeNull();
});
