import type { Exchange } from '../exchange.ts';
import { untilFound, type Waiting } from '../library/wait.ts';
import type { Order } from './orders.ts';
import { type About, type Reading, readUrl, runCommand, variablesOf } from './programs.ts';
import type { Stop } from './stop.ts';

/** A command line, a URL or a function that shows the state of one order in the store. */
export type Observe = string | ((about: About) => string | Promise<string>);

/** A store may answer first and work afterwards: how long its state may lag behind, in real time. */
const LAG_MS = 1_500;
const PAUSE_MS = 60;

export type Observer = ReturnType<typeof createObserver>;

/** Reads the state of the store, with ids and order references replaced by their place in the check. */
export function createObserver(
  observe: Observe,
  {
    env,
    exchange,
    waiting,
    signal,
  }: {
    readonly env: Readonly<Record<string, string>>;
    readonly exchange: Exchange;
    readonly waiting: Waiting;
    readonly signal: Stop | undefined;
  },
) {
  /** States that are failures of reading, and how each failed. An order that the store does not know yet is one. */
  const failures = new Map<string, string>();

  async function read(about: About): Promise<Reading> {
    signal?.throwIfAborted();
    if (typeof observe === 'function') return { text: await observe(about), failure: null };
    if (/^https?:\/\//i.test(observe)) return readUrl(observe, about, exchange);
    const { code, stdout } = await runCommand(observe, {
      flag: '--observe',
      env: { ...env, ...variablesOf(about) },
      signal,
    });
    return { text: stdout, failure: code === 0 ? null : `exit code ${code}` };
  }

  async function look(order: Order): Promise<string> {
    const { text, failure } = await read(order.about);
    if (failure === null) return placed(text, order);
    const state = placed(`${failure}\n${text}`, order);
    failures.set(state, failure);
    return state;
  }

  /** The state as soon as it satisfies `isReached`, otherwise as it is after the lag. */
  async function reaching(order: Order, isReached: (state: string) => boolean): Promise<string> {
    let last = '';
    await untilFound(
      waiting,
      async () => {
        last = await look(order);
        return isReached(last) ? last : undefined;
      },
      LAG_MS,
    );
    return last;
  }

  return {
    /** How the reading of this state failed; null if it did not. */
    failureOf: (state: string): string | null => failures.get(state) ?? null,
    /** Once it differs from `before`, or stays the same for long enough. */
    changedFrom: (order: Order, before: string) => reaching(order, (state) => state !== before),
    /** Once it is `wanted`, or stays another for long enough. */
    equalTo: (order: Order, wanted: string) => reaching(order, (state) => state === wanted),
    /** Once two readings in a row agree. */
    async settled(order: Order): Promise<string> {
      let last = await look(order);
      await waiting.pause(PAUSE_MS);
      await reaching(order, (state) => {
        const isSettled = state === last;
        last = state;
        return isSettled;
      });
      return last;
    },
  };
}

/** The longest first: one id may be a part of another. */
function placed(text: string, { about, events }: Order): string {
  const places = new Map<string, string>([
    ...events.map(({ id }, index): [string, string] => [id, `{event ${index + 1}}`]),
    [about.contract, '{contract}'],
    [about.session, '{session}'],
    [about.orderReference, '{order_reference}'],
  ]);
  return [...places]
    .filter(([id]) => id !== '')
    .sort(([a], [b]) => b.length - a.length)
    .reduce((result, [id, place]) => result.replaceAll(id, place), text.trimEnd());
}
