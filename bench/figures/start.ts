import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Figure } from '../figure.ts';
import { bin, program } from '../paths.ts';
import { headersOf, owned, ready, stop, temporaryDirectory } from '../process.ts';
import { interleave, ofStarts } from '../rounds.ts';

/** The time from the start of the process, on a new state directory, until the first answer with 200. */
export const start: Figure = async function* ({ effort }) {
  const measured = await interleave(
    ofStarts(effort),
    () => untilAnswer('/v1/ping', serving),
    () => untilAnswer('/health', (directory) => [program('bare'), join(directory, 'bare.db')]),
  );
  yield { name: 'start until the first 200', unit: 'ms', ...measured, target: { atMost: 0.8 } };
};

/** The command line of our server. */
export const serving = (directory: string) => [
  bin,
  ...['serve', '--json', '--port', '0', '--data', join(directory, 'state')],
];

export async function untilAnswer(path: string, command: (directory: string) => string[]): Promise<number> {
  using directory = temporaryDirectory();
  const startedAt = performance.now();
  const child = owned(spawn(process.execPath, command(directory.path), { stdio: ['ignore', 'pipe', 'inherit'] }));
  const line = await ready(child);
  const { status } = await fetch(`${line.base_url}${path}`, { headers: headersOf(line) });
  const tookMs = performance.now() - startedAt;
  await stop(child);
  if (status !== 200) throw new Error(`${path} answered ${status}.`);
  return tookMs;
}
