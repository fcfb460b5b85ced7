import { isRecord } from '../../domain/json.ts';
import { resolved } from '../../operations/index.ts';
import type { Operation } from '../../operations/operation.ts';
import type { Schema } from '../../schema.ts';

const NOTHING: ReadonlySet<string> = new Set();
const names = new Map<Operation, ReadonlySet<string>>();

/** The fields that the service reads from a body. */
function namesOf(operation: Operation): ReadonlySet<string> {
  if (!operation.body) return NOTHING;
  const known = names.get(operation);
  if (known) return known;
  const { properties = {} }: Schema = resolved(operation.body);
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

/** The fields of a body that the service ignores. */
export function unknownFields(operation: Operation, body: unknown): string[] {
  const known = namesOf(operation);
  return isRecord(body) ? Object.keys(body).filter((name) => !known.has(name)) : [];
}
