import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Contract } from '../../src/domain/contract.ts';
import type { Delivery } from '../../src/domain/webhook.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { NOW } from './tables.ts';

let store: Store;
beforeEach(() => {
  store = openStore(null, tmpdir());
  store.workspace.create('seed', { disabled: false, unavailable_states: ['DC'] });
  merchant(1);
  store.sessions.insert(session(1), null);
  store.contracts.insert(contract, null);
  store.installments.insert(1, 1, capture, 'due', null);
});
afterEach(() => store.close());

function merchant(id: number) {
  const profile = { legal_name: `Store ${id}`, dba: null, state: 'TX', email: 'merchant@example.com' };
  store.merchants.insert({ id, token: `mer_${id}`, createdAt: NOW, ...profile });
  return store.accounts.insert({
    merchantId: id,
    mode: 'sandbox',
    clientId: `client ${id}`,
    webhookSecret: 'secret',
    clock: { mode: 'frozen', at: NOW },
    overrides: {},
  });
}

const KEY = {
  id: 1,
  token: 'key_1',
  accountId: 1,
  name: 'key',
  hash: new Uint8Array(32).fill(1),
  prefix: 'x'.repeat(12),
  scopes: ['checkout:read'] as const,
  createdAt: NOW,
};

/** Writes to everything that the store remembers outside the file. */
function writeEverywhere() {
  merchant(2);
  store.accounts.setOverrides(1, { grace_days: 1 });
  store.accounts.setProfile(1, { legal_name: 'Renamed', dba: 'R', state: 'CA', email: 'r@example.com' });
  store.accounts.setClock(1, { mode: 'running', offsetMs: 5 });
  store.keys.insert(KEY);
  store.workspace.setPlatform({ disabled: true, unavailable_states: [] });
  store.sessions.setStatus(1, 'decision_made');
  store.contracts.setBookkeeping(1, 'renamed', { note: 'x' });
  store.contracts.setOutcomes(1, ['fail']);
  store.contracts.setStatus(1, 'cancelled', { ...contract, cancelledAt: NOW });
  store.installments.update({ ...store.installments.get(1, 1), attempts: 1 });
  store.installments.insert(1, 1, { ...capture, sequence: 2 }, 'upcoming', null);
  store.events.insert(event, null);
  store.deliveries.insert({ ...delivery, id: 1, token: 'dlv_1', nextAttemptAt: NOW }, null);
  store.deliveries.insert({ ...delivery, id: 2, token: 'dlv_2', nextAttemptAt: NOW + 5 }, null);
}

const event = {
  id: 1,
  token: 'evt_1',
  accountId: 1,
  type: 'session.cancelled',
  subject: 'cs_1',
  sessionId: 1,
  contractId: null,
  createdAt: NOW,
  body: '{}',
} as const;
const delivery = { accountId: 1, eventId: 1, isForged: false, endpointId: null, url: 'http://localhost:1/' };

const everything = () => ({
  merchants: store.merchants.list(),
  accounts: store.accounts.ids().map((id) => store.accounts.get(id)),
  byClientId: [store.accounts.find('client 1'), store.accounts.find('client 2')],
  clock: store.accounts.clock(1),
  keys: store.keys.list(1),
  platform: store.workspace.platform(),
  session: store.sessions.get(1),
  contracts: [store.contracts.get(1), store.contracts.find('LAY-1'), store.contracts.ofSession(1)],
  listed: store.contracts.page(1, null, 10, 0),
  totals: [store.contracts.count(1, null), store.contracts.count(1, 'cancelled')],
  deliveries: [store.deliveries.isAnyDue(1, NOW), store.deliveries.nextAfter(1, NOW, [])],
  installments: [store.installments.list(1), store.installments.get(1, 1), store.installments.get(1, 2)],
});

test('a rolled-back transaction leaves nothing, in the file or in memory', () => {
  const before = everything();
  let inside: ReturnType<typeof everything> | undefined;
  const work = () => {
    writeEverywhere();
    inside = everything();
    throw new Error('the last write failed');
  };
  expect(() => store.transaction(work)).toThrow('the last write failed');
  expect(inside).not.toEqual(before);
  expect(everything()).toEqual(before);
  expect(store.inTransaction()).toBe(false);
});

test('a transaction inside a transaction joins it: the outer one undoes both', () => {
  const before = everything();
  expect(() =>
    store.transaction(() => {
      store.transaction(writeEverywhere);
      throw new Error('later');
    }),
  ).toThrow('later');
  expect(everything()).toEqual(before);
});

test('a snapshot of a state in memory is the state of its instant, whatever writes are waiting for their COMMIT', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'layaway-test-'));
  const ends: (() => void)[] = [];
  store.close();
  store = openStore(null, folder, (work) => ends.push(work));
  store.workspace.create('seed', { disabled: false, unavailable_states: ['DC'] });
  merchant(1);
  const saving = store.snapshots.save('base', NOW, false, () => 7);
  store.shared(() => merchant(2), 1);
  await saving;
  for (const end of ends) end();
  expect(store.accounts.ids()).toEqual([1, 2]);

  expect(store.snapshots.restore('base', NOW, 9)).toMatchObject({ lastRequest: 7 });
  expect(store.accounts.ids()).toEqual([1]);
  rmSync(folder, { recursive: true });
});

test('a constraint that refuses one write undoes those before it', () => {
  const before = everything();
  expect(() =>
    store.transaction(() => {
      writeEverywhere();
      store.keys.insert(KEY);
    }),
  ).toThrow('UNIQUE');
  expect(everything()).toEqual(before);
});

test('a transaction that ends well keeps everything, and gives what its work gives', () => {
  expect(
    store.transaction(() => {
      writeEverywhere();
      return 7;
    }),
  ).toBe(7);
  const written = everything();
  expect(written.accounts).toHaveLength(2);
  expect(written.clock).toEqual({ mode: 'running', offsetMs: 5 });
  expect(written.platform).toEqual({ disabled: true, unavailable_states: [] });
  store.forget();
  expect(everything()).toEqual(written);
});

describe('onCommit', () => {
  const told: number[] = [];
  beforeEach(() => {
    told.length = 0;
    store.onCommit((accountId) => told.push(accountId));
  });

  test('is told of each account once, after the outermost commit', () => {
    store.transaction(() => {
      store.transaction(() => undefined, 1);
      store.transaction(() => undefined, 2);
      expect(told).toEqual([]);
    }, 1);
    expect(told).toEqual([1, 2]);
    store.transaction(() => undefined);
    expect(told).toEqual([1, 2]);
  });

  test('finds the transaction over: it may begin another one', () => {
    store.onCommit((accountId) => {
      expect(store.inTransaction()).toBe(false);
      if (accountId === 1) store.transaction(() => undefined, 2);
    });
    store.transaction(() => undefined, 1);
    expect(told).toEqual([1, 2]);
  });

  test('is told nothing of what was rolled back, then or later', () => {
    expect(() =>
      store.transaction(() => {
        store.transaction(() => undefined, 1);
        throw new Error('undone');
      }),
    ).toThrow('undone');
    store.transaction(() => undefined, 2);
    expect(told).toEqual([2]);
  });
});

test('decisions §6: what an account owes next, whatever became of what it owed before', () => {
  const next = () => [store.deliveries.isAnyDue(1, NOW), store.deliveries.nextAfter(1, NOW, [])];
  expect(next()).toEqual([false, null]);
  writeEverywhere();
  expect(next()).toEqual([true, NOW + 5]);
  const [later, first] = store.deliveries.list(1, 10, null, { status: null, eventId: null, endpointId: null });
  store.deliveries.setAttempted(first as Delivery, 'pending', NOW + 3);
  expect(next()).toEqual([false, NOW + 3]);
  store.deliveries.setAttempted({ ...(first as Delivery), attempts: 1 }, 'delivered', null);
  expect(next()).toEqual([false, NOW + 5]);
  store.deliveries.setAttempted(later as Delivery, 'failed', null);
  expect(next()).toEqual([false, null]);
});

describe('§4.3 rule 4: an idempotency key', () => {
  const HOUR = 3_600_000;
  const use = (sessionId: number, createdAt = NOW) => ({ fingerprint: new Uint8Array(32), sessionId, createdAt });
  const open = (id: number) => store.sessions.insert(session(id), null);
  const opened = (accountId: number, key: string, since = NOW - HOUR) =>
    store.idempotency.find(accountId, key, since)?.sessionId ?? null;

  test('is found from its session on, and belongs to an account', () => {
    merchant(2);
    expect(opened(1, 'k')).toBeNull();
    store.idempotency.remember(1, 'k', use(1));
    expect([opened(1, 'k'), opened(2, 'k'), opened(1, 'K')]).toEqual([1, null, null]);
    expect(store.idempotency.find(1, 'k', NOW - HOUR)).toMatchObject({ createdAt: NOW, fingerprint: Buffer.alloc(32) });
  });

  test('lapses, whenever it is asked for; used again it names the new session', () => {
    store.idempotency.remember(1, 'k', use(1));
    store.idempotency.forget();
    expect([opened(1, 'k', NOW), opened(1, 'k', NOW - 1)]).toEqual([null, 1]);
    open(2);
    store.idempotency.remember(1, 'k', use(2, NOW + 2 * HOUR));
    expect([opened(1, 'k', NOW + HOUR), opened(1, 'k')]).toEqual([2, 2]);
    store.idempotency.forget();
    expect([opened(1, 'k', NOW + HOUR), opened(1, 'k'), opened(1, 'k', NOW + 2 * HOUR)]).toEqual([2, 2, null]);
  });

  test('is not used by a request that was undone, even if another takes its session’s id', () => {
    expect(opened(1, 'k')).toBeNull();
    expect(() =>
      store.transaction(() => {
        open(2);
        store.idempotency.remember(1, 'k', use(2));
        throw new Error('undone');
      }),
    ).toThrow('undone');
    expect(opened(1, 'k')).toBeNull();
    open(2);
    store.idempotency.remember(1, 'other', use(2));
    expect([opened(1, 'k'), opened(1, 'other')]).toEqual([null, 2]);
  });

  test('is found among many, some of the same hash, before and after they are read from the file', () => {
    // FNV-1a makes the same 32 bits of the words of a line.
    const alike = [...['costarring', 'liquid'], ...['declinate', 'macallums'], ...['altarage', 'zinke']];
    const keys = [...alike, ...Array.from({ length: 20_000 }, (_, index) => `key ${index}`)];
    const idOf = (index: number) => index + 2;
    store.transaction(() => {
      for (const [index, key] of keys.entries()) {
        open(idOf(index));
        store.idempotency.remember(1, key, use(idOf(index)));
        // The index in memory begins with the first look.
        if (index === 0) expect(opened(1, key)).toBe(2);
      }
    });
    const wrong = () => keys.filter((key, index) => opened(1, key) !== idOf(index));
    expect(wrong()).toEqual([]);
    store.idempotency.forget();
    expect(wrong()).toEqual([]);
  });
});

const session = (id: number) => ({
  id,
  token: `cs_${id}`,
  accountId: 1,
  status: 'pending' as const,
  orderReference: 'A',
  totalCents: 10_000,
  downPaymentCents: 2_000,
  reservationFeeCents: 500,
  terms: {
    downPaymentPercentage: 20,
    reservationFeePercentage: 5,
    installmentCount: 4,
    installmentCadence: 'weekly' as const,
  },
  returnUrl: 'https://example.com/r',
  cancelUrl: 'https://example.com/c',
  customerEmail: null,
  customerState: 'TX',
  metadata: {},
  preview: false,
  byStore: false,
  expiresAt: NOW + 1,
  createdAt: NOW,
});

const capture = { sequence: 1, type: 'cart_capture' as const, number: null, amountCents: 2_500, dueAt: NOW };
const contract: Contract = {
  id: 1,
  reference: 'LAY-1',
  accountId: 1,
  sessionId: 1,
  status: 'pending',
  orderReference: 'A',
  customerName: 'Ada Byron',
  customerEmail: 'ada@example.com',
  customerState: 'TX',
  totalCents: 10_000,
  reservationFeeCents: 500,
  downPaymentCents: 2_000,
  metadata: {},
  preview: false,
  outcomes: [],
  startedAt: null,
  completedAt: null,
  defaultedAt: null,
  cancelledAt: null,
  createdAt: NOW,
};

const ANY = { status: null, orderReference: null };

test('lists are newest first, and pages after a row are oldest first', () => {
  for (const id of [2, 3, 4]) store.sessions.insert(session(id), null);
  const ids = (limit: number, after: number | null) =>
    store.sessions.list(1, limit, after, NOW, ANY).map(({ id }) => id);
  expect(ids(2, null)).toEqual([4, 3]);
  expect(ids(2, 1)).toEqual([2, 3]);
  expect(ids(10, 4)).toEqual([]);
});
