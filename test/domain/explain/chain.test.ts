import { describe, expect, test } from 'vitest';
import { DAY, HOUR } from '../../../src/domain/calendar.ts';
import { pageCause, requestCause, UNLOGGED } from '../../../src/domain/cause.ts';
import { chainOf } from '../../../src/domain/explain/chain.ts';
import type { Story, ToldLever } from '../../../src/domain/explain/story.ts';
import {
  attempt,
  causeOf,
  contract,
  delivery,
  email,
  event,
  installment,
  lever,
  OPENED,
  payment,
  request,
  SENT,
  session,
  story,
  told,
} from '../../support/story.ts';

const chain = (over: Partial<Story>) => chainOf(story(over));
/** Without the request and the session that begin each chain. */
const linesOf = (over: Partial<Story>) => told(chain(over)).slice(2);
const withoutSession = (over: Partial<Story>) => told(chain({ session: null, ...over }));

const UNSENT =
  'A change and its event are written in one transaction. No enabled endpoint subscribed to it, so it was not sent.';
const SENT_ONCE = 'A change and its event are written in one transaction.';

describe('interface §11: the beginning of a chain', () => {
  test('is the request and the session that it opened, with its deadline', () => {
    expect(chain({ sessionCause: requestCause(1), request: (id) => request({ id, sentAt: SENT }) })).toEqual([
      {
        kind: 'request',
        at: OPENED,
        sentAt: SENT,
        what: 'POST /v1/sessions returned 201.',
        because: 'The request came from the store.',
        section: 'service §4.3',
        setting: null,
        id: 'req_000000000001',
      },
      {
        kind: 'transition',
        at: OPENED,
        sentAt: null,
        what: 'Checkout session cs_1 is pending, for $200.00.',
        because:
          'A new session starts pending and expires at 2026-01-01 01:00:00 UTC unless the customer accepts the plan. session_ttl_minutes was 60, an assumption: the service description leaves it open (§4.2).',
        section: 'service §3.1',
        setting: { name: 'session_ttl_minutes', value: 60 },
        id: 'cs_1',
      },
    ]);
  });

  test('is empty without a session and events', () => {
    expect(chain({ session: null })).toEqual([]);
  });

  const opening = lever(3, 'openSession');
  test.each<[string, Partial<Story>, string]>([
    [
      'a request that is no longer in the log',
      { sessionCause: requestCause(1) },
      'request: POST /v1/sessions opened the checkout session. A request did this. It is no longer in the log.',
    ],
    [
      'a server that logs no requests',
      { sessionCause: requestCause(UNLOGGED) },
      'request: POST /v1/sessions opened the checkout session. A request did this. The server did not log requests then.',
    ],
    [
      'a lever',
      { sessionCause: causeOf(opening), levers: [opening] },
      'lever: A checkout session was opened (openSession). A lever of the simulator did this.',
    ],
    [
      'a lever that has no sentence',
      { sessionCause: causeOf(lever(3, 'restoreSnapshot')) },
      'lever: A lever was used (restoreSnapshot). A lever of the simulator did this.',
    ],
    [
      'the checkout page',
      { sessionCause: pageCause('openSession', 3) },
      'lever: A checkout session was opened (openSession). This was done on the checkout page.',
    ],
    [
      'the fixture',
      { sessionCause: 'start' },
      'lever: It belongs to the initial state of the server. The fixture or the flags ask for it.',
    ],
    [
      'the clock',
      { sessionCause: 'clock' },
      'clock: POST /v1/sessions opened the checkout session. It fell due on the account’s clock.',
    ],
    [
      'an older version',
      { sessionCause: null },
      'request: POST /v1/sessions opened the checkout session. Its cause was not recorded. Not recorded: an older version of layaway wrote this.',
    ],
  ])('says what opened the session: %s', (_, over, line) => {
    expect(told(chain(over))[0]).toBe(line);
  });

  test('has the real time of its lever, where that is known', () => {
    const first = (levers: ToldLever[]) => chain({ sessionCause: causeOf(opening), levers })[0];
    expect(first([lever(2, 'openSession'), opening])).toMatchObject({ sentAt: SENT + 3, id: 'lvr_000000000003' });
    expect(first([])?.sentAt).toBeNull();
  });
});

describe('interface §11: a request in a chain', () => {
  const line = (over: Parameters<typeof request>[0]) =>
    told(chain({ sessionCause: requestCause(1), request: () => request(over) }))[0];

  test('tells who asked, and what a fault did to the answer', () => {
    expect(line({ isOfTool: true })).toBe(
      'request: POST /v1/sessions returned 201. The request came from a command or a test, not from the store.',
    );
    expect(line({ status: null })).toBe('request: POST /v1/sessions got no response. The request came from the store.');
    expect(line({ fault: { id: 'flt_1', kind: 'lost_answer' } })).toBe(
      'request: POST /v1/sessions would have returned 201. The request came from the store; the fault lost_answer (flt_1) struck. Everything is done and committed. The connection is closed without a response.',
    );
    expect(line({ fault: { id: 'flt_1', kind: 'slow' }, isOfTool: true })).toBe(
      'request: POST /v1/sessions returned 201. The request came from a command or a test, not from the store; the fault slow (flt_1) struck. The response comes later, in real time.',
    );
  });

  test('names the fields of its body or query that the service ignores, of many the first five', () => {
    const asked = 'request: POST /v1/sessions returned 201. The request came from the store.';
    expect(line({ unknownFields: ['currency'] })).toBe(`${asked} The service ignores the field currency of the body.`);
    const named = `${asked} The service ignores these fields of the body: a, b, c, d, e`;
    expect(line({ unknownFields: [...'abcde'] })).toBe(`${named}.`);
    expect(line({ unknownFields: [...'abcdef'] })).toBe(`${named} and 1 more.`);
    const read = { method: 'GET', path: '/v1/contracts?limit=99', status: 200 };
    expect(line({ ...read, unknownFields: ['limit'] })).toMatch(/ ignores the parameter limit of the query\.$/);
    expect(line({ ...read, unknownFields: ['a', 'b'] })).toMatch(/ ignores these parameters of the query: a, b\.$/);
  });

  test('is told once, however much it did', () => {
    const cause = requestCause(1);
    const events = [
      event(1, 'session.decision_made', 'cs_1', { cause }),
      event(2, 'session.cancelled', 'cs_1', { cause }),
    ];
    const all = chain({ sessionCause: cause, request: () => request(), events });
    expect(all.filter(({ kind }) => kind === 'request')).toHaveLength(1);
    const fixture = chain({ sessionCause: 'start', events: events.map((each) => ({ ...each, cause: 'start' })) });
    expect(fixture.filter(({ kind }) => kind === 'lever')).toHaveLength(1);
    const page = pageCause('completeCheckout', 4);
    const onPage = chain({ sessionCause: page, events: events.map((each) => ({ ...each, cause: page })) });
    expect(onPage.filter(({ kind }) => kind === 'lever')).toHaveLength(1);
  });
});

describe('interface §11: an event in a chain', () => {
  test('has its cause before it, then its payments, its change, itself, its email and its delivery', () => {
    const pay = lever(3, 'payCartCapture', { afterEvent: 1 });
    const cause = causeOf(pay);
    expect(
      linesOf({
        contract: contract(),
        levers: [pay],
        events: [event(2, 'contract.activated', 'LAY-1', { cause }), event(3, 'session.completed', 'cs_1', { cause })],
        attempts: [payment(1, { cause })],
        emails: [email()],
        deliveries: [delivery(2, { attempts: [attempt(1)] })],
      }),
    ).toEqual([
      'lever: The customer tried to pay the Cart Capture (payCartCapture). A lever of the simulator did this.',
      'attempt: Payment attempt 1 on the Cart Capture, $50.00, succeeded. Every attempt succeeds unless a failure was arranged.',
      'transition: Contract LAY-1 moved from pending to active. The down payment of $40.00 and the Reservation Fee were collected. down_payment_percentage was 20, an assumption: the service description leaves it open (§2.5).',
      'transition: Session cs_1 moved from decision_made to completed. The Cart Capture landed.',
      `event: Event contract.activated was recorded for LAY-1. ${SENT_ONCE}`,
      `event: Event session.completed was recorded for cs_1. ${UNSENT}`,
      'email: Email plan_confirmation was written to ada@example.com. The event contract.activated triggers it.',
      'delivery: Webhook contract.activated evt_2, attempt 1, was sent to http://store/webhooks: 200. The endpoint subscribed to this event.',
    ]);
  });

  test.each([
    ['session.decision_made', 'cs_1', 'The customer accepted the plan'],
    ['session.cancelled', 'cs_1', 'The customer backed out'],
    ['contract.activated', 'LAY-1', 'The customer paid the Cart Capture'],
    ['session.completed', 'cs_1', 'session.completed'],
    ['contract.cancelled', 'LAY-1', 'The contract was cancelled'],
    ['webhook.test', 'we_1', 'A test event was requested'],
  ] as const)('says what began it, if nothing recorded its cause: %s', (type, subject, began) => {
    const [first] = withoutSession({ events: [event(1, type, subject)] });
    expect(first).toMatch(`request: ${began}. Its cause was not recorded.`);
  });

  test('that time brought names what fell due, and not who moved the clock', () => {
    const advance = causeOf(lever(5, 'advanceClock'));
    const firsts = (
      [
        ['session.expired', 'cs_1'],
        ['installment.payment_failed', 'LAY-1#1'],
        ['installment.past_due', 'LAY-1#1'],
        ['installment.delinquent', 'LAY-1#1'],
        ['contract.defaulted', 'LAY-1'],
        ['installment.paid', 'LAY-1#1'],
      ] as const
    ).map(([type, subject]) => withoutSession({ events: [event(1, type, subject, { cause: advance })] })[0]);
    expect(firsts.map((line) => line?.split(':')[0])).toEqual(firsts.map(() => 'clock'));
    const settle = lever(6, 'settleInstallment');
    expect(withoutSession({ events: [event(1, 'installment.paid', 'LAY-1#1', { cause: causeOf(settle) })] })[0]).toBe(
      'lever: The customer settled an overdue installment (settleInstallment). A lever of the simulator did this.',
    );
    expect(withoutSession({ events: [event(1, 'installment.paid', 'LAY-1#1')] })[0]).toMatch('clock: ');
  });

  test('shares its cause with the event that is written with it', () => {
    const pairs = [
      ['contract.activated', 'session.completed'],
      ['installment.payment_failed', 'installment.past_due'],
      ['installment.paid', 'contract.completed'],
    ] as const;
    for (const [first, second] of pairs) {
      const both = chain({ session: null, events: [event(1, first, 'LAY-1#1'), event(2, second, 'LAY-1')] });
      expect(both.filter(({ kind }) => kind === 'clock' || kind === 'request')).toHaveLength(1);
    }
    const apart = chain({
      session: null,
      events: [event(1, 'session.decision_made', 'cs_1'), event(2, 'session.completed', 'cs_1')],
    });
    expect(apart.filter(({ kind }) => kind === 'request')).toHaveLength(2);
  });

  test('says why it was not sent', () => {
    const why = (over: Partial<Story>) =>
      withoutSession(over)
        .find((line) => line.startsWith('event'))
        ?.replace(/^.*one transaction\. /, '');
    const cancelled = (cause: string) => [event(1, 'contract.cancelled', 'LAY-1', { cause })];
    const made = (webhooks?: boolean) => lever(2, 'createContract', { body: { webhooks } });
    const open = 'It was not sent: no enabled endpoint subscribed to it, or its contract was created without webhooks.';
    const unsubscribed = 'No enabled endpoint subscribed to it, so it was not sent.';
    const events = cancelled(causeOf(made()));
    expect(why({ events: cancelled('start') })).toBe(open);
    expect(why({ events })).toBe(open);
    expect(why({ events, levers: [made()] })).toBe(unsubscribed);
    expect(why({ events, levers: [made(true)] })).toBe(unsubscribed);
    expect(why({ events, levers: [made(false)] })).toBe(
      'The contract was created without webhooks, so it was not sent.',
    );
    expect(why({ events: cancelled(requestCause(1)) })).toBe(unsubscribed);
  });

  test('counts as sent if the story may lack its delivery', () => {
    const deliveries = Array.from({ length: 1_000 }, (_, index) => delivery(index + 100));
    const lineWith = (some: typeof deliveries) =>
      withoutSession({ events: [event(1, 'contract.cancelled', 'LAY-1')], deliveries: some }).at(-1);
    expect(lineWith(deliveries)).toBe(`event: Event contract.cancelled was recorded for LAY-1. ${SENT_ONCE}`);
    expect(lineWith(deliveries.slice(1))).toBe(`event: Event contract.cancelled was recorded for LAY-1. ${UNSENT}`);
  });
});

describe('interface §11: a payment attempt in a chain', () => {
  const plan = { contract: contract(), installments: [installment(1), installment(2)] };
  const linesOfAttempts = (over: Partial<Story>) =>
    linesOf({ ...plan, ...over }).filter((line) => line.startsWith('attempt'));
  const failed = event(5, 'installment.payment_failed', 'LAY-1#1', { at: OPENED + 14 * DAY });
  const declined = payment(2, { at: OPENED + 14 * DAY, outcome: 'fail' });

  test('stands with the event of its installment, its instant and its outcome', () => {
    const at = OPENED + 14 * DAY;
    const others = [
      payment(3, { at, outcome: 'fail' }),
      payment(2, { at: at + 1, outcome: 'fail', reference: 'sim_later' }),
      payment(2, { at, reference: 'sim_paid' }),
    ];
    expect(linesOfAttempts({ events: [failed], attempts: [...others, declined] })).toEqual([
      'attempt: Payment attempt 1 on installment 1, $80.00, failed. The contract’s outcome script said `fail`.',
    ]);
    expect(
      linesOfAttempts({ events: [{ ...failed, type: 'installment.paid' }], attempts: [...others, declined] }),
    ).toEqual([
      'attempt: Payment attempt 1 on installment 1, $80.00, succeeded. Every attempt succeeds unless a failure was arranged.',
    ]);
    expect(linesOfAttempts({ events: [{ ...failed, type: 'installment.delinquent' }], attempts: [declined] })).toEqual(
      [],
    );
  });

  test('of a settlement includes the late charge', () => {
    const cause = causeOf(lever(6, 'settleInstallment'));
    const paid = event(6, 'installment.paid', 'LAY-1#1', { cause });
    expect(
      linesOfAttempts({ events: [paid], attempts: [payment(2, { lateChargeCents: 400, number: 3, cause })] }),
    ).toEqual([
      'attempt: Payment attempt 3 on installment 1, $84.00, succeeded. A settlement always succeeds: the outcome script is for scheduled attempts only.',
    ]);
  });

  test('names the last lever before it that arranged its failure', () => {
    const arrange = (number: number, afterEvent: number, reference = 'LAY-1') =>
      lever(number, 'arrangeOutcomes', { params: { reference }, body: { outcomes: ['fail'] }, afterEvent });
    const levers = [
      arrange(1, 3),
      arrange(2, 4),
      lever(3, 'advanceClock', { params: { reference: 'LAY-1' }, afterEvent: 4 }),
      arrange(4, 4, 'LAY-2'),
      arrange(5, 5),
    ];
    const [line] = linesOfAttempts({ levers, events: [failed], attempts: [declined] });
    expect(line).toMatch(/The contract’s outcome script said `fail`, arranged by lvr_000000000002\.$/);
    expect(linesOf({ ...plan, levers }).filter((each) => each.startsWith('lever'))).toEqual(
      [1, 2, 5].map(
        () =>
          'lever: The next collection attempts were arranged: fail (arrangeOutcomes). In sandbox, a payment fails only if a failure was arranged beforehand.',
      ),
    );
    expect(withoutSession({ levers: levers.slice(0, 1), contract: null })).toEqual([]);
  });

  test('tells a script that arranges nothing', () => {
    const lines = (body: unknown) =>
      linesOf({ ...plan, levers: [lever(1, 'arrangeOutcomes', { params: { reference: 'LAY-1' }, body })] });
    const all = 'lever: The next collection attempts were arranged: all succeed (arrangeOutcomes).';
    expect(lines({ outcomes: [] })[0]).toMatch(all);
    expect(lines(null)[0]).toMatch(all);
    expect(lines({ outcomes: ['fail', 'pay'] })[0]).toMatch('were arranged: fail, pay (arrangeOutcomes)');
  });

  test('on the Cart Capture that is declined makes no event, and stands after the acceptance', () => {
    const decline = lever(3, 'payCartCapture', { afterEvent: 1 });
    const accepted = event(5, 'session.decision_made', 'cs_1', { cause: causeOf(lever(2, 'acceptPlan')) });
    const attempts = [
      payment(1, { outcome: 'fail', cause: causeOf(decline) }),
      payment(1, { reference: 'sim_2', number: 2 }),
    ];
    const activated = event(6, 'contract.activated', 'LAY-1', { cause: causeOf(lever(4, 'payCartCapture')) });
    expect(
      linesOf({ ...plan, attempts, events: [accepted, activated] }).filter((line) => /^(lever|attempt)/.test(line)),
    ).toEqual([
      'lever: The customer accepted the plan (acceptPlan). A lever of the simulator did this.',
      'lever: The customer tried to pay the Cart Capture (payCartCapture). A lever of the simulator did this.',
      'attempt: Payment attempt 1 on the Cart Capture, $50.00, failed. The customer’s payment was arranged to fail: `outcome: fail`.',
      'lever: The customer tried to pay the Cart Capture (payCartCapture). A lever of the simulator did this.',
      'attempt: Payment attempt 2 on the Cart Capture, $50.00, succeeded. Every attempt succeeds unless a failure was arranged.',
    ]);
    const unrecorded = payment(1, { outcome: 'fail' });
    expect(linesOf({ ...plan, attempts: [unrecorded] })[0]).toBe(
      'request: The customer tried to pay. Its cause was not recorded. Not recorded: an older version of layaway wrote this.',
    );
  });
});

describe('interface §11: an email in a chain', () => {
  const [first, second] = [1, 2].map((number) =>
    event(number, 'installment.paid', `LAY-1#${number}`, { at: OPENED + DAY }),
  ) as [Story['events'][number], Story['events'][number]];

  test('stands with the event that triggers it, of its installment', () => {
    const receipt = email({ template: 'installment_receipt', installment: 2, at: OPENED + DAY });
    const kinds = withoutSession({ events: [first, second], emails: [receipt] }).map((line) => line.split(' ')[0]);
    expect(kinds).toEqual(['clock:', 'transition:', 'event:', 'clock:', 'transition:', 'event:', 'email:']);
    const of = (number: number | null) =>
      withoutSession({ events: [first, second], emails: [{ ...receipt, installment: number }] }).findIndex((line) =>
        line.startsWith('email'),
      );
    expect([of(1), of(null), of(2)]).toEqual([3, 3, 6]);
  });

  test('of a contract stands with its event, whatever installment it tells of', () => {
    const events = [event(1, 'contract.completed', 'LAY-1'), event(2, 'contract.cancelled', 'LAY-1')];
    const done = email({ template: 'plan_completed', installment: 6 });
    const lines = withoutSession({ events, emails: [done] });
    expect(lines.findIndex((line) => line.startsWith('email'))).toBe(3);
    expect(lines[3]).toBe(
      'email: Email plan_completed was written to ada@example.com. The event contract.completed triggers it.',
    );
  });

  test('stands last at its instant if nothing in the chain triggers it', () => {
    const disabled = email({
      template: 'endpoint_disabled',
      url: 'http://store/webhooks',
      reason: 'it answered 410 Gone',
    });
    const lines = withoutSession({ events: [event(9, 'contract.cancelled', 'LAY-1')], emails: [disabled] });
    expect(lines.at(-1)).toBe(
      'email: Email endpoint_disabled was written to ada@example.com. The endpoint http://store/webhooks was disabled: it answered 410 Gone.',
    );
    const elsewhere = withoutSession({ events: [first], emails: [email({ template: 'installment_receipt' })] });
    expect(elsewhere[0]).toMatch(/^email/);
  });
});

describe('interface §11: a preview in a chain', () => {
  const preview = { session: session({ preview: true }), contract: contract({ preview: true }) };
  const SILENT = 'A preview makes no events.';

  test('tells its changes by what its rows hold, each with its lever before it', () => {
    const accept = lever(1, 'acceptPlan');
    const arrange = lever(2, 'arrangeOutcomes', { params: { reference: 'LAY-1' }, body: { outcomes: ['fail'] } });
    const late = OPENED + 14 * DAY;
    const lines = linesOf({
      session: session({ preview: true, status: 'completed' }),
      contract: contract({ preview: true, completedAt: late + HOUR }),
      contractCause: causeOf(accept),
      levers: [accept, arrange],
      installments: [installment(1)],
      attempts: [
        payment(1, { outcome: 'fail', reference: 'sim_0', cause: causeOf(lever(4, 'payCartCapture')) }),
        payment(1, { number: 2, cause: causeOf(lever(5, 'payCartCapture')) }),
        payment(2, { at: late, outcome: 'fail', cause: 'clock' }),
      ],
    });
    expect(lines).toEqual([
      'lever: The customer accepted the plan (acceptPlan). A lever of the simulator did this.',
      `transition: Session cs_1 moved from pending to decision_made; the pending contract LAY-1 was created. The customer entered a name and an email address and accepted the plan. ${SILENT}`,
      'lever: The customer tried to pay the Cart Capture (payCartCapture). A lever of the simulator did this.',
      'attempt: Payment attempt 1 on the Cart Capture, $50.00, failed. The customer’s payment was arranged to fail: `outcome: fail`.',
      'lever: The customer tried to pay the Cart Capture (payCartCapture). A lever of the simulator did this.',
      'attempt: Payment attempt 2 on the Cart Capture, $50.00, succeeded. Every attempt succeeds unless a failure was arranged.',
      `transition: Contract LAY-1 moved from pending to active. The down payment of $40.00 and the Reservation Fee were collected. ${SILENT} down_payment_percentage was 20, an assumption: the service description leaves it open (§2.5).`,
      `transition: Session cs_1 moved from decision_made to completed. The Cart Capture landed. ${SILENT}`,
      'lever: The next collection attempts were arranged: fail (arrangeOutcomes). In sandbox, a payment fails only if a failure was arranged beforehand.',
      'clock: A payment was attempted. It fell due on the account’s clock.',
      'attempt: Payment attempt 1 on installment 1, $80.00, failed. The contract’s outcome script said `fail`, arranged by lvr_000000000002.',
      `transition: Contract LAY-1 moved from active to completed. Its last unpaid installment was paid. ${SILENT}`,
    ]);
  });

  test.each<[string, Partial<Story>, string]>([
    [
      'its contract defaulted',
      { contract: contract({ defaultedAt: OPENED + DAY }) },
      'Contract LAY-1 moved from active to defaulted. An installment was still unpaid when its default clock ended; collection stops.',
    ],
    [
      'its contract was cancelled',
      { contract: contract({ cancelledAt: OPENED + DAY }) },
      'Contract LAY-1 moved from active to cancelled. An active contract ends when it is cancelled; paid installments stay paid.',
    ],
    [
      'it expired',
      { contract: null, session: session({ preview: true, status: 'expired' }) },
      'Session cs_1 moved from pending to expired. Only a pending session expires, at its deadline.',
    ],
  ])('ends when %s', (_, over, said) => {
    expect(told(chain({ ...preview, ...over })).at(-1)).toBe(`transition: ${said} ${SILENT}`);
  });

  test('ends when the customer backs out, before or after the plan was accepted', () => {
    const cancelled = session({ preview: true, status: 'cancelled' });
    const out = (params: ToldLever['params']) => lever(8, 'cancelCheckout', { params, at: OPENED + 5 });
    const levers = [
      lever(9, 'cancelCheckout', { params: { id: 'cs_2' }, at: OPENED + 9 }),
      lever(9, 'openSession', { params: { id: 'cs_1' } }),
    ];
    for (const params of [{ id: 'cs_1' }, { token: 'cs_1' }]) {
      const links = chain({ session: cancelled, levers: [out(params), ...levers] }).slice(2);
      expect(links.map(({ at, id }) => [at, id])).toEqual([
        [OPENED + 5, 'lvr_000000000008'],
        [OPENED + 5, 'cs_1'],
      ]);
      expect(told(links)).toEqual([
        'lever: The customer backed out (cancelCheckout). A lever of the simulator did this.',
        `transition: Session cs_1 moved to cancelled. The customer backed out. A pending contract is cancelled silently. ${SILENT}`,
      ]);
    }
    const accepted = contract({ preview: true, startedAt: null, cancelledAt: OPENED + 5 });
    expect(linesOf({ session: cancelled, contract: accepted, levers: [out({ id: 'cs_1' })] }).at(-1)).toBe(
      `transition: Session cs_1 moved to cancelled, and so did contract LAY-1. The customer backed out. A pending contract is cancelled silently. ${SILENT}`,
    );
  });

  test('that is still pending has nothing but its beginning, as has a session that is not a preview', () => {
    expect(linesOf({ session: session({ preview: true }) })).toEqual([]);
    expect(linesOf({ contract: contract() })).toEqual([]);
  });
});
