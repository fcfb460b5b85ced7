import { type ContractStatus, REFERENCE } from '../domain/contract.ts';
import type { InstallmentStatus } from '../domain/installment.ts';
import type { ShownContract } from '../domain/situations.ts';
import { openSqlite } from '../sqlite.ts';
import type { contracts } from './contracts.ts';
import type { Database } from './file/database.ts';
import type { installments } from './installments.ts';
import { remembered } from './remembered.ts';

/** The answer to a read of a contract, with what it shows. */
export interface Reading {
  readonly text: string;
  readonly shown: ShownContract;
}

interface Kept extends Reading {
  readonly reference: string;
  readonly accountId: number;
  readonly contractId: number;
  /** The revisions of the contract and its schedule that it was made from. */
  readonly contract: number;
  readonly schedule: number;
}

interface Tables {
  readonly contracts: ReturnType<typeof contracts>;
  readonly installments: ReturnType<typeof installments>;
}

/**
 * Answers to reads of contracts, each until the contract or its schedule changes: making one takes four times as long as
 * reading it. The recent ones are in memory, the others in a temporary file, which they reach when `isQuiet`: no
 * transaction is open, so that no rollback makes them wrong.
 */
export function readings({ contracts, installments }: Tables, isQuiet: () => boolean) {
  const file = spareFile();
  const recent = remembered<string, Kept>((full) => {
    if (isQuiet()) file.add(full.filter(isCurrent));
  });
  contracts.beforeChange(file.drop);
  installments.beforeChange(file.drop);

  const isCurrent = ({ contractId, contract, schedule }: Kept) =>
    contracts.revision(contractId) === contract && installments.revision(contractId) === schedule;

  return {
    find(accountId: number, reference: string): Reading | null {
      const kept = recent.get(reference);
      if (kept && kept.accountId === accountId && isCurrent(kept)) return kept;
      return file.find(accountId, reference);
    },
    keep(contractId: number, accountId: number, reference: string, reading: Reading): Reading {
      const revisions = { contract: contracts.revision(contractId), schedule: installments.revision(contractId) };
      return recent.set(reference, { contractId, accountId, reference, ...revisions, ...reading });
    },
    /** The rows were replaced. After a rollback this is not needed: the revisions tell. */
    clear() {
      recent.clear();
      file.clear();
    },
    close: file.clear,
  };
}

type Row = [accountId: number, contractId: number, text: string, statuses: string];

/** How large the file becomes: some 115,000 responses. Then it starts afresh. */
const BYTES_MAX = 160_000_000;
const PAGE_BYTES = 4096;
/** How many contracts may have changed since their answers were written. Then it starts afresh. */
const CHANGED_MAX = 10_000;

/**
 * A temporary file of SQLite, which the system removes when it is closed. It has a connection of its own, so a transaction
 * that changes a contract does not write here: the contract is only noted as changed. The file is opened for the first
 * answers. If it fails, it is not used again.
 */
function spareFile() {
  let file: ReturnType<typeof open> | null = null;
  let hasFailed = false;
  const changed = new Set<number>();
  /** By its statuses, because few contracts differ in them. */
  const known = remembered<string, ShownContract>();

  function clear() {
    file?.db.close();
    file = null;
    changed.clear();
  }

  function attempt<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch {
      hasFailed = true;
      clear();
    }
  }

  return {
    add(entries: readonly Kept[]) {
      if (hasFailed) return;
      attempt(() => {
        if (file && file.bytes() + bytesFor(entries) > BYTES_MAX) clear();
        file ??= open();
        file.write(entries);
        for (const { contractId } of entries) changed.delete(contractId);
      });
    },
    find(accountId: number, reference: string): Reading | null {
      const { find } = file ?? {};
      const row = find && attempt(() => find.get(numberOf(reference)));
      if (!row) return null;
      const [owner, contractId, text, statuses] = row;
      if (owner !== accountId || changed.has(contractId)) return null;
      return { text, shown: known.get(statuses) ?? known.set(statuses, shownIn(statuses)) };
    },
    drop(contractId: number) {
      if (file === null) return;
      changed.add(contractId);
      if (changed.size > CHANGED_MAX) clear();
    },
    clear,
  };
}

function open() {
  const db = openSqlite('');
  db.pragma(`page_size = ${PAGE_BYTES}`);
  db.pragma('temp_store = FILE');
  db.pragma('journal_mode = OFF');
  db.pragma('synchronous = OFF');
  db.pragma('locking_mode = EXCLUSIVE');
  db.pragma('cache_size = -1024');
  db.exec(`CREATE TABLE readings (
    reference INTEGER UNIQUE, account_id INTEGER NOT NULL, contract_id INTEGER NOT NULL, text TEXT NOT NULL,
    statuses TEXT NOT NULL) STRICT`);
  const pageCount = db.prepare<[], number>('PRAGMA page_count').pluck();
  return { db, write: writer(db), find: finder(db), bytes: () => (pageCount.get() ?? 0) * PAGE_BYTES };
}

/** At most what the answers take: they share no page. */
function bytesFor(entries: readonly Kept[]): number {
  const pages = ({ text }: Kept) => Math.ceil(Buffer.byteLength(text) / (PAGE_BYTES - 128)) + 1;
  return entries.reduce((sum, each) => sum + pages(each) * PAGE_BYTES, 0);
}

function writer(db: Database) {
  const insert = db.prepare(
    'INSERT OR REPLACE INTO readings (reference, account_id, contract_id, text, statuses) VALUES (?, ?, ?, ?, ?)',
  );
  return db.transaction((entries: readonly Kept[]) => {
    for (const { reference, accountId, contractId, text, shown } of entries) {
      insert.run(numberOf(reference), accountId, contractId, text, statusesOf(shown));
    }
  });
}

const finder = (db: Database) =>
  db
    .prepare<[number | null], Row>('SELECT account_id, contract_id, text, statuses FROM readings WHERE reference = ?')
    .raw();

const WHOLE_REFERENCE = new RegExp(`^${REFERENCE}$`);

/** Numbers are found faster than texts. Null for a text that is not a reference: no row equals it. */
const numberOf = (reference: string): number | null =>
  WHOLE_REFERENCE.test(reference) ? Number.parseInt(reference.slice(4), 36) : null;

const statusesOf = ({ status, installments }: ShownContract) =>
  [status, ...installments.map((each) => each.status)].join(' ');

function shownIn(statuses: string): ShownContract {
  const [status, ...ofInstallments] = statuses.split(' ') as [ContractStatus, ...InstallmentStatus[]];
  return { status, installments: ofInstallments.map((each) => ({ status: each })) };
}
