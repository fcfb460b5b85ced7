import type { Instant } from '../domain/calendar.ts';
import type { Dump } from '../domain/trace.ts';

/** The same state with every clock frozen at the time that it shows. */
export function withFrozenClocks({ tables, ...rest }: Dump, now: (accountId: number) => Instant): Dump {
  const { columns = [], rows = [] } = tables.accounts ?? {};
  const stopped = rows.map((row) =>
    row.map((cell, index) => {
      if (columns[index] === 'clock_mode') return 'frozen';
      return columns[index] === 'clock_ms' ? now(Number(row[columns.indexOf('id')])) : cell;
    }),
  );
  return { ...rest, tables: { ...tables, accounts: { columns, rows: stopped } } };
}
