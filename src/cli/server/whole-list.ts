import { LIST_MAX } from '../../domain/limits.ts';

/** Asks for as many items as one answer can have. */
export const WHOLE_LIST = { query: { limit: LIST_MAX } } as const;
