import type { Static, TSchema } from 'typebox';
import { type FieldErrors, notAmong, Refusal } from '../../domain/refusal.ts';
import { isEmailAddress, trimmed } from '../../domain/text.ts';
import { suggestion } from '../../nearest.ts';
import { HTTP_OR_HTTPS, HTTPS, HTTPS_OR_LOCAL, SNAPSHOT_NAME, STATE_CODE } from '../../operations/schemas.ts';
import { type Bounds, type Broken, type Keyword, read, type Schema } from '../../schema.ts';
import type { Path } from '../../yaml.ts';

/** How many unknown names one refusal lists, because a body could have tens of thousands. */
const UNKNOWN_TOLD = 100;

/** An unknown name that is longer is not compared with the known ones. */
const LONGEST_COMPARED = 100;

/**
 * Checks and trims `body`, and drops keys that the schema does not name.
 * @throws Refusal `invalid` with at most one message per field, for all fields, in the schema's order (decisions §5)
 */
export const validate = <T extends TSchema>(schema: T, body: object, bounds?: Bounds): Static<T> =>
  checked(schema, body, false, bounds) as Static<T>;

/** With `tellsValues`, the message about a wrong value lists the valid ones. The service's own do not (decisions §5). */
function checked(schema: TSchema, body: object, tellsValues: boolean, bounds?: Bounds): unknown {
  const errors: FieldErrors = {};
  const report = (broken: Broken) => {
    errors[broken.path.join('.')] = [messageOf(broken, tellsValues)];
  };
  const valid = read(schema, body, { prepared, isMissing, hasFormat, report }, bounds);
  for (const _ in errors) throw new Refusal('invalid', errors);
  return valid;
}

/**
 * The same for the control plane (interface §3): an unknown key is a mistake, and messages list what is valid.
 * @throws Refusal `invalid`
 */
export function validateStrictly<T extends TSchema>(schema: T, body: object): Static<T> {
  refuseUnknown(Object.keys(body), schema);
  return checked(schema, body, true) as Static<T>;
}

/**
 * Refuses names that the schema does not have, each with a message of its own, up to the limit.
 * @throws Refusal `invalid`
 */
export function refuseUnknown(names: readonly string[], schema: TSchema) {
  const { properties: known = {} }: Schema = schema;
  const unknown: string[] = [];
  for (const name of names) {
    if (unknown.length === UNKNOWN_TOLD) break;
    if (!Object.hasOwn(known, name)) unknown.push(name);
  }
  if (unknown.length === 0) return;
  const messages = unknown.map((name): [string, string[]] => [name, [unknownField(name, Object.keys(known))]]);
  throw new Refusal('invalid', Object.fromEntries(messages));
}

/** `The grace_day field is not known. Did you mean grace_days?` */
export const unknownField = (name: string, known: readonly string[]) =>
  `The ${name} field is not known. ${name.length > LONGEST_COMPARED ? '' : suggestion(name, known)}`.trimEnd();

/** Reports the mistakes of a part under its path: `settings.grace_days`. */
export function within<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Refusal) || !error.is('invalid')) throw error;
    const errors = Object.entries(error.details[0]).map(([field, messages]) => [`${path}.${field}`, messages] as const);
    throw new Refusal('invalid', Object.fromEntries(errors));
  }
}

const isText = ({ type }: Schema) => type === 'string' || (Array.isArray(type) && type.includes('string'));

const isNullable = ({ type }: Schema) => Array.isArray(type) && type.includes('null');

/**
 * A string stays as sent, unless it is an email address, may be null, or is a value of a map (§2.4): then it is
 * trimmed. A blank one is null if it may be.
 */
function prepared(given: unknown, schema: Schema, around: Schema | undefined): unknown {
  if (typeof given === 'number') return Number.isInteger(given) ? clamped(given) : given;
  if (typeof given !== 'string') return given;
  const text = trimmed(given);
  // Most strings need nothing.
  if ((text === given && text !== '') || !isText(schema)) return given;
  if (isNullable(schema)) return text === '' ? null : text;
  const isBlank = text === '' && (schema.enum !== undefined || (schema.minLength ?? 0) > 0);
  return isBlank || schema.format === 'email' || isOfMap(schema, around) ? text : given;
}

/** Any size is an integer (decisions §5): one beyond the largest safe integer counts as that. */
export const clamped = (integer: number) =>
  Math.max(Number.MIN_SAFE_INTEGER, Math.min(integer, Number.MAX_SAFE_INTEGER));

const isOfMap = (schema: Schema, around: Schema | undefined) => around?.additionalProperties === schema;

const isMissing = (given: unknown) =>
  given === undefined || given === null || (typeof given === 'string' && trimmed(given) === '');

const hasFormat = (text: string, schema: Schema) => formatMistake(text, schema) === undefined;

function formatMistake(text: string, { format, pattern }: Schema): string | undefined {
  if (format === 'email' && !isEmailAddress(text)) return 'must be a valid email address.';
  if (format !== 'uri') return undefined;
  if (!isUrl(text)) return `must be a valid URL.${pattern === HTTP_OR_HTTPS ? writtenOut(text) : ''}`;
  if (pattern !== HTTP_OR_HTTPS || isUserInUtf8(text)) return undefined;
  return 'must have a user name and a password whose percent escapes are UTF-8.';
}

/** In the words of Laravel: `The grace days field must be at least 1.` */
function messageOf(broken: Broken, tellsValues: boolean): string {
  const { keyword, schema, value, path } = broken;
  if (keyword === 'propertyNames') {
    const { minLength, maxLength } = schema.propertyNames ?? {};
    return `The ${label(path)} keys must be between ${minLength} and ${maxLength} characters.`;
  }
  const isChoice = keyword === 'enum' || (keyword === 'type' && schema.enum !== undefined);
  if (isChoice && value !== '') return choiceMessage(schema, path, tellsValues);
  const words = WORDS[keyword];
  if (!words) throw new Error(`no words for ${keyword}`);
  return `The ${label(path)} field ${words(broken)}`;
}

function choiceMessage(schema: Schema, path: Path, tellsValues: boolean): string {
  const values = schema.enum?.filter((value) => value !== null) ?? [];
  if (typeof path.at(-1) === 'number') {
    return `The ${label(path.slice(0, -1))} field may contain only ${values.join(', ')}.`;
  }
  return tellsValues ? notAmong(label(path), values) : `The selected ${label(path)} is invalid.`;
}

const required = () => 'is required.';

const WORDS: Partial<Record<Keyword, (broken: Broken) => string>> = {
  required,
  type: ({ schema, value }) => {
    const [type = ''] = [schema.type ?? []].flat();
    return type === 'object' && Array.isArray(value) ? 'must be an object, not a list.' : `must be ${A[type]}.`;
  },
  enum: required,
  minLength: ({ schema, value, around }) => {
    if (value === '') return isOfMap(schema, around) ? 'must not be empty; omit the key instead.' : required();
    return lengthWords(schema) ?? `must be at least ${schema.minLength} characters.`;
  },
  maxLength: ({ schema }) => lengthWords(schema) ?? `must not be greater than ${schema.maxLength} characters.`,
  format: ({ schema, value }) => formatMistake(String(value), schema) ?? '',
  pattern: ({ schema }) => PATTERNS[schema.pattern ?? ''] ?? 'format is invalid.',
  minimum: ({ schema }) => `must be at least ${schema.minimum}.`,
  maximum: ({ schema }) => `must not be greater than ${schema.maximum}.`,
  // No list needs more than one item.
  minItems: () => 'must not be empty.',
  maxItems: ({ schema }) => `must not have more than ${schema.maxItems} items.`,
  maxProperties: ({ schema }) => `must not have more than ${schema.maxProperties} items.`,
};

const A: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

const lengthWords = ({ minLength, maxLength }: Schema) =>
  minLength === maxLength ? `must be ${minLength} characters.` : undefined;

/** `order_reference` reads "order reference". What follows is the sender's own key and stays as it is. */
const label = ([head = '', ...rest]: Path) => [String(head).replaceAll('_', ' '), ...rest].join('.');

const some = (characters: string) => `(?:[${characters}]|%[0-9a-f]{2})`;

/** Characters that every part may have. */
const NAME = '!$&-.0-9;=_a-z~';

/**
 * Each part has only its characters of RFC 3986, so that a Location header can repeat the URL as sent. The query may
 * also have brackets (decisions §5).
 */
const URL_FORM = new RegExp(
  [
    '^[a-z][a-z0-9+.-]*://',
    `(?:${some(`${NAME}:`)}*@)?`,
    String.raw`(?:\[[0-9a-f:.]+\]|${some(NAME)}+)(?::\d*)?`,
    `(?:/${some(`${NAME}:@/`)}*)?`,
    String.raw`(?:\?${some(String.raw`${NAME}:@/?[\]`)}*)?`,
    `(?:#${some(`${NAME}:@/?`)}*)?$`,
  ].join(''),
  'i',
);

/** An absolute URL with a letter or digit in its host (decisions §5). */
const isUrl = (text: string) =>
  URL_FORM.test(text) && (USUAL_URL.test(text) || (URL.canParse(text) && /[a-z0-9]/i.test(new URL(text).hostname)));

/** How to write a URL that only browsers take, such as one with an umlaut. */
function writtenOut(text: string): string {
  const written = URL.canParse(text) ? new URL(text).href : '';
  return /^https?:/.test(written) && isUrl(written) ? ` Write it as ${written}` : '';
}

/** Whether requests can be sent with the user name and password of a URL. */
function isUserInUtf8(text: string): boolean {
  const { username, password } = new URL(text);
  try {
    decodeURIComponent(`${username}:${password}`);
    return true;
  } catch {
    return false;
  }
}

/** A plain host name, which needs no URL parser: one that begins with a letter is not an IP address. */
const USUAL_URL = /^https?:\/\/[a-z][a-z0-9]*(?:\.[a-z][a-z0-9]*)*(?::\d{1,4})?(?:[/?#]|$)/;

/** Patterns with a description in words. */
const PATTERNS: Readonly<Record<string, string>> = {
  [HTTPS]: 'must start with one of the following: https://.',
  [HTTPS_OR_LOCAL]: 'must start with one of the following: https://.',
  [HTTP_OR_HTTPS]: 'must start with one of the following: http://, https://.',
  [STATE_CODE]: 'must be two capital letters.',
  [SNAPSHOT_NAME]:
    'must be 1 to 64 characters, each a lowercase letter, a digit, ".", "_" or "-", and neither "." nor "..".',
};
