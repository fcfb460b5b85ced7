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

/** Whether an endpoint subscribed to `filters` (`*` is everything) wants events of `type`. */
export const wants = (filters: readonly string[], type: EventType) => filters.includes('*') || filters.includes(type);

/** Whether an event is of that type and, if they are given, about that contract and session. */
export const concerning =
  (wanted: { readonly type: string; readonly contract?: string | undefined; readonly session?: string | undefined }) =>
  ({ type, data }: { readonly type: string; readonly data: object }): boolean => {
    const { reference, id } = data as { readonly reference?: string; readonly id?: string };
    return (
      type === wanted.type &&
      (wanted.contract === undefined || reference === wanted.contract) &&
      (wanted.session === undefined || id === wanted.session)
    );
  };
