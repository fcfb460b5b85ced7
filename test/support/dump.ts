import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Simulator } from '../../src/index.ts';
import { caller, expectData } from './shop.ts';

export type Dump = Record<string, unknown[]>;

/** Every row of every table, read from a snapshot of the server on the state directory `data`. */
export async function dump(sim: Pick<Simulator, 'url' | 'controlToken'>, data: string): Promise<Dump> {
  const workspace = caller(sim, { authorization: `Bearer ${sim.controlToken}` });
  expectData(await workspace('POST', '/_sim/snapshots', { name: 'dump', overwrite: true }), 201);
  const tables = dumpFile(join(data, 'snapshots', 'dump.db'));
  await workspace('DELETE', '/_sim/snapshots/dump');
  return tables;
}

function dumpFile(file: string): Dump {
  const db = new Database(file, { readonly: true });
  try {
    const tables = db
      .prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'snapshot'")
      .pluck()
      .all();
    return Object.fromEntries(tables.map((table) => [table, db.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all()]));
  } finally {
    db.close();
  }
}
