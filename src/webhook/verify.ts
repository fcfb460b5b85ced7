import { coarse, HOUR } from '../domain/calendar.ts';
import { isWebhookSecret } from '../domain/webhook.ts';
import { sameSignature, signature } from './sign.ts';

export type VerificationReason =
  | 'missing_header'
  | 'malformed_header'
  | 'stale_timestamp'
  | 'malformed_secret'
  | 'wrong_signature'
  | 'reserialized_body'
  | 'malformed_body';

/** Why a webhook is not valid: `reason` for programs, the message for people. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly reason: VerificationReason;

  constructor(reason: VerificationReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

export interface VerifyOptions {
  /** How far the timestamp may differ from now. @default 300 */
  readonly toleranceSeconds?: number;
  /** Real time in milliseconds, for the verifier's own clock. */
  readonly now: number;
}

/** `Headers` of any fetch. The global type is not available everywhere, and there may be several such classes. */
interface FetchHeaders {
  get(name: string): string | null;
}
type HeaderBag = FetchHeaders | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Returns the event in `body` if `headers` prove that it was signed with `secret` (Standard Webhooks 1.0). `body` must
 * be the bytes as received.
 * @throws WebhookVerificationError
 */
export function verify(body: string | Uint8Array, headers: HeaderBag, secret: string, options: VerifyOptions): unknown {
  // Without types, callers pass a list of secrets, which would be tested as its text.
  if (typeof secret !== 'string' || !/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret)) {
    throw new WebhookVerificationError('malformed_secret', 'The secret is not of the form whsec_ and base64.');
  }
  // Without types, callers pass a parsed body, as from Express behind `express.json()`.
  if (typeof body !== 'string' && !ArrayBuffer.isView(body)) {
    throw new WebhookVerificationError(
      'malformed_body',
      'The body is not a string or a Uint8Array. Verify the raw bytes of the request, before anything parses them.',
    );
  }
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    required(headers, name),
  ) as [string, string, string];
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError(
      'malformed_header',
      `webhook-timestamp is not a number of seconds: ${timestamp}`,
    );
  }
  const isSigned = (text: string | Uint8Array) => {
    const expected = signature(id, timestamp, text, secret);
    return signatures.split(' ').some((candidate) => sameSignature(candidate, expected));
  };
  if (!isSigned(body)) {
    if (isWebhookSecret(secret)) throw mismatch(body, isSigned);
    throw new WebhookVerificationError(
      'malformed_secret',
      'The secret is incomplete. It must be whsec_ and the base64 of 24 to 64 bytes. Copy it again.',
    );
  }

  const { toleranceSeconds = 300 } = options;
  const ageMs = options.now - Number(timestamp) * 1000;
  if (!(Math.abs(ageMs) <= toleranceSeconds * 1000)) {
    throw new WebhookVerificationError(
      'stale_timestamp',
      `The timestamp is ${distance(ageMs, toleranceSeconds)}; the tolerance is ${toleranceSeconds} s.`,
    );
  }
  return parse(body);
}

/** In seconds as long as a person compares it with the tolerance, and never the tolerance itself. */
function distance(ageMs: number, toleranceSeconds: number): string {
  const ms = Math.abs(ageMs);
  const seconds = Math.max(Math.round(ms / 1000), Math.floor(toleranceSeconds) + 1);
  const span = ms < HOUR ? `${seconds} s` : coarse(ms);
  return `${span} in the ${ageMs > 0 ? 'past' : 'future'}`;
}

/** Without types, callers pass no headers at all, or a number. A header that came several times is a list. */
function required(headers: HeaderBag | null | undefined, name: string): string {
  const value = isFetchHeaders(headers)
    ? headers.get(name)
    : Object.entries(headers ?? {}).find(([key]) => key.toLowerCase() === name)?.[1];
  const values: readonly unknown[] = Array.isArray(value) ? value : [value ?? ''];
  if (!values.every((each) => typeof each === 'string')) {
    throw new WebhookVerificationError('malformed_header', `The ${name} header is not text.`);
  }
  const text = values.join(' ');
  if (text === '') throw new WebhookVerificationError('missing_header', `The ${name} header is missing.`);
  return text;
}

const isFetchHeaders = (headers: HeaderBag | null | undefined): headers is FetchHeaders =>
  typeof headers?.get === 'function';

const MARK = '\ufeff';

/**
 * The usual mistakes are a body that something has read before, one that was saved with a newline at its end, and one that
 * was parsed and serialized again. Its compact form still matches, or the text that it is a JSON string of.
 */
function mismatch(body: string | Uint8Array, isSigned: (text: string) => boolean): WebhookVerificationError {
  const wrong = (message: string) => new WebhookVerificationError('wrong_signature', message);
  if (body.length === 0) {
    return wrong(
      'The body is empty: something read it before, or it was not saved. Verify the raw bytes of the request, before anything parses them.',
    );
  }
  const whole = typeof body === 'string' ? body : new TextDecoder('utf-8', { ignoreBOM: true }).decode(body);
  if (whole.startsWith(MARK) && isSigned(whole.slice(MARK.length).trimEnd())) {
    return wrong(
      'The body begins with a byte order mark that was not signed, such as some editors add. Verify the raw bytes of the request.',
    );
  }
  if (isSigned(whole.trimEnd())) {
    return wrong(
      'The body ends with white space that was not signed, such as the newline that `echo` or an editor adds. Verify the raw bytes of the request.',
    );
  }
  const forms = earlierForms(body);
  if (forms === null) {
    return wrong(
      'The body is not JSON, so it is not what was sent. Verify the raw bytes of the request, before anything parses them.',
    );
  }
  if (forms.some(isSigned)) {
    return new WebhookVerificationError(
      'reserialized_body',
      'The body was parsed and serialized again on the way. Verify the raw bytes of the request.',
    );
  }
  return wrong(
    'No signature matches: the secret is wrong, or the id, the timestamp or the body was changed on the way.',
  );
}

const textOf = (body: string | Uint8Array) => (typeof body === 'string' ? body : new TextDecoder().decode(body));

/** What was signed if the body was serialized again; null if it is not JSON. */
function earlierForms(body: string | Uint8Array): string[] | null {
  try {
    const value: unknown = JSON.parse(textOf(body));
    return [JSON.stringify(value), ...(typeof value === 'string' ? [value] : [])];
  } catch {
    return null;
  }
}

function parse(body: string | Uint8Array): unknown {
  try {
    return JSON.parse(textOf(body));
  } catch {
    throw new WebhookVerificationError('malformed_body', 'The signature matches, but the body is not JSON.');
  }
}
