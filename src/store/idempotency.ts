import type { Database } from './database.ts';

/** The first success under one key (§4.3). */
export interface FirstUse {
  readonly fingerprint: Uint8Array;
  readonly sessionId: number;
  readonly createdAt: number;
}

export function idempotency(db: Database) {
  const select = db.prepare<[number, string], FirstUse>(
    `SELECT fingerprint, session_id AS sessionId, created_at AS createdAt
     FROM idempotency WHERE account_id = ? AND key = ?`,
  );
  const upsert = db.prepare(
    `INSERT OR REPLACE INTO idempotency (account_id, key, fingerprint, session_id, created_at) VALUES (?, ?, ?, ?, ?)`,
  );

  return {
    find: (accountId: number, key: string) => select.get(accountId, key) ?? null,
    remember: (accountId: number, key: string, use: FirstUse) =>
      upsert.run(accountId, key, use.fingerprint, use.sessionId, use.createdAt),
  };
}
