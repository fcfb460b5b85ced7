import type { GenuineEvent } from './orders.ts';
import type { Letter } from './receiver.ts';

/** Signs as the service does. */
export type Sign = (
  id: string,
  timestampSeconds: number,
  body: string,
  secrets: readonly string[],
) => Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>>;

/** What a letter needs of an examination. */
export interface Signing {
  readonly secret: string;
  readonly sign: Sign;
  /** Real time: that is what receivers compare timestamps with. */
  readonly now: () => number;
}

interface SignOptions {
  readonly what?: string;
  readonly secrets?: readonly string[];
  /** How far the timestamp lies from now. */
  readonly awaySeconds?: number;
}

/** The letter that carries an event, signed now unless `awaySeconds` says otherwise. */
export function letterOf(exam: Signing, { id, type, body }: GenuineEvent, options: SignOptions = {}): Letter {
  const { what = type, secrets = [exam.secret], awaySeconds = 0 } = options;
  const timestamp = Math.floor(exam.now() / 1000) + awaySeconds;
  return { what, headers: { 'content-type': 'application/json', ...exam.sign(id, timestamp, body, secrets) }, body };
}

/** Ways to write header names. */
export const HEADER_CASES = [
  { name: 'lower case', write: (name: string) => name },
  { name: 'upper case', write: (name: string) => name.toUpperCase() },
  { name: 'Train-Case', write: (name: string) => name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase()) },
] as const;

export const secretOf = (drawn: string) => `whsec_${Buffer.from(drawn).toString('base64').slice(0, 44)}`;

/** Whether the receiver's own secret makes the same signature. An HMAC key of zero bytes equals an empty one. */
export function isGenuine(exam: Signing, { headers, body }: Letter): boolean {
  const { 'webhook-id': id = '', 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers;
  return exam.sign(id, Number(timestamp), body, [exam.secret])['webhook-signature'] === signature;
}

export const withSignature = (letter: Letter, change: (valid: string) => string) => ({
  ...letter,
  headers: { ...letter.headers, 'webhook-signature': change(letter.headers['webhook-signature'] as string) },
});

/** The text with another character at that place. */
export const otherAt = (text: string, at: number) =>
  `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
export const otherEnd = (text = '') => otherAt(text, text.length - 1);
/** The signature with the first letter after `v1,` in the other case. */
export const otherCase = (signature: string) =>
  signature.replace(/(?<=^v1,[^a-z]*)[a-z]/i, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
