import { trimmed } from '../../domain/text.ts';
import type { Operation } from '../../operations/operation.ts';
import type { Schema } from '../../schema.ts';
import { clamped, refuseUnknown, validate, validateStrictly } from './validate.ts';

/**
 * Reads the query of a request as its operation declares it, integers as numbers.
 * @throws Refusal `invalid`
 */
export function readQuery(
  { query: schema, ignoresUnknown }: Operation,
  query: Readonly<Record<string, unknown>>,
): object {
  const { properties = {} }: Schema = schema ?? {};
  if (!ignoresUnknown) {
    const names = Object.keys(query).map((key) => /^([^[]+)\[/.exec(key)?.[1] ?? key);
    refuseUnknown(names, schema ?? {});
  }
  if (!schema) return {};
  const given = Object.entries(properties).map(([name, { type }]) => {
    const value = parameter(query, name);
    return [name, type === 'integer' ? integerOf(value) : value] as const;
  });
  const check = ignoresUnknown ? validate : validateStrictly;
  return check(schema, Object.fromEntries(given)) as object;
}

/**
 * Reads one query parameter as Laravel does: an empty one counts as absent, and `status[]=x` is a list named status,
 * not an unknown parameter.
 */
const parameter = (query: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.keys(query).some((key) => key.startsWith(`${name}[`)) ? [] : presence(query[name]);

/** An empty text counts as absent (decisions §5). */
const presence = (value: unknown) => (typeof value === 'string' && trimmed(value) === '' ? undefined : value);

/** Reads an integer; other text is returned as it is, to be refused later. */
function integerOf(value: unknown): unknown {
  if (typeof value !== 'string' || !/^[+-]?(0|[1-9]\d*)$/.test(value.trim())) return value;
  return clamped(Number(value));
}
