import { accessSync, chmodSync, chownSync, constants, lstatSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from './folder.ts';

interface Options {
  readonly mode?: number;
  readonly flag?: 'wx';
}

/**
 * Writes a file and makes its folder if necessary. Nobody who reads or writes the file at the same time sees only a
 * part of it. If the disk has no room for all of it, no part stays: half a report or trace would be taken for a whole
 * one.
 */
export async function writeWhole(file: string, content: string | Uint8Array, options: Options = {}) {
  makeFolder(dirname(file));
  if (!options.flag && (await moveIntoPlace(file, content, options))) return;
  try {
    await writeFile(file, content, options);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === 'write') removeFile(file);
    throw error;
  }
}

/** Writes a draft beside the file and moves it there. False where that cannot be: then nothing has changed. */
async function moveIntoPlace(file: string, content: string | Uint8Array, options: Options): Promise<boolean> {
  let folder: string | undefined;
  try {
    const older = lstatSync(file, { throwIfNoEntry: false });
    if (older) {
      if (!older.isFile() || older.nlink > 1) return false;
      accessSync(file, constants.W_OK);
    }
    folder = mkdtempSync(join(dirname(file), '.layaway-'));
    const draft = join(folder, basename(file));
    await writeFile(draft, content, options);
    if (older) {
      chownSync(draft, older.uid, older.gid);
      chmodSync(draft, older.mode & 0o777);
    }
    renameSync(draft, file);
    return true;
  } catch {
    // The folder takes no other file, the file belongs to somebody else, or it stands for another one, as one that Docker
    // mounts does.
    return false;
  } finally {
    if (folder) remove(folder);
  }
}

/** Not a pipe, a device or a link. */
function removeFile(file: string) {
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile()) remove(file);
}

function remove(path: string) {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // The folder takes no changes.
  }
}
