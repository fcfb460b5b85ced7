import { stateCode } from '../../domain/availability.ts';
import type { Account } from '../../domain/merchant.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { SessionInput } from '../../engine/session.ts';
import { HTTPS_OR_LOCAL, SessionCreate } from '../../operations/schemas.ts';
import type { Bounds } from '../../schema.ts';
import { validate } from './validate.ts';

const STORE_URLS = ['return_url', 'cancel_url'] as const;
const OR_LOCAL = { pattern: HTTPS_OR_LOCAL };
const IS_ALLOWED = new RegExp(HTTPS_OR_LOCAL, 'u');

/**
 * Reads the body of session create (§4.3) within this merchant's range. `note` gets a URL that only needs the setting
 * `allow_http_localhost` to pass, because a store under development is often on http.
 * @throws Refusal `invalid`
 */
export function sessionInput(account: Account, body: object, note: (text: string) => void): SessionInput {
  const isLocalAllowed = account.settings.allow_http_localhost;
  const urls = isLocalAllowed ? { return_url: OR_LOCAL, cancel_url: OR_LOCAL } : {};
  try {
    const input = validate(SessionCreate, body, { ...rangeOf(account), ...urls });
    return { ...input, customer_state: stateCodeOf(input.customer_state) };
  } catch (error) {
    const text = error instanceof Refusal && error.is('invalid') ? localUrlNote(body, error.details[0]) : null;
    if (text !== null) note(text);
    throw error;
  }
}

const HOW_TO_ALLOW =
  'For a store on http during development, run `layaway assumptions set allow_http_localhost true`, or start the server with --allow-http-localhost.';

/** What to do about the first field that was refused only because its URL is http on this machine; null if none was. */
export function localUrlNote(body: object, refused: Readonly<Record<string, readonly string[]>>): string | null {
  for (const field of STORE_URLS) {
    const given = (body as Record<string, unknown>)[field];
    const isScheme = refused[field]?.[0]?.endsWith('https://.');
    if (isScheme && typeof given === 'string' && IS_ALLOWED.test(given))
      return `The ${field} ${given} was refused: the service takes https only. ${HOW_TO_ALLOW}`;
  }
  return null;
}

export const rangeOf = ({ settings }: Account): Bounds => ({
  total_amount: { minimum: settings.min_order_amount, maximum: settings.max_order_amount },
});

export const stateCodeOf = (text: string | null | undefined): string | null => (text ? stateCode(text) : null);
