import { join } from 'node:path';
import { missingPrograms, PROGRAMS } from '../../scripts/programs.js';

declare module 'vitest' {
  interface TaskMeta {
    /** Programs that a test needs and this machine lacks. `npm test` reports them. */
    missing?: readonly string[];
  }
}

export const CACHE = join(import.meta.dirname, '../../node_modules/.cache');

/**
 * Options for a test or a group that starts these programs. If one is missing, the test is skipped, and `npm test`
 * reports the program.
 */
export function needing(...names: [string, ...string[]]) {
  const unknown = names.filter((name) => !(name in PROGRAMS));
  if (unknown.length > 0) throw new Error(`scripts/programs.js does not list ${unknown.join(', ')}.`);
  const missing = missingPrograms([...new Set(names)], CACHE);
  return missing.length > 0 ? { skip: true, meta: { missing } } : {};
}
