import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Figure, interleave } from '../figure.ts';
import { bin } from '../paths.ts';

/** `layaway --help` against Node doing nothing. */
export const help: Figure = async ({ effort }) => {
  const measured = await interleave(
    effort.startRepetitions,
    () => untilExit([bin, '--help']),
    () => untilExit(['-e', '0']),
  );
  return [{ name: 'layaway --help, node -e 0', unit: 'ms', ...measured, target: { atMost: 1.4 } }];
};

async function untilExit(args: string[]): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit');
  const tookMs = performance.now() - startedAt;
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code}.`);
  return tookMs;
}
