import type { Static, TSchema } from 'typebox';
import { type FieldErrors, notAmong, Refusal } from '../../domain/refusal.ts';
import { trimmed } from '../../domain/text.ts';
import { suggestion } from '../../nearest.ts';
import { HTTP_OR_HTTPS, HTTPS, HTTPS_OR_LOCAL, SNAPSHOT_NAME, STATE_CODE } from '../../operations/schemas.ts';

/** The part of JSON Schema that our schemas use. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly maxProperties?: number;
  readonly propertyNames?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
}

/** How many unknown names one refusal lists, because a body could have tens of thousands. */
const UNKNOWN_TOLD = 100;

/** An unknown name that is longer is not compared with the known ones. */
const LONGEST_COMPARED = 100;

/** Bounds of the account that replace those of the schema. */
export type Bounds = Readonly<Record<string, Pick<Schema, 'minimum' | 'maximum' | 'pattern'>>>;

/**
 * Checks and trims `body`, and drops keys that the schema does not name.
 * @throws Refusal `invalid` with at most one message per field, for all fields, in the schema's order (decisions §5)
 */
export function validate<T extends TSchema>(schema: T, body: object, bounds: Bounds = {}): Static<T> {
  return checked(schema, body, { errors: {}, tellsValues: false }, bounds);
}

interface Report {
  readonly errors: FieldErrors;
  /** Whether the message about a wrong value lists the valid ones. The service's own messages do not (decisions §5). */
  readonly tellsValues: boolean;
}

function checked<T extends TSchema>(schema: T, body: object, report: Report, bounds: Bounds = {}): Static<T> {
  const valid: Record<string, unknown> = {};
  for (const { name, property, isRequired } of fieldsOf(schema as Schema)) {
    const given = Object.hasOwn(body, name) ? (body as Record<string, unknown>)[name] : undefined;
    const value = new Field(name, property, report, bounds[name]).check(given, isRequired);
    if (value !== undefined) valid[name] = value;
  }
  for (const _ in report.errors) throw new Refusal('invalid', report.errors);
  return valid as Static<T>;
}

interface SchemaField {
  readonly name: string;
  readonly property: Schema;
  readonly isRequired: boolean;
}

const fields = new WeakMap<Schema, readonly SchemaField[]>();

/** The checks of a schema are prepared once. */
function fieldsOf(schema: Schema): readonly SchemaField[] {
  let known = fields.get(schema);
  if (!known) {
    const { properties = {}, required = [] } = schema;
    known = Object.entries(properties).map(([name, property]) => ({
      name,
      property,
      isRequired: required.includes(name),
    }));
    fields.set(schema, known);
  }
  return known;
}

/**
 * The same for the control plane (interface §3): an unknown key is a mistake, and messages list what is valid.
 * @throws Refusal `invalid`
 */
export function validateStrictly<T extends TSchema>(schema: T, body: object): Static<T> {
  refuseUnknown(Object.keys(body), schema);
  return checked(schema, body, { errors: {}, tellsValues: true });
}

/**
 * Refuses names that the schema does not have, each with a message of its own, up to the limit.
 * @throws Refusal `invalid`
 */
export function refuseUnknown(names: readonly string[], schema: TSchema) {
  const known = (schema as Schema).properties ?? {};
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

/** Checks one field and adds its message to the report, in the words of Laravel. */
class Field {
  readonly name: string;
  readonly schema: Schema;
  readonly report: Report;
  readonly bounds: Bounds[string];

  constructor(name: string, schema: Schema, report: Report, bounds: Field['bounds'] = schema) {
    this.name = name;
    this.schema = schema;
    this.report = report;
    this.bounds = bounds;
  }

  check(given: unknown, required: boolean): unknown {
    const { type, mayBeNull } = kindOf(this.schema);
    if (required && isMissing(given)) return this.fail('is required.');
    if (given === undefined) return undefined;
    if (given === null && mayBeNull) return null;
    if (type === 'string') return this.text(given, mayBeNull);
    if (type === 'integer') return this.integer(given);
    if (type === 'boolean') return typeof given === 'boolean' ? given : this.fail('must be true or false.');
    if (type === 'array') return this.list(given);
    return this.map(given);
  }

  /** A text stays as sent, unless it may be null: then it is trimmed, and a blank one is null. */
  private text(given: unknown, mayBeNull: boolean): unknown {
    const { enum: values, format, minLength = 0, maxLength = Infinity } = this.schema;
    const { pattern } = this.bounds;
    if (isBlank(given)) {
      if (mayBeNull) return null;
      if (minLength > 0 || values) return this.fail('is required.');
    }
    if (values) return values.includes(given) ? given : this.selected();
    if (typeof given !== 'string') return this.fail('must be a string.');
    const text = mayBeNull || format === 'email' ? trimmed(given) : given;
    // No text has more code points than characters.
    const isAnyLength = minLength <= 1 && text.length <= maxLength;
    const length = isAnyLength ? text.length : codePoints(text);
    if (minLength === maxLength && length !== minLength) return this.fail(`must be ${minLength} characters.`);
    if (length > maxLength) return this.fail(`must not be greater than ${maxLength} characters.`);
    if (length < minLength) return this.fail(`must be at least ${minLength} characters.`);
    const broken = format === undefined ? undefined : FORMATS[format]?.(text);
    if (broken) return this.fail(broken);
    if (pattern !== undefined && !compiled(pattern).test(text))
      return this.fail(PATTERNS[pattern] ?? 'format is invalid.');
    if (pattern === HTTP_OR_HTTPS && !isUserInUtf8(text))
      return this.fail('must have a user name and a password whose percent escapes are UTF-8.');
    return text;
  }

  private integer(given: unknown): unknown {
    const { minimum = -Infinity, maximum = Infinity } = this.bounds;
    if (!Number.isInteger(given)) return this.fail('must be an integer.');
    if ((given as number) < minimum) return this.fail(`must be at least ${minimum}.`);
    if ((given as number) > maximum) return this.fail(`must not be greater than ${maximum}.`);
    return given;
  }

  private list(given: unknown): unknown {
    const { items = {}, minItems = 0, maxItems = Infinity } = this.schema;
    if (!Array.isArray(given)) return this.fail('must be a list.');
    // No list needs more than one item.
    if (given.length < minItems) return this.fail('must not be empty.');
    if (given.length > maxItems) return this.fail(`must not have more than ${maxItems} items.`);
    return given.map((item, index) => this.nested(String(index), items, item));
  }

  /** Bad keys are reported once, for the map; values are checked only if the map itself is valid. */
  private map(given: unknown): unknown {
    const { maxProperties = Infinity, propertyNames, additionalProperties, properties, required = [] } = this.schema;
    if (Array.isArray(given)) return this.fail('must be an object, not a list.');
    if (typeof given !== 'object' || given === null) return this.fail('must be an object.');
    if (properties) {
      return Object.fromEntries(
        Object.entries(properties)
          .map(
            ([key, schema]) => [key, this.nested(key, schema, (given as never)[key], required.includes(key))] as const,
          )
          .filter(([, value]) => value !== undefined),
      );
    }
    const entries = Object.entries(given);
    if (entries.length > maxProperties) return this.fail(`must not have more than ${maxProperties} items.`);
    const { minLength = 0, maxLength = Infinity } = propertyNames ?? {};
    if (entries.some(([key]) => codePoints(key) < minLength || codePoints(key) > maxLength)) {
      this.report.errors[this.name] = [
        `The ${label(this.name)} keys must be between ${minLength} and ${maxLength} characters.`,
      ];
      return undefined;
    }
    if (typeof additionalProperties !== 'object') return given;
    return Object.fromEntries(entries.map(([key, value]) => [key, this.value(key, additionalProperties, value)]));
  }

  /** Checks one value of a map of strings (§2.4): trimmed and not empty. */
  private value(key: string, { maxLength = Infinity }: Schema, given: unknown): unknown {
    const field = new Field(`${this.name}.${key}`, {}, this.report);
    const text = typeof given === 'string' ? trimmed(given) : null;
    if (text === null) field.fail('must be a string.');
    else if (text === '') field.fail('must not be empty; omit the key instead.');
    else if (codePoints(text) > maxLength) field.fail(`must not be greater than ${maxLength} characters.`);
    return text;
  }

  private nested(key: string, schema: Schema, given: unknown, required = false): unknown {
    return new Field(`${this.name}.${key}`, schema, this.report).check(given, required);
  }

  private selected(): undefined {
    const [, list] = /^(.+)\.\d+$/.exec(this.name) ?? [];
    const values = this.schema.enum?.filter((value) => value !== null) ?? [];
    const what = label(list ?? this.name);
    const isInvalid = this.report.tellsValues ? notAmong(what, values) : `The selected ${what} is invalid.`;
    this.report.errors[this.name] = [
      list === undefined ? isInvalid : `The ${what} field may contain only ${values.join(', ')}.`,
    ];
    return undefined;
  }

  private fail(what: string): undefined {
    this.report.errors[this.name] = [`The ${label(this.name)} field ${what}`];
    return undefined;
  }
}

const patterns = new Map<string, RegExp>();

function compiled(pattern: string): RegExp {
  const known = patterns.get(pattern) ?? new RegExp(pattern, 'u');
  patterns.set(pattern, known);
  return known;
}

const isBlank = (given: unknown) => typeof given === 'string' && trimmed(given) === '';
const isMissing = (given: unknown) => given === undefined || given === null || isBlank(given);

interface Kind {
  /** The type that a value is checked for. */
  readonly type: string;
  readonly mayBeNull: boolean;
}

const kinds = new WeakMap<Schema, Kind>();

function kindOf(schema: Schema): Kind {
  let kind = kinds.get(schema);
  if (!kind) {
    const { type = schema.enum ? 'string' : 'object' } = schema;
    const types = [type].flat();
    const known = ['string', 'integer', 'boolean', 'array'].find((name) => types.includes(name));
    kind = { type: known ?? 'object', mayBeNull: types.includes('null') };
    kinds.set(schema, kind);
  }
  return kind;
}

/** `order_reference` reads "order reference". The part after a dot is the sender's own key and stays as it is. */
function label(name: string): string {
  const [head = '', ...rest] = name.split('.');
  return [head.replaceAll('_', ' '), ...rest].join('.');
}

function codePoints(text: string): number {
  if (!/[\uD800-\uDBFF]/.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** The mistake of a text in a format; undefined if it is valid. */
const FORMATS: Record<string, (text: string) => string | undefined> = {
  uri: (text) => (isUrl(text) ? undefined : 'must be a valid URL.'),
  email: (text) => (EMAIL.test(text) ? undefined : 'must be a valid email address.'),
};

/**
 * As an HTML e-mail field checks it, plus: a dot in the domain, and no leading, trailing or double dot before the @.
 */
const EMAIL =
  /^(?=[^@]{1,64}@)[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/i;

/** Only characters of RFC 3986, so that a Location header can repeat it as sent, and at most one fragment. */
const URL_FORM =
  /^[a-z][a-z0-9+.-]*:\/\/(?!\/)(?:[!$&-;=?-[\]_a-z~]|%[0-9a-f]{2})+(?:#(?:[!$&-;=?-[\]_a-z~]|%[0-9a-f]{2})*)?$/i;

/** An absolute URL with a letter or digit in its host (decisions §5). */
const isUrl = (text: string) =>
  URL_FORM.test(text) && (USUAL_URL.test(text) || (URL.canParse(text) && /[a-z0-9]/i.test(new URL(text).hostname)));

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
  [SNAPSHOT_NAME]: 'must be 1 to 64 characters, each a lowercase letter, a digit, ".", "_" or "-".',
};
