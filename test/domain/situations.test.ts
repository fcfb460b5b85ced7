import { describe, expect, test } from 'vitest';
import { type AnsweredRequest, situationsOfRequest, situationsOfWebhook } from '../../src/domain/situations.ts';

// The table itself is docs/coverage.md, which test/operations/coverage-reference.test.ts holds against it.

describe('interface §9: what a request shows', () => {
  const read: AnsweredRequest = {
    operation: 'getContract',
    status: 200,
    detail: null,
    shown: null,
    isRetry: false,
  };
  const contract = { status: 'active', installments: [{ status: 'paid' }, { status: 'upcoming' }] } as const;

  test.each<[string, Partial<AnsweredRequest>, string[]]>([
    ['a success', {}, ['operations.getContract']],
    ['no answer', { status: null }, ['refusals.no-answer']],
    ['500', { status: 500 }, ['refusals.5xx']],
    ['503', { status: 503, detail: 'whatever' }, ['refusals.5xx']],
    ['404', { status: 404 }, ['refusals.getContract.404']],
    ['499', { status: 499 }, ['refusals.getContract.499']],
    ['300', { status: 300 }, ['refusals.getContract.300']],
    ['299', { status: 299 }, ['operations.getContract']],
    [
      'a 403 with its reason',
      { operation: 'createSession', status: 403, detail: 'state_excluded' },
      ['refusals.createSession.403.state_excluded'],
    ],
    ['a session', { shown: { session: 'expired' } }, ['operations.getContract', 'sessions.expired']],
    [
      'a contract, each status once',
      { shown: { contracts: [contract, contract] } },
      ['operations.getContract', 'contracts.active', 'contracts.installment.paid', 'contracts.installment.upcoming'],
    ],
    [
      'an opened session with its key',
      { status: 201, shown: { opened: { withKey: true, isReplay: false } } },
      ['operations.getContract', 'idempotency.key'],
    ],
    [
      'an opened session without',
      { status: 201, shown: { opened: { withKey: false, isReplay: false } } },
      ['operations.getContract'],
    ],
    [
      'a replay after a lost answer',
      { status: 201, shown: { opened: { withKey: true, isReplay: true } }, isRetry: true },
      ['operations.getContract', 'idempotency.key', 'idempotency.replay', 'idempotency.retry-after-lost-answer'],
    ],
  ])('%s', (_what, answer, met) => {
    expect(situationsOfRequest({ ...read, ...answer })).toEqual(met);
  });

  test('a second page counts when it has contracts', () => {
    const onPage = (page: number, contracts = [contract]) =>
      situationsOfRequest({ ...read, shown: { page, contracts } }).includes('contracts.second-page');
    expect([onPage(1), onPage(2), onPage(3), onPage(2, [])]).toEqual([false, true, true, false]);
    expect(situationsOfRequest({ ...read, shown: { page: 2 } })).toEqual(['operations.getContract']);
    expect(situationsOfRequest({ ...read, shown: { contracts: [contract] } })).not.toContain('contracts.second-page');
  });
});

describe('interface §9: what a webhook answered with 2xx shows', () => {
  const webhook = {
    type: 'contract.cancelled',
    isRetry: false,
    isDuplicate: false,
    isLate: false,
    signatures: 1,
    ageMs: 0,
  } as const;
  const THREE_DAYS = 3 * 86_400_000;

  test.each<[string, object, string[]]>([
    ['the first attempt', {}, []],
    ['a retry', { isRetry: true }, ['webhooks.retry']],
    ['a duplicate', { isDuplicate: true }, ['webhooks.duplicate']],
    ['one that comes after a later event', { isLate: true }, ['webhooks.out-of-order']],
    ['a duplicate of an old one is not out of order', { isLate: true, isDuplicate: true }, ['webhooks.duplicate']],
    ['two signatures', { signatures: 2 }, ['webhooks.two-signatures']],
    ['just under three days', { ageMs: THREE_DAYS - 1 }, []],
    ['three days', { ageMs: THREE_DAYS }, ['webhooks.after-outage']],
    [
      'all at once',
      { isRetry: true, isLate: true, signatures: 2, ageMs: THREE_DAYS },
      ['webhooks.retry', 'webhooks.out-of-order', 'webhooks.two-signatures', 'webhooks.after-outage'],
    ],
  ])('%s', (_what, how, more) => {
    expect(situationsOfWebhook({ ...webhook, ...how })).toEqual(['webhooks.contract.cancelled', ...more]);
  });
});
