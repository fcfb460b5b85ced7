import { inTime, TookTooLong } from '../time-limit.ts';

/** Something that is not as expected: where, what was expected and what is there. */
export interface Difference {
  /** `body.data.status`, `emails`, … */
  readonly at: string;
  readonly expected: unknown;
  /** Undefined when nothing is there. */
  readonly actual: unknown;
}

const MATCHING_MS = 400;

/** An expression that cannot be tried on what is there. */
export class BadExpression extends Error {
  /** As the scenario has it. */
  readonly text: string;

  constructor(text: string, why: string) {
    super(`The regular expression ${text.length > 80 ? `${text.slice(0, 80)}…` : text} ${why}`);
    this.text = text;
  }
}

/** The expression of a text between slashes; null for any other text, an Error for one that cannot be read. */
export function regularExpression(text: string): RegExp | Error | null {
  const match = /^\/(.+)\/([dgimsuvy]*)$/s.exec(text);
  if (!match) return null;
  try {
    return new RegExp(match[1] as string, match[2]);
  } catch (error) {
    return error as Error;
  }
}

/**
 * Where `actual` is not what `expected` asks of it: a map asks for its keys, a list for its items in their order with
 * others between them, an
 * empty list for an empty one, a text between slashes for a match, anything else for itself.
 */
export function differences(expected: unknown, actual: unknown, at: string): Difference[] {
  if (Array.isArray(expected)) {
    return Array.isArray(actual) && isSubsequence(expected, actual)
      ? []
      : [{ at, expected, actual: likeList(expected, actual) }];
  }
  if (typeof expected === 'object' && expected !== null) {
    if (typeof actual !== 'object' || actual === null || Array.isArray(actual)) return [{ at, expected, actual }];
    return Object.entries(expected).flatMap(([key, inner]) =>
      differences(
        inner,
        Object.hasOwn(actual, key) ? (actual as Record<string, unknown>)[key] : undefined,
        `${at}.${key}`,
      ),
    );
  }
  return isMatch(expected, actual) ? [] : [{ at, expected, actual }];
}

export const matches = (expected: unknown, actual: unknown) => differences(expected, actual, '').length === 0;

/** Taking the first that fits never spoils a later one. An empty list asks for an empty list. */
function isSubsequence(expected: readonly unknown[], actual: readonly unknown[]): boolean {
  if (expected.length === 0) return actual.length === 0;
  let next = 0;
  for (const item of actual) if (next < expected.length && matches(expected[next], item)) next += 1;
  return next === expected.length;
}

function isMatch(expected: unknown, actual: unknown): boolean {
  const expression = typeof expected === 'string' ? regularExpression(expected) : null;
  if (!(expression instanceof RegExp)) return Object.is(expected, actual);
  if (!['string', 'number', 'boolean'].includes(typeof actual)) return false;
  try {
    return inTime(MATCHING_MS, () => expression.test(String(actual)));
  } catch (error) {
    throw new BadExpression(
      expected as string,
      error instanceof TookTooLong
        ? `took longer than ${MATCHING_MS} ms. Repetitions inside repetitions, such as (a+)+, do that.`
        : 'is too large to be tried.',
    );
  }
}

/**
 * Whether each expected item has an actual one of its own, in whatever order: an item that fits two places gives way
 * to one that fits only one (augmenting paths). No expected item asks for no item.
 */
export function hasEach(expected: readonly unknown[], actual: readonly unknown[]): boolean {
  if (expected.length === 0) return actual.length === 0;
  const takenBy = new Map<number, number>();
  const place = (wanted: number, tried: Set<number>): boolean =>
    actual.some((item, index) => {
      if (tried.has(index) || !matches(expected[wanted], item)) return false;
      tried.add(index);
      const holder = takenBy.get(index);
      if (holder !== undefined && !place(holder, tried)) return false;
      takenBy.set(index, wanted);
      return true;
    });
  return expected.every((_item, wanted) => place(wanted, new Set()));
}

/** Of each actual item only what some expected one speaks of: the rest is noise in a report. */
export function likeList(expected: readonly unknown[], actual: unknown): unknown {
  if (!Array.isArray(actual)) return actual;
  const shape = expected.reduce((merged, item) => merge(merged, item), undefined);
  return actual.map((item) => like(shape, item));
}

function like(shape: unknown, actual: unknown): unknown {
  if (Array.isArray(shape)) return likeList(shape, actual);
  if (typeof shape !== 'object' || shape === null || typeof actual !== 'object' || actual === null) return actual;
  const keys = Object.keys(shape).filter((key) => Object.hasOwn(actual, key));
  return Object.fromEntries(keys.map((key) => [key, like((shape as never)[key], (actual as never)[key])]));
}

function merge(one: unknown, other: unknown): unknown {
  if (Array.isArray(one) && Array.isArray(other)) return [...one, ...other];
  const isMap = (value: unknown): value is object =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isMap(one) || !isMap(other)) return other ?? one;
  return Object.fromEntries(
    [...new Set([...Object.keys(one), ...Object.keys(other)])].map((key) => [
      key,
      merge((one as never)[key], (other as never)[key]),
    ]),
  );
}
