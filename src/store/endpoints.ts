import type { Cause } from '../domain/cause.ts';
import type { Endpoint, Transport } from '../domain/webhook.ts';
import type { Database } from './file/database.ts';
import { remembered, revisions } from './remembered.ts';

interface Row {
  id: number;
  token: string;
  account_id: number;
  url: string;
  events: string;
  transport: Transport;
  secret: string;
  previous_secret: string | null;
  previous_secret_until: number | null;
  enabled: number;
  disabled_reason: string | null;
  failing_since: number | null;
  created_at: number;
  disconnected_at: number | null;
  insecure: number;
}

/** Every event needs the endpoints of its account, so they are cached until any endpoint changes. */
export function endpoints(db: Database) {
  const byId = db.prepare<[number], Row>('SELECT * FROM endpoints WHERE id = ? AND deleted_at IS NULL');
  const ofAccount = db.prepare<[number], Row>(
    'SELECT * FROM endpoints WHERE account_id = ? AND deleted_at IS NULL ORDER BY id DESC',
  );
  const last = db.prepare<[], number | null>('SELECT max(id) FROM endpoints').pluck();
  const insert = db.prepare(
    `INSERT INTO endpoints (id, token, account_id, url, events, transport, insecure, secret, enabled, created_at,
       cause)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?)`,
  );
  const update = db.prepare(
    `UPDATE endpoints SET url = ?, events = ?, secret = ?, previous_secret = ?, previous_secret_until = ?, enabled = ?,
       disabled_reason = ?, failing_since = ?, disconnected_at = ?, insecure = ? WHERE id = ?`,
  );
  const remove = db.prepare('UPDATE endpoints SET enabled = 0, disabled_reason = ?, deleted_at = ? WHERE id = ?');
  const ordinal = db
    .prepare<[number, number], number>('SELECT count(*) FROM endpoints WHERE account_id = ? AND id <= ?')
    .pluck();
  const listeners = db
    .prepare<[], number>("SELECT id FROM endpoints WHERE transport = 'listener' AND deleted_at IS NULL")
    .pluck();
  const absent = db.prepare<[], { id: number; since: number }>(
    `SELECT id, disconnected_at AS since FROM endpoints
     WHERE transport = 'listener' AND disconnected_at IS NOT NULL AND enabled = 1 AND deleted_at IS NULL
     ORDER BY disconnected_at`,
  );
  const lists = remembered<number, readonly Endpoint[]>();
  const known = remembered<number, Endpoint>();
  const written = revisions();

  function changed(e: Endpoint) {
    lists.delete(e.accountId);
    known.delete(e.id);
    written.changed(e.id);
  }

  return {
    nextId: () => (last.get() ?? 0) + 1,
    insert(e: Endpoint, cause: Cause | null) {
      changed(e);
      insert.run(
        ...[e.id, e.token, e.accountId, e.url, JSON.stringify(e.events), e.transport],
        ...[e.insecure ? 1 : 0, e.secret, e.createdAt, cause],
      );
    },
    update(e: Endpoint) {
      changed(e);
      update.run(
        e.url,
        JSON.stringify(e.events),
        e.secret,
        e.previous?.secret ?? null,
        e.previous?.until ?? null,
        e.enabled ? 1 : 0,
        e.disabledReason,
        e.failingSince,
        e.disconnectedAt,
        e.insecure ? 1 : 0,
        e.id,
      );
    },
    remove(e: Endpoint, at: number) {
      changed(e);
      remove.run('removed', at, e.id);
    },
    find(id: number): Endpoint | null {
      const there = known.get(id);
      if (there) return there;
      const row = byId.get(id);
      return row ? known.set(id, toEndpoint(row)) : null;
    },
    revision: written.of,
    /** 1 for the account's first endpoint, 2 for the second; removed ones count. */
    ordinal: (accountId: number, id: number) => ordinal.get(accountId, id) as number,
    /** The endpoints of listening processes, of every account. */
    listeners: () => listeners.all(),
    /** Enabled endpoints whose listening process is away, the longest away first. */
    absent: () => absent.all(),
    /** Newest first. */
    list: (accountId: number): readonly Endpoint[] =>
      lists.get(accountId) ?? lists.set(accountId, ofAccount.all(accountId).map(toEndpoint)),
    forget() {
      lists.clear();
      known.clear();
      written.forget();
    },
  };
}

const toEndpoint = (row: Row): Endpoint => ({
  id: row.id,
  token: row.token,
  accountId: row.account_id,
  url: row.url,
  events: JSON.parse(row.events),
  transport: row.transport,
  secret: row.secret,
  previous:
    row.previous_secret === null ? null : { secret: row.previous_secret, until: row.previous_secret_until as number },
  enabled: row.enabled === 1,
  disabledReason: row.disabled_reason,
  failingSince: row.failing_since,
  createdAt: row.created_at,
  disconnectedAt: row.disconnected_at,
  insecure: row.insecure === 1,
});
