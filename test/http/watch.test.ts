import { expect, test } from 'vitest';
import { createSimulator } from '../../src/index.ts';

test('what fails after the answer is a fault that is told', async () => {
  const faults: unknown[] = [];
  await using sim = await createSimulator({
    onFault: (fault) => faults.push(fault),
    onRequest() {
      throw new Error('the watcher broke');
    },
  });
  expect((await fetch(`${sim.url}/_sim/health`)).status).toBe(200);
  await expect.poll(() => faults).toEqual([new Error('the watcher broke')]);
});
