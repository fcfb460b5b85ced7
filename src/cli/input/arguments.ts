import { InvalidArgumentError, Option } from 'commander';
import { parseDuration, parseInstant } from '../../domain/calendar.ts';
import { parseCondition, statusesOf } from '../../domain/condition.ts';
import { EVENT_TYPES, type EventType } from '../../domain/event.ts';
import { HOST_NAME, ORIGIN_FORM } from '../../domain/host.ts';
import { LIST_DEFAULT, LIST_MAX, STATE_LENGTH } from '../../domain/limits.ts';
import { isEmailAddress, isHeaderValue } from '../../domain/text.ts';
import { meant } from '../../nearest.ts';
import { usage } from '../exit.ts';

/**
 * Parsers of arguments and flags. A wrong form ends the command before any request. The domain decides which are right.
 */

/** A parser that returns a text of the right form as it was typed. */
export const formed = (isRight: (text: string) => boolean, message: string) => (text: string) => {
  if (isRight(text)) return text;
  throw new InvalidArgumentError(message);
};

export function cents(text: string): number {
  if (!/^\d+$/.test(text)) {
    throw new InvalidArgumentError('It must be a whole number of cents, digits only: 12345 is $123.45.');
  }
  if (!Number.isSafeInteger(Number(text))) throw new InvalidArgumentError('The amount is too large.');
  return Number(text);
}

export const wholeNumber =
  (min: number, max: number = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= min && number <= max) return number;
    const isTooLarge = /^\d+$/.test(text) && number > max;
    const range = max === Number.MAX_SAFE_INTEGER && !isTooLarge ? `of at least ${min}` : `from ${min} to ${max}`;
    throw new InvalidArgumentError(`It must be a whole number ${range}.`);
  };

export const LIMIT = [
  '--limit <n>',
  `maximum number of results, up to ${LIST_MAX} (default: ${LIST_DEFAULT})`,
  wholeNumber(1, LIST_MAX),
] as const;

/** `--metadata k=v`, repeated. Only the first `=` separates. */
export function metadataPair(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It must be key=value. Repeat the option for each pair.');
  const key = text.slice(0, at);
  if (Object.hasOwn(before, key)) throw new InvalidArgumentError(`The key ${key} appears twice.`);
  return Object.fromEntries([...Object.entries(before), [key, text.slice(at + 1)]]);
}

/** An empty text is an unset variable, which must neither widen a filter nor put the state into the current folder. */
export const notEmpty = formed((text) => text.trim() !== '', 'It must not be empty.');

export const emailAddress = formed(isEmailAddress, 'It must be an email address, such as ada@example.com.');

export const stateCode = formed(
  (text) => text.length === STATE_LENGTH,
  'It must be the two-letter code of a state, such as TX.',
);

/** Events name an installment `LAY-…#2`, which is not a contract. */
export function contractReference(text: string): string {
  const [, reference] = /^(LAY-[^#]+)#/.exec(notEmpty(text)) ?? [];
  if (reference === undefined) return text;
  throw new InvalidArgumentError(`It must be a contract, not an installment: ${reference}.`);
}

/** `--only a,b`, or the flag once for each. */
export const list = (text: string, before: readonly string[] = []): string[] => [
  ...before,
  ...text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
];

/** `--events a,b`, or the flag once for each. */
export function eventTypes(text: string, before: readonly (EventType | '*')[] = []): (EventType | '*')[] {
  const types = list(text).map(eventType);
  if (types.length > 0) return [...before, ...types];
  throw new InvalidArgumentError(`Name at least one event type: ${EVENT_TYPES.join(', ')}.`);
}

function eventType(text: string): EventType | '*' {
  const known = ['*' as const, ...EVENT_TYPES].find((type) => type === text);
  if (known) return known;
  throw new InvalidArgumentError(unknownEventType(text));
}

/** Their spelling is easily mistaken: other services write `canceled`. */
export const unknownEventType = (text: string): string =>
  [`Unknown event type "${text}".`, meant(text, EVENT_TYPES), `Event types: ${EVENT_TYPES.join(', ')}.`]
    .filter(Boolean)
    .join(' ');

/** Where webhooks go: an http(s) URL. `localhost:3000/webhooks` and `3000/webhooks` are short forms. */
export function receiverUrl(text: string): string {
  const url = withScheme(text);
  // Nothing listens on port 0.
  if (!/^https?:\/\/./i.test(url) || !URL.canParse(url) || new URL(url).port === '0') {
    throw new InvalidArgumentError('It must be a URL such as http://localhost:3000/webhooks.');
  }
  // The server takes no other characters (decisions §5).
  if (/[^!-~]/.test(url)) throw new InvalidArgumentError(`Write it in ASCII: ${new URL(url).href}`);
  return url;
}

function withScheme(text: string): string {
  if (/^\d+(\/|$)/.test(text)) return `http://localhost:${text}`;
  return /^(\[[\da-f:]+\]|[\w.-]+)(:\d+)?(\/|$)/i.test(text) ? `http://${text}` : text;
}

/** `--public-url`: the origin of an http(s) URL that has nothing else. */
export function origin(text: string): string {
  if (!ORIGIN_FORM.test(text) || !URL.canParse(text)) {
    throw new InvalidArgumentError(
      'It must be an http or https URL without path, query or user, such as https://shop.example:8443.',
    );
  }
  return new URL(text).origin;
}

/** `--allow-host` */
export const hostName = formed(
  (text) => text === '*' || HOST_NAME.test(text),
  'It must be a host name without port, such as shop.test, or * for every host.',
);

export const repeated =
  <T>(parse: (text: string) => T) =>
  (text: string, before: readonly T[] = []): T[] => [...before, parse(text)];

/** These tell where a body ends. */
const FRAMING = /^(?:content-length|transfer-encoding)$/i;

/** `-H 'Name: value'`, repeated. */
export function header(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined || !isHeaderValue(value)) {
    throw new InvalidArgumentError("It must be 'Name: value', with characters that HTTP allows.");
  }
  if (FRAMING.test(name))
    throw new InvalidArgumentError(`layaway sets the length of the body itself. Leave out ${name}.`);
  return { ...before, [name.toLowerCase()]: value.trimEnd() };
}

export const instant = formed(
  (text) => parseInstant(text) !== null,
  'It must be an ISO 8601 date or instant from 1970 to 9979, like 2026-01-31 or 2026-01-31T09:00:00Z.',
);

export const duration = formed(
  (text) => parseDuration(text) !== null,
  'It must be a duration, like 30s, 45m, 36h, 30d, 1d12h, 2w, 3mo or P1M.',
);

/** A duration of real time, in milliseconds. */
export function timeoutMs(text: string): number {
  const span = parseDuration(text);
  if (!span || span.months > 0)
    throw new InvalidArgumentError('It must be a duration with its unit, such as 30s, 2m or 1h.');
  return span.ms;
}

/**
 * Parses an argument that commander did not parse.
 * @throws CommandError that names it when its form is wrong
 */
export function parsed<T>(parse: (text: string) => T, text: string): T {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof InvalidArgumentError) throw usage(`Invalid value "${text}". ${error.message}`);
    throw error;
  }
}

export const timeoutOption = () =>
  new Option('--timeout <span>', 'give up after this much real time').argParser(timeoutMs).default(30_000, '30s');

export function condition(text: string): string {
  if (parseCondition(text) !== null) return text;
  const statuses = statusesOf(text);
  throw new InvalidArgumentError(
    statuses
      ? `It must end with one of these statuses: ${statuses.join(', ')}.`
      : 'It must be a condition, like LAY-…=defaulted, LAY-…#2=past_due or cs_…=expired.',
  );
}
