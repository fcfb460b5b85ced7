import Type from 'typebox';
import { invalid, Refusal } from '../domain/refusal.ts';
import { validate } from './validate.ts';

const ListQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  after: Type.Optional(Type.String()),
});

/**
 * `?limit=` and `?after=` of a list (interface §3). `resolve` finds the row id behind an id, or throws a Refusal.
 * @throws Refusal `invalid`
 */
export function listQuery(query: Record<string, unknown>, resolve: (id: string) => number) {
  const limitText = query.limit;
  const limit = typeof limitText === 'string' && /^\d{1,9}$/.test(limitText) ? Number(limitText) : limitText;
  const { after, limit: size } = validate(ListQuery, { ...query, limit: limit === '' ? undefined : limit });
  return { limit: size ?? 100, afterId: after === undefined || after === '' ? null : cursor(after, resolve) };
}

function cursor(after: string, resolve: (id: string) => number): number {
  try {
    return resolve(after);
  } catch (error) {
    if (error instanceof Refusal) throw invalid('after', 'The selected after is invalid.');
    throw error;
  }
}
