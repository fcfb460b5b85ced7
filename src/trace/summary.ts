import { formatInstant } from '../domain/calendar.ts';
import type { TraceDocument } from './file.ts';
import { failedAccountsIn, requestsIn, rowsOf } from './rows.ts';

const LATEST = 10;

/** Summarizes a trace without starting a server. */
export function summaryOf(document: TraceDocument) {
  const { layaway, saved_at, seed, flags, failure } = document;
  const count = (table: string) => rowsOf(document, table).length;
  const requests = requestsIn(document);
  const failed = failedAccountsIn(document);
  // Other tests ask at the same time.
  const told = failed
    ? requests.filter(({ clientId }) => failed.some(({ client_id }) => client_id === clientId))
    : requests;
  return {
    layaway,
    saved_at,
    seed,
    flags,
    failure,
    accounts: rowsOf(document, 'accounts').map(({ client_id, mode, clock_ms }) => ({
      client_id: String(client_id),
      mode: String(mode),
      now: formatInstant(Number(clock_ms)),
    })),
    sessions: count('sessions'),
    contracts: count('contracts'),
    events: count('events'),
    deliveries: count('deliveries'),
    emails: count('emails'),
    requests: requests.length,
    latest_requests: told.slice(-LATEST).map(({ id, at, clientId, method, path, status, fault }) => ({
      id,
      at: formatInstant(at),
      client_id: clientId,
      method,
      path,
      status,
      fault,
    })),
  };
}
export type TraceSummary = ReturnType<typeof summaryOf>;
