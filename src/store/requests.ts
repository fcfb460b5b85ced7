import type { Database } from './database.ts';

/** Requests that were written together: each a text without line breaks of its own. */
export interface LogPart {
  /** The place of the last one, and the last number given out by then. */
  readonly last: number;
  readonly given: number;
  readonly texts: readonly string[];
}

type Row = Pick<LogPart, 'last' | 'given'> & { entries: string };

/** Stands in no JSON text. */
const BETWEEN = '\u001e';

export const requests = (db: Database) => {
  const insert = db.prepare('INSERT INTO requests (last, count, bytes, given, entries) VALUES (?, ?, ?, ?, ?)');
  const all = db.prepare<[], Row>('SELECT last, given, entries FROM requests ORDER BY last');
  const forgetOld = db.prepare('DELETE FROM requests WHERE last <= ?');
  const parts = db.prepare<[], { last: number; bytes: number }>('SELECT last, bytes FROM requests ORDER BY last DESC');

  return {
    /** Oldest first. */
    read: (): LogPart[] => all.all().map(({ entries, ...row }) => ({ ...row, texts: entries.split(BETWEEN) })),
    /** Adds a part; parts that are beyond so many requests, or so many bytes, go. */
    add({ last, given, texts }: LogPart, kept: number, keptBytes: number) {
      const entries = texts.join(BETWEEN);
      const own = Buffer.byteLength(entries);
      let bytes = own;
      // First, so that the new part takes the pages of those that go.
      const gone = parts.all().find((part) => {
        bytes += part.bytes;
        return part.last <= last - kept || bytes > keptBytes;
      });
      if (gone) forgetOld.run(gone.last);
      insert.run(last, texts.length, own, given, entries);
    },
  };
};
