import type { Figure } from '../figure.ts';
import type { LibraryTimes } from '../library.ts';
import { helper } from '../process.ts';

/** A simulator in memory, and a merchant in it, in a process that has made some before. */
export const library: Figure = async ({ effort }) => {
  await using program = helper<{ repetitions: number }, LibraryTimes>('library');
  const { readyMs, merchantMs } = await program.ask({ repetitions: effort.startRepetitions });
  return [
    { name: 'createSimulator(), wanted', unit: 'ms', ours: readyMs, reference: [60], target: { atMost: 1 } },
    { name: 'sim.merchant(), wanted', unit: 'ms', ours: merchantMs, reference: [5], target: { atMost: 1 } },
  ];
};
