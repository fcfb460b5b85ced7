import { trimmed } from '../../domain/text.ts';
import type { Operation } from '../../operations/operation.ts';
import { refuseUnknown, validate } from './validate.ts';

/**
 * The query of a call as its operation declares it; an integer is one that the text spells.
 * @throws Refusal `invalid`
 */
export function readQuery(
  { query: schema, ignoresUnknown }: Operation,
  query: Readonly<Record<string, unknown>>,
): object {
  const { properties = {} } = (schema ?? {}) as { properties?: Readonly<Record<string, { type?: unknown }>> };
  if (!ignoresUnknown) {
    const names = Object.keys(query).map((key) => /^([^[]+)\[/.exec(key)?.[1] ?? key);
    refuseUnknown(names, (name) => Object.hasOwn(properties, name));
  }
  if (!schema) return {};
  const given = Object.entries(properties).map(([name, { type }]) => {
    const value = parameter(query, name);
    return [name, type === 'integer' ? integerOf(value) : value] as const;
  });
  return validate(schema, Object.fromEntries(given)) as object;
}

/**
 * One parameter of a query as Laravel reads it: an empty one counts as absent, and `status[]=x` is a list named status,
 * not an unknown parameter.
 */
const parameter = (query: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.keys(query).some((key) => key.startsWith(`${name}[`)) ? [] : presence(query[name]);

/** An empty text counts as absent (decisions §5). */
const presence = (value: unknown) => (typeof value === 'string' && trimmed(value) === '' ? undefined : value);

/**
 * The integer that a text spells; anything else is left to be refused. However large it is, it is an integer
 * (decisions §5): one that no number holds exactly counts as the largest that a number does.
 */
function integerOf(value: unknown): unknown {
  if (typeof value !== 'string' || !/^[+-]?(0|[1-9]\d*)$/.test(value.trim())) return value;
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number(value), Number.MAX_SAFE_INTEGER));
}
