import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Figure } from '../figure.ts';
import { bin } from '../paths.ts';

const SCENARIOS = join(bin, '../../fixtures/scenarios');

/** `layaway run` of every scenario that is shipped, the start of the process included. */
export const scenarios: Figure = async ({ effort }) => {
  const files = readdirSync(SCENARIOS).map((name) => join(SCENARIOS, name));
  const ours: number[] = [];
  for (let repetition = 0; repetition < effort.repetitions; repetition += 1) {
    const startedAt = performance.now();
    await promisify(execFile)(process.execPath, [bin, 'run', ...files]);
    ours.push(performance.now() - startedAt);
  }
  return [{ name: 'run all shipped scenarios, wanted', unit: 'ms', ours, reference: [5000], target: { atMost: 1 } }];
};
