import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { type Figure, interleave } from '../figure.ts';
import { bin, program } from '../paths.ts';
import { ready, stop, temporaryDirectory } from '../process.ts';

/** From the start of the process, on a new state directory, until the first 200 is read. */
export const start: Figure = async ({ effort }) => {
  const measured = await interleave(
    effort.startRepetitions,
    () =>
      untilAnswer('/_sim/health', (directory) => [
        bin,
        'serve',
        '--json',
        '--port',
        '0',
        '--data',
        join(directory, 'state'),
      ]),
    () => untilAnswer('/health', (directory) => [program('bare'), join(directory, 'bare.db')]),
  );
  return [{ name: 'start until the first 200', unit: 'ms', ...measured, target: { atMost: 1.0 } }];
};

async function untilAnswer(path: string, command: (directory: string) => string[]): Promise<number> {
  using directory = temporaryDirectory();
  const startedAt = performance.now();
  const child = spawn(process.execPath, command(directory.path), { stdio: ['ignore', 'pipe', 'inherit'] });
  const { base_url } = await ready(child);
  const { status } = await fetch(`${base_url}${path}`);
  const tookMs = performance.now() - startedAt;
  await stop(child);
  if (status !== 200) throw new Error(`${path} answered ${status}.`);
  return tookMs;
}
