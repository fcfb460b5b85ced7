import { expect, test } from 'vitest';
import type { Contract } from '../../src/domain/contract.ts';
import { readings } from '../../src/store/readings.ts';
import { openTables } from './tables.ts';

const SHOWN = { status: 'active', installments: [{ status: 'paid' }, { status: 'upcoming' }] } as const;

const referenceOf = (n: number) => `LAY-${n.toString(36).toUpperCase().padStart(10, '0')}`;

/** Reads as the service does: the kept answer, or else one that is made from the rows. */
function openReadings() {
  const tables = openTables();
  const { db, contracts, installments } = tables;
  const kept = readings({ contracts, installments }, () => !db.inTransaction);
  const rowsOf = ({ id }: Contract) => {
    contracts.forget();
    installments.forget();
    return JSON.stringify([contracts.get(id), installments.list(id)]);
  };
  const made = ({ id }: Contract) => JSON.stringify([contracts.get(id), installments.list(id)]);
  /** How many answers were found, and how many had to be made. */
  const count = { found: 0, made: 0 };
  function read(contract: Contract): string {
    const { id, accountId, reference } = contract;
    const found = kept.find(accountId, reference);
    count[found ? 'found' : 'made'] += 1;
    return (found ?? kept.keep(id, accountId, reference, { text: made(contract), shown: SHOWN })).text;
  }
  return { ...tables, kept, rowsOf, read, count };
}

test('a response is found for the account of its contract alone, in memory and in the file', () => {
  const { addContract, read, kept } = openReadings();
  const all = Array.from({ length: 1_500 }, (_, n) => addContract({ reference: referenceOf(n) }));
  for (const contract of all) read(contract);
  for (const { accountId, reference } of all) {
    expect(kept.find(accountId, reference)).not.toBeNull();
    expect(kept.find(accountId + 1, reference)).toBeNull();
  }
});

/** Park and Miller's generator: the same walk each time. */
function draws(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

test.each([1, 2, 3])('a response is what its rows say, whatever is written, committed and rolled back: %i', (seed) => {
  const { db, contracts, installments, addContract, rowsOf, read, count, kept } = openReadings();
  const draw = draws(seed);
  const all = Array.from({ length: 1_500 }, (_, n) => addContract({ reference: referenceOf(n) }));
  const any = () => all[draw(all.length)] as Contract;
  for (const contract of all) read(contract);

  const change = ({ id }: Contract, n: number) => {
    const [first] = installments.list(id);
    if (n % 2 === 0) contracts.setBookkeeping(id, `B-${n}`, {});
    else if (first) installments.update({ ...first, attempts: n });
  };
  for (let n = 1; n <= 6_000; n += 1) {
    const what = draw(200);
    if (what < 20) change(any(), n);
    else if (what < 22 && !db.inTransaction) db.exec('BEGIN');
    else if (what < 28 && db.inTransaction) db.exec('COMMIT');
    else if (what === 28 && db.inTransaction) {
      db.exec('ROLLBACK');
      contracts.forget();
      installments.forget();
    } else read(any());
  }
  if (db.inTransaction) db.exec('COMMIT');
  // Most are found, also those for which memory has no room.
  expect(count.found).toBeGreaterThan(count.made);
  const before = count.found;
  const told = all.map(read);
  expect(count.found - before).toBeGreaterThan(all.length / 3);
  expect(told).toEqual(all.map(rowsOf));
  kept.close();
});

test('a response from the file shows what it showed when it was made, to its account alone', () => {
  const { addContract, read, kept } = openReadings();
  const all = Array.from({ length: 1_600 }, (_, n) => addContract({ reference: referenceOf(n) }));
  const [first] = all as [Contract];
  const texts = all.map(read);
  expect(kept.find(1, first.reference)).toEqual({ text: texts[0], shown: SHOWN });
  expect(kept.find(2, first.reference)).toBeNull();
  kept.clear();
  expect(kept.find(1, first.reference)).toBeNull();
  kept.close();
});

test('the file starts afresh after 160 MB of answers, or 10,000 changed contracts', () => {
  const { contracts, installments } = openTables();
  const kept = readings({ contracts, installments }, () => true);
  const keep = (n: number, text = 'x'.repeat(20_000)) => kept.keep(n, 1, referenceOf(n), { text, shown: SHOWN });
  const isKept = (n: number) => kept.find(1, referenceOf(n)) !== null;
  for (let n = 1; n <= 8_000; n += 1) keep(n);
  expect([isKept(1), isKept(4_000)]).toEqual([true, true]);
  for (let n = 8_001; n <= 9_001; n += 1) keep(n);
  expect([isKept(1), isKept(8_001)]).toEqual([false, true]);

  for (let n = 9_002; n <= 11_000; n += 1) keep(n);
  expect(isKept(8_001)).toBe(true);
  for (let n = 1; n <= 10_001; n += 1) contracts.setBookkeeping(n, null, {});
  expect(isKept(8_001)).toBe(false);

  kept.clear();
  const threeBytesEach = '語'.repeat(20_000);
  for (let n = 1; n <= 2_500; n += 1) keep(n, threeBytesEach);
  expect(isKept(1)).toBe(true);
  for (let n = 2_501; n <= 3_001; n += 1) keep(n, threeBytesEach);
  expect(isKept(1)).toBe(false);
  kept.close();
});
