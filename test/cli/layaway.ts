import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, symlink } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { execa, type ResultPromise } from 'execa';
import { afterAll, inject } from 'vitest';
import { shellQuoted } from '../../src/cli/input/shell-quoted.ts';
import { createSimulator, type Shop, type SimulatorOptions } from '../../src/index.ts';
import { startUntilReady } from '../support/child.ts';
import { expectDescribed } from '../support/outputs.ts';

export const bin = join(inject('layaway'), 'bin', 'layaway.js');
/** Node and the program, for a shell. */
export const quotedBin = [process.execPath, bin].map(shellQuoted).join(' ');

export interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A home and a working directory of its own, with nothing in them. What Node compiled is shared, outside of it. */
export async function emptyPlace(env: Record<string, string> = {}): Promise<Place> {
  const cwd = await mkdtemp(join(tmpdir(), 'layaway-cli-'));
  const homes = { XDG_CACHE_HOME: join(inject('layaway'), 'compiled'), XDG_CONFIG_HOME: join(cwd, 'config') };
  return { cwd, env: { ...homes, XDG_RUNTIME_DIR: cwd, HOME: cwd, ...env } };
}

/** An empty place with a copy of the program, so that a test may change it. */
export async function copiedProgram() {
  const place = await emptyPlace();
  const program = join(place.cwd, 'program');
  const built = dirname(dirname(bin));
  await cp(built, program, { recursive: true, filter: (source) => source !== join(built, 'compiled') });
  await symlink(join(import.meta.dirname, '../../node_modules'), join(program, 'node_modules')).catch(() => undefined);
  return { ...place, program };
}

/** Starts the program as a pipeline would: no terminal, nothing to read. */
export const start = ({ cwd, env }: Place, args: readonly string[]) =>
  execa(process.execPath, [bin, ...args], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
  });

/** The same, until it has printed the line that says it is ready. */
export const startReady = ({ cwd, env }: Place, args: readonly string[], isReady?: (line: string) => boolean) =>
  startUntilReady(process.execPath, [bin, ...args], { cwd, env: { PATH: process.env.PATH, ...env } }, isReady);

export interface Ended {
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into documents of every shape
  readonly json: any;
}

export type Run = (...args: string[]) => Promise<Ended>;

/** How a command ended, as `start` tells it. */
type Finished = Pick<Awaited<ReturnType<typeof start>>, 'exitCode' | 'stdout' | 'stderr'>;
type Finish = (place: Place, args: readonly string[]) => PromiseLike<Finished>;

/** @param finish runs a command to its end, by default as a process of its own */
export const runner =
  (place: Place, finish: Finish = start): Run =>
  async (...args) => {
    const { exitCode, stdout, stderr } = await finish(place, args);
    const json = args.includes('--json') && stdout !== '' ? JSON.parse(stdout) : null;
    if (exitCode === 0 && json !== null) expectDescribed(args, json);
    return { code: exitCode, stdout, stderr, json };
  };

/** A frozen simulator and a runner whose environment speaks to it. */
export async function withSimulator(options: SimulatorOptions = {}, finish: Finish = start) {
  const sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' }, ...options });
  const place = await emptyPlace({ ...sim.default.env });
  return { sim, place, layaway: runner(place, finish), [Symbol.asyncDispose]: () => sim.close() };
}

/** Commands that print what the build prepared, past `process.stdout`, and those that go on until nothing is left to do. */
const NEEDS_PROCESS = /^(--help|-h|completion|exec|listen|mcp|serve|trace open|\w+ tail)( |$)/;
export const needsProcess = (args: readonly string[]) => NEEDS_PROCESS.test(args.slice(0, 2).join(' '));

/**
 * For a file with many commands that end by themselves: one process runs them one after the other, because most of a
 * command's time is the start of Node. It ends with the file. What Node itself reads from the environment at its start has
 * no effect there.
 */
export function oneProcess() {
  let host: ReturnType<typeof openHost> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  afterAll(() => host?.close());
  const finish: Finish = (place, args) => {
    if (needsProcess(args)) return start(place, args);
    host ??= openHost();
    const { run } = host;
    const finished = last.then(() => run(place, args));
    last = finished.catch(() => undefined);
    return finished;
  };
  return {
    finish,
    runner: (place: Place) => runner(place, finish),
    withSimulator: (options?: SimulatorOptions) => withSimulator(options, finish),
  };
}

/** The program of that process. */
export const HOST = join(import.meta.dirname, 'one-process.js');

function openHost() {
  const child = fork(HOST, [bin], {
    env: { PATH: process.env.PATH },
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const ended = text(child.stderr as Readable);
  async function run({ cwd, env }: Place, args: readonly string[]): Promise<Finished> {
    const command = { cwd, env: { PATH: process.env.PATH, ...env }, words: args };
    // One that could not be sent meets the end of the process.
    child.send(command, () => undefined);
    const answer = await Promise.race([once(child, 'message'), ended]);
    if (typeof answer === 'string') throw new Error(`layaway ${args.join(' ')} ended the process of all:\n${answer}`);
    const [{ exitCode, stdout, stderr }] = answer;
    // As execa does.
    return { exitCode, stdout: stdout.replace(/\n$/, ''), stderr: stderr.replace(/\n$/, '') };
  }
  return { run, close: () => child.connected && child.disconnect() };
}

/** Opens a session and completes it. */
export async function plan({ sessions }: Pick<Shop, 'sessions'>) {
  const { id } = await sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
  const { reference } = await sessions.complete(id);
  return { session: id, contract: reference };
}

/** The same on a server that only commands reach. */
export async function planByCommand(layaway: Run) {
  const opened = await layaway('sessions', 'create', '--order-reference', 'A-1', '--total-amount', '20000', '--json');
  const completed = await layaway('sessions', 'complete', opened.json.data.id, '--json');
  return { session: opened.json.data.id as string, contract: completed.json.data.reference as string };
}

/** A server of our own that is no simulator. */
export async function otherServer(answer: RequestListener) {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** A program in the place of a browser: what it is to open stands in `file`, whole from the start. */
export const writesItsArgument = (file: string) => `#!/usr/bin/env node
const { renameSync, writeFileSync } = require('node:fs');
writeFileSync('${file}.part', process.argv[2]);
renameSync('${file}.part', '${file}');
`;

/** Lines of a stream of the program, one by one. */
export function lines(child: ResultPromise<{ stdin: 'ignore' }> | ReturnType<typeof start>) {
  const iterator = (child as ReturnType<typeof start>).iterable()[Symbol.asyncIterator]();
  return async (): Promise<string> => {
    const { value, done } = await iterator.next();
    if (done) throw new Error(`The program printed no further line. Its stderr: ${(await child).stderr}`);
    return value as string;
  };
}
