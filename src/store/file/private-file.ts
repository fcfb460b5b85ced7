import {
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../../domain/error-code.ts';

/**
 * Only the owner can read and write files of the state directory, even in a folder that others may read (interface §6).
 */
const OWNER_ONLY = 0o600;

/** Makes an empty file, for others to fill. @throws EEXIST when the path exists, a symbolic link included */
export const createPrivately = (file: string) => closeSync(openSync(file, 'wx', OWNER_ONLY));

/** Writes a temporary file and moves it into place. An existing file or symbolic link is replaced, not followed. */
export function writePrivately(file: string, text: string) {
  const draft = `${file}.draft`;
  rmSync(draft, { force: true });
  writeFileSync(draft, text, { flag: 'wx', mode: OWNER_ONLY });
  moveOver(draft, file);
}

/** What Windows answers while another program, such as a virus scanner, has the old file open. */
const HELD = new Set(['EPERM', 'EACCES', 'EBUSY']);

/** Moves a file into the place of another. Where the other is held open for a moment, it is removed first, with patience. */
export function moveOver(draft: string, file: string, rename: typeof renameSync = renameSync) {
  try {
    rename(draft, file);
  } catch (error) {
    if (!HELD.has(codeOf(error))) throw error;
    rmSync(file, { force: true, maxRetries: 8, retryDelay: 25 });
    rename(draft, file);
  }
}

/** Removes the permissions of everybody else. Does nothing on a file system without such permissions. */
export function closeToOthers(file: string) {
  try {
    const stats = lstatSync(file);
    if (stats.isFile() && (stats.mode & 0o077) !== 0) chmodSync(file, OWNER_ONLY);
  } catch {}
}

/** False for a symbolic link, a pipe, a device, a directory and a missing file. */
export const isPlainFile = (file: string) => lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;

/**
 * Makes a folder and its parents; false when it existed. Node's own `recursive` never ends where the system reports a
 * missing folder below an existing one, as under /proc.
 */
export function makeFolder(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST' && statSync(path).isDirectory()) return false;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    makeFolder(dirname(path));
    mkdirSync(path, { mode: 0o700 });
    return true;
  }
}
