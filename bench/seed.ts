import Database from 'better-sqlite3';

/** What differs from copy to copy, `n` being its number; every other column is the original's. */
const OWN: Record<string, Record<string, string>> = {
  sessions: { id: 'n', token: "'cs_' || printf('%032d', n)" },
  contracts: { id: 'n', session_id: 'n', reference: "'LAY-' || printf('%010d', n)", created_at: 'created_at + n' },
  installments: { contract_id: 'n' },
};

/** Copies the only contract of a database, its session and its schedule with it, until there are `count`. */
export function multiplyContract(file: string, count: number) {
  const db = new Database(file);
  db.pragma('foreign_keys = ON');
  db.transaction(() => {
    for (const [table, own] of Object.entries(OWN)) {
      const columns = db.pragma(`table_info(${table})`) as { name: string }[];
      const values = columns.map(({ name }) => own[name] ?? name).join(', ');
      db.prepare(
        `WITH RECURSIVE numbers (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
         INSERT INTO ${table} SELECT ${values} FROM numbers CROSS JOIN (SELECT * FROM ${table}) ORDER BY n`,
      ).run(count);
    }
  })();
  db.close();
}
