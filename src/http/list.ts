import Type from 'typebox';
import { invalid, Refusal } from '../domain/refusal.ts';
import { integerOf, parameter } from './query.ts';
import { validate } from './validate.ts';

const ListQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  after: Type.Optional(Type.String()),
});

/**
 * `?limit=` and `?after=` of a list (interface §3). `resolve` finds the row id behind an id; null, or a Refusal, when it
 * is unknown.
 * @throws Refusal `invalid`
 */
export function listQuery(query: Record<string, unknown>, resolve: (id: string) => number | null) {
  const given = { limit: integerOf(parameter(query, 'limit')), after: parameter(query, 'after') };
  const { limit = 100, after } = validate(ListQuery, given);
  return { limit, afterId: after === undefined ? null : cursor(after, resolve) };
}

/**
 * The part of a list that is asked for, of all its items, newest first.
 * @throws Refusal `invalid`
 */
export function partOf<T>(query: Record<string, unknown>, items: readonly T[], idOf: (item: T) => string): T[] {
  const { limit, afterId: newer } = listQuery(query, (id) => {
    const place = items.findIndex((item) => idOf(item) === id);
    return place < 0 ? null : place;
  });
  return (newer === null ? items : items.slice(0, newer).reverse()).slice(0, limit);
}

function cursor(after: string, resolve: (id: string) => number | null): number {
  const row = rowOf(after, resolve);
  if (row === null) throw invalid('after', 'The selected after is invalid.');
  return row;
}

function rowOf(id: string, resolve: (id: string) => number | null): number | null {
  try {
    return resolve(id);
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}
