import { canonicalJson } from '../domain/canonical.ts';
import { shortened } from '../domain/text.ts';
import type { Order } from './orders.ts';

/** ISO 8601, also as databases print it, the date of HTTP, and seconds or milliseconds since 1970. */
const INSTANT =
  /\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT|\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?|(?<![\d.])\d{10}(?:\d{3}|\.\d+)?(?!\d)/g;
/** How far the clock of a store may be off. */
const OFF_MS = 120_000;

/**
 * The text with ids and order references replaced by their place in the check, and without the times of the examination
 * itself, such as when a store received an event or opened its session. If it is JSON, its keys are sorted.
 */
export function comparable(text: string, order: Order, begunAt: number, now: number): string {
  const isOfNow = (at: number) => at > begunAt - OFF_MS && at < now + OFF_MS;
  const isOfSession = (at: number) => order.openedAndUntil.some((time) => secondOf(time) === secondOf(at));
  const isOwn = (at: number) => isOfNow(at) || isOfSession(at);
  const { named, numbered } = placing(order);
  const withoutTimes = named(keysSorted(text.trimEnd(), (key) => numbered(named(key)))).replaceAll(INSTANT, (found) =>
    instantsOf(found).some(isOwn) ? '{time}' : found,
  );
  return numbered(withoutTimes);
}

/** A store may keep whole seconds. */
const secondOf = (ms: number) => Math.floor(ms / 1_000);

/** What the text may mean: without an offset, it is in UTC or local. */
function instantsOf(text: string): number[] {
  if (text.endsWith('GMT')) return [Date.parse(text)];
  if (!text.includes('-')) return [Number(text) * (/^\d{13}$/.test(text) ? 1 : 1_000)];
  const iso = text.replace(' ', 'T').replace(/([+-]\d\d)(\d\d)$/, '$1:$2');
  return [Date.parse(iso), Date.parse(`${iso}Z`)];
}

/** A number in JSON that would lose its last digits. */
const LONG_NUMBER = /(?<=[:[,]\s*)-?\d{16,}(?=\s*[,}\]])/g;

/** Keys have no order: many stores keep them as the events came. They may be ids, so they are sorted by their place. */
function keysSorted(text: string, placed: (text: string) => string): string {
  const renamed = (_key: string, value: unknown) =>
    typeof value !== 'object' || value === null || Array.isArray(value)
      ? value
      : Object.fromEntries(Object.entries(value).map(([key, each]) => [placed(key), each]));
  try {
    const value: unknown = JSON.parse(text.replaceAll(LONG_NUMBER, '"$&"'), renamed);
    return typeof value === 'object' && value !== null ? canonicalJson(value) : text;
  } catch {
    return text;
  }
}

/**
 * Replaces ids by their place: first those that are names, which may contain a time, and after the times those that are
 * numbers, which may be a part of one.
 */
function placing({ about, events }: Order) {
  const places = new Map<string, string>([
    ...events.map(({ id }, index): [string, string] => [id, `{event ${index + 1}}`]),
    [about.contract, '{contract}'],
    [about.session, '{session}'],
    [about.orderReference, ORDER_REFERENCE],
  ]);
  // The longest first: one id may be a part of another.
  const all = [...places].filter(([id]) => id !== '').sort(([a], [b]) => b.length - a.length);
  const replacing = (some: typeof all) => (text: string) =>
    some.reduce((result, [id, place]) => result.replaceAll(asWhole(id), place), text);
  return {
    named: replacing(all.filter(([id]) => !isNumber(id))),
    numbered: replacing(all.filter(([id]) => isNumber(id))),
  };
}

const isNumber = (id: string) => /^\d+$/.test(id);

/** A store may number its orders: such a number is not a part of a longer one, such as an amount. */
const asWhole = (id: string) => (isNumber(id) ? new RegExp(`(?<!\\d)${id}(?!\\d)`, 'g') : id);

const ORDER_REFERENCE = '{order_reference}';

/** The text with the reference of the order replaced. */
export const without = (text: string, { about }: Order) =>
  text.replaceAll(asWhole(about.orderReference), ORDER_REFERENCE);

const SHOWN_CHARACTERS = 400;
/** How much of what is equal comes before a difference, and how much of the rest follows at least. */
const AROUND_CHARACTERS = 100;

/** In a message. */
export const shown = (text: string) => shownFrom(text, 0);

/** Two texts in a message: of long ones, the part around the first difference. */
export function shownApart(first: string, second: string): [first: string, second: string] {
  let equal = 0;
  while (equal < first.length && first[equal] === second[equal]) equal += 1;
  const from = equal + AROUND_CHARACTERS <= SHOWN_CHARACTERS ? 0 : equal - AROUND_CHARACTERS;
  return [shownFrom(first, from), shownFrom(second, from)];
}

function shownFrom(text: string, from: number): string {
  const part = shortened(text.slice(from), SHOWN_CHARACTERS);
  return from > 0 ? `"…${part.replace(/^[\udc00-\udfff]/, '')}"` : `"${part}"`;
}
