import type { Figure } from '../figure.ts';
import type { LibraryTimes } from '../library.ts';
import { helper } from '../process.ts';
import { ofStarts, repeat } from '../rounds.ts';

/** How many simulators the process creates before the first one is measured. */
const WARM_UP = 3;

/** A simulator in memory, and a merchant in it, in a warm process. */
export const library: Figure = async function* ({ effort }) {
  await using program = helper<object, LibraryTimes>('library');
  for (let count = 0; count < WARM_UP; count += 1) await program.ask({});
  const merchantMs: number[] = [];
  const readyMs = await repeat(ofStarts(effort), async () => {
    const times = await program.ask({});
    merchantMs.push(...times.merchantMs);
    return times.readyMs;
  });
  yield { name: 'createSimulator(), warm', unit: 'ms', ours: readyMs, reference: null, target: { atMost: 25 } };
  yield { name: 'sim.merchant()', unit: 'ms', ours: merchantMs, reference: null, target: { atMost: 5 } };
};
