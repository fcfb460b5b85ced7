import { beforeEach, describe, expect, test } from 'vitest';
import { CONTRACT_STATUSES } from '../../src/domain/contract.ts';
import { INSTALLMENT_STATUSES } from '../../src/domain/installment.ts';
import { SESSION_STATUSES } from '../../src/domain/session.ts';
import { NOW, openTables } from './tables.ts';

let tables: ReturnType<typeof openTables>;
beforeEach(() => {
  tables = openTables();
});

const run = (sql: string) => tables.db.prepare(sql).run();
/** Any other error, as of a column that does not exist, proves nothing. */
const CONSTRAINT = expect.objectContaining({ code: expect.stringMatching(/^SQLITE_CONSTRAINT/) });
const refuses = (sql: string) => expect(() => run(sql), sql).toThrow(CONSTRAINT);

test('every table is STRICT', () => {
  const loose = tables.db
    .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 0")
    .pluck()
    .all();
  expect(loose.filter((name) => !(name as string).startsWith('sqlite_'))).toEqual([]);
});

test('foreign keys are enforced', () => {
  expect(tables.db.pragma('foreign_keys', { simple: true })).toBe(1);
  const { id } = tables.addContract();
  refuses(`UPDATE contracts SET session_id = 999 WHERE id = ${id}`);
  refuses(`UPDATE contracts SET account_id = 999 WHERE id = ${id}`);
  refuses(`INSERT INTO installments (contract_id, sequence, account_id, amount_cents, due_at, status)
           VALUES (999, 1, 1, 1, 0, 'due')`);
  refuses(`DELETE FROM contracts WHERE id = ${id}`);
  refuses(`INSERT INTO idempotency VALUES (1, 999, 'key', zeroblob(32), 0)`);
  refuses(`INSERT INTO payment_attempts VALUES (1, 'sim_1', ${id}, 99, 1, 'pay', 1, 0, 0, NULL)`);
});

/** §3.1 to §3.3 as pairs of states that a stored status may go between. */
const SESSION_MOVES = ['pending decision_made', 'pending cancelled', 'pending expired'].concat(
  'decision_made completed',
  'decision_made cancelled',
);
const CONTRACT_MOVES = ['pending active', 'pending cancelled'].concat(
  'active completed',
  'active cancelled',
  'active defaulted',
);
/** Collected at the very instant it became due: `upcoming paid` is one write (decisions §4). */
const INSTALLMENT_MOVES = ['upcoming due', 'upcoming paid', 'due paid', 'due past_due'].concat(
  'past_due delinquent',
  'past_due paid',
  'delinquent paid',
);

const pairs = (states: readonly string[], moves: readonly string[]) =>
  states.flatMap((from) => states.map((to) => [from, to, from === to || moves.includes(`${from} ${to}`)] as const));

/** Puts a row into a state as a file that was written elsewhere would have it: past the triggers, not the checks. */
function put(table: string, sql: string) {
  const triggers = tables.db
    .prepare<[string], { name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?",
    )
    .all(table);
  for (const { name } of triggers) tables.db.exec(`DROP TRIGGER ${name}`);
  run(sql);
  for (const { sql: definition } of triggers) tables.db.exec(definition);
}

describe('§3.1: a stored session', () => {
  test.each(pairs(SESSION_STATUSES, SESSION_MOVES))('%s to %s: %s', (from, to, allowed) => {
    const { id } = tables.addSession();
    put('sessions', `UPDATE sessions SET status = '${from}' WHERE id = ${id}`);
    const moving = () => run(`UPDATE sessions SET status = '${to}' WHERE id = ${id}`);
    if (allowed) expect(moving().changes).toBe(1);
    else expect(moving).toThrow('a session does not move so');
  });
});

const INSTANT: Record<string, string> = {
  completed: 'completed_at',
  cancelled: 'cancelled_at',
  defaulted: 'defaulted_at',
};

/** The columns that go with a contract's status. */
function dressed(status: string) {
  const started = status === 'pending' || status === 'cancelled' ? 'NULL' : '5';
  const ends = Object.entries(INSTANT).map(([name, column]) => `${column} = ${name === status ? 5 : 'NULL'}`);
  return `status = '${status}', started_at = ${started}, ${ends.join(', ')}`;
}

describe('§3.2: a stored contract', () => {
  test.each(pairs(CONTRACT_STATUSES, CONTRACT_MOVES))('%s to %s: %s', (from, to, allowed) => {
    const { id } = tables.addContract();
    put('contracts', `UPDATE contracts SET ${dressed(from)} WHERE id = ${id}`);
    if (to === 'completed') put('installments', `UPDATE installments SET status = 'paid', paid_at = 5`);
    const moving = () => run(`UPDATE contracts SET ${dressed(to)} WHERE id = ${id}`);
    if (allowed) expect(moving().changes).toBe(1);
    else expect(moving).toThrow('a contract does not move so');
  });

  test.each(CONTRACT_STATUSES)('%s without its instant, or with another’s, cannot be written', (status) => {
    const { id } = tables.addContract();
    const write = (columns: string) => put('contracts', `UPDATE contracts SET ${columns} WHERE id = ${id}`);
    for (const [name, column] of Object.entries(INSTANT)) {
      const wrong = name === status ? 'NULL' : '5';
      expect(() => write(dressed(status).replace(new RegExp(`${column} = \\w+`), `${column} = ${wrong}`))).toThrow(
        'CHECK',
      );
    }
    if (status === 'cancelled') return;
    const started = status === 'pending' ? '5' : 'NULL';
    expect(() => write(dressed(status).replace(/started_at = \w+/, `started_at = ${started}`))).toThrow('CHECK');
  });

  test('decisions §3: installments that do not add up to customer_total start no contract', () => {
    const { id } = tables.addContract();
    put('installments', `UPDATE installments SET amount_cents = amount_cents + 1 WHERE sequence = 2`);
    expect(() => run(`UPDATE contracts SET status = 'active', started_at = 5 WHERE id = ${id}`)).toThrow('add up');
    put('installments', 'DELETE FROM installments');
    expect(() => run(`UPDATE contracts SET status = 'active', started_at = 5 WHERE id = ${id}`)).toThrow('add up');
  });

  test('decisions §4: a contract with an unpaid installment is not completed', () => {
    const { id } = tables.addContract();
    run(`UPDATE contracts SET status = 'active', started_at = 5 WHERE id = ${id}`);
    put('installments', `UPDATE installments SET status = 'paid', paid_at = 5 WHERE sequence < 5`);
    const complete = `UPDATE contracts SET status = 'completed', completed_at = 5 WHERE id = ${id}`;
    expect(() => run(complete)).toThrow('every installment is paid');
    put('installments', `UPDATE installments SET status = 'paid', paid_at = 5`);
    expect(run(complete).changes).toBe(1);
  });

  test('§4.7: money is not writable', () => {
    tables.addContract();
    for (const column of ['total_cents', 'reservation_fee_cents', 'down_payment_cents']) {
      refuses(`UPDATE contracts SET ${column} = ${column} - 1`);
      refuses(`UPDATE sessions SET ${column} = ${column} - 1`);
    }
    refuses('UPDATE installments SET amount_cents = amount_cents + 1');
    refuses('UPDATE sessions SET down_payment_percentage = 21');
  });

  test('a session becomes one contract, and references are unique', () => {
    const { sessionId, reference } = tables.addContract();
    expect(() => tables.addContract({ sessionId })).toThrow('UNIQUE');
    expect(() => tables.addContract({ reference })).toThrow('UNIQUE');
  });
});

const installmentColumns: Record<string, string> = {
  upcoming: 'paid_at = NULL, past_due_at = NULL, default_at = NULL',
  due: 'paid_at = NULL, past_due_at = NULL, default_at = NULL',
  paid: 'paid_at = 5',
  past_due: 'paid_at = NULL, past_due_at = 5, default_at = 9',
  delinquent: 'paid_at = NULL, past_due_at = 5, default_at = 9',
};

describe('§3.3: a stored installment', () => {
  test.each(pairs(INSTALLMENT_STATUSES, INSTALLMENT_MOVES))('%s to %s: %s', (from, to, allowed) => {
    tables.addContract();
    const write = (status: string) =>
      `UPDATE installments SET status = '${status}', ${installmentColumns[status]} WHERE sequence = 2`;
    put('installments', write(from));
    const moving = () => run(write(to));
    if (allowed) expect(moving().changes).toBe(1);
    else expect(moving).toThrow('an installment does not move so');
  });

  test.each([
    ['paid without paid_at', "status = 'paid', paid_at = NULL"],
    ['paid_at without paid', "status = 'upcoming', paid_at = 5"],
    ['past_due without its clocks', "status = 'past_due'"],
    ['past_due with one clock', "status = 'past_due', past_due_at = 5"],
    ['delinquent without its clocks', "status = 'delinquent'"],
    ['a late charge before it was past_due', 'late_charge_cents = 100'],
    ['a late charge below nothing', "status = 'past_due', past_due_at = 5, default_at = 9, late_charge_cents = -1"],
    ['a status that §3.3 does not know', "status = 'overdue'"],
    ['an obligation without an instant', "next_step = 'collect'"],
    ['an instant without an obligation', 'next_at = 5'],
    ['a grace that ends on an upcoming one', "next_step = 'grace', next_at = 5"],
    ['a collection of a paid one', "status = 'paid', paid_at = 5, next_step = 'collect', next_at = 5"],
    ['a due date that is no midnight', 'due_at = due_at + 1'],
    ['a text for an amount', "attempts = 'two'"],
    ['no amount', 'amount_cents = NULL'],
  ])('%s cannot be written', (_title, columns) => {
    tables.addContract();
    expect(() => put('installments', `UPDATE installments SET ${columns} WHERE sequence = 2`)).toThrow(CONSTRAINT);
  });

  test('§2.7: the Cart Capture is due or paid, never anything else', () => {
    tables.addContract();
    for (const status of ['upcoming', 'past_due', 'delinquent']) {
      const write = `UPDATE installments SET status = '${status}', ${installmentColumns[status]} WHERE sequence = 1`;
      expect(() => put('installments', write)).toThrow('CHECK');
    }
  });
});

describe('what else cannot be written', () => {
  const ok = (sql: string) => expect(run(sql).changes).toBe(1);

  test('a session whose amounts, states or instants are impossible', () => {
    const insert = (fields: object) => () => tables.addSession(fields);
    expect(insert({ totalCents: 0, downPaymentCents: 0 })).toThrow('CHECK');
    expect(insert({ downPaymentCents: 12_346 })).toThrow('CHECK');
    expect(insert({ reservationFeeCents: -1 })).toThrow('CHECK');
    expect(insert({ expiresAt: NOW })).toThrow('CHECK');
    expect(insert({ customerState: 'TEX' })).toThrow('CHECK');
    expect(insert({ totalCents: 123.45 })).toThrow(CONSTRAINT);
    expect(insert({ metadata: ['a'] })).toThrow('CHECK');
    expect(insert({ accountId: 99 })).toThrow('FOREIGN KEY');
  });

  test('two accounts of one mode, and modes that §2.2 does not know', () => {
    refuses("UPDATE accounts SET mode = 'sandbox' WHERE mode = 'live'");
    refuses("UPDATE accounts SET mode = 'test'");
    refuses("UPDATE accounts SET clock_mode = 'stopped'");
  });

  test('a key that is kept as anything but a SHA-256, or has no scope', () => {
    const key = (hash: string, scopes: string, prefix = 'x'.repeat(12)) =>
      `INSERT INTO keys (token, account_id, name, hash, prefix, scopes, created_at)
       VALUES (hex(randomblob(4)), 1, 'key', ${hash}, '${prefix}', '${scopes}', 0)`;
    ok(key('zeroblob(32)', '["checkout:read"]'));
    refuses(key("'plain text'", '["checkout:read"]'));
    refuses(key('randomblob(31)', '["checkout:read"]'));
    refuses(key('randomblob(32)', '[]'));
    refuses(key('randomblob(32)', '["checkout:read"]', 'x'.repeat(41)));
    refuses(key('zeroblob(32)', '["checkout:read"]'));
  });

  test('one attempt twice, an attempt before the first, an outcome that nobody arranged', () => {
    const { id } = tables.addContract();
    const attempt = (stamp: string, number: number, outcome: string) =>
      `INSERT INTO payment_attempts VALUES (NULL, '${stamp}', ${id}, 1, ${number}, '${outcome}', 1, 0, 0, NULL)`;
    ok(attempt('sim_1', 1, 'fail'));
    refuses(attempt('sim_2', 1, 'pay'));
    refuses(attempt('sim_1', 2, 'pay'));
    refuses(attempt('sim_3', 0, 'pay'));
    refuses(attempt('sim_4', 3, 'maybe'));
  });

  test('a second workspace', () => {
    ok("INSERT INTO workspace (id, seed, unavailable_states) VALUES (1, 's', '[]')");
    refuses("INSERT INTO workspace (id, seed, unavailable_states) VALUES (2, 's', '[]')");
    refuses("UPDATE workspace SET unavailable_states = '{}'");
  });
});
