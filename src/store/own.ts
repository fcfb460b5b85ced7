import type { Cause } from '../domain/cause.ts';
import type { Contract, ContractStatus } from '../domain/contract.ts';
import type { Account } from '../domain/merchant.ts';
import type { Session, SessionStatus } from '../domain/session.ts';
import type { Delivery, Endpoint } from '../domain/webhook.ts';
import type { attempts } from './attempts.ts';
import type { ContractFilter, contracts } from './contracts.ts';
import type { DeliveryFilter, deliveries } from './deliveries.ts';
import type { deliveryAttempts } from './delivery-attempts.ts';
import type { EmailFilter, emails } from './emails.ts';
import type { endpoints } from './endpoints.ts';
import type { EventFilter, events, StoredEvent } from './events.ts';
import type { idempotency } from './idempotency.ts';
import type { installments } from './installments.ts';
import type { keys } from './keys.ts';
import type { levers } from './levers.ts';
import type { Reading, readings } from './readings.ts';
import { remembered } from './remembered.ts';
import type { Browse, Overdue, Wanted } from './search/browse.ts';
import type { Look, WantedDeliveries } from './search/look-back.ts';
import type { Place, Search, Searched } from './search/search.ts';
import type { StoryReader } from './search/story.ts';
import type { SessionFilter, sessions } from './sessions.ts';

interface Tables {
  readonly sessions: ReturnType<typeof sessions>;
  readonly idempotency: ReturnType<typeof idempotency>;
  readonly contracts: ReturnType<typeof contracts>;
  readonly installments: ReturnType<typeof installments>;
  readonly attempts: ReturnType<typeof attempts>;
  readonly events: ReturnType<typeof events>;
  readonly emails: ReturnType<typeof emails>;
  readonly endpoints: ReturnType<typeof endpoints>;
  readonly deliveries: ReturnType<typeof deliveries>;
  readonly deliveryAttempts: ReturnType<typeof deliveryAttempts>;
  readonly keys: ReturnType<typeof keys>;
  readonly levers: ReturnType<typeof levers>;
  readonly readings: ReturnType<typeof readings>;
}

/** The readers of one account. */
export type Own = ReturnType<typeof readersOf>;

type Narrow<Status extends string> = Omit<Wanted<Status>, 'accountId'>;

/** The readers of each account. They cache no rows, so nothing needs to be invalidated. */
export function ownReaders(tables: Tables, browse: () => Browse, search: () => Search, story: () => StoryReader) {
  const known = remembered<number, Own>();
  return ({ id }: Pick<Account, 'id'>): Own =>
    known.get(id) ?? known.set(id, readersOf(id, tables, browse, search, story));
}

/**
 * Reads the rows of one account. A row of another account counts as not found. Reading what belongs to a row takes that
 * row; passing a row of another account is an internal fault, because no reader returns one.
 */
function readersOf(
  accountId: number,
  tables: Tables,
  browse: () => Browse,
  search: () => Search,
  story: () => StoryReader,
) {
  const {
    sessions,
    idempotency,
    contracts,
    installments,
    attempts,
    events,
    emails,
    endpoints,
    deliveries,
    deliveryAttempts,
    keys,
    levers,
    readings,
  } = tables;

  const own = <T extends { readonly accountId: number }>(row: T | null): T | null =>
    row?.accountId === accountId ? row : null;

  function idOf(row: { readonly id: number; readonly accountId: number }): number {
    if (row.accountId !== accountId) throw new Error(`Account ${accountId} was asked about a row of another account.`);
    return row.id;
  }

  return {
    sessions: {
      find: (token: string) => own(sessions.find(token)),
      get: (id: number) => own(sessions.get(id)),
      list: (limit: number, afterId: number | null, now: number, narrow: SessionFilter) =>
        sessions.list(accountId, limit, afterId, now, narrow),
    },
    idempotency: {
      find: (key: string, since: number, until: number) => idempotency.find(accountId, key, since, until),
    },
    contracts: {
      find: (reference: string) => own(contracts.find(reference)),
      get: (id: number) => own(contracts.get(id)),
      ofSession: (session: Session) => contracts.ofSession(idOf(session)),
      list: (limit: number, afterId: number | null, narrow: ContractFilter) =>
        contracts.list(accountId, limit, afterId, narrow),
      page: (status: ContractStatus | null, limit: number, offset: number) =>
        contracts.page(accountId, status, limit, offset),
      count: (status: ContractStatus | null) => contracts.count(accountId, status),
    },
    installments: {
      list: (contract: Contract) => installments.list(idOf(contract)),
    },
    readings: {
      find: (reference: string) => readings.find(accountId, reference),
      keep: (contract: Contract, reading: Reading) =>
        readings.keep(idOf(contract), accountId, contract.reference, reading),
    },
    attempts: {
      list: (contract: Contract) => attempts.list(idOf(contract)),
    },
    events: {
      find: (token: string) => own(events.find(token)),
      get: (id: number) => own(events.get(id)),
      list: (limit: number, afterId: number | null) => events.list(accountId, limit, afterId),
      listOf: (limit: number, afterId: number | null, narrow: EventFilter) =>
        events.listOf(accountId, limit, afterId, narrow),
      lastId: events.lastId,
      bytesAfter: (afterId: number) => events.bytesAfter(accountId, afterId),
    },
    deliveries: {
      find: (token: string) => own(deliveries.find(token)),
      get: (id: number) => own(deliveries.get(id)),
      list: (limit: number, afterId: number | null, narrow: DeliveryFilter) =>
        deliveries.list(accountId, limit, afterId, narrow),
      attempts: (delivery: Delivery) => deliveryAttempts.list(idOf(delivery)),
      owed: (endpoint: Endpoint) => deliveries.owed(idOf(endpoint)),
      namesOf: (delivery: Delivery) => deliveries.namesOf(idOf(delivery)),
    },
    endpoints: {
      find: (token: string) => endpoints.list(accountId).find((endpoint) => endpoint.token === token) ?? null,
      list: () => endpoints.list(accountId),
    },
    emails: {
      find: (token: string) => own(emails.find(token)),
      list: (limit: number, afterId: number | null, narrow: EmailFilter) =>
        emails.list(accountId, limit, afterId, narrow),
    },
    keys: {
      find: (token: string) => keys.list(accountId).find((key) => key.token === token) ?? null,
      list: () => keys.list(accountId),
    },
    /** The levers that were used on the account, oldest first. */
    levers: { list: () => levers.list(accountId) },
    /** The causes of rows. */
    story: {
      sessionCause: (session: Session) => story().sessionCause(idOf(session)),
      openedBy(cause: Cause) {
        const id = story().openedBy(accountId, cause);
        return id === null ? null : own(sessions.get(id));
      },
      contractCause: (contract: Contract) => story().contractCause(idOf(contract)),
      deliveryCause: (delivery: Delivery) => story().deliveryCause(idOf(delivery)),
      attemptCauses: (contract: Contract) => story().attemptCauses(idOf(contract)),
      events: (session: Session) => story().events(idOf(session)),
      event: (event: StoredEvent) => story().event(idOf(event)),
      emails: (contract: Contract) => {
        idOf(contract);
        return story().emails(contract.reference, accountId);
      },
      email: (token: string) => own(emails.find(token)) && story().email(token),
      endpointCause: (endpoint: Endpoint) => story().endpointCause(idOf(endpoint)),
      /** The latest emails about disabled endpoints. */
      notices: () => story().notices(accountId),
    },
    /** Searches for the dashboard and the command line. */
    browse: {
      contracts: (wanted: Narrow<ContractStatus | Overdue>, limit: number, offset: number) =>
        browse()
          .contractIds({ accountId, ...wanted }, limit, offset)
          .map(contracts.get),
      contractCount: (wanted: Narrow<ContractStatus | Overdue>, max: number) =>
        browse().contractCount({ accountId, ...wanted }, max),
      sessions: (wanted: Narrow<SessionStatus>, limit: number, offset: number) =>
        browse()
          .sessionIds({ accountId, ...wanted }, limit, offset)
          .map(sessions.get),
      sessionCount: (wanted: Narrow<SessionStatus>, max: number) =>
        browse().sessionCount({ accountId, ...wanted }, max),
      counts: () => browse().counts(accountId),
      triage: (now: number, maxContracts: number) => browse().triage(accountId, now, maxContracts),
      dueCount: (until: number, max: number) => browse().dueCount(accountId, until, max),
      latestAttempts: (most: number) => browse().latestAttempts(accountId, most),
      contractCounts: () => browse().contractCounts(accountId),
      /** Newest first, those of the session's contract included. */
      eventsOf: (session: Session, limit: number) => browse().eventsOfSession(idOf(session), limit).map(events.get),
      deliveriesOf: (of: readonly StoredEvent[], limit: number) =>
        of
          .flatMap((event) => browse().deliveriesOfEvent(idOf(event)))
          .slice(0, limit)
          .map(deliveries.get)
          .filter((delivery) => delivery !== null),
      emailsAbout: ({ reference }: Contract, limit: number) =>
        browse()
          .emailsOf(reference, limit)
          .map((token) => own(emails.find(token)))
          .filter((email) => email !== null),
      /** Finds the contract of a payment attempt. */
      contractOfPayment(reference: string) {
        const id = browse().contractOfPayment(reference);
        return id === null ? null : own(contracts.get(id));
      },
      /** The ids of what matches in one slice of the rows of a kind. */
      search: (kind: Searched, text: string, place: Place | null, limit: number) =>
        search()(accountId, kind, text, place, limit),
      /** Events by any part of type, subject or id; only those of one checkout if its session is given. */
      eventsBack: (session: Session | null, text: string | null, look: Look) =>
        browse().back.events(accountId, session && idOf(session), text, look),
      deliveriesBack(wanted: WantedDeliveries, look: Look) {
        const { rows, older } = browse().back.deliveries(accountId, wanted, look);
        return { rows: rows.map(({ id }) => deliveries.get(id)).filter((delivery) => delivery !== null), older };
      },
      /** Emails by any part of recipient, contract or template. */
      emailsBack(text: string | null, look: Look) {
        const { rows, older } = browse().back.emails(accountId, text, look);
        return { rows: rows.map(({ token }) => emails.find(token)).filter((email) => email !== null), older };
      },
    },
  };
}
