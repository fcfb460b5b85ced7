import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and its parents, if necessary. Node's own `recursive` never ends if an existing folder answers ENOENT to a
 * new folder in it, as /proc and automounters do.
 */
export function makeFolder(folder: string, mode = 0o777) {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder), mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another command that starts now may have made it.
    if (!existsSync(folder)) throw error;
  }
}
