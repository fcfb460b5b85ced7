import { type ChildProcess, spawn } from 'node:child_process';
import { endTree } from '../end-tree.ts';
import type { Exchange } from '../exchange.ts';
import { CertifyError } from './error.ts';
import { type Stop, untilStopped } from './stop.ts';

/** The order whose state is asked for. */
export interface About {
  readonly contract: string;
  readonly orderReference: string;
  readonly session: string;
}

/** What was read of the store, and how the reading failed. */
export interface Reading {
  readonly text: string;
  readonly failure: string | null;
}

/** How long a command or a URL may take. */
const TIMEOUT_MS = 30_000;
const PRINTED_BYTES_MAX = 16 * 2 ** 20;
/** A shell's codes for a command that it cannot run. */
const CANNOT_RUN = [126, 127];

interface RunOptions {
  /** The option that gave the command: a flag of the command line has the same name. */
  readonly option: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: Stop | undefined;
  /** @default 30 s */
  readonly timeoutMs?: number;
}

/**
 * Runs a command line in the shell. If it is stopped, takes too long or prints too much, it ends with everything that it
 * started.
 * @throws CertifyError when it cannot be run, does not end in time, prints more than 16 MiB, or is ended by a signal
 */
export async function runCommand(
  line: string,
  { option, env, signal, timeoutMs = TIMEOUT_MS }: RunOptions,
): Promise<{ code: number; stdout: string; stderr: string }> {
  // A stop may come while the caller is busy with something else.
  signal?.throwIfAborted();
  const child = spawn(line, {
    shell: true,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: IS_POSIX,
  });
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  const ended = new Promise<readonly [code: number | null, by: NodeJS.Signals | null]>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, by) => resolve([code, by]));
    let bytes = 0;
    const keepIn = (printed: Buffer[]) => (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > PRINTED_BYTES_MAX) reject(wrong(`printed more than ${PRINTED_BYTES_MAX / 2 ** 20} MiB`));
      else printed.push(chunk);
    };
    child.stdout.on('data', keepIn(stdout));
    child.stderr.on('data', keepIn(stderr));
    AbortSignal.timeout(timeoutMs).onabort = () => reject(wrong(`did not end within ${timeoutMs / 1000} s`));
  });
  try {
    const [code, by] = await untilStopped(signal, ended);
    const said = Buffer.concat(stderr).toString('utf8');
    if (code === null) throw wrong(`was ended by ${by}`);
    if (CANNOT_RUN.includes(code)) {
      const failure = `could not be run${said.trim() && `: ${said.trim()}`}`;
      throw wrong(option === 'observe' ? withAdvice(failure, line) : failure);
    }
    return { code, stdout: Buffer.concat(stdout).toString('utf8'), stderr: said };
  } finally {
    endGroup(child);
  }

  function wrong(how: string) {
    return new CertifyError('command', `The ${option} command "${line}" ${how}.`);
  }
}

/** Windows has no process groups. */
const IS_POSIX = process.platform !== 'win32';

/** Ends what is left of a command: the shell, and what it left running with its output. */
function endGroup(child: ChildProcess) {
  const isOpen = child.exitCode === null && child.signalCode === null;
  if (!isOpen && child.stdout?.closed && child.stderr?.closed) return;
  try {
    if (IS_POSIX && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    else if (child.pid !== undefined) endTree(child.pid);
  } catch {
    // Nothing is left of it.
  }
  child.stdout?.destroy();
  child.stderr?.destroy();
}

export const variablesOf = ({ contract, orderReference, session }: About) => ({
  LAYAWAY_CONTRACT: contract,
  LAYAWAY_ORDER_REFERENCE: orderReference,
  LAYAWAY_SESSION: session,
});

export const isUrl = (text: string): boolean => /^https?:\/\//i.test(text);

const PLACEHOLDERS: Readonly<Record<string, keyof About>> = {
  '{contract}': 'contract',
  '{order_reference}': 'orderReference',
  '{session}': 'session',
};
const PLACEHOLDER = /\{[a-z][\w-]*\}/gi;

/** Why an observe command failed, and that it has what only a URL can have. */
export function withAdvice(failure: string, command: string): string {
  const found = Object.keys(PLACEHOLDERS).find((placeholder) => command.includes(placeholder));
  if (found === undefined) return failure;
  const variable = `LAYAWAY_${found.slice(1, -1).toUpperCase()}`;
  return `${failure}; ${found} is for a URL, which begins with http:// or https://, and a command gets ${variable} instead`;
}

/** @throws CertifyError for an unknown placeholder */
export function checkPlaceholders(url: string) {
  const unknown = url.match(PLACEHOLDER)?.find((each) => !(each in PLACEHOLDERS));
  if (unknown === undefined) return;
  throw new CertifyError(
    'usage',
    `The observe URL has the unknown placeholder ${unknown}. Use {contract}, {order_reference} or {session}, and write %7B and %7D for braces of the URL itself.`,
  );
}

/** What a GET shows of the store; a status other than 2xx is a failure. */
export async function readUrl(
  template: string,
  about: About,
  { exchange, insecure }: { readonly exchange: Exchange; readonly insecure: boolean },
): Promise<Reading> {
  const url = Object.entries(PLACEHOLDERS).reduce(
    (text, [placeholder, name]) => text.replaceAll(placeholder, encodeURIComponent(about[name])),
    template,
  );
  try {
    const { status, text } = await exchange({ method: 'GET', url, headers: {}, timeoutMs: TIMEOUT_MS, insecure });
    return { text, failure: status >= 200 && status <= 299 ? null : `HTTP ${status}` };
  } catch (error) {
    throw new CertifyError('command', `The observe URL ${url} gave no response: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}
