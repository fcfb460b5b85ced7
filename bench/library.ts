/** Uses the library repeatedly in one process, as a test suite does. */
import { dist } from './paths.ts';

export interface LibraryTimes {
  readonly readyMs: number;
  readonly merchantMs: number[];
}

const { createSimulator } = (await import(dist)) as typeof import('../src/index.ts');

async function timed<T>(work: () => Promise<T>): Promise<[result: T, ms: number]> {
  const startedAt = performance.now();
  return [await work(), performance.now() - startedAt];
}

process.on('message', async () => {
  const [sim, readyMs] = await timed(() => createSimulator({ seed: 1 }));
  const merchantMs: number[] = [];
  for (let count = 0; count < 10; count += 1) merchantMs.push((await timed(() => sim.merchant()))[1]);
  await sim.close();
  process.send?.({ readyMs, merchantMs });
});
