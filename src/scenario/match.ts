import { isRecord } from '../domain/json.ts';
import { shortened } from '../domain/text.ts';
import { inTime, TookTooLong } from '../time-limit.ts';
import type { Path } from '../yaml.ts';

/** An expectation that failed: its place in the file, the expected value and the actual one. */
export interface Difference {
  /** `body.data.status`, `emails`, … */
  readonly at: string;
  readonly line: number;
  readonly column: number;
  readonly expected: unknown;
  /** Undefined when nothing was found. */
  readonly actual: unknown;
}

/** A difference before it is placed: `path` leads to the expectation inside `expect`. */
export interface Unplaced extends Omit<Difference, 'line' | 'column'> {
  readonly path: Path;
}

const MATCHING_MS = 400;

/** An expression that cannot be run on the value. */
export class BadExpression extends Error {
  /** As written in the scenario. */
  readonly text: string;

  constructor(text: string, why: string) {
    super(`The regular expression ${shortened(text, 80)} ${why}`);
    this.text = text;
  }
}

/** The expression in a string between slashes; null for any other string, an Error for an invalid expression. */
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
 * Where `actual` does not match `expected`: a map matches a map that has at least its keys, a list one that has at
 * least its items in the same order, an empty list only an empty one, a string between slashes whatever its expression
 * matches, anything else only an equal value.
 */
export function differences(expected: unknown, actual: unknown, path: Path): Unplaced[] {
  const at = path.join('.');
  if (Array.isArray(expected)) {
    return Array.isArray(actual) && isSubsequence(expected, actual)
      ? []
      : [{ at, path, expected, actual: likeList(expected, actual) }];
  }
  if (isRecord(expected)) {
    if (!isRecord(actual)) return [{ at, path, expected, actual }];
    return Object.entries(expected).flatMap(([key, inner]) =>
      differences(inner, Object.hasOwn(actual, key) ? actual[key] : undefined, [...path, key]),
    );
  }
  return isMatch(expected, actual) ? [] : [{ at, path, expected, actual }];
}

export const matches = (expected: unknown, actual: unknown) => differences(expected, actual, []).length === 0;

/** Taking the first match never prevents a later one. */
function isSubsequence(expected: readonly unknown[], actual: readonly unknown[]): boolean {
  if (expected.length === 0) return actual.length === 0;
  let next = 0;
  for (const item of actual) if (next < expected.length && matches(expected[next], item)) next += 1;
  return next === expected.length;
}

function isMatch(expected: unknown, actual: unknown): boolean {
  // A value of an earlier answer may have slashes, too.
  if (Object.is(expected, actual)) return true;
  const expression = typeof expected === 'string' ? regularExpression(expected) : null;
  if (!(expression instanceof RegExp)) return false;
  if (!['string', 'number', 'boolean'].includes(typeof actual)) return false;
  try {
    return inTime(MATCHING_MS, () => expression.test(String(actual)));
  } catch (error) {
    throw new BadExpression(
      expected as string,
      error instanceof TookTooLong
        ? `took longer than ${MATCHING_MS} ms. Nested repetitions, such as (a+)+, cause this.`
        : 'is too large to run.',
    );
  }
}

/** Each actual item with only the keys that an expected one names: the rest is noise in a report. */
function likeList(expected: readonly unknown[], actual: unknown): unknown {
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
  if (!isRecord(one) || !isRecord(other)) return other ?? one;
  return Object.fromEntries(
    [...new Set([...Object.keys(one), ...Object.keys(other)])].map((key) => [key, merge(one[key], other[key])]),
  );
}
