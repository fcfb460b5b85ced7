import { type ChildProcess, fork } from 'node:child_process';
import { type EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { endWhenAbandoned } from './leftovers.ts';
import type { Load, LoadResult, Request } from './load.ts';
import { bin, program } from './paths.ts';

/** The line that a server prints when it listens. The simulator's contains the header pair. */
interface Ready {
  readonly base_url: string;
  readonly control_token?: string;
  readonly dashboard_url?: string;
  readonly sandbox?: { readonly client_id: string; readonly api_key: string };
}

export interface Server extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Authenticates a request; empty for the bare server. */
  readonly headers: Readonly<Record<string, string>>;
  /** Authenticates a workspace lever. */
  readonly controlHeaders: Readonly<Record<string, string>>;
  /** Signs one browser in to the dashboard; empty for the bare server. */
  readonly dashboardUrl: string;
  /** Bytes held by the process after garbage collection. */
  rss(): Promise<number>;
}

/** The three servers under test, each on a state directory. */
export const bareServer = (directory: string) => start(program('bare'), [join(directory, 'bare.db')]);
export const simulator = (directory: string) => start(program('simulator'), [join(directory, 'state')]);
export const serveCommand = (directory: string) =>
  start(bin, ['serve', '--json', '--port', '0', '--rate-limit', 'off', '--data', join(directory, 'state')]);

/** Makes sure that the program ends if its figure is given up. */
export function owned<Child extends ChildProcess>(child: Child): Child {
  child.once(
    'exit',
    endWhenAbandoned(() => child.kill('SIGKILL')),
  );
  return child;
}

/** Node options that make a program answer how much memory it holds. */
export const AT_REST = ['--expose-gc', '--import', program('at-rest')];

async function start(file: string, args: string[]): Promise<Server> {
  const child = owned(fork(file, args, { execArgv: AT_REST, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] }));
  const line = await ready(child);
  const { base_url, control_token, dashboard_url = '' } = line;
  return {
    url: base_url,
    port: Number(new URL(base_url).port),
    headers: headersOf(line),
    controlHeaders: { authorization: `Bearer ${control_token}` },
    dashboardUrl: dashboard_url,
    rss: () => rssOf(child),
    [Symbol.asyncDispose]: () => stop(child),
  };
}

export const headersOf = ({ sandbox }: Ready): Record<string, string> =>
  sandbox ? { 'x-client-id': sandbox.client_id, 'x-api-key': sandbox.api_key } : {};

export async function rssOf(child: ChildProcess): Promise<number> {
  const [{ rss }] = (await ask(child, 'rss')) as [{ rss: number }];
  return rss;
}

/** The first line of stdout. Later lines are discarded, so that the pipe never fills up. */
export async function ready(child: ChildProcess): Promise<Ready> {
  if (!child.stdout) throw new Error('The server has no stdout.');
  const [line] = (await unlessItEnds(child, createInterface(child.stdout), 'line')) as [string];
  return JSON.parse(line);
}

/** The next event, or an error if the process ends first. */
async function unlessItEnds(child: ChildProcess, emitter: EventEmitter, event: string): Promise<unknown[]> {
  const done = new AbortController();
  const ended = once(child, 'exit', done).then(([code]) => {
    throw new Error(`${child.spawnargs.slice(1).join(' ')} ended with ${code}.`);
  });
  ended.catch(() => undefined);
  try {
    return await Promise.race([once(emitter, event, done), ended]);
  } finally {
    done.abort();
  }
}

export async function stop(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

/** One load generator process, used for everything in a figure. */
export function loadGenerator() {
  const child = owned(fork(program('load'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }));
  return {
    /** Sends the request to a server again and again, so many at once. */
    async run(
      { port }: Pick<Server, 'port'>,
      request: Request,
      concurrency: number,
      stop: Load['stop'],
    ): Promise<LoadResult> {
      const [result] = (await ask(child, { ...request, port, concurrency, stop } satisfies Load)) as [LoadResult];
      return result;
    },
    [Symbol.asyncDispose]: () => stop(child),
  };
}

export type LoadGenerator = ReturnType<typeof loadGenerator>;

/** Starts one of the bench's programs, which answers each question with a message. */
export function helper<Question extends object, Answer>(name: string) {
  const child = owned(fork(program(name), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }));
  return {
    async ask(question: Question): Promise<Answer> {
      const [answer] = (await ask(child, question)) as [Answer];
      return answer;
    },
    [Symbol.asyncDispose]: () => stop(child),
  };
}

function ask(child: ChildProcess, question: object | 'rss') {
  const answered = unlessItEnds(child, child, 'message');
  child.send(question);
  return answered;
}

/** A directory that is removed after the figure is measured. */
export function temporaryDirectory() {
  const path = mkdtempSync(join(tmpdir(), 'layaway-bench-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
