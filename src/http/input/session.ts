import type { Account } from '../../domain/merchant.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { SessionInput } from '../../engine/session.ts';
import { HTTPS_OR_LOCAL, SessionCreate } from '../../operations/schemas.ts';
import { type Bounds, validate } from './validate.ts';

const STORE_URLS = ['return_url', 'cancel_url'] as const;
const OR_LOCAL = { pattern: HTTPS_OR_LOCAL };
const IS_ALLOWED = new RegExp(HTTPS_OR_LOCAL, 'u');

/**
 * The body of session create (§4.3), inside this merchant's range. `note` is told of a URL that only the setting
 * `allow_http_localhost` would let pass: a newcomer's store is on http.
 * @throws Refusal `invalid`
 */
export function sessionInput(account: Account, body: object, note: (text: string) => void): SessionInput {
  const isLocalAllowed = account.settings.allow_http_localhost;
  const urls = isLocalAllowed ? { return_url: OR_LOCAL, cancel_url: OR_LOCAL } : {};
  try {
    const input = validate(SessionCreate, body, { ...rangeOf(account), ...urls });
    return { ...input, customer_state: stateCode(input.customer_state) };
  } catch (error) {
    const local = isLocalAllowed ? null : localUrl(body, error);
    if (local !== null) note(`The ${local} was refused: the service takes https only. ${HOW_TO_ALLOW}`);
    throw error;
  }
}

const HOW_TO_ALLOW =
  'For a store on http during development, run `layaway assumptions set allow_http_localhost true`, or start the server with --allow-http-localhost.';

/** The first field that was refused only because it is http on this machine, with its URL. */
function localUrl(body: object, error: unknown): string | null {
  if (!(error instanceof Refusal) || !error.is('invalid')) return null;
  const refused = error.details[0];
  for (const field of STORE_URLS) {
    const given = (body as Record<string, unknown>)[field];
    const isScheme = refused[field]?.[0]?.endsWith('https://.');
    if (isScheme && typeof given === 'string' && IS_ALLOWED.test(given)) return `${field} ${given}`;
  }
  return null;
}

export const rangeOf = ({ settings }: Account): Bounds => ({
  total_amount: { minimum: settings.min_order_amount, maximum: settings.max_order_amount },
});

/** ASCII only: upper-casing other letters can make two of one, and no state code has them. */
export const stateCode = (text: string | null | undefined): string | null =>
  text?.replace(/[a-z]/g, (letter) => letter.toUpperCase()) ?? null;
