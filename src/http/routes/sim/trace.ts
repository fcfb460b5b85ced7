import type { Contract } from '../../../domain/contract.ts';
import type { Session } from '../../../domain/session.ts';
import type { Delivery } from '../../../domain/webhook.ts';
import type { StoredEmail } from '../../../store/emails.ts';
import type { StoredEvent } from '../../../store/events.ts';
import type { Store } from '../../../store/store.ts';

export type Kind = 'session' | 'contract' | 'payment' | 'event' | 'delivery' | 'email';

/** What an id names, and the checkout and contract that it belongs to. */
export interface Trace {
  readonly kind: Kind;
  readonly accountId: number;
  readonly session: Session | null;
  readonly contract: Contract | null;
}

/** Follows any public id to its checkout and contract; null when nothing has it. */
export function trace(store: Store, id: string): Trace | null {
  const session = store.sessions.find(id);
  if (session) return { kind: 'session', ...ofSession(store, session) };
  const contract = store.contracts.find(id);
  if (contract) return { kind: 'contract', ...ofContract(store, contract) };
  const event = store.events.find(id);
  if (event) return { kind: 'event', ...ofEvent(store, event) };
  const delivery = store.deliveries.find(id);
  if (delivery) return { kind: 'delivery', ...ofDelivery(store, delivery) };
  const email = store.emails.find(id);
  if (email) return { kind: 'email', ...ofEmail(store, email) };
  const paidFor = store.browse().contractOfPayment(id);
  return paidFor === null ? null : { kind: 'payment', ...ofContract(store, store.contracts.get(paidFor)) };
}

const ofSession = (store: Store, session: Session) => ({
  accountId: session.accountId,
  session,
  contract: store.contracts.ofSession(session.id),
});

const ofContract = (store: Store, contract: Contract) => ({
  accountId: contract.accountId,
  session: store.sessions.get(contract.sessionId),
  contract,
});

function ofEvent(store: Store, { accountId, sessionId, contractId }: StoredEvent) {
  if (contractId !== null) return ofContract(store, store.contracts.get(contractId));
  if (sessionId !== null) return ofSession(store, store.sessions.get(sessionId));
  return { accountId, session: null, contract: null };
}

const ofDelivery = (store: Store, { eventId }: Delivery) => ofEvent(store, store.events.get(eventId));

function ofEmail(store: Store, { accountId, reference }: StoredEmail) {
  const contract = reference === null ? null : store.contracts.find(reference);
  return contract ? ofContract(store, contract) : { accountId, session: null, contract: null };
}
