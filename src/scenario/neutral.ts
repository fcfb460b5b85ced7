import { shortened } from '../domain/text.ts';
import type { Difference } from './match.ts';
import { REAL } from './real-time.ts';
import type { Changing, StepResult } from './result.ts';

interface Result {
  readonly steps: readonly StepResult[];
  readonly changing: readonly Changing[];
}

/** A result without what differs from run to run: ports and values of real time. */
export function neutral<R extends Result>({ changing, ...result }: R): Omit<R, 'changing'> {
  const steps = result.steps.map(
    ({ problem, differences, faults, ...step }): StepResult => ({
      ...step,
      ...(faults === undefined ? {} : { faults: faults.map((each) => ({ ...each, on: named(each.on, changing) })) }),
      ...(problem === undefined ? {} : { problem: named(problem, changing) }),
      differences: differences.map(({ at, expected, actual, ...place }): Difference => {
        const isReal = at.split('.').some((key) => REAL.test(key.toLowerCase()));
        return { at, ...place, expected: still(expected, changing), actual: isReal ? '…' : still(actual, changing) };
      }),
    }),
  );
  return { ...result, steps };
}

function named(text: string, changing: readonly Changing[]): string {
  return changing.reduce((shown, [found, called]) => shown.replaceAll(found, called), text);
}

function still(value: unknown, changing: readonly Changing[]): unknown {
  if (typeof value === 'string') return named(visible(value), changing);
  if (Array.isArray(value)) return value.map((item) => still(item, changing));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, REAL.test(key) ? '…' : still(inner, changing)]),
  );
}

const SHOWN_MAX = 2000;

/** The visible text of a page; its forms hold tokens that differ each time. */
export function visible(text: string): string {
  const seen = /^\s*<!doctype html/i.test(text)
    ? text
        .replace(/<(script|style|svg)\b.*?(?:<\/\1>|$)/gis, ' ')
        .replace(/<[^<>]*>/g, ' ')
        .replace(/\s+/g, ' ')
        .trim()
    : text;
  return shortened(seen, SHOWN_MAX);
}
