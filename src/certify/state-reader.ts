import type { Exchange } from '../exchange.ts';
import { CertifyError } from './error.ts';
import type { Order } from './orders.ts';
import { type About, isUrl, type Reading, readUrl, runCommand, variablesOf, withAdvice } from './programs.ts';
import { comparable } from './state-text.ts';
import type { Stop } from './stop.ts';

/** A command line, a URL or a function that shows the state of one order in the store. */
export type Observe = string | ((about: About) => string | Promise<string>);

export type StateReader = ReturnType<typeof createStateReader>;

/** Reads the state of an order, as text that can be compared. */
export function createStateReader(
  observe: Observe,
  {
    env,
    exchange,
    now,
    signal,
    insecure,
    isSilent,
  }: {
    readonly env: Readonly<Record<string, string>>;
    readonly exchange: Exchange;
    readonly now: () => number;
    readonly signal: Stop | undefined;
    /** Accepts any certificate of an https URL. */
    readonly insecure: boolean;
    /** Whether the receiver did not answer the latest request. */
    readonly isSilent: () => boolean;
  },
) {
  const begunAt = now();
  /** Whether the store has answered. */
  let isThere = false;
  /** Texts that show no state, and why: reading failed, as it may for an order that the store does not know yet. */
  const failures = new Map<string, string>();

  async function read(about: About): Promise<Reading> {
    signal?.throwIfAborted();
    if (typeof observe === 'function') return { text: textFrom(await observe(about)), failure: null };
    if (isUrl(observe)) return readStore(observe, about);
    const { code, stdout } = await runCommand(observe, {
      option: 'observe',
      env: { ...env, ...variablesOf(about) },
      signal,
    });
    return { text: stdout, failure: code === 0 ? null : `exit code ${code}` };
  }

  /**
   * A store that ended shows no state. An address where no store has ever answered is a mistake of whoever named it.
   */
  async function readStore(url: string, about: About): Promise<Reading> {
    try {
      const reading = await readUrl(url, about, { exchange, insecure });
      isThere = true;
      return reading;
    } catch (error) {
      const { code, message } = (error as CertifyError).cause as NodeJS.ErrnoException;
      if (code === 'ETIMEDOUT' || !(isThere || isSilent())) throw error;
      return { text: '', failure: `no response: ${message}` };
    }
  }

  async function look(order: Order): Promise<string> {
    const { text, failure } = await read(order.about);
    const output = failure === null ? text : `${failure}\n${text}`;
    const state = comparable(output, order, begunAt, now());
    if (failure !== null) failures.set(state, failure);
    return state;
  }

  return {
    /** What the store shows of the order now. */
    look,
    /** Why this text shows no state; null if it shows one. */
    failureOf(state: string): string | null {
      const failure = failures.get(state) ?? null;
      const isCommand = typeof observe === 'string' && !isUrl(observe);
      return isCommand && failure !== null ? withAdvice(failure, observe) : failure;
    },
    /** Notes that a text shows no state; the first reason stays. */
    noteFailure(state: string, why: string) {
      if (!failures.has(state)) failures.set(state, why);
    },
  };
}

/** Without types, functions return the order itself, or nothing for one that they do not know. */
function textFrom(shown: unknown): string {
  if (typeof shown === 'string') return shown;
  const what = typeof shown === 'object' && shown !== null ? 'an object' : String(shown);
  throw new CertifyError(
    'usage',
    `The function in the option observe must return a string, such as the order as JSON, not ${what}. Return an empty string for an order that your store does not know.`,
  );
}
