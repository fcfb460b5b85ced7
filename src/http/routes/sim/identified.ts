import { requestCause } from '../../../domain/cause.ts';
import type { Contract } from '../../../domain/contract.ts';
import type { Account } from '../../../domain/merchant.ts';
import type { Session } from '../../../domain/session.ts';
import type { Wire } from '../../../operations/wire.ts';
import type { Own } from '../../../store/own.ts';
import type { HttpContext } from '../../context.ts';
import type { LoggedRequest } from '../../log/logged-request.ts';
import { isOf, requestOf } from './requests.ts';

/** The checkout and contract that an id belongs to. */
interface Plan {
  readonly session: Session | null;
  readonly contract: Contract | null;
}

/** The item of an id, with the checkout and the contract that it belongs to. */
export interface Identified extends Plan {
  readonly kind: Wire['Related']['kind'];
}

type Sources = Pick<HttpContext, 'store' | 'requestLog'>;

/** Finds the account of an id among all accounts; null if nothing has that id. */
export function whoseIs({ store, requestLog }: Sources, id: string): Account | null {
  const request = requestOf(requestLog, id);
  // A request that named no account is not in the log of any account.
  if (request) return request.clientId === null ? null : store.accounts.find(request.clientId);
  return store.ownerOf.id(id);
}

/** Finds the item of a public id of the account, with its checkout and contract; null when the account has no such id. */
export function identify({ store, requestLog }: Sources, account: Account, id: string): Identified | null {
  const own = store.of(account);
  const session = own.sessions.find(id);
  if (session) return { kind: 'session', ...ofSession(own, session) };
  const contract = own.contracts.find(id);
  if (contract) return { kind: 'contract', ...ofContract(own, contract) };
  const event = own.events.find(id);
  if (event) return { kind: 'event', ...ofEvent(own, event) };
  const delivery = own.deliveries.find(id);
  if (delivery) return { kind: 'delivery', ...ofEvent(own, own.events.get(delivery.eventId)) };
  const email = own.emails.find(id);
  if (email) return { kind: 'email', ...(email.reference === null ? ALONE : ofContractOrNone(own, email.reference)) };
  const paidFor = own.browse.contractOfPayment(id);
  if (paidFor) return { kind: 'payment', ...ofContract(own, paidFor) };
  const request = requestOf(requestLog, id);
  if (request) {
    if (!isOf(account, request)) return null;
    // Its effects were undone, and with a seed its id may name something else now.
    return { kind: 'request', ...(store.discarded.has(request.number) ? ALONE : ofRequest(own, request)) };
  }
  if (own.endpoints.find(id)) return { kind: 'endpoint', ...ALONE };
  return id === account.clientId ? { kind: 'account', ...ALONE } : null;
}

const ALONE: Plan = { session: null, contract: null };

const ofSession = (own: Own, session: Session): Plan => ({ session, contract: own.contracts.ofSession(session) });

const ofContract = (own: Own, contract: Contract): Plan => ({
  session: own.sessions.get(contract.sessionId),
  contract,
});

function ofContractOrNone(own: Own, reference: string): Plan {
  const contract = own.contracts.find(reference);
  return contract ? ofContract(own, contract) : ALONE;
}

function ofEvent(own: Own, event: ReturnType<Own['events']['get']>): Plan {
  const contract = event?.contractId == null ? null : own.contracts.get(event.contractId);
  if (contract) return ofContract(own, contract);
  const session = event?.sessionId == null ? null : own.sessions.get(event.sessionId);
  return session ? ofSession(own, session) : ALONE;
}

/** What a request names in its path or its answer, or opened behind an error, if it belongs to the request's account. */
function ofRequest(own: Own, { number, path, responseBody, fault }: LoggedRequest): Plan {
  if (fault?.kind === 'late_error') {
    const opened = own.story.openedBy(requestCause(number));
    if (opened) return ofSession(own, opened);
  }
  const [, named] =
    /\/(LAY-\w+|cs_\w+)/.exec(path) ?? /^\{"data":\{"(?:id|reference)":"(\w[\w-]+)"/.exec(responseBody ?? '') ?? [];
  if (named === undefined) return ALONE;
  const session = own.sessions.find(named);
  return session ? ofSession(own, session) : ofContractOrNone(own, named);
}
