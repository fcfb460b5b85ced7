import { join } from 'node:path';
import { missingPrograms, PROGRAMS } from '../../scripts/programs.js';

declare module 'vitest' {
  interface TaskMeta {
    /** Programs that a test needs and this machine lacks; `npm test` tells them. */
    missing?: readonly string[];
  }
}

export const CACHE = join(import.meta.dirname, '../../node_modules/.cache');

/**
 * Options of a test, or of a group, that starts these programs: where one is missing it is skipped, and `npm test` tells
 * which one.
 */
export function needing(...names: [string, ...string[]]) {
  const unknown = names.filter((name) => !(name in PROGRAMS));
  if (unknown.length > 0) throw new Error(`scripts/programs.js does not list ${unknown.join(', ')}.`);
  const missing = missingPrograms([...new Set(names)], CACHE);
  return missing.length > 0 ? { skip: true, meta: { missing } } : {};
}
