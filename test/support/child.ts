import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { execa, type Options } from 'execa';
import { inject } from 'vitest';
import { caller } from './shop.ts';

/** How a program ended, and what it wrote to stderr. */
export interface Ended {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

/** A program ended before it printed the expected line. */
export class EndedEarly extends Error {
  readonly ended: Ended;

  constructor(command: string, ended: Ended) {
    super(`${command} ended with ${ended.signal ?? ended.exitCode}:\n${ended.stderr}`);
    this.ended = ended;
  }
}

/** Whether a process still runs. One that has ended may wait for its parent to notice. Needs `ps`. */
export async function isRunning(pid: number): Promise<boolean> {
  const { stdout } = await execa('ps', ['-o', 'stat=', '-p', String(pid)], { reject: false });
  return stdout !== '' && !stdout.startsWith('Z');
}

type Place = Pick<Options, 'cwd' | 'uid' | 'gid'> & { readonly env?: NodeJS.ProcessEnv };

/**
 * Starts a program and waits for the line on stdout that says that it is ready: by default the first one. If the program
 * ends before that, this fails at once with the program's stderr.
 * @param place `env` is the whole environment
 */
export async function startUntilReady(
  file: string,
  args: readonly string[],
  place: Place = {},
  isReady: (line: string) => boolean = () => true,
) {
  const child = execa(file, args, { env: process.env, ...place, extendEnv: false, reject: false, stdin: 'ignore' });
  const ended: Promise<Ended> = child.then(({ exitCode = null, signal = null, stderr }) => ({
    exitCode,
    signal: signal as Ended['signal'],
    stderr,
  }));
  const reader = createInterface({ input: child.stdout });
  const printed: string[] = [];
  let read = 0;
  let isOver = false;
  reader.on('line', (line) => void printed.push(line));
  const over = once(reader, 'close').then(() => {
    isOver = true;
  });

  /** The next line of stdout. */
  async function next(): Promise<string> {
    while (read === printed.length) {
      if (isOver) throw new EndedEarly([file, ...args].join(' '), await ended);
      await Promise.race([once(reader, 'line'), over]);
    }
    read += 1;
    return printed[read - 1] as string;
  }
  async function end(signal: NodeJS.Signals): Promise<Ended> {
    child.kill(signal);
    return await ended;
  }

  let ready: string;
  do ready = await next();
  while (!isReady(ready));

  return {
    pid: child.pid as number,
    stdout: child.stdout,
    /** The line that said that the program is ready. */
    ready,
    /** Every line so far. */
    printed: () => [...printed],
    next,
    ended,
    signal: (signal: NodeJS.Signals) => void child.kill(signal),
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    async [Symbol.asyncDispose]() {
      await end('SIGKILL');
    },
  };
}

export type Started = Awaited<ReturnType<typeof startUntilReady>>;

/** A server in its own process, as a user starts it. */
export async function startServer(...flags: string[]) {
  const bin = join(inject('layaway'), 'bin/layaway.js');
  const args = [bin, 'serve', '--json', '--port', '0', '--rate-limit', 'off', ...flags];
  const { ready: line, stop, kill } = await startUntilReady(process.execPath, args);
  const ready = JSON.parse(line);
  const server = { url: ready.base_url as string, controlToken: ready.control_token as string };
  return {
    ...server,
    call: caller(server, { 'x-client-id': ready.sandbox.client_id, 'x-api-key': ready.sandbox.api_key }),
    workspace: caller(server, { authorization: `Bearer ${server.controlToken}` }),
    stop,
    kill,
  };
}

export type ChildServer = Awaited<ReturnType<typeof startServer>>;
