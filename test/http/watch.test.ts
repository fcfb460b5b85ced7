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

test('a watcher that breaks does not cost the entry in the request log', async () => {
  await using sim = await createSimulator({
    onFault: () => undefined,
    onRequest() {
      throw new Error('the watcher broke');
    },
  });
  const answer = await fetch(`${sim.url}/v1/ping`, { headers: sim.default.headers });
  expect(answer.status).toBe(200);
  await expect.poll(async () => (await sim.default.logs.list()).map(({ path }) => path)).toEqual(['/v1/ping']);
});
