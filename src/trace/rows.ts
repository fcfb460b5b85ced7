import { requestCause } from '../domain/cause.ts';
import { parsed } from '../domain/json.ts';
import { entriesIn, partsOf } from '../domain/log-entry.ts';
import type { Dump } from '../domain/trace.ts';
import type { LoggedRequest } from '../http/log/logged-request.ts';

export type Row = Readonly<Record<string, unknown>>;

/** The rows of a table as objects with its columns; empty when the trace does not have the table. */
export function rowsOf({ tables }: Dump, table: string): Row[] {
  const { columns = [], rows = [] } = tables[table] ?? {};
  return rows.map((row) => rowOf(columns, row));
}

export const rowOf = (columns: readonly string[], row: readonly unknown[]): Row =>
  Object.fromEntries(columns.map((column, index) => [column, row[index]]));

/** A request as the log holds it. */
export interface TracedRequest
  extends Pick<
    LoggedRequest,
    'number' | 'at' | 'clockAt' | 'method' | 'path' | 'status' | 'durationMs' | 'clientId' | 'fault'
  > {
  readonly id: string;
  readonly idempotencyKey: string | null;
  readonly body: unknown;
  readonly answer: unknown;
}

/** The requests in a trace, in the order in which they were carried out. */
export const requestsIn = (document: Dump): TracedRequest[] => rowsOf(document, 'requests').flatMap(requestsOf);

/** The requests that one row of their table holds. */
export const requestsOf = ({ entries }: Row): TracedRequest[] =>
  entriesIn(String(entries)).map((text) => {
    const { head, answer } = partsOf(text);
    const { requestHeaders, requestBody = null, ...request } = JSON.parse(head);
    return {
      ...request,
      id: requestCause(request.number),
      idempotencyKey: requestHeaders['idempotency-key'] ?? null,
      body: requestBody,
      answer: parsed(answer, null),
    };
  });

interface Failed {
  readonly failure?: { readonly client_id?: string } | null;
}

/** The account of the test or the scenario that failed, if the trace names one. */
export const failedIn = (document: Dump & Failed): Row | undefined =>
  rowsOf(document, 'accounts').find(({ client_id }) => client_id === document.failure?.client_id);

/** All accounts of its merchant; null if there is none. */
export function failedAccountsIn(document: Dump & Failed): Row[] | null {
  const failed = failedIn(document);
  return failed ? rowsOf(document, 'accounts').filter(({ merchant_id }) => merchant_id === failed.merchant_id) : null;
}
