import { given } from './given.ts';

/** Every event type (decisions §6). */
export const EVENT_TYPES = [
  'session.decision_made',
  'session.completed',
  'session.cancelled',
  'session.expired',
  'contract.activated',
  'contract.completed',
  'contract.cancelled',
  'contract.defaulted',
  'installment.paid',
  'installment.payment_failed',
  'installment.past_due',
  'installment.delinquent',
  'webhook.test',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Events about a failed payment or plan. Lists and charts highlight them. */
const FAILURES: ReadonlySet<string> = new Set<EventType>([
  'installment.payment_failed',
  'installment.past_due',
  'installment.delinquent',
  'contract.defaulted',
]);
export const isFailure = (type: string) => FAILURES.has(type);

/** The subject of an event: `LAY-…`, `LAY-…#2` or `cs_…`. */
export const subjectOf = (reference: string, installmentNumber?: number | null) =>
  installmentNumber == null ? reference : `${reference}#${installmentNumber}`;

/** The data of an event that name its subject. */
type Data =
  | { readonly endpoint_id: string }
  | { readonly id: string }
  | { readonly reference: string; readonly installment?: { readonly installment_number: number | null } };

/** The subject of the event with these data; null for a test. */
export function subjectOfData(data: Data): string | null {
  if ('reference' in data) return subjectOf(data.reference, data.installment?.installment_number);
  return 'id' in data ? data.id : null;
}

/** Whether an endpoint subscribed to `filters` (`*` is everything) wants events of `type`. */
export const wants = (filters: readonly string[], type: EventType) => filters.includes('*') || filters.includes(type);

export interface Concern {
  readonly type: string;
  readonly contract?: string | undefined;
  readonly session?: string | undefined;
}

export const isOfSession = (type: string) => type.startsWith('session.');

interface Unmet {
  readonly filter: 'contract' | 'session';
  /** The filter to use instead; null if the events concern neither. */
  readonly instead: 'session' | null;
}

/** The filter that no event of the type can meet: a wait for it would never end. Null when there is none. */
export function unmetFilter({ type, contract, session }: Concern): Unmet | null {
  if (contract !== undefined && isOfSession(type)) return { filter: 'contract', instead: 'session' };
  if (type !== 'webhook.test' || (contract ?? session) === undefined) return null;
  return { filter: contract === undefined ? 'session' : 'contract', instead: null };
}

/**
 * The filter that only the list of events can apply: an event of a contract does not name the session that led to the
 * contract.
 */
export const askedOfList = ({ type, session }: Concern) =>
  session === undefined || isOfSession(type) ? {} : { session };

/** The filter of a wait, so that the newest events in the list are not all about something else. */
export const narrowing = ({ contract, session }: Concern) =>
  session === undefined ? given({ contract }) : { session };

/** Whether a wait goes on while the list does not know what it is narrowed to: only the session of a contract must exist. */
export const mayComeLater = ({ type, contract, session }: Concern) =>
  session === undefined ? contract !== undefined : isOfSession(type);

/** Whether an event that the list gives is of that type and, if they are given, about that contract and session. */
export const concerning =
  (wanted: Concern) =>
  ({ type, data }: { readonly type: string; readonly data: object }): boolean => {
    const { reference, id } = data as { readonly reference?: string; readonly id?: string };
    return (
      type === wanted.type &&
      (wanted.contract === undefined || reference === wanted.contract) &&
      (wanted.session === undefined || !isOfSession(type) || id === wanted.session)
    );
  };
