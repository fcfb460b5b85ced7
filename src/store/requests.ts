import { numberIn } from '../domain/cause.ts';
import { entriesIn, joinedEntries, type LogPart } from '../domain/log-entry.ts';
import type { Database } from './file/database.ts';

type Row = Pick<LogPart, 'last' | 'given'> & { entries: string };

/** Requests get their numbers in order, so that the latest rows name the last ones. A lever names the one before it. */
const LAST_NAMED = `SELECT max(cause) FROM (
  SELECT cause FROM (SELECT cause FROM sessions ORDER BY id DESC LIMIT 1000)
  UNION ALL SELECT cause FROM (SELECT cause FROM events ORDER BY id DESC LIMIT 1000)
  UNION ALL SELECT first_id FROM coverage
  UNION ALL SELECT printf('req_%012d', max(after_request)) FROM levers
) WHERE cause GLOB 'req_*'`;

export const requests = (db: Database) => {
  const insert = db.prepare('INSERT INTO requests (last, count, bytes, given, entries) VALUES (?, ?, ?, ?, ?)');
  const all = db.prepare<[], Row>('SELECT last, given, entries FROM requests ORDER BY last');
  const forgetOld = db.prepare('DELETE FROM requests WHERE last <= ?');
  const parts = db.prepare<[], { last: number; bytes: number }>('SELECT last, bytes FROM requests ORDER BY last DESC');

  return {
    /** Oldest first. */
    read: (): LogPart[] => all.all().map(({ entries, ...row }) => ({ ...row, texts: entriesIn(entries) })),
    /** The highest number of a request that a row names; 0 if none does. */
    lastNamed: (): number => numberIn('req', db.prepare<[], string | null>(LAST_NAMED).pluck().get() ?? '') ?? 0,
    /** Adds a part. Drops the oldest parts beyond that many requests or bytes. */
    add({ last, given, texts }: LogPart, kept: number, keptBytes: number) {
      const entries = joinedEntries(texts);
      const own = Buffer.byteLength(entries);
      let bytes = own;
      // First, so that the new part can use the pages of those that are dropped.
      const gone = parts.all().find((part) => {
        bytes += part.bytes;
        return part.last <= last - kept || bytes > keptBytes;
      });
      if (gone) forgetOld.run(gone.last);
      insert.run(last, texts.length, own, given, entries);
    },
  };
};
