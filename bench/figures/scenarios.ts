import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Figure } from '../figure.ts';
import { bin, root } from '../paths.ts';
import { owned } from '../process.ts';
import { repeat } from '../rounds.ts';

const SCENARIOS = join(root, 'fixtures/scenarios');

/** `layaway run` of every shipped scenario, including the start of the process. */
export const scenarios: Figure = async function* ({ effort }) {
  const files = readdirSync(SCENARIOS).map((name) => join(SCENARIOS, name));
  const ours = await repeat(effort, async () => {
    const startedAt = performance.now();
    const running = promisify(execFile)(process.execPath, [bin, 'run', ...files]);
    owned(running.child);
    await running;
    return performance.now() - startedAt;
  });
  yield { name: 'run all shipped scenarios', unit: 'ms', ours, reference: null, target: { atMost: 5000 } };
};
