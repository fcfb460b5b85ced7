import { expect, test } from 'vitest';
import { compare, describe as told } from '../../bench/compare.ts';
import type { Result } from '../../bench/result.ts';
import { aResult, aRun } from './result.ts';

const compared = (before: Result, after: Result) => compare(aRun([before]), aRun([after]));

test('a line is slower by what the noise of both runs does not explain', () => {
  const { slower, same } = compared(aResult('create', 1, 0.03), aResult('create', 0.8, 0.04));
  expect(same).toBe(0);
  expect(slower).toMatchObject([{ name: 'create', before: 1, after: 0.8 }]);
  expect(slower[0]?.slower).toBeCloseTo(0.25);
  expect(slower[0]?.noise).toBeCloseTo(0.05);
  expect(slower[0]?.beyond).toBeCloseTo(0.2);
});

test('within the noise nothing changed', () => {
  expect(compared(aResult('create', 1, 0.3), aResult('create', 0.9))).toMatchObject({
    slower: [],
    faster: [],
    same: 1,
  });
});

test('more of a rate is faster, more of a time or of memory is slower', () => {
  expect(compared(aResult('rate', 1), aResult('rate', 2)).faster).toHaveLength(1);
  expect(compared(aResult('time', 1, 0, 'ms'), aResult('time', 2, 0, 'ms')).slower).toHaveLength(1);
  expect(compared(aResult('memory', 2, 0, 'MB'), aResult('memory', 1, 0, 'MB')).faster).toHaveLength(1);
});

test('lines that only one run has are named, but not those of figures that were left out', () => {
  const before = aRun([aResult('a', 1), aResult('old', 1), { ...aResult('b', 1), figure: 'left out' }]);
  const { missing } = compare(before, aRun([aResult('a', 1), aResult('new', 1)]));
  expect(missing).toEqual(['figure: new (only in this run)', 'figure: old (only in the stored run)']);
});

test('a ratio is not compared with a bare value', () => {
  const { missing, same } = compared({ ...aResult('a', 1), reference: null }, aResult('a', 1));
  expect([missing.length, same]).toEqual([1, 0]);
});

test('the summary says by how much, how far beyond the noise, and what else differs', () => {
  const before = aRun([aResult('create', 1, 0.03)], { node: 'v22.0.0' });
  expect(told(compare(before, aRun([aResult('create', 0.8, 0.04)])))).toBe(`\
The runs have different versions of Node: v22.0.0 and v20.19.0.
Slower than the stored run:
  figure: create: 25 % slower (1.00 to 0.800), 20 % beyond the noise of 5 %
1 slower, 0 faster, 0 the same within the noise.`);
});
