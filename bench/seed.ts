import { join } from 'node:path';
import Database from 'better-sqlite3';
import { simulator } from './process.ts';
import { makeContract } from './requests.ts';

/** The columns that differ in each copy, as SQL with its number `n`. All other columns are the original's. */
const OWN: Record<string, Record<string, string>> = {
  sessions: { id: 'n', token: "'cs_' || printf('%032d', n)" },
  contracts: { id: 'n', session_id: 'n', reference: "'LAY-' || printf('%010d', n)", created_at: 'created_at + n' },
  installments: { contract_id: 'n' },
};

/** Copies the only contract of a database, with its session and schedule, until there are `count`. */
function multiplyContract(file: string, count: number): string[] {
  const db = new Database(file);
  db.pragma('foreign_keys = ON');
  db.transaction(() => {
    for (const [table, own] of Object.entries(OWN)) multiply(db, table, own, count);
  })();
  const references = db.prepare<[], string>('SELECT reference FROM contracts ORDER BY id').pluck().all();
  db.close();
  return references;
}

/** The same for the bare server's row. */
export function multiplyOrder(file: string, count: number) {
  const db = new Database(file);
  multiply(db, 'orders', { id: 'n', order_reference: "'order-' || printf('%010d', n)" }, count);
  db.close();
}

function multiply(db: Database.Database, table: string, own: Readonly<Record<string, string>>, count: number) {
  const columns = db.pragma(`table_info(${table})`) as { name: string }[];
  const values = columns.map(({ name }) => own[name] ?? name).join(', ');
  db.prepare(
    `WITH RECURSIVE numbers (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
     INSERT INTO ${table} SELECT ${values} FROM numbers CROSS JOIN (SELECT * FROM ${table}) ORDER BY n`,
  ).run(count);
}

export interface Seed {
  readonly contracts: number;
  /** Runs before the first contract is made, for example to freeze the clock or change the settings. */
  readonly prepare?: (server: Awaited<ReturnType<typeof simulator>>) => Promise<void>;
  /** SQL to run when all contracts exist. */
  readonly change?: string;
}

/** Postpones everything due until after any run. The years keep four digits. */
export const IDLE = 'UPDATE installments SET next_at = next_at + 86400000 * 365 * 7000 WHERE next_at IS NOT NULL';

/** Makes one contract through the simulator and copies it in the state directory. Returns all references. */
export async function seedContracts(directory: string, { contracts, prepare, change }: Seed): Promise<string[]> {
  {
    await using server = await simulator(directory);
    await prepare?.(server);
    await makeContract(server);
  }
  const file = join(directory, 'state', 'layaway.db');
  const references = multiplyContract(file, contracts);
  if (change) {
    const db = new Database(file);
    db.exec(change);
    db.close();
  }
  return references;
}

/** Shuffles in the same way each time. */
export function shuffled<T>(values: readonly T[]): T[] {
  const result = [...values];
  let state = 1;
  for (let last = result.length - 1; last > 0; last -= 1) {
    // Park and Miller's generator.
    state = (state * 48_271) % 2_147_483_647;
    const other = state % (last + 1);
    [result[last], result[other]] = [result[other] as T, result[last] as T];
  }
  return result;
}
