import type { Contract } from '../../../domain/contract.ts';
import type { Account } from '../../../domain/merchant.ts';
import type { Session } from '../../../domain/session.ts';
import type { Delivery } from '../../../domain/webhook.ts';
import type { StoredEmail } from '../../../store/emails.ts';
import type { StoredEvent } from '../../../store/events.ts';
import type { Store } from '../../../store/store.ts';
import type { LoggedRequest, RequestLog } from '../../request-log.ts';
import { numberOf } from './requests.ts';

export type Kind =
  | 'session'
  | 'contract'
  | 'payment'
  | 'event'
  | 'delivery'
  | 'email'
  | 'request'
  | 'endpoint'
  | 'account';

/** What an id names, and the checkout and contract that it belongs to. */
export interface Trace {
  readonly kind: Kind;
  readonly accountId: number;
  readonly session: Session | null;
  readonly contract: Contract | null;
}

interface Sources {
  readonly store: Store;
  readonly requestLog: RequestLog;
}

/** Follows any public id to its checkout and contract; null when nothing has it. */
export function trace({ store, requestLog }: Sources, id: string): Trace | null {
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
  if (paidFor !== null) return { kind: 'payment', ...ofContract(store, store.contracts.get(paidFor)) };
  const number = numberOf(id);
  const request = number === null ? null : requestLog.get(number);
  const asked = request?.clientId == null ? null : store.accounts.find(request.clientId);
  // A request that named no account is in no account's log.
  if (request) return asked && { kind: 'request', ...ofRequest(store, request, asked) };
  const sentTo = store.browse().accountOfEndpoint(id);
  if (sentTo !== null) return { kind: 'endpoint', ...alone(sentTo) };
  const account = store.accounts.find(id);
  return account && { kind: 'account', ...alone(account.id) };
}

const alone = (accountId: number) => ({ accountId, session: null, contract: null });

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
  return alone(accountId);
}

const ofDelivery = (store: Store, { eventId }: Delivery) => ofEvent(store, store.events.get(eventId));

function ofEmail(store: Store, { accountId, reference }: StoredEmail) {
  const contract = reference === null ? null : store.contracts.find(reference);
  return contract ? ofContract(store, contract) : alone(accountId);
}

/** What its path or the answer about one thing names, if that is its account's own. */
function ofRequest(store: Store, { path, responseBody }: LoggedRequest, account: Account) {
  const [, named] =
    /\/(LAY-\w+|cs_\w+)/.exec(path) ?? /^\{"data":\{"(?:id|reference)":"(\w[\w-]+)"/.exec(responseBody ?? '') ?? [];
  const session = named === undefined ? null : store.sessions.find(named);
  const contract = named === undefined ? null : store.contracts.find(named);
  if (session && session.accountId === account.id) return ofSession(store, session);
  if (contract && contract.accountId === account.id) return ofContract(store, contract);
  return alone(account.id);
}
