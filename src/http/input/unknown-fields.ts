import { isRecord } from '../../domain/json.ts';
import { resolved } from '../../operations/index.ts';
import type { Operation } from '../../operations/operation.ts';
import type { Schema } from '../../schema.ts';

const NOTHING: ReadonlySet<string> = new Set();
const names = new Map<Operation, ReadonlySet<string>>();

/** The fields that the service reads from a body, or from the query of a list. */
function namesOf(operation: Operation): ReadonlySet<string> {
  const schema = operation.query ?? operation.body;
  if (!schema) return NOTHING;
  const known = names.get(operation);
  if (known) return known;
  const { properties = {} }: Schema = resolved(schema);
  const read = new Set(Object.keys(properties));
  names.set(operation, read);
  return read;
}

/** Every request is asked, so it makes no list. */
export function hasUnknownField(operation: Operation, body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  const known = namesOf(operation);
  for (const name in body) if (!known.has(name)) return true;
  return false;
}

/**
 * The fields of a body, or of the query of a list, that the service ignores. Reads of one resource may have any query: some
 * clients add one so that no cache answers.
 */
export function unknownFields(operation: Operation, { body, query }: { body: unknown; query: unknown }): string[] {
  const fields = operation.query ? query : body;
  const known = namesOf(operation);
  return isRecord(fields) ? Object.keys(fields).filter((name) => !known.has(name)) : [];
}
