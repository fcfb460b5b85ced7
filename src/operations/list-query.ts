import * as Type from 'typebox';
import { LIST_DEFAULT, LIST_MAX } from '../domain/limits.ts';
import { oneOf, text } from './schemas.ts';

/** The cursor of every list (interface §3): newest first, or with `after` the newer ones, oldest first. */
const LIST = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIST_MAX,
      description: `The maximum number of items; ${LIST_DEFAULT} when absent.`,
    }),
  ),
  after: Type.Optional(text('Only items newer than this id, oldest first, so that a reader misses none.')),
};

/** Asks for as many items as one answer can have. */
export const WHOLE_LIST = { query: { limit: LIST_MAX } } as const;

/** The query of operations that cause events: whether the answer waits for their webhooks. */
export const WaitQuery = Type.Object({
  wait: Type.Optional(
    oneOf(['true', 'false'], { description: '`true`: respond when the webhooks that are due have been attempted.' }),
  ),
});

export const ListQuery = Type.Object(LIST);

/** The cursor of a list, and its filters. */
export const listQuery = <P extends Record<string, Type.TSchema>>(properties: P) =>
  Type.Object({ ...LIST, ...properties });
