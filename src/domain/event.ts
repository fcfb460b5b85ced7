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
