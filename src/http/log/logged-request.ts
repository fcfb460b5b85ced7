import { entryOf } from '../../domain/log-entry.ts';
import type { Setting } from '../../domain/setting-note.ts';
import type { FaultMark } from '../../operations/wire.ts';
import { maskedHeaders, maskedText } from './masked.ts';

/**
 * One request and its answer. Entries that come from the state are masked already; others are masked when they are
 * read.
 */
export interface LoggedRequest {
  /** The number in its id. */
  readonly number: number;
  readonly at: number;
  /** The time on the account's clock. */
  readonly clockAt?: number | undefined;
  readonly method: string;
  readonly path: string;
  /** Null when a fault lost the request. */
  readonly status: number | null;
  readonly durationMs: number;
  readonly requestHeaders: Readonly<Record<string, unknown>>;
  readonly requestBody: unknown;
  readonly responseBody: string | null;
  readonly clientId: string | null;
  /** The fault that struck it. */
  readonly fault: FaultMark | null;
  /** The rate limit that refused it, if one did. */
  readonly limit?: Setting | null;
  /** The entry comes from the state, which never holds secrets. */
  readonly isMasked?: true;
}

/** A request that is answered. */
export interface ToLog extends Omit<LoggedRequest, 'number'> {
  /** Its body as it was sent, which then need not be serialized. */
  readonly requestText?: string | null;
}

/**
 * An entry of the ring: a line of short values, then the texts one after the other. Serializing every request as JSON
 * would take several times as long, and under load hardly any is read.
 */
export function packed(request: ToLog): string {
  const { at, clockAt, method, path, status, durationMs, fault, limit, requestBody, responseBody, clientId } = request;
  const headers = packedHeaders(request.requestHeaders);
  const body = request.requestText ?? (requestBody === undefined ? '' : JSON.stringify(requestBody));
  const struck = fault === null ? '' : JSON.stringify(fault);
  const limited = limit ? JSON.stringify(limit) : '';
  const client = clientId ?? '';
  const flags = Number(responseBody !== null) + 2 * Number(request.isMasked === true);
  const lengths = `${path.length} ${client.length} ${struck.length} ${limited.length} ${headers.length} ${body.length}`;
  const line = `${method} ${at} ${clockAt} ${status} ${durationMs} ${flags} ${lengths}`;
  return `${line}\n${path}${client}${struck}${limited}${headers}${body}${responseBody ?? ''}`;
}

export function unpacked(text: string): Omit<LoggedRequest, 'number'> {
  const newline = text.indexOf('\n');
  const [method = '', ...figures] = text.slice(0, newline).split(' ');
  const [at, clockAt, status, durationMs, flags, ...lengths] = figures.map(Number) as [
    number,
    number,
    number,
    number,
    number,
    ...number[],
  ];
  let from = newline + 1;
  const [path = '', client, struck, limited, headers = '', body] = lengths.map((length) => {
    from += length;
    return text.slice(from - length, from);
  });
  return {
    at,
    clockAt: Number.isNaN(clockAt) ? undefined : clockAt,
    method,
    path,
    status: Number.isNaN(status) ? null : status,
    durationMs,
    fault: struck ? JSON.parse(struck) : null,
    limit: limited ? JSON.parse(limited) : null,
    requestHeaders: unpackedHeaders(headers),
    requestBody: body ? JSON.parse(body) : undefined,
    responseBody: flags & 1 ? text.slice(from) : null,
    clientId: client || null,
    ...(flags & 2 ? { isMasked: true } : {}),
  };
}

/** A header has no line break in it. Only that of cookies to set is a list, and a client has no use for it. */
function packedHeaders(headers: LoggedRequest['requestHeaders']): string {
  let text = '';
  for (const name in headers) text += `\n${name}\n${headers[name]}`;
  return text;
}

function unpackedHeaders(text: string): Record<string, string> {
  const headers: [string, string][] = [];
  const lines = text.split('\n');
  for (let line = 1; line < lines.length; line += 2) headers.push([lines[line] as string, lines[line + 1] as string]);
  return Object.fromEntries(headers);
}

/** An entry for the state: as JSON, with its number, and without secrets. */
export function keepable({ number, requestHeaders, responseBody, ...head }: LoggedRequest): string {
  const isAnswered = responseBody !== null;
  const request = {
    ...{ number, isMasked: true, ...head, isAnswered },
    requestHeaders: head.isMasked ? requestHeaders : maskedHeaders(requestHeaders),
  };
  return maskedText(entryOf(request, responseBody ?? ''));
}
