/** The library in a process that has used it before, as in a test suite. */
import { dist } from './paths.ts';

export interface LibraryTimes {
  readonly readyMs: number[];
  readonly merchantMs: number[];
}

const { createSimulator } = (await import(dist)) as typeof import('../src/index.ts');

async function timed<T>(work: () => Promise<T>): Promise<[result: T, ms: number]> {
  const startedAt = performance.now();
  return [await work(), performance.now() - startedAt];
}

process.on('message', async ({ repetitions }: { repetitions: number }) => {
  const readyMs: number[] = [];
  const merchantMs: number[] = [];
  for (let n = -2; n < repetitions; n += 1) {
    const [sim, ms] = await timed(() => createSimulator({ seed: 1 }));
    for (let count = 0; count < 10; count += 1) {
      const [, tookMs] = await timed(() => sim.merchant());
      if (n >= 0) merchantMs.push(tookMs);
    }
    await sim.close();
    if (n >= 0) readyMs.push(ms);
  }
  process.send?.({ readyMs, merchantMs });
});
