import { expect, test } from 'vitest';
import { differenceLines } from '../../../src/cli/report/diff.ts';

const where = { at: 'body', line: 12, column: 5 };

test('interface §5: one line against one line', () => {
  expect(differenceLines({ ...where, expected: 'active', actual: 'pending' }, 'a.yaml')).toEqual([
    'a.yaml:12:5 body',
    '- expected: active',
    '+ actual:   pending',
  ]);
});

test('interface §5: lines that both have stand once; what is missing comes before what is there', () => {
  expect(differenceLines({ ...where, expected: ['a', 'b', 'c'], actual: ['a', 'x', 'c', 'd'] }, 'a.yaml')).toEqual([
    'a.yaml:12:5 body (- expected, + actual)',
    '  a',
    '- b',
    '+ x',
    '  c',
    '+ d',
  ]);
  expect(differenceLines({ ...where, expected: { status: 'active' }, actual: undefined }, 'a.yaml')).toEqual([
    'a.yaml:12:5 body (- expected, + actual)',
    '- {',
    '-   "status": "active"',
    '- }',
    '+ (nothing)',
  ]);
});

test.each([
  ['a string and a number', '200', 200, ['- expected: "200"', '+ actual:   200']],
  ['a string and null', null, 'null', ['- expected: null', '+ actual:   "null"']],
  ['a string and what is missing', '(nothing)', undefined, ['- expected: "(nothing)"', '+ actual:   (nothing)']],
  ['in lists', ['1', '2'], ['1', 2], ['  [', '    "1",', '-   "2"', '+   2', '  ]']],
])('values that read the same are told apart: %s', (_what, expected, actual, lines) => {
  expect(differenceLines({ ...where, expected, actual }, 'a.yaml').slice(1)).toEqual(lines);
});

test('a body of tens of thousands of lines is compared immediately', () => {
  const lines = Array.from({ length: 40_000 }, (_, n) => `line ${n}`);
  const found = differenceLines({ ...where, expected: lines, actual: lines.with(20_000, 'another') }, 'a.yaml');
  expect(found.slice(1).filter((line) => !line.startsWith(' '))).toEqual(['- line 20000', '+ another']);
});
