import type { Difference } from './match.ts';
import type { Address, ScenarioResult, StepResult } from './play.ts';

/** Depends on real time, whatever the seed. */
const REAL = /^(sent_at|duration_ms|date|retry-after|x-ratelimit-reset|webhook-timestamp|webhook-signature)$/;

/** A result without what differs from run to run: ports and values of real time. */
export function neutral({ addresses, ...result }: ScenarioResult): Omit<ScenarioResult, 'addresses'> {
  const steps = result.steps.map(
    ({ problem, differences, faults, ...step }): StepResult => ({
      ...step,
      ...(faults === undefined ? {} : { faults: faults.map((each) => ({ ...each, on: named(each.on, addresses) })) }),
      ...(problem === undefined ? {} : { problem: named(problem, addresses) }),
      differences: differences.map(({ at, expected, actual, ...place }): Difference => {
        const isReal = at.split('.').some((key) => REAL.test(key.toLowerCase()));
        return { at, ...place, expected: still(expected, addresses), actual: isReal ? '…' : still(actual, addresses) };
      }),
    }),
  );
  return { ...result, steps };
}

function named(text: string, addresses: readonly Address[]): string {
  return addresses.reduce((shown, [url, called]) => shown.replaceAll(url, called), text);
}

function still(value: unknown, addresses: readonly Address[]): unknown {
  if (typeof value === 'string') return named(visible(value), addresses);
  if (Array.isArray(value)) return value.map((item) => still(item, addresses));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, REAL.test(key) ? '…' : still(inner, addresses)]),
  );
}

const SHOWN_MAX = 2000;

/** The visible text of a page; its forms hold tokens that differ each time. */
export function visible(text: string): string {
  const seen = /^\s*<!doctype html/i.test(text)
    ? text
        .replace(/<(script|style|svg)\b.*?<\/\1>/gis, ' ')
        .replace(/<[^>]*>/g, ' ')
        .replace(/\s+/g, ' ')
        .trim()
    : text;
  return seen.length > SHOWN_MAX ? `${seen.slice(0, SHOWN_MAX)}…` : seen;
}
