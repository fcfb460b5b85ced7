import { describe, expect, test } from 'vitest';
import {
  type CoverageReport,
  type First,
  firstText,
  isOfTable,
  isReport,
  mergeReports,
  type Noted,
  reportOf,
  sumOfAccounts,
} from '../../src/domain/coverage.ts';
import { FINDINGS } from '../../src/domain/findings.ts';
import { SITUATION_GROUPS, type Situation, type SituationGroup } from '../../src/domain/situations.ts';

const situation = (group: SituationGroup, what: string): Situation => ({
  id: `${group}.${what}`,
  group,
  title: `Title of ${what}`,
  section: 'service §4.1',
  how: `How ${what}`,
});
const TABLE = [situation('operations', 'ping'), situation('operations', 'getConfig'), situation('sessions', 'pending')];
const first = (at: string, id = 'req_1'): First => ({ at, kind: 'request', id, client_id: null });
const report = (noted: Record<string, Noted>, table = TABLE) => reportOf(table, (what) => noted[what]);

test('interface §9: a report counts what was met, of each group and in all', () => {
  const met = first('2026-01-01T00:00:00.000000Z');
  const made = report({ 'operations.ping': { count: 7, first: met }, polling: { count: 2, first: met } });
  expect(made).toMatchObject({ met: 1, total: 3, percent: 33.3 });
  expect(made.groups).toEqual(
    Object.entries(SITUATION_GROUPS).map(([id, title]) => {
      const [count, total] = id === 'operations' ? [1, 2] : id === 'sessions' ? [0, 1] : [0, 0];
      return { id, title, met: count, total };
    }),
  );
  expect(made.situations).toEqual([
    {
      id: 'operations.ping',
      group: 'operations',
      title: 'Title of ping',
      section: 'service §4.1',
      met: 7,
      first: met,
      how: 'How ping',
    },
    expect.objectContaining({ id: 'operations.getConfig', met: 0, first: null }),
    expect.objectContaining({ id: 'sessions.pending', met: 0, first: null }),
  ]);
  expect(made.findings).toEqual([{ rule: 'polling', ...FINDINGS.polling, count: 2, first: met }]);
});

test('interface §9: the percentage has one decimal, rounded down', () => {
  const table = Array.from({ length: 1_000 }, (_, n) => situation('webhooks', String(n)));
  const noted = (count: number) =>
    Object.fromEntries(table.slice(0, count).map(({ id }) => [id, { count: 1, first: first('2026') }]));
  expect(report(noted(999), table).percent).toBe(99.9);
  expect(report(noted(1_000), table).percent).toBe(100);
  expect(report(noted(2), table.slice(0, 3)).percent).toBe(66.6);
  expect(report({}, table).percent).toBe(0);
});

test('interface §9: merged reports add the counts, and the earliest first stays', () => {
  const [early, late] = [first('2026-01-01', 'req_early'), first('2026-01-02', 'req_late')];
  const a = report({ 'operations.ping': { count: 2, first: late }, polling: { count: 1, first: early } });
  const b = report({ 'operations.ping': { count: 3, first: early }, 'sessions.pending': { count: 1, first: late } });
  const c = report({ polling: { count: 4, first: late }, 'slow-ack': { count: 1, first: late } });
  const expected = report({
    'operations.ping': { count: 5, first: early },
    'sessions.pending': { count: 1, first: late },
    polling: { count: 5, first: early },
    'slow-ack': { count: 1, first: late },
  });
  expect(mergeReports(TABLE, [a, b, c])).toEqual(expected);
  expect(mergeReports(TABLE, [c, b, a])).toEqual(expected);
  expect(mergeReports(TABLE, [])).toEqual(report({}));
});

test('of two firsts at one instant, that of the earlier report stays', () => {
  const [one, other] = [first('2026-01-01', 'req_1'), first('2026-01-01', 'req_2')];
  const merged = mergeReports(
    TABLE,
    [one, other].map((each) => report({ 'operations.ping': { count: 1, first: each } })),
  );
  expect(merged.situations[0]).toMatchObject({ met: 2, first: one });
});

test('interface §9: a report of another table is known', () => {
  const made = report({});
  expect(isOfTable(TABLE, made)).toBe(true);
  expect(isOfTable(TABLE.slice(1), made)).toBe(false);
  expect(isOfTable([...TABLE, situation('sessions', 'expired')], made)).toBe(false);
  expect(isOfTable([...TABLE].reverse(), made)).toBe(false);
  const found = report({ polling: { count: 1, first: first('2026-01-01', 'req_1') } });
  expect(isOfTable(TABLE, found)).toBe(true);
  const findings = found.findings.map((finding) => ({ ...finding, rule: 'a-later-rule' })) as never;
  expect(isOfTable(TABLE, { ...found, findings })).toBe(false);
  expect(isOfTable([TABLE[0], TABLE[1], situation('sessions', 'expired')] as Situation[], made)).toBe(false);
});

describe('interface §9: a file to merge is a report', () => {
  const met = first('2026-01-01');
  const made = report({ 'operations.ping': { count: 2, first: met }, polling: { count: 1, first: met } });
  const withRow = (row: object) => ({ ...made, situations: [{ ...made.situations[0], ...row }] });

  test.each<[what: string, value: unknown, isOne: boolean]>([
    ['a report', made, true],
    ['one of another version', { ...made, situations: [{ id: 'x', met: 1, first: met }], findings: [] }, true],
    ['one whose first request was not logged', withRow({ first: { ...met, id: null } }), true],
    ['null', null, false],
    ['text', 'report', false],
    ['situations alone', { situations: made.situations }, false],
    ['findings alone', { findings: made.findings }, false],
    ['situations that are no list', { ...made, situations: {} }, false],
    ['a row that is null', { ...made, situations: [null] }, false],
    ['a row without its id', withRow({ id: 7 }), false],
    ['one bad row among good ones', { ...made, situations: [...made.situations, {}] }, false],
    ['a count that is no number', withRow({ met: '2' }), false],
    ['half a count', withRow({ met: 1.5 }), false],
    ['a negative count', withRow({ met: -1 }), false],
    ['a count without its first', withRow({ first: null }), false],
    ['a first without a count', withRow({ met: 0 }), false],
    ['no first at all', withRow({ first: undefined }), false],
    ['a first without its time', withRow({ first: { ...met, at: 7 } }), false],
    ['a first with a number as its id', withRow({ first: { ...met, id: 7 } }), false],
    ['a first without its account', withRow({ first: { at: met.at, kind: met.kind, id: met.id } }), true],
    ['a first with a number as its account', withRow({ first: { ...met, client_id: 7 } }), false],
    ['a first of an unknown kind', withRow({ first: { ...met, kind: 'moon' } }), false],
    ['a finding without its rule', { ...made, findings: [{ ...made.findings[0], rule: null }] }, false],
    ['a finding without its count', { ...made, findings: [{ ...made.findings[0], count: null }] }, false],
  ])('%s', (_what, value, isOne) => {
    expect(isReport(value)).toBe(isOne);
  });
});

test('interface §9: in a sum over several accounts, a first occurrence names its account', () => {
  const one = report({ 'operations.ping': { count: 1, first: first('2026-01-01', 'req_1') } });
  const two = report({ polling: { count: 1, first: first('2026-01-02', 'req_2') } });
  const firsts = (...reports: [string, CoverageReport][]) => {
    const { situations, findings } = sumOfAccounts(TABLE, reports);
    return [situations[0]?.first, findings[0]?.first].map((each) => each && firstText(each));
  };
  const unused: [string, CoverageReport] = ['mch_3', report({})];
  expect(firsts(['mch_1', one], ['mch_2', two], unused)).toEqual(['request req_1 of mch_1', 'request req_2 of mch_2']);
  expect(firsts(unused, ['mch_1', one])).toEqual(['request req_1', undefined]);
});

test('the first occurrence is named by its id, or by its kind if it was not logged', () => {
  expect(firstText(first('2026', 'req_1'))).toBe('request req_1');
  expect(firstText({ kind: 'request', id: null, client_id: null })).toBe('a request (not logged)');
});
