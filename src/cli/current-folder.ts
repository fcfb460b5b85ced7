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
