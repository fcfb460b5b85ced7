import type { ApiKey } from '../domain/merchant.ts';
import type { Scope } from '../domain/scope.ts';
import type { Database } from './file/database.ts';
import { remembered } from './remembered.ts';

interface KeyRow {
  id: number;
  token: string;
  account_id: number;
  name: string;
  hash: Buffer;
  prefix: string;
  scopes: string;
  created_at: number;
  revoked_at: number | null;
}

/** Keys, each of one account (§5 rule 1). */
export function keys(db: Database) {
  const ofAccount = db.prepare<[number], KeyRow>('SELECT * FROM keys WHERE account_id = ? ORDER BY id DESC');
  const last = db.prepare<[], number | null>('SELECT max(id) FROM keys').pluck();
  const insert = db.prepare(
    `INSERT INTO keys (id, token, account_id, name, hash, prefix, scopes, created_at)
     VALUES (@id, @token, @accountId, @name, @hash, @prefix, @scopes, @createdAt)`,
  );
  const revoke = db.prepare('UPDATE keys SET revoked_at = ? WHERE id = ?');
  const lists = remembered<number, readonly ApiKey[]>();

  return {
    nextId: () => (last.get() ?? 0) + 1,
    insert(key: Omit<ApiKey, 'revokedAt'>) {
      lists.delete(key.accountId);
      insert.run({ ...key, scopes: JSON.stringify(key.scopes) });
    },
    revoke(key: ApiKey, at: number) {
      lists.delete(key.accountId);
      revoke.run(at, key.id);
    },
    /** Newest first, revoked ones included. */
    list: (accountId: number): readonly ApiKey[] =>
      lists.get(accountId) ?? lists.set(accountId, ofAccount.all(accountId).map(toKey)),
    forget: lists.clear,
  };
}

const toKey = (row: KeyRow): ApiKey => ({
  id: row.id,
  token: row.token,
  accountId: row.account_id,
  name: row.name,
  hash: row.hash,
  prefix: row.prefix,
  scopes: JSON.parse(row.scopes) as Scope[],
  createdAt: row.created_at,
  revokedAt: row.revoked_at,
});
