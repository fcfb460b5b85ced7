import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CONTRACT_STATUSES, type ContractStatus } from '../../src/domain/contract.ts';
import { NOW, openTables } from './tables.ts';

type Tables = ReturnType<typeof openTables>;

/** What the list's totals must be: a real count of the rows. */
function counted(tables: Tables) {
  const rows = tables.db
    .prepare<[], { account_id: number; status: ContractStatus; n: number }>(
      'SELECT account_id, status, count(*) AS n FROM contracts WHERE preview = 0 GROUP BY account_id, status',
    )
    .all();
  const of = (accountId: number, status: ContractStatus | null) =>
    rows
      .filter((row) => row.account_id === accountId && (status === null || row.status === status))
      .reduce((sum, { n }) => sum + n, 0);
  return [1, 2, 3].flatMap((accountId) => [null, ...CONTRACT_STATUSES].map((status) => of(accountId, status)));
}

const told = (tables: Tables) =>
  [1, 2, 3].flatMap((accountId) =>
    [null, ...CONTRACT_STATUSES].map((status) => tables.contracts.count(accountId, status)),
  );

const write = fc.oneof(
  fc.record({ kind: fc.constant('insert' as const), accountId: fc.constantFrom(1, 2), preview: fc.boolean() }),
  fc.record({
    kind: fc.constant('move' as const),
    at: fc.nat(40),
    to: fc.constantFrom('active', 'cancelled', 'completed', 'defaulted'),
  }),
  fc.record({ kind: fc.constant('rename' as const), at: fc.nat(40) }),
  fc.record({ kind: fc.constant('roll back' as const) }),
);

test('§4.5: the totals of the list equal a real count after any writes, refused and rolled back ones included', () => {
  const tables = openTables();
  fc.assert(
    fc.property(fc.array(write, { maxLength: 30 }), (writes) => {
      tables.db.exec('SAVEPOINT run');
      const ids: number[] = [];
      for (const step of writes) {
        if (step.kind === 'insert') ids.push(tables.addContract(step).id);
        else if (step.kind === 'roll back') {
          tables.db.exec('SAVEPOINT undone');
          tables.addContract({ accountId: 1 });
          tables.db.exec('ROLLBACK TO undone; RELEASE undone');
        } else {
          const id = ids[step.at % Math.max(1, ids.length)] ?? 0;
          if (step.kind === 'rename') tables.contracts.setBookkeeping(id, 'renamed', {});
          else move(tables, id, step.to as ContractStatus);
        }
        expect(told(tables)).toEqual(counted(tables));
      }
      tables.db.exec('ROLLBACK TO run; RELEASE run');
      tables.accounts.forget();
      tables.contracts.forget();
      tables.installments.forget();
    }),
    { numRuns: 60 },
  );
});

/** A move as the engine writes it; one that §3.2 does not know throws and must leave the totals alone. */
function move(tables: Tables, id: number, to: ContractStatus) {
  const at = (status: ContractStatus) => (status === to ? NOW : null);
  const started = tables.db.prepare<[number], number | null>('SELECT started_at FROM contracts WHERE id = ?').pluck();
  const startedAt = started.get(id) ?? (to === 'cancelled' ? null : NOW);
  try {
    tables.contracts.setStatus(id, to, {
      startedAt,
      completedAt: at('completed'),
      cancelledAt: at('cancelled'),
      defaultedAt: at('defaulted'),
    });
  } catch (error) {
    expect((error as { code: string }).code).toMatch(/^SQLITE_CONSTRAINT/);
  }
}

test('§4.5: newest first by created_at, then by row, previews and other accounts left out', () => {
  const tables = openTables();
  const at = (createdAt: number, accountId = 1, preview = false) =>
    tables.addContract({ createdAt, accountId, preview }).id;
  const [first, second, tie, older] = [at(NOW), at(NOW + 5), at(NOW + 5), at(NOW - 5)];
  at(NOW + 9, 2);
  at(NOW + 9, 1, true);
  const page = (limit: number, offset: number) => tables.contracts.page(1, null, limit, offset).map(({ id }) => id);
  expect(page(10, 0)).toEqual([tie, second, first, older]);
  expect(page(2, 0)).toEqual([tie, second]);
  expect(page(2, 2)).toEqual([first, older]);
  expect(page(2, 4)).toEqual([]);
  tables.contracts.setStatus(second as number, 'cancelled', {
    startedAt: null,
    completedAt: null,
    cancelledAt: NOW,
    defaultedAt: null,
  });
  expect(tables.contracts.page(1, 'cancelled', 10, 0).map(({ id }) => id)).toEqual([second]);
  expect(tables.contracts.page(1, 'pending', 10, 0).map(({ id }) => id)).toEqual([tie, first, older]);
});

test('what was written is what is read, to the last field', () => {
  const tables = openTables();
  const metadata = JSON.parse('{"__proto__":"x","emoji":"😀","quote":"\\"\'","null":"\\u0000"}');
  const contract = tables.addContract({
    metadata,
    customerName: "Robert'); DROP TABLE contracts;--",
    customerState: null,
  });
  expect(tables.contracts.get(contract.id)).toEqual(contract);
  expect(tables.contracts.find(contract.reference)).toEqual(contract);
  expect(tables.contracts.ofSession(contract.sessionId)).toEqual(contract);
  expect(JSON.stringify(tables.contracts.get(contract.id).metadata)).toBe(JSON.stringify(metadata));
  expect(tables.contracts.find('LAY-nothing')).toBeNull();
  const session = tables.addSession({ metadata, customerEmail: 'ada@example.com', preview: true });
  expect(tables.sessions.get(session.id)).toEqual(session);
});
