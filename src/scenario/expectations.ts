import type { Delivery } from '../library/wire.ts';
import type { Path } from '../yaml.ts';
import { differences, type Unplaced } from './match.ts';
import type { Expected } from './schema.ts';
import type { Answer } from './stage.ts';
import { told } from './told.ts';

/** Why a step fails before its expectations are compared; null when they are to be compared. */
export function problemOf(answer: Answer, expect: Expected): string | null {
  if (answer.isLost) {
    return expect.answer === undefined ? 'The connection was closed before the response was complete.' : null;
  }
  return answer.status >= 400 && expect.status === undefined && expect.answer === undefined
    ? `The service refused: ${told(answer)}`
    : null;
}

/** Where an answer differs from what is expected of it. */
export function compareAnswer({ answer: lost, status, body, headers }: Expected, answer: Answer): Unplaced[] {
  if (lost !== undefined && !answer.isLost) {
    return [difference('answer', lost, shownStatus(answer))];
  }
  // A number that an earlier answer gave as a text is the same status.
  const wanted = Number.isNaN(Number(status)) ? status : Number(status);
  return [
    ...(wanted === undefined || wanted === answer.status ? [] : [difference('status', wanted, shownStatus(answer))]),
    ...(body === undefined ? [] : differences(body, answer.body, ['body'])),
    ...Object.entries(headers ?? {}).flatMap(([name, value]) =>
      compareHeader(['headers', name], value, answer.headers[name.toLowerCase()]),
    ),
  ];
}

/** Null expects that there is no such header. */
function compareHeader(path: Path, expected: unknown, actual: unknown): Unplaced[] {
  if (expected !== null) return differences(String(expected), actual, path);
  return actual === undefined ? [] : [{ at: path.join('.'), path, expected, actual }];
}

/** With the reason why the service refused. */
const shownStatus = (answer: Answer) => (answer.status >= 400 ? told(answer) : answer.status);

const difference = (key: keyof Expected, expected: unknown, actual: unknown): Unplaced => ({
  at: key,
  path: [key],
  expected,
  actual,
});

/** What is shown of an item where none was expected: an empty list names no keys. */
const BRIEFLY = {
  emails: ['to', 'subject'],
  deliveries: ['event_type', 'status'],
  faults: ['kind', 'met'],
} as const satisfies Partial<Record<keyof Expected, readonly string[]>>;

/** The expected items that are missing among these. */
export function compareItems(
  key: keyof typeof BRIEFLY,
  expected: readonly object[],
  items: readonly object[],
  path: Path = [key],
): Unplaced[] {
  const names: readonly string[] = BRIEFLY[key];
  const brief = (item: object) => Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)));
  return differences(expected, expected.length === 0 ? items.map(brief) : items, path);
}

/** The same of deliveries. Each one that was not delivered is shown with what its last attempt met. */
export function compareDeliveries(
  expected: readonly object[],
  deliveries: readonly Delivery[],
  path: Path = ['deliveries'],
): Unplaced[] {
  return compareItems('deliveries', expected, deliveries, path).map((found) => ({
    ...found,
    actual: (found.actual as readonly object[]).map((shown, index) => ({
      ...shown,
      ...('attempts' in shown ? {} : lastAttemptOf(deliveries[index] as Delivery)),
    })),
  }));
}

/** An empty list says that none was made yet. */
function lastAttemptOf({ status, attempts }: Delivery): { attempts?: readonly object[] } {
  if (status === 'delivered') return {};
  const last = attempts.slice(-1);
  return {
    attempts: last.map(({ status_code, error }) => (error === null ? { status_code } : { status_code, error })),
  };
}

/** Compares types exactly and in order. */
export function compareTypes(
  key: keyof Expected,
  expected: readonly string[] | undefined,
  actual: readonly string[],
): Unplaced[] {
  if (!expected) return [];
  const same = expected.length === actual.length && expected.every((type, index) => type === actual[index]);
  return same ? [] : [difference(key, expected, actual)];
}
