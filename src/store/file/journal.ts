import { closeSync, lstatSync, openSync, readSync, rmSync } from 'node:fs';

/** The last bytes of a journal that names another file. */
const NAMED = Buffer.from('d9d505f920a163d7', 'hex');

export const journalOf = (database: string) => `${database}-journal`;

/**
 * Whether somebody else put a rollback journal beside a database. SQLite reads it when it opens the database: it waits at
 * a pipe, and it deletes the file that the journal names as that of a transaction over several databases. Ours name
 * none, because none of our transactions writes more than one file.
 */
export function hasForeignJournal(database: string): boolean {
  const file = journalOf(database);
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (!stats) return false;
  if (!stats.isFile()) return true;
  try {
    return endOf(file, stats.size, NAMED.length).equals(NAMED);
  } catch {
    // SQLite cannot read it either, and reports the reason.
    return false;
  }
}

/** A journal that stayed would be applied to the next database of that name. */
export const removeJournal = (database: string) => rmSync(journalOf(database), { recursive: true, force: true });

function endOf(file: string, size: number, length: number): Buffer {
  const end = Buffer.alloc(length);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, end, 0, length, Math.max(0, size - length));
    return end;
  } finally {
    closeSync(descriptor);
  }
}
