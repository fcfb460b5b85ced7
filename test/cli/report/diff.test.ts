import { expect, test } from 'vitest';
import { differenceLines } from '../../../src/cli/report/diff.ts';

const at = 'steps.0.expect.body';

test('interface §5: one line against one line', () => {
  expect(differenceLines({ at, expected: 'active', actual: 'pending' })).toEqual([at, '- active', '+ pending']);
});

test('interface §5: lines that both have stand once; what is missing comes before what is there', () => {
  expect(differenceLines({ at, expected: ['a', 'b', 'c'], actual: ['a', 'x', 'c', 'd'] })).toEqual([
    at,
    '  a',
    '- b',
    '+ x',
    '  c',
    '+ d',
  ]);
  expect(differenceLines({ at, expected: { status: 'active' }, actual: undefined })).toEqual([
    at,
    '- {',
    '-   "status": "active"',
    '- }',
    '+ (nothing)',
  ]);
});

test('a body of tens of thousands of lines is compared at once', () => {
  const lines = Array.from({ length: 40_000 }, (_, n) => `line ${n}`);
  const found = differenceLines({ at, expected: lines, actual: lines.with(20_000, 'another') });
  expect(found.filter((line) => !line.startsWith(' '))).toEqual([at, '- line 20000', '+ another']);
});
