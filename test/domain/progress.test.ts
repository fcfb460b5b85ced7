import { expect, test } from 'vitest';
import { createProgress } from '../../src/domain/progress.ts';

test('a loop may take all its steps, and one more is an error that says where it stands', () => {
  const step = createProgress('The loop', 3);
  for (const at of [1, 2, 3]) step(at);
  expect(() => step(4)).toThrow('The loop makes no progress at 4.');
  expect(() => step(5)).toThrow('The loop makes no progress at 5.');
});
