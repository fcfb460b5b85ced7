import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { coverageReference } from '../../scripts/coverage-reference.ts';
import {
  type AnsweredRequest,
  type ServiceOperation,
  situationsOf,
  situationsOfRequest,
  situationsOfWebhook,
} from '../../src/domain/situations.ts';
import { SERVICE_OPERATIONS } from '../../src/operations/service.ts';

describe('interface §9: the table of situations', () => {
  test('is what docs/coverage.md tells (npm run openapi rewrites it)', async () => {
    const docs = await readFile(join(import.meta.dirname, '../../docs/coverage.md'), 'utf8');
    expect(coverageReference(situationsOf(SERVICE_OPERATIONS))).toBe(docs);
  });

  test('has each situation once, with its group', () => {
    const table = situationsOf(SERVICE_OPERATIONS);
    expect(new Set(table.map(({ id }) => id)).size).toBe(table.length);
    for (const { id, group } of table) expect(id.startsWith(`${group}.`), id).toBe(true);
  });

  const operation: ServiceOperation = {
    operationId: 'ping',
    method: 'GET',
    path: '/v1/ping',
    scope: 'ping',
    summary: 'Says hello',
    refusals: [],
  };

  test('a refusal of a body says that the body is wrong, unless more is known of the operation', () => {
    const [refusal] = situationsOf([{ ...operation, refusals: [422] }]).filter(({ group }) => group === 'refusals');
    expect(refusal).toMatchObject({
      id: 'refusals.ping.422',
      how: 'Have the store send GET /v1/ping with a wrong body.',
    });
  });

  test('an operation or a status of which nothing is known is a fault of the program', () => {
    expect(() => situationsOf([{ ...operation, operationId: 'sayHello' }])).toThrow(
      'No section of the description is known for sayHello.',
    );
    expect(() => situationsOf([{ ...operation, refusals: [418] }])).toThrow('Nothing is known of a 418 of ping.');
  });
});

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
    ['no response', { status: null }, ['refusals.no-answer']],
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
      'a replay after a lost response',
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
