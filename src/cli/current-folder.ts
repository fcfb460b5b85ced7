import { isAbsolute } from 'node:path';
import { failure } from './exit.ts';

/** The folder in which the command was started; null when it has been removed since. */
export function currentFolder(): string | null {
  try {
    return process.cwd();
  } catch (error) {
    if (isFolderGone(error)) return null;
    throw error;
  }
}

/** What Node throws when it needs the current folder and that is gone. */
export const isFolderGone = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd';

export const FOLDER_GONE = 'The current directory does not exist. Change to another directory, then try again.';

/** @throws CommandError when the current folder has been removed */
export function needCurrentFolder(): void {
  if (currentFolder() === null) throw failure(FOLDER_GONE);
}

/** @throws CommandError when the path, which is not stdin, is relative to a current folder that has been removed */
export function needFolderOf(path: string): void {
  if (path !== '-' && !isAbsolute(path)) needCurrentFolder();
}
