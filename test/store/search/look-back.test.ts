import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LOOK_MAX } from '../../../src/store/search/look-back.ts';
import { openStore, type Store } from '../../../src/store/store.ts';
import { NOW } from '../tables.ts';

let store: Store;
beforeEach(() => {
  store = openStore(null, tmpdir());
  store.workspace.create('seed', { disabled: false, unavailable_states: [] });
  const profile = { legal_name: 'Store', dba: null, state: 'TX', email: 'merchant@example.com' };
  store.merchants.insert({ id: 1, token: 'mer_1', createdAt: NOW, ...profile });
  const clock = { mode: 'frozen', at: NOW } as const;
  store.accounts.insert({
    merchantId: 1,
    mode: 'sandbox',
    clientId: 'client',
    webhookSecret: 'secret',
    clock,
    overrides: {},
  });
});
afterEach(() => store.close());

/** Events of which the first five are of another type. */
function fill(count: number) {
  store.transaction(() => {
    for (let id = 1; id <= count; id += 1) {
      store.events.insert(
        {
          id,
          token: `evt_${id}`,
          accountId: 1,
          type: id <= 5 ? 'contract.defaulted' : 'contract.activated',
          subject: `LAY-${id}`,
          sessionId: null,
          contractId: null,
          createdAt: NOW,
          body: '{}',
        },
        null,
      );
    }
  });
}

test('a page that holds all there is has none after it', () => {
  fill(50);
  const look = (limit: number) => store.of({ id: 1 }).browse.eventsBack(null, null, { before: null, limit });
  expect([look(50).rows.length, look(50).older]).toEqual([50, null]);
  expect([look(49).rows.length, look(49).older]).toEqual([49, 'evt_2']);
});

test('a search among very many events ends early, and goes on from where it ended', () => {
  const count = LOOK_MAX + 10;
  fill(count);
  const { browse } = store.of({ id: 1 });
  const look = (before: number | null) => browse.eventsBack(null, 'defaulted', { before, limit: 50 });
  const first = look(null);
  expect(first).toEqual({ rows: [], older: `evt_${count - LOOK_MAX + 1}` });
  const second = look(store.events.find(first.older as string)?.id as number);
  expect(second.rows.map(({ token }) => token)).toEqual(['evt_5', 'evt_4', 'evt_3', 'evt_2', 'evt_1']);
  expect(second.older).toBeNull();
});
