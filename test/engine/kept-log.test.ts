import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { keptLog } from '../../src/engine/kept-log.ts';
import { openStore } from '../../src/store/store.ts';

test('a part that cannot be stored is reported and costs nobody else anything', () => {
  const faults: unknown[] = [];
  const log = keptLog({ store: openStore(null, tmpdir()) }, (error) => faults.push(error));
  const part = { last: 2, given: 2, texts: ['{"a":1}', '{"b":2}'] };
  log.add(part, 100, 1000);
  log.add({ ...part, texts: ['{"c":3}'] }, 100, 1000);
  expect(faults).toEqual([expect.objectContaining({ code: 'SQLITE_CONSTRAINT_PRIMARYKEY' })]);
  log.add({ last: 3, given: 3, texts: ['{"d":4}'] }, 100, 1000);
  expect(log.read()).toEqual([part, { last: 3, given: 3, texts: ['{"d":4}'] }]);
  expect(faults).toHaveLength(1);
});
