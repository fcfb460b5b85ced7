import type { IncomingHttpHeaders } from 'node:http';
import { isRecord, parsed } from '../../domain/json.ts';
import type { Incoming } from '../../exchange.ts';
import type { Operation } from '../../operations/operation.ts';
import type { Address } from './address.ts';
import { isOfControlPlane } from './control-plane.ts';
import { refusalOf } from './refusal.ts';
import { gatewayFault, isMissing, noControlPlane, otherKind, redirection } from './transport.ts';

/** The part of an operation that a request needs. */
export type Target = Pick<Operation, 'method' | 'path' | 'auth'>;

/** The OpenAPI document of the service, which is not among the operations. */
export const SERVICE_DOCUMENT: Target = { method: 'GET', path: '/openapi.json', auth: 'account' };

/** A successful response: its text, what it parses to, and its headers. */
interface Success {
  readonly text: string;
  readonly body: object;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Reads the response to `path`, which is the path of the target with its parameters filled in.
 * @throws CommandError for a refusal, and for a response that the service does not give
 */
export async function successOf(target: Target, path: string, incoming: Incoming, resolved: Address): Promise<Success> {
  const { baseUrl } = resolved;
  const { status, text, headers } = incoming;
  const asked = `${target.method} ${path}`;
  const redirected = redirection(incoming);
  if (redirected !== null) throw otherKind(baseUrl, redirected);
  if (status === 204) return { text: '{"data":null}', body: { data: null }, headers };
  const body = parsed(text, null);
  if (!isRecord(body)) {
    if (isMissing(status) && isOfControlPlane(target)) throw noControlPlane(baseUrl);
    const gateway = gatewayFault(status, { baseUrl, asked });
    if (gateway !== null) throw gateway;
    const type = headers['content-type'] ?? 'without a type';
    throw otherKind(baseUrl, `its response to ${asked} is not JSON (${status} ${type})`);
  }
  if (status >= 400) throw await refusalOf(target, { ...incoming, body }, resolved);
  if (target !== SERVICE_DOCUMENT && !('data' in body)) {
    throw otherKind(baseUrl, `its response to ${asked} contains no data`);
  }
  return { text, body, headers };
}
