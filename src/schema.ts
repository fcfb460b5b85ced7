import type { TSchema } from 'typebox';
import { isRecord } from './domain/json.ts';
import type { Path } from './yaml.ts';

/** The part of JSON Schema that our schemas use. Those of typebox fit it, although their types do not say what they hold. */
export interface Schema {
  readonly $id?: string;
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly examples?: readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly propertyNames?: Pick<Schema, 'minLength' | 'maxLength'>;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly dependentSchemas?: Readonly<Record<string, { readonly properties: Readonly<Record<string, false>> }>>;
  readonly oneOf?: readonly { readonly required: readonly string[] }[];
  readonly anyOf?: readonly Schema[];
}

export type Keyword = Exclude<
  keyof Schema,
  '$id' | '$ref' | 'description' | 'examples' | 'items' | 'properties' | 'anyOf'
>;

/** A keyword that a value breaks. */
export interface Broken {
  readonly keyword: Keyword;
  /** The schema that has the keyword. */
  readonly schema: Schema;
  /** The value that the schema describes. */
  readonly value: unknown;
  /** Where the mistake is: of a property that is missing, unknown or excluded, its own place. */
  readonly path: Path;
  /** The schema of the object that holds the value. */
  readonly around: Schema | undefined;
}

/** How a kind of document is read, and where its mistakes are told. */
export interface Reader {
  /** The value that the keywords apply to. `around` is the schema of the object that holds it. */
  readonly prepared: (given: unknown, schema: Schema, around: Schema | undefined) => unknown;
  /** Whether a required property counts as missing. */
  readonly isMissing: (given: unknown) => boolean;
  readonly hasFormat: (text: string, schema: Schema) => boolean;
  readonly report: (broken: Broken) => void;
}

/** Keywords that replace those of properties at the top, by their names. */
export type Bounds = Readonly<Record<string, Pick<Schema, 'minimum' | 'maximum' | 'pattern'>>>;

/**
 * Reads a JSON value as its schema describes it, with only those properties that the schema names, in its order. Of a
 * value that is neither list nor object, at most one broken keyword is reported.
 */
export const read = (schema: TSchema, given: unknown, reader: Reader, bounds?: Bounds): unknown =>
  new Reading(reader, bounds).value(schema, given);

class Reading {
  readonly reader: Reader;
  readonly bounds: Bounds | undefined;
  /** Of the value that is being read. */
  readonly path: (string | number)[] = [];

  constructor(reader: Reader, bounds?: Bounds) {
    this.reader = reader;
    this.bounds = bounds;
  }

  value(schema: Schema, given: unknown, around?: Schema): unknown {
    if (schema.anyOf) return this.value(this.form(schema.anyOf, given), given, around);
    const value = this.reader.prepared(given, schema, around);
    const keyword = brokenBy(value, schema, this.reader);
    if (keyword !== undefined) {
      this.reader.report({ keyword, schema, value, path: [...this.path], around });
      return undefined;
    }
    if (Array.isArray(value)) return value.map((item, index) => this.within(index, schema.items ?? {}, item));
    return isRecord(value) ? this.object(schema, value, around) : value;
  }

  private within(key: string | number, schema: Schema, given: unknown, around?: Schema): unknown {
    this.path.push(key);
    const value = this.value(schema, given, around);
    this.path.pop();
    return value;
  }

  /** The form to read a value by. One that fits none is reported by the first, whose place the others only take. */
  private form([meant = {}, ...others]: readonly Schema[], given: unknown): Schema {
    const fits = (form: Schema) => {
      let isBroken = false;
      const report = () => {
        isBroken = true;
      };
      read(form, given, { ...this.reader, report });
      return !isBroken;
    };
    return others.find(fits) ?? meant;
  }

  private object(schema: Schema, value: Readonly<Record<string, unknown>>, around: Schema | undefined): object {
    const { properties = {}, additionalProperties = true, required } = schema;
    const report = (keyword: Keyword, ...names: readonly string[]) =>
      this.reader.report({ keyword, schema, value, path: [...this.path, ...names], around });
    const others =
      additionalProperties === true ? [] : Object.keys(value).filter((name) => !Object.hasOwn(properties, name));
    const unknown = additionalProperties === false ? others : [];
    for (const name of unknown) report('additionalProperties', name);
    // A misspelled name is not also reported as missing.
    const isWhole = unknown.length === 0;
    const known: Record<string, unknown> = {};
    for (const name in properties) {
      const given = Object.hasOwn(value, name) ? value[name] : undefined;
      if (isWhole && required?.includes(name) && this.reader.isMissing(given)) report('required', name);
      else if (given !== undefined) {
        const one = this.within(name, this.property(name, properties[name] as Schema), given, schema);
        if (one !== undefined) known[name] = one;
      }
    }
    if (isWhole) reportTogether(schema, value, report);
    if (typeof additionalProperties !== 'object') return schema.properties ? known : value;
    // Unlike an assignment, this can name __proto__.
    const entries = others.map((name) => [name, this.within(name, additionalProperties, value[name], schema)]);
    return { ...known, ...Object.fromEntries(entries) };
  }

  private property(name: string, schema: Schema): Schema {
    const bounds = this.path.length === 0 ? this.bounds?.[name] : undefined;
    return bounds ? { ...schema, ...bounds } : schema;
  }
}

/** The first keyword that a value breaks, what is in the value apart. */
function brokenBy(value: unknown, schema: Schema, reader: Reader): Keyword | undefined {
  if (schema.type !== undefined && !isOfType(value, schema.type)) return 'type';
  if (schema.const !== undefined && value !== schema.const) return 'const';
  if (schema.enum && !schema.enum.includes(value)) return 'enum';
  if (typeof value === 'string') return brokenByText(value, schema, reader);
  if (typeof value === 'number') {
    if (value < (schema.minimum ?? -Infinity)) return 'minimum';
    return value > (schema.maximum ?? Infinity) ? 'maximum' : undefined;
  }
  if (Array.isArray(value)) {
    if (value.length < (schema.minItems ?? 0)) return 'minItems';
    return value.length > (schema.maxItems ?? Infinity) ? 'maxItems' : undefined;
  }
  return isRecord(value) ? brokenByNames(value, schema) : undefined;
}

const isOfType = (value: unknown, type: string | readonly string[]) =>
  typeof type === 'string' ? isOf(type, value) : type.some((each) => isOf(each, value));

function isOf(type: string, value: unknown): boolean {
  switch (type) {
    case 'integer':
      // A larger one is not held exactly.
      return Number.isSafeInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'null':
      return value === null;
    case 'object':
      return isRecord(value);
    default:
      return typeof value === type;
  }
}

function brokenByText(text: string, schema: Schema, reader: Reader): Keyword | undefined {
  const { minLength = 0, maxLength = Infinity, format, pattern } = schema;
  // No text has more code points than characters.
  const length = minLength > 1 || text.length > maxLength ? codePoints(text) : text.length;
  if (length > maxLength) return 'maxLength';
  if (length < minLength) return 'minLength';
  if (format !== undefined && !reader.hasFormat(text, schema)) return 'format';
  return pattern === undefined || compiled(pattern).test(text) ? undefined : 'pattern';
}

function brokenByNames(value: object, { propertyNames, maxProperties }: Schema): Keyword | undefined {
  if (!propertyNames && maxProperties === undefined) return undefined;
  const names = Object.keys(value);
  if (names.length > (maxProperties ?? Infinity)) return 'maxProperties';
  const { minLength = 0, maxLength = Infinity } = propertyNames ?? {};
  const isWrong = (length: number) => length < minLength || length > maxLength;
  return names.some((name) => isWrong(codePoints(name))) ? 'propertyNames' : undefined;
}

/** Reports which properties may not be together, or are too few. */
function reportTogether(
  { minProperties = 0, dependentSchemas, oneOf }: Schema,
  value: object,
  report: (keyword: Keyword, ...names: readonly string[]) => void,
) {
  const isGiven = (name: string) => Object.hasOwn(value, name);
  if (minProperties > 0 && Object.keys(value).length < minProperties) report('minProperties');
  for (const name in dependentSchemas) {
    const excluded = Object.keys(dependentSchemas[name]?.properties ?? {}).find(isGiven);
    if (isGiven(name) && excluded !== undefined) report('dependentSchemas', excluded);
  }
  if (oneOf && oneOf.filter(({ required }) => required.every(isGiven)).length !== 1) report('oneOf');
}

const patterns = new Map<string, RegExp>();

function compiled(pattern: string): RegExp {
  const known = patterns.get(pattern) ?? new RegExp(pattern, 'u');
  patterns.set(pattern, known);
  return known;
}

function codePoints(text: string): number {
  if (!/[\uD800-\uDBFF]/.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
