import { tmpdir } from 'node:os';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browse } from '../../src/store/search/browse.ts';
import { openStore, type Store } from '../../src/store/store.ts';

const { prototype } = Database;

const statements: string[] = [];
let db: Database.Database;
let store: Store;

// The real store on the real library; what it prepares is noted on the way.
beforeAll(() => {
  const { prepare } = prototype;
  prototype.prepare = function (this: Database.Database, sql: string) {
    db = this;
    statements.push(sql);
    return prepare.call(this, sql);
  } as typeof prepare;
  store = openStore(null, tmpdir());
  prototype.prepare = prepare;
});
afterAll(() => store.close());

interface Step {
  readonly id: number;
  readonly parent: number;
  readonly detail: string;
}

const plan = (sql: string) => stepsOf(sql).map(({ detail }) => detail);

const stepsOf = (sql: string) => explained<Step>('EXPLAIN QUERY PLAN', sql);

function explained<Row>(how: string, sql: string): Row[] {
  const names = [...new Set(sql.match(/@\w+/g))].map((name) => [name.slice(1), null]);
  const numbers = (sql.match(/\?\d*/g) ?? []).map(() => null);
  const explain = db.prepare<unknown[], Row>(`${how} ${sql}`);
  const highest = Math.max(0, ...(sql.match(/\?\d+/g) ?? []).map((name) => Number(name.slice(1))));
  const bound = names.length > 0 ? [Object.fromEntries(names)] : numbers.slice(0, highest || undefined);
  return explain.all(...bound);
}

/** Each has one row, or is read whole on purpose: once a start, or by a person. */
const SMALL = ['requests', 'workspace', 'merchants', 'accounts', 'sqlite_master'];

const reads = () => statements.filter((sql) => /^\s*(SELECT|UPDATE|DELETE|INSERT)/i.test(sql));

describe('law 5: cost follows what is asked for, not what exists', () => {
  test('no statement of the store scans a table that grows', () => {
    expect(reads().length).toBeGreaterThan(40);
    for (const sql of reads()) {
      for (const detail of plan(sql)) {
        const scanned = /^SCAN (?!CONSTANT|json_each|\(|\w*subquery)(\w+)/i.exec(detail)?.[1];
        expect(scanned === undefined || SMALL.includes(scanned), `${detail}\n${sql}`).toBe(true);
      }
    }
  });

  test('the events of a contract are read by its index', () => {
    const lists = reads().filter((sql) => /FROM events WHERE .*contract_id = @contractId/s.test(sql));
    expect(lists.length).toBe(2);
    for (const sql of lists) expect(plan(sql).join(), sql).toContain('USING INDEX events_by_contract (contract_id=?');
  });

  test('the deliveries of an event and the emails about a contract are read by their indexes', () => {
    expect(planOf('FROM deliveries', 'event_id = @eventId')).toMatch(
      /^(SEARCH deliveries USING INDEX deliveries_by_event \(event_id=\?( AND id>\?)?\)\n?){2}$/,
    );
    expect(planOf('FROM emails', 'reference = @reference')).toMatch(
      /^(SEARCH emails USING INDEX emails_by_reference \(reference=\?( AND id>\?)?\)\n?){2}$/,
    );
  });

  test('no page is sorted', () => {
    const pages = reads().filter((each) => each.includes('LIMIT'));
    expect(pages.length).toBeGreaterThan(10);
    for (const sql of pages) {
      for (const detail of plan(sql)) expect(detail, sql).not.toContain('TEMP B-TREE');
    }
  });

  test('what a checkout, a plan and a delivery write, and what is due next, makes no temporary table', () => {
    const written =
      /^\s*(INSERT.*INTO|UPDATE) (sessions|idempotency|contracts|installments|payment_attempts|events|emails|deliveries|delivery_attempts)\b/;
    const daily = reads().filter(
      (sql) => sql.includes('expiresAt, sessions.id') || (written.test(sql) && !sql.includes('WHERE endpoint_id')),
    );
    expect(daily.length).toBeGreaterThan(15);
    for (const sql of daily) {
      const operations = explained<{ opcode: string }>('EXPLAIN', sql).map(({ opcode }) => opcode);
      expect(operations.length, sql).toBeGreaterThan(5);
      expect(
        operations.filter((opcode) => /OpenEphemeral|OpenAutoindex|SorterOpen/.test(opcode)),
        sql,
      ).toEqual([]);
    }
  });

  const planOf = (...parts: string[]) => {
    const found = reads().filter((sql) => parts.every((part) => sql.includes(part)));
    expect(found.length, parts.join(' … ')).toBeGreaterThan(0);
    return found.map((sql) => plan(sql).join('\n')).join('\n');
  };

  test('what is due next: one row of each index', () => {
    const due = planOf('expiresAt, sessions.id');
    expect(due).toMatch(/SEARCH installments USING (COVERING )?INDEX installments_due \(account_id=\?/);
    expect(due).toMatch(/SEARCH sessions USING (COVERING )?INDEX sessions_due \(account_id=\?/);
  });

  test('a page of what is due: its place in the index, not what comes before it', () => {
    expect(planOf('FROM installments', 'next_at <= ?')).toMatch(
      /INDEX installments_due \(account_id=\? AND \(next_at,contract_id,sequence\)>\(\?,\?,\?\) AND next_at<\?\)/,
    );
    expect(planOf('FROM sessions', 'expires_at = ?')).toMatch(
      /INDEX sessions_due \(account_id=\? AND expires_at=\? AND id>\?\)/,
    );
    expect(planOf('FROM sessions', 'expires_at > ?')).toMatch(
      /INDEX sessions_due \(account_id=\? AND expires_at>\? AND expires_at<\?\)/,
    );
  });

  test('§4.5: a page of contracts, with and without a status', () => {
    const all = planOf('FROM contracts', 'account_id = ? AND preview = 0', 'OFFSET');
    expect(all).toMatch(/USING INDEX contracts_listed \(account_id=\?/);
    const some = planOf('FROM contracts', 'status = ?', 'OFFSET');
    expect(some).toMatch(/USING INDEX contracts_listed_by_status \(account_id=\? AND status=\?/);
  });

  test('§4.5: the totals are not counted', () => {
    expect(planOf('FROM contract_counts', 'sum(contracts)')).toMatch(/SEARCH contract_counts USING PRIMARY KEY/);
    expect(reads().filter((sql) => /count\(\*\) FROM (?!endpoints)/i.test(sql))).toEqual([]);
  });

  test('sessions that are no previews are counted without a look at their rows', () => {
    const noted: string[] = [];
    const prepare = (sql: string) => {
      noted.push(sql);
      return db.prepare(sql);
    };
    // Prepared when the dashboard first asks.
    browse(Object.assign(Object.create(db), { prepare }));
    const counts = noted.find((sql) => sql.includes('FROM sessions AS every'));
    expect([...new Set(plan(String(counts)))].sort()).toEqual([
      'CORRELATED SCALAR SUBQUERY 1',
      'SEARCH every USING COVERING INDEX sessions_by_status (account_id=?)',
      'SEARCH sessions USING COVERING INDEX sessions_previews (account_id=? AND status=?)',
    ]);
  });

  test('the lists of sessions, events and emails', () => {
    expect(planOf('FROM sessions', 'account_id = @accountId', 'LIMIT')).toMatch(/USING INDEX sessions_by_account/);
    expect(planOf('FROM events', 'account_id = ?', 'LIMIT')).toMatch(/USING INDEX events_by_account/);
    expect(planOf('FROM emails', 'account_id', 'LIMIT')).toMatch(/USING INDEX emails_by_account/);
  });

  test('§4.3: an idempotency key is one look-up, and the keys of an account are read from the newest on', () => {
    expect(planOf('FROM idempotency', 'AND session_id = ?')).toMatch(
      /^SEARCH idempotency USING PRIMARY KEY \(account_id=\? AND session_id=\?\)$/,
    );
    expect(planOf('FROM idempotency', 'ORDER BY')).toMatch(/^SEARCH idempotency USING PRIMARY KEY \(account_id=\?\)$/);
  });
});
