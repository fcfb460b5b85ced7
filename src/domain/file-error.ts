import { codeOf } from './error-code.ts';

const REASONS: Readonly<Record<string, string | undefined>> = {
  ENOENT: 'there is no such file or directory',
  EISDIR: 'it is a directory',
  ERR_FS_EISDIR: 'it is a directory',
  ENOTDIR: 'a part of its path is not a directory',
  EEXIST: 'a file of that name exists',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be larger than allowed',
  EIO: 'the disk reports an error',
  ENAMETOOLONG: 'its name is too long',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  ERR_ACCESS_DENIED: 'Node runs with --permission, which does not allow it',
  ELOOP: 'a symbolic link leads back to itself',
};

/** Why a file could not be read or written, in words if there are some for its code. */
export function fileReason(error: unknown): string {
  const { code, message } = error as { readonly code?: string; readonly message: string };
  return code === undefined ? message : (REASONS[code] ?? code);
}

/** Whether the database was found damaged in the middle. */
export const isDamage = (error: unknown) => codeOf(error).startsWith('SQLITE_CORRUPT');

/** Whether a part of the program that is loaded late is no longer there. */
export function isProgramGone(error: unknown): boolean {
  const code = codeOf(error);
  // Under Node 20, `bin/compiled.js` reads it.
  if (code === 'ENOENT') return String(Object(error).path).endsWith('.cjs');
  return code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND';
}
