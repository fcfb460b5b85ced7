import type { TSchema } from 'typebox';
import { isRecord } from '../domain/json.ts';
import { suggestion } from '../nearest.ts';
import type { Path } from '../yaml.ts';

/** Something wrong with a document. The path holds keys and indexes from its top. */
export interface Problem {
  readonly path: Path;
  /** The key itself is wrong, not its value. */
  readonly atKey?: true;
  readonly message: string;
}

/** The part of JSON Schema that scenario files use. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly examples?: readonly string[];
  readonly minLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly minProperties?: number;
  readonly required?: readonly string[];
  readonly dependentSchemas?: Readonly<Record<string, { readonly properties: Readonly<Record<string, false>> }>>;
  readonly oneOf?: readonly { readonly required: readonly string[] }[];
  readonly anyOf?: readonly Schema[];
}

/** Describes the mistakes in a document for its author. The messages of a library would mention `anyOf`. */
export function check(schema: TSchema, document: unknown): Problem[] {
  return problemsOf(schema as Schema, document, []);
}

/** `around` is the schema of the map that holds the value. */
function problemsOf(schema: Schema, value: unknown, path: Path, around?: Schema): Problem[] {
  if (schema.anyOf) return anyOf(schema.anyOf, value, path);
  const wrong = (message: string): Problem[] => [{ path, message }];
  const types = [schema.type ?? []].flat();
  if (types.length > 0 && !types.some((type) => isOf(type, value))) {
    return wrong(`must be ${types.map((type) => A[type]).join(' or ')}, not ${shown(value)}`);
  }
  if (schema.const !== undefined && value !== schema.const) return wrong(`must be ${schema.const}`);
  if (schema.enum && !schema.enum.includes(value)) return wrong(unknownName(String(value), schema.enum as string[]));
  if (typeof value === 'string') return textProblem(schema, value).flatMap(wrong);
  if (typeof value === 'number') return numberProblem(schema, value).flatMap(wrong);
  if (Array.isArray(value)) return list(schema, value, path);
  return isOf('object', value) ? map(schema, value as Record<string, unknown>, path, around) : [];
}

const A: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  null: 'null',
};

function isOf(type: string, value: unknown): boolean {
  switch (type) {
    case 'integer':
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

function shown(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map';
  const text = typeof value === 'number' ? String(value) : JSON.stringify(value);
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}

const SHOWN_MAX = 80;

/** Reports on the first form, because the others only allow `${…}` in its place. */
function anyOf(forms: readonly Schema[], value: unknown, path: Path): Problem[] {
  const [meant, ...others] = forms;
  if (others.some((form) => problemsOf(form, value, path).length === 0)) return [];
  return meant ? problemsOf(meant, value, path) : [];
}

function textProblem({ pattern, examples = [], minLength = 0 }: Schema, value: string): string[] {
  if (value.length < minLength) return ['must not be empty'];
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) {
    return [`must be of the form ${examples.join(' or ')}, not ${shown(value)}`];
  }
  return [];
}

function numberProblem({ minimum = -Infinity, maximum = Infinity }: Schema, value: number): string[] {
  if (value < minimum) return [`must be at least ${minimum}, not ${value}`];
  if (value > maximum) return [`must be at most ${maximum}, not ${value}`];
  return [];
}

function list({ items = {}, minItems = 0 }: Schema, value: readonly unknown[], path: Path): Problem[] {
  if (value.length < minItems) return [{ path, message: 'must not be empty' }];
  return value.flatMap((item, index) => problemsOf(items, item, [...path, index]));
}

function map(schema: Schema, value: Record<string, unknown>, path: Path, around?: Schema): Problem[] {
  const { properties = {}, additionalProperties = true, required = [], minProperties = 0 } = schema;
  const problems: Problem[] = [];
  for (const [key, inner] of Object.entries(value)) {
    const at = [...path, key];
    const known = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (known) problems.push(...problemsOf(known, inner, at, schema));
    else if (additionalProperties === false) {
      const message = misplaced(key, schema, value, path, around) ?? unknownName(key, Object.keys(properties));
      problems.push({ path: at, atKey: true, message });
    } else if (typeof additionalProperties === 'object') problems.push(...problemsOf(additionalProperties, inner, at));
  }
  // A misspelt key is not also reported as missing.
  if (problems.some(({ atKey, path: at }) => atKey && at.length === path.length + 1)) return problems;
  for (const key of required) {
    if (!Object.hasOwn(value, key)) problems.push({ path, message: `needs ${key}` });
  }
  if (Object.keys(value).length < minProperties) problems.push({ path, message: 'must not be empty' });
  for (const [key, { properties: excluded }] of Object.entries(schema.dependentSchemas ?? {})) {
    const other = Object.keys(excluded).find((name) => Object.hasOwn(value, name));
    if (Object.hasOwn(value, key) && other) problems.push(notBoth([key, other], [...path, other]));
  }
  return [...problems, ...exactlyOne(schema.oneOf ?? [], value, path)];
}

/** What to say of a key that is known one level deeper, beside it, or one level higher: a slip of the indentation. */
function misplaced(
  key: string,
  { properties = {} }: Schema,
  value: object,
  path: Path,
  around: Schema = {},
): string | null {
  const hosts = Object.keys(value).filter((name) => isProperty(properties[name], key));
  if (hosts.length > 0) return `${key} belongs under ${listed(hosts)}, not beside it (in YAML, indent it further).`;
  if (!isProperty(around, key)) return null;
  return `${key} belongs beside ${path.at(-1)}, not under it (in YAML, indent it less).`;
}

const isProperty = (schema: Schema | undefined, key: string) => Object.hasOwn(schema?.properties ?? {}, key);

const notBoth = (given: readonly string[], path: Path): Problem => ({
  path,
  atKey: true,
  message: `only one of ${listed(given, 'and')} is allowed here`,
});

function exactlyOne(forms: readonly { required: readonly string[] }[], value: object, path: Path): Problem[] {
  if (forms.length === 0) return [];
  const names = forms.flatMap(({ required }) => required);
  const given = names.filter((name) => Object.hasOwn(value, name));
  if (given.length === 1) return [];
  const [, second] = given;
  if (second === undefined) return [{ path, message: `needs one of ${listed(names)}` }];
  return [notBoth(given, [...path, second])];
}

const listed = (names: readonly string[], word = 'or') =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1)}`;

/** `conract is not known. Did you mean contract?` */
export const unknownName = (name: string, names: readonly string[]) =>
  `${name} is not known. ${suggestion(name, names)}`.trim();
