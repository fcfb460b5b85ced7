import { chmodSync, closeSync, lstatSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** Files of the state directory are their owner's alone, also in a folder that others may read (interface §6). */
const OWNER_ONLY = 0o600;

/** An empty file, for others to fill. @throws EEXIST when anything is there, a symbolic link included */
export const createPrivately = (file: string) => closeSync(openSync(file, 'wx', OWNER_ONLY));

/** Written beside, then moved into place: what stood there, a symbolic link included, is replaced and not followed. */
export function writePrivately(file: string, text: string) {
  const draft = `${file}.draft`;
  rmSync(draft, { force: true });
  writeFileSync(draft, text, { flag: 'wx', mode: OWNER_ONLY });
  renameSync(draft, file);
}

/** Closes a file that is there to everybody else. A file system that has no such permissions is left as it is. */
export function closeToOthers(file: string) {
  try {
    const stats = lstatSync(file);
    if (stats.isFile() && (stats.mode & 0o077) !== 0) chmodSync(file, OWNER_ONLY);
  } catch {}
}

/** False for a symbolic link, a pipe, a device or a directory, and where there is nothing. */
export const isPlainFile = (file: string) => lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;
