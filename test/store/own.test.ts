import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Contract } from '../../src/domain/contract.ts';
import type { Account } from '../../src/domain/merchant.ts';
import type { Session } from '../../src/domain/session.ts';
import type { Delivery, Endpoint } from '../../src/domain/webhook.ts';
import { createSimulator } from '../../src/index.ts';
import type { StoredEmail } from '../../src/store/emails.ts';
import type { StoredEvent } from '../../src/store/events.ts';
import type { Own } from '../../src/store/own.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { openReceiver } from '../support/receiver.ts';

let store: Store;
let owner: Account;
let mine: Own;
let other: Own;
let session: Session;
let contract: Contract;
let event: StoredEvent;
let delivery: Delivery;
let email: StoredEmail;
const everywhere = { status: null, eventId: null, endpointId: null };
const wide = { status: null, text: null };
const anyone = { to: null, reference: null };
const look = { before: null, limit: 10 };
const KEY = 'order-A-1';

// Rows of the engine's own making: a plan that was paid for, with its webhooks and emails.
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'own-'));
  const sim = await createSimulator({ data: folder, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
  const headers = { ...sim.default.headers, 'idempotency-key': KEY };
  const post = async (url: string, payload: object) => {
    const answer = await sim.inject({ method: 'POST', url, headers, payload });
    if (answer.statusCode >= 300) throw new Error(answer.body);
    return (answer.json() as { data: { id: string } }).data;
  };
  await post('/_sim/webhook-endpoints', { url: 'http://localhost:9/hook', transport: 'listener' });
  await using gone = await openReceiver([410]);
  const receiver = await post('/_sim/webhook-endpoints', { url: gone.url });
  await post(`/_sim/webhook-endpoints/${receiver.id}/test`, {});
  const order = { order_reference: 'A-1', total_amount: 12_345 };
  const places = { return_url: 'https://example.com/return', cancel_url: 'https://example.com/cancel' };
  const { id } = await post('/v1/sessions', { ...order, ...places });
  await post(`/_sim/sessions/${id}/complete`, {});
  const clientId = sim.default.clientId;
  const otherId = sim.default.live.clientId;
  await sim.close();

  store = openStore(join(folder, 'layaway.db'), folder);
  owner = store.accounts.find(clientId) as Account;
  mine = store.of(owner);
  other = store.of(store.accounts.find(otherId) as Account);
  session = store.sessions.find(id) as Session;
  contract = store.contracts.ofSession(session.id) as Contract;
  [event] = store.events.list(owner.id, 1, null) as [StoredEvent];
  [delivery] = store.deliveries.list(owner.id, 1, null, everywhere) as [Delivery];
  [email] = store.emails.list(owner.id, 1, null, anyone) as [StoredEmail];
});
afterAll(() => store.close());

/** Reads one row by its id, or many: what is another account's reads as not there. */
const READS: Readonly<Record<string, (own: Own) => unknown>> = {
  'sessions.find': (own) => own.sessions.find(session.token),
  'sessions.get': (own) => own.sessions.get(session.id),
  'sessions.list': (own) => own.sessions.list(10, null, 0, { status: null, orderReference: null }),
  'idempotency.find': (own) => own.idempotency.find(KEY, 0, Number.MAX_SAFE_INTEGER),
  'contracts.find': (own) => own.contracts.find(contract.reference),
  'contracts.get': (own) => own.contracts.get(contract.id),
  'contracts.list': (own) => own.contracts.list(10, null, { status: null, orderReference: null, overdue: false }),
  'contracts.page': (own) => own.contracts.page(null, 10, 0),
  'contracts.count': (own) => own.contracts.count('active'),
  'readings.find': (own) => {
    if (own === mine) own.readings.keep(contract, { text: '{}', shown: { status: 'active', installments: [] } });
    return own.readings.find(contract.reference);
  },
  'events.find': (own) => own.events.find(event.token),
  'events.get': (own) => own.events.get(event.id),
  'events.list': (own) => own.events.list(10, null),
  'events.listOf': (own) => own.events.listOf(10, null, { type: null, contractId: null, sessionId: null }),
  'events.bytesAfter': (own) => own.events.bytesAfter(0),
  'deliveries.find': (own) => own.deliveries.find(delivery.token),
  'deliveries.get': (own) => own.deliveries.get(delivery.id),
  'deliveries.list': (own) => own.deliveries.list(10, null, everywhere),
  'endpoints.find': (own) => own.endpoints.find(store.endpoints.list(owner.id)[0]?.token as string),
  'endpoints.list': (own) => own.endpoints.list().filter(({ accountId }) => accountId === owner.id),
  'emails.find': (own) => own.emails.find(email.token),
  'emails.list': (own) => own.emails.list(10, null, anyone),
  'keys.find': (own) => own.keys.find(store.keys.list(owner.id)[0]?.token as string),
  'keys.list': (own) => own.keys.list().filter(({ accountId }) => accountId === owner.id),
  'levers.list': (own) => own.levers.list(),
  'story.openedBy': (own) => own.story.openedBy(mine.story.sessionCause(session) as string),
  'story.email': (own) => own.story.email(email.token),
  'story.notices': (own) => own.story.notices(),
  'browse.contracts': (own) => own.browse.contracts(wide, 10, 0),
  'browse.contractCount': (own) => own.browse.contractCount(wide, 10),
  'browse.sessions': (own) => own.browse.sessions(wide, 10, 0),
  'browse.sessionCount': (own) => own.browse.sessionCount(wide, 10),
  'browse.counts': (own) => Object.values(own.browse.counts()).flatMap(Object.entries),
  'browse.contractCounts': (own) => Object.entries(own.browse.contractCounts()),
  'browse.dueCount': (own) => own.browse.dueCount(Number.MAX_SAFE_INTEGER, 10),
  'browse.triage': (own) => own.browse.triage(0, 10).collectedCents,
  'browse.latestAttempts': (own) => own.browse.latestAttempts(10),
  'browse.emailsAbout': (own) => own.browse.emailsAbout(contract, 10),
  'browse.contractOfPayment': (own) =>
    own.browse.contractOfPayment(store.attempts.list(contract.id)[0]?.reference as string),
  'browse.search': (own) => own.browse.search('contract', 'customer@', null, 10).ids,
  'browse.eventsBack': (own) => own.browse.eventsBack(null, null, look).rows,
  'browse.deliveriesBack': (own) =>
    own.browse.deliveriesBack({ status: null, endpointId: null, type: null }, look).rows,
  'browse.emailsBack': (own) => own.browse.emailsBack(null, look).rows,
};

/** Reads what hangs on a row: nobody but its account can have that row. */
const FOLLOWS: Readonly<Record<string, (own: Own) => unknown>> = {
  'contracts.ofSession': (own) => own.contracts.ofSession(session),
  'installments.list': (own) => own.installments.list(contract),
  'readings.keep': (own) => [
    own.readings.keep(contract, { text: '{}', shown: { status: 'active', installments: [] } }),
  ],
  'attempts.list': (own) => own.attempts.list(contract),
  'deliveries.attempts': (own) => [own.deliveries.attempts(delivery)],
  'deliveries.owed': (own) => [own.deliveries.owed(store.endpoints.list(owner.id)[0] as Endpoint)],
  'deliveries.namesOf': (own) => own.deliveries.namesOf(delivery),
  'story.sessionCause': (own) => [own.story.sessionCause(session)],
  'story.contractCause': (own) => [own.story.contractCause(contract)],
  'story.attemptCauses': (own) => [...own.story.attemptCauses(contract)],
  'story.deliveryCause': (own) => [own.story.deliveryCause(delivery)],
  'story.endpointCause': (own) => [own.story.endpointCause(store.endpoints.list(owner.id)[0] as Endpoint)],
  'story.events': (own) => own.story.events(session),
  'story.event': (own) => own.story.event(event),
  'story.emails': (own) => own.story.emails(contract),
  'browse.eventsOf': (own) => own.browse.eventsOf(session, 10),
  'browse.deliveriesOf': (own) => own.browse.deliveriesOf([event], 10),
  'browse.eventsBack of a session': (own) => own.browse.eventsBack(session, null, look).rows,
};

const isNothing = (value: unknown) => value === null || value === 0 || (Array.isArray(value) && value.length === 0);

describe('law 10: the readers of an account', () => {
  test.each(Object.keys(READS))('%s finds the row of its account, and none of another', (name) => {
    const read = READS[name] as (own: Own) => unknown;
    expect(isNothing(read(mine)), JSON.stringify(read(mine))).toBe(false);
    expect(isNothing(read(other)), JSON.stringify(read(other))).toBe(true);
  });

  test.each(Object.keys(FOLLOWS))('%s is an internal fault for the row of another account', (name) => {
    const read = FOLLOWS[name] as (own: Own) => unknown;
    expect(isNothing(read(mine))).toBe(false);
    expect(() => read(other)).toThrow(/a row of another account/);
  });

  test('each reader is in this test, but the one that reads no row', () => {
    const readers = Object.entries(mine).flatMap(([noun, verbs]) =>
      Object.keys(verbs).map((verb) => `${noun}.${verb}`),
    );
    const tested = [
      ...Object.keys(READS),
      ...Object.keys(FOLLOWS).filter((name) => !name.includes(' ')),
      'events.lastId',
    ];
    expect(readers.sort()).toEqual(tested.sort());
  });
});
