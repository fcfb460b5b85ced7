import { describe, expect, test } from 'vitest';
import { differenceLines } from '../../src/cli/report/diff.ts';
import { interpolate, namesIn, place, UnknownPlace } from '../../src/scenario/interpolate.ts';
import { differences, matches } from '../../src/scenario/match.ts';

describe('interface §5: what matches as a subset', () => {
  test.each<[unknown, unknown]>([
    [1, 1],
    [null, null],
    ['paid', 'paid'],
    [{}, { a: 1 }],
    [{ a: { b: 1 } }, { a: { b: 1, c: 2 }, d: 3 }],
    [
      [1, 3],
      [1, 2, 3],
    ],
    [[{ n: 1 }], [{ n: 0 }, { n: 1, m: 2 }]],
    [[], []],
    ['/past due/i', 'Your payment is PAST DUE'],
    ['/^2\\d$/', 20],
    ['/^true$/', true],
    ['/a\nb/', 'a\nb'],
    ['/v1/contracts/LAY-1', '/v1/contracts/LAY-1'],
    ['/^paid$/', '/^paid$/'],
  ])('%j in %j', (expected, actual) => {
    expect(matches(expected, actual)).toBe(true);
  });

  test.each<[unknown, unknown]>([
    [1, '1'],
    [null, undefined],
    [null, 0],
    [{ a: 1 }, {}],
    [{ a: 1 }, null],
    [{}, []],
    [[], [1]],
    [
      [1, 2],
      [2, 1],
    ],
    [[1, 1], [1]],
    [[1], { 0: 1 }],
    ['/past due/', 'PAST DUE'],
    ['/null/', null],
    ['/object/', {}],
    ['//', 'a'],
    [{ toString: 1 }, {}],
    [JSON.parse('{ "__proto__": {} }'), {}],
  ])('%j not in %j', (expected, actual) => {
    expect(matches(expected, actual)).toBe(false);
  });

  test('a difference says where, and shows of a list only what was asked about', () => {
    expect(differences({ data: { status: 'active', n: 1 } }, { data: { status: 'pending', n: 1 } }, ['body'])).toEqual([
      { at: 'body.data.status', path: ['body', 'data', 'status'], expected: 'active', actual: 'pending' },
    ]);
    expect(differences([{ to: 'a' }], [{ to: 'b', html: '…' }], ['emails'])).toEqual([
      { at: 'emails', path: ['emails'], expected: [{ to: 'a' }], actual: [{ to: 'b' }] },
    ]);
    const shown = (expected: unknown[], actual: unknown[]) => differences(expected, actual, [])[0]?.actual;
    expect(shown([{ a: 1 }, null], [{ a: 2, b: 3 }, null])).toEqual([{ a: 2 }, null]);
    expect(shown([{ a: null }], [{ a: { b: 1 } }])).toEqual([{ a: { b: 1 } }]);
    expect(shown([{ a: 1 }, { b: [{ c: 1 }] }], [{ a: 2, b: [{ c: 2, d: 3 }], e: 4 }])).toEqual([
      { a: 2, b: [{ c: 2 }] },
    ]);
    expect(shown([{ a: [{ b: 1 }] }, { a: [{ c: 1 }] }], [{ a: [{ b: 2, c: 2, d: 2 }] }])).toEqual([
      { a: [{ b: 2, c: 2 }] },
    ]);
    expect(shown([{ a: 1 }], [{ b: 1 }])).toStrictEqual([{}]);
  });
});

test('an expression that takes too long is named by its first characters', () => {
  const expression = `/^(a+)+${'b?'.repeat(100)}$/`;
  expect(() => matches(expression, `${'a'.repeat(40)}!`)).toThrow(
    `The regular expression ${expression.slice(0, 80)}… took longer than 400 ms.`,
  );
});

describe('a difference for a reader', () => {
  const place12 = { line: 12, column: 5 };

  test('two values', () => {
    expect(differenceLines({ at: 'status', ...place12, expected: 200, actual: 404 }, 'a.yaml')).toEqual([
      'a.yaml:12:5 status',
      '- expected: 200',
      '+ actual:   404',
    ]);
  });

  test('nothing where something was expected', () => {
    expect(differenceLines({ at: 'body.a', ...place12, expected: 1, actual: undefined }, 'a.yaml')).toEqual([
      'a.yaml:12:5 body.a',
      '- expected: 1',
      '+ actual:   (nothing)',
    ]);
    expect(differenceLines({ at: 'events', ...place12, expected: ['x'], actual: [] }, 'a.yaml')).toEqual([
      'a.yaml:12:5 events',
      '- expected: x',
      '+ actual:   (none)',
    ]);
  });

  test('ordered lists keep what they have in common', () => {
    const expected = ['installment.paid', 'contract.completed'];
    const actual = ['installment.paid', 'installment.paid', 'contract.completed'];
    expect(differenceLines({ at: 'happened', ...place12, expected, actual }, 'a.yaml')).toEqual([
      'a.yaml:12:5 happened (- expected, + actual)',
      '  installment.paid',
      '+ installment.paid',
      '  contract.completed',
    ]);
  });
});

describe('interface §5: interpolation', () => {
  const scope = new Map<string, unknown>([
    ['plan', { reference: 'LAY-1', installments: [{ amount: 5 }, { amount: 4 }] }],
    ['lost', undefined],
  ]);

  test.each<[unknown, unknown]>([
    [place('plan.reference'), 'LAY-1'],
    [`${place('plan.reference')}#2=past_due`, 'LAY-1#2=past_due'],
    [place('plan.installments.1.amount'), 4],
    [place('plan.installments[0].amount'), 5],
    [{ a: [place('plan.installments')] }, { a: [[{ amount: 5 }, { amount: 4 }]] }],
    [`$${place('plan.reference')}`, place('plan.reference')],
    [12, 12],
    [null, null],
    ['$5 {x}', '$5 {x}'],
  ])('%j is %j', (value, expected) => {
    expect(interpolate(value, scope)).toEqual(expected);
  });

  test.each([
    [place('plan.referense'), 'plan has no referense; it has reference, installments.'],
    [place('plan.installments.7.amount'), 'plan.installments has no 7; it is a list of 2.'],
    [place('plan.reference.length'), 'plan.reference has no length; it is "LAY-1".'],
    [place('plan.constructor'), 'plan has no constructor'],
    [`a ${place('plan.installments')}`, 'is not a single value'],
    [place('order.id'), 'nothing is named order'],
    [place('lost'), 'the response that lost names was lost.'],
  ])('%s is refused', (value, sentence) => {
    const attempt = () => interpolate(value, scope);
    expect(attempt).toThrow(UnknownPlace);
    expect(attempt).toThrow(sentence);
  });

  test('the names that a text refers to', () => {
    expect(namesIn(`${place('a.b')} ${place('c[0]')} $${place('d')}`)).toEqual(['a', 'c']);
  });
});
