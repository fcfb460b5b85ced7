import type { TSchema } from 'typebox';
import { shortened } from '../domain/text.ts';
import { suggestion } from '../nearest.ts';
import { type Broken, type Keyword, read, type Schema } from '../schema.ts';
import type { Path } from '../yaml.ts';

/** Something wrong with a document. The path holds keys and indexes from its top. */
export interface Problem {
  readonly path: Path;
  /** The key itself is wrong, not its value. */
  readonly atKey?: true;
  readonly message: string;
}

/** Describes the mistakes in a document for its author. The messages of a library would mention `anyOf`. */
export function check(schema: TSchema, document: unknown): Problem[] {
  const problems: Problem[] = [];
  read(schema, document, {
    prepared: (given) => given,
    isMissing: (given) => given === undefined,
    hasFormat: () => true,
    report: (broken) => problems.push(problemOf(broken)),
  });
  return problems;
}

function problemOf(broken: Broken): Problem {
  const { keyword, schema, value, path } = broken;
  switch (keyword) {
    case 'required':
      return { path: path.slice(0, -1), message: `needs ${path.at(-1)}` };
    case 'additionalProperties':
      return { path, atKey: true, message: misplaced(broken) ?? unknownName(String(path.at(-1)), namesOf(schema)) };
    case 'dependentSchemas': {
      const excluded = String(path.at(-1));
      const names = Object.keys(schema.dependentSchemas ?? {}).filter((name) => Object.hasOwn(value as object, name));
      return notBoth([...names, excluded], path);
    }
    case 'enum':
      return { path, message: misplacedValue(broken) ?? unknownName(String(value), schema.enum as string[]) };
    case 'oneOf':
      return notExactlyOne(schema, value as object, path);
    default: {
      const words = WORDS[keyword];
      if (!words) throw new Error(`no words for ${keyword}`);
      return { path, message: words(schema, value) };
    }
  }
}

const WORDS: Partial<Record<Keyword, (schema: Schema, value: unknown) => string>> = {
  type: ({ type = [] }, value) =>
    `must be ${[type]
      .flat()
      .map((each) => A[each])
      .join(' or ')}, not ${shown(value)}`,
  const: (schema) => `must be ${schema.const}`,
  minLength: () => 'must not be empty',
  pattern: ({ examples = [] }, value) => `must be of the form ${examples.join(' or ')}, not ${shown(value)}`,
  minimum: ({ minimum }, value) => `must be at least ${minimum}, not ${value}`,
  maximum: ({ maximum }, value) => `must be at most ${maximum}, not ${value}`,
  minItems: () => 'must not be empty',
  minProperties: () => 'must not be empty',
};

const A: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  null: 'null',
};

function shown(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map';
  return shortened(typeof value === 'number' ? String(value) : JSON.stringify(value), SHOWN_MAX);
}

const SHOWN_MAX = 80;

/** What to say of a key that is known one level deeper, beside it, or one level higher: a slip of the indentation. */
function misplaced({ schema: { properties = {} }, value, path, around }: Broken): string | null {
  const key = String(path.at(-1));
  const hosts = Object.keys(value as object).filter((name) => namesOf(properties[name]).includes(key));
  if (hosts.length > 0) return `${key} belongs under ${listed(hosts)}, not beside it (in YAML, indent it further).`;
  if (!namesOf(around).includes(key)) return null;
  return `${key} belongs beside ${path.at(-2)}, not under it (in YAML, indent it less).`;
}

/** What to say of a value that the same key takes one level deeper. */
function misplacedValue({ schema, value, path, around }: Broken): string | null {
  const key = String(path.at(-1));
  for (const [host, { properties = {} }] of Object.entries(around?.properties ?? {})) {
    const forms = [properties[key] ?? {}].flatMap((inner) => inner.anyOf ?? [inner]);
    if (!forms.some((form) => form.enum?.includes(value))) continue;
    return `cannot be ${value}, but ${key} under ${host} can. Available here: ${schema.enum?.join(', ')}.`;
  }
  return null;
}

const namesOf = (schema: Schema | undefined) => Object.keys(schema?.properties ?? {});

const notBoth = (given: readonly string[], path: Path): Problem => ({
  path,
  atKey: true,
  message: `only one of ${listed(given, 'and')} is allowed here`,
});

function notExactlyOne({ oneOf = [] }: Schema, value: object, path: Path): Problem {
  const names = oneOf.flatMap(({ required }) => required);
  const given = names.filter((name) => Object.hasOwn(value, name));
  const [, second] = given;
  if (second === undefined) return { path, message: `needs one of ${listed(names)}` };
  return notBoth(given, [...path, second]);
}

const listed = (names: readonly string[], word = 'or') =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1)}`;

/** `conract is not known. Did you mean contract?` */
const unknownName = (name: string, names: readonly string[]) =>
  `${name} is not known. ${suggestion(name, names)}`.trim();
