import { spawn } from 'node:child_process';
import type { Exchange } from '../exchange.ts';
import { CertifyError } from './error.ts';
import type { Stop } from './stop.ts';

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
/** A shell's codes for a command that it cannot run. */
const CANNOT_RUN = [126, 127];

interface RunOptions {
  /** The flag or option that gave the command, for people. */
  readonly flag: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: Stop | undefined;
}

/**
 * Runs a command line in the shell.
 * @throws CertifyError when it cannot be run, or does not end
 */
export function runCommand(line: string, { flag, env, signal }: RunOptions): Promise<{ code: number; stdout: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(line, {
      shell: true,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: TIMEOUT_MS,
      ...(signal ? { signal: signal as AbortSignal } : {}),
    });
    const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on('data', (chunk) => stdout.push(chunk));
    child.stderr.on('data', (chunk) => stderr.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      const said = Buffer.concat(stderr).toString('utf8').trim();
      if (code === null) return reject(wrong(`did not end within ${TIMEOUT_MS / 1000} s`));
      if (CANNOT_RUN.includes(code)) return reject(wrong(`could not be run${said && `: ${said}`}`));
      resolve({ code, stdout: Buffer.concat(stdout).toString('utf8') });
    });
  });

  function wrong(how: string) {
    return new CertifyError('command', `The ${flag} command "${line}" ${how}.`);
  }
}

export const variablesOf = ({ contract, orderReference, session }: About) => ({
  LAYAWAY_CONTRACT: contract,
  LAYAWAY_ORDER_REFERENCE: orderReference,
  LAYAWAY_SESSION: session,
});

/** What a GET shows of the store; a status other than 2xx is a failure. */
export async function readUrl(template: string, about: About, exchange: Exchange): Promise<Reading> {
  const url = template
    .replaceAll('{contract}', encodeURIComponent(about.contract))
    .replaceAll('{order_reference}', encodeURIComponent(about.orderReference))
    .replaceAll('{session}', encodeURIComponent(about.session));
  try {
    const { status, text } = await exchange({ method: 'GET', url, headers: {}, timeoutMs: TIMEOUT_MS });
    return { text, failure: status >= 200 && status <= 299 ? null : `HTTP ${status}` };
  } catch (error) {
    throw new CertifyError('command', `The --observe URL ${url} gave no answer: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}
