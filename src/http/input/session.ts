import type { Account } from '../../domain/merchant.ts';
import type { SessionInput } from '../../engine/session.ts';
import { SessionCreate } from '../../operations/schemas.ts';
import { validate } from './validate.ts';

/**
 * The body of session create (§4.3), inside this merchant's range.
 * @throws Refusal `invalid`
 */
export function sessionInput({ settings }: Account, body: object): SessionInput {
  const range = { minimum: settings.min_order_amount, maximum: settings.max_order_amount };
  const input = validate(SessionCreate, body, { total_amount: range });
  // ASCII only: upper-casing other letters can make two of one, and no state code has them.
  const state = input.customer_state?.replace(/[a-z]/g, (letter) => letter.toUpperCase()) ?? null;
  return { ...input, customer_state: state };
}
