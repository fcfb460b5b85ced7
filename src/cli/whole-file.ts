import { lstatSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from './folder.ts';

interface Options {
  readonly mode?: number;
  readonly flag?: 'wx';
}

/**
 * Writes a file and makes its folder if necessary. If the disk has no room for all of it, no part stays: half a report or
 * trace would be taken for a whole one.
 */
export async function writeWhole(file: string, content: string | Uint8Array, options: Options = {}) {
  makeFolder(dirname(file));
  try {
    await writeFile(file, content, options);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === 'write') removeFile(file);
    throw error;
  }
}

/** Not a pipe, a device or a link. */
function removeFile(file: string) {
  try {
    if (lstatSync(file).isFile()) rmSync(file);
  } catch {
    // The folder takes no changes.
  }
}
