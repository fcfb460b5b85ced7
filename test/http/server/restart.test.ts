import { expect, test } from 'vitest';
import { createSimulator } from '../../../src/index.ts';

test('a simulator on the port of one that was closed is reached immediately, over connections that clients kept', async () => {
  let port = 0;
  for (let start = 1; start <= 6; start += 1) {
    await using sim = await createSimulator({ port, seed: 1 });
    port = Number(new URL(sim.url).port);
    const health = await fetch(`${sim.url}/healthz`);
    expect(health.status).toBe(200);
    await health.text();
  }
});
