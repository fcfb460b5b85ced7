import type { TSchema } from 'typebox';
import { isRecord } from '../domain/json.ts';
import { NAMED } from './index.ts';

/**
 * A schema as it stands in a document: without its `$id`, and with references into `place`, such as
 * `#/components/schemas/`.
 */
export function printed(value: unknown, place: string): unknown {
  if (Array.isArray(value)) return value.map((item) => printed(item, place));
  if (typeof value !== 'object' || value === null) return value;
  if ('enum' in value && Array.isArray(value.enum) && value.enum.includes(null)) return choiceOrNull(value);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== '$id')
      .map(([key, inner]) => [key, key === '$ref' ? `${place}${inner}` : printed(inner, place)]),
  );
}

/** Generators of clients lose a null among the values of an `enum`, or write code that does not compile. */
function choiceOrNull({ type, enum: values, ...rest }: { readonly type?: unknown; readonly enum?: unknown }): object {
  const [named] = [type].flat();
  const choice = { type: named, enum: [values].flat().filter((value) => value !== null) };
  return { anyOf: [choice, { type: 'null' }], ...rest };
}

/** Printed schemas of an operation that refuses fields that they do not name: generated programs must know. */
export function closed<T>(value: T): T {
  if (Array.isArray(value)) return value.map(closed) as T;
  if (!isRecord(value)) return value;
  const whole = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, closed(inner)]));
  return (isRecord(value.properties) ? { additionalProperties: false, ...whole } : whole) as T;
}

/**
 * Printed schemas of what the service sends. It may add fields (`unknown-field` of certify), so that a program that is
 * generated from them must not refuse those that they do not name.
 */
export function opened<T>(value: T): T {
  if (Array.isArray(value)) return value.map(opened) as T;
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([key, inner]) => key !== 'additionalProperties' || inner !== false);
  return Object.fromEntries(kept.map(([key, inner]) => [key, opened(inner)])) as T;
}

/** The named schemas to which a part of a document refers, directly or through others, printed for the same place. */
export function namedIn(part: unknown, place: string): Record<string, unknown> {
  const found = new Map<string, unknown>();
  const reference = new RegExp(`"${place.replaceAll('$', '\\$')}(\\w+)"`, 'g');
  const collect = (within: unknown) => {
    for (const [, name = ''] of JSON.stringify(within).matchAll(reference)) {
      if (found.has(name)) continue;
      const schema = printed(
        NAMED.find((candidate) => nameOf(candidate) === name),
        place,
      );
      found.set(name, schema);
      collect(schema);
    }
  };
  collect(part);
  const order = NAMED.map(nameOf);
  return Object.fromEntries([...found].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b)));
}

const nameOf = (schema: TSchema) => (schema as { $id?: string }).$id;

const DEFINITIONS = '#/$defs/';

/** A JSON Schema (2020-12) with every schema that it refers to. */
export function standalone(schema: TSchema): Record<string, unknown> {
  const own = printed(schema, DEFINITIONS) as Record<string, unknown>;
  const definitions = namedIn(own, DEFINITIONS);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...own,
    ...(Object.keys(definitions).length > 0 ? { $defs: definitions } : {}),
  };
}
