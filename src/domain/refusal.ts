import type { BlockReason } from './availability.ts';
import { isRecord } from './json.ts';
import type { Scope } from './scope.ts';
import { counted } from './text.ts';

/** Field name to messages, the `errors` of a Validation Error (§2.9). */
export type FieldErrors = Record<string, string[]>;

/** The message about a value that is not one of those that the control plane takes. */
export const notAmong = (label: string, values: readonly unknown[]) =>
  `The selected ${label} is invalid. Valid values: ${values.join(', ')}.`;

/** Every refusal: its code, and its message with the details filled in (@assumed decisions §5). */
export const REFUSAL_MESSAGES = {
  idempotency_key_too_long: (limit: number) =>
    `The Idempotency-Key header must not be greater than ${limit} characters.`,
  header_repeated: (name: string) => `The ${name} header must not be sent more than once.`,
  broken_off: () => 'The connection ended before the request was complete.',
  unauthenticated: () => 'Unauthenticated.',
  scope_missing: (scope: Scope) => `This key does not have the ${scope} scope.`,
  merchant_not_cleared: () => 'This merchant is not cleared to transact.',
  account_not_active: () => 'This account is not active.',
  layaway_unavailable: (message: string, _reason: BlockReason) => message,
  foreign_host: (name: string) => `This host is not allowed. Start the server with --allow-host ${name}.`,
  foreign_origin: (origin: string, host?: string) =>
    `Requests from ${origin || 'a page that does not say its origin'} are refused: the control plane does not answer web pages.${
      host === undefined
        ? ''
        : ` If this is its own dashboard behind a proxy, configure the proxy to pass on the Host header, which arrived as ${host}.`
    }`,
  session_not_found: () => 'Checkout session not found.',
  contract_not_found: () => 'Contract not found.',
  not_found: (noun: string) => `${noun} not found.`,
  not_explained: () =>
    'Id not found. Use the id of a session (cs_…), contract (LAY-…), installment (LAY-…#2), event (evt_…), delivery (dlv_…), email (eml_…), request (req_…), payment attempt (sim_…) or webhook endpoint (we_…) of this account.',
  lever_not_explained: (id: string, operation: string, subject: string | null) =>
    `${id} is a call of the lever ${operation}. Instead, explain ${subject ?? 'the session, contract or event that it changed'}.`,
  removed_not_explained: (id: string, moment: string) =>
    `The webhook endpoint ${id} was removed at ${moment}. Instead, explain one of its deliveries.`,
  not_logged: (sentence: string) => sentence,
  route_not_found: (path: string) => `The route ${path} could not be found.`,
  method_not_allowed: (method: string, path: string, allowed: string) =>
    `The ${method} method is not supported for route ${path}. Supported methods: ${allowed}.`,
  conflict: (sentence: string) => sentence,
  idempotency_key_reused: () => 'The Idempotency-Key has already been used with a different request body.',
  body_too_large: (limitBytes: number) => `The request body must not be greater than ${limitBytes} bytes.`,
  content_type: () => 'The request body must be sent as application/json.',
  invalid: (errors: FieldErrors) => summarize(errors),
  contract_not_active: () => 'Only an active contract can be cancelled.',
  contract_ended: (status: string) => `A ${status} contract cannot be cancelled.`,
  installment_not_overdue: () => 'Only an overdue installment can be settled.',
  unprocessable: (sentence: string) => sentence,
  disk_full: (stoppedAt?: string) =>
    `The disk of the server’s state is full or cannot be written. ${
      stoppedAt === undefined
        ? 'Nothing was changed. Free some space, then try again.'
        : `The advance stopped at ${stoppedAt}; steps completed by then are not undone. Free some space, then advance again.`
    }`,
  too_many_attempts: (_retryAfterSeconds: number) => 'Too Many Attempts.',
} as const;

export type RefusalCode = keyof typeof REFUSAL_MESSAGES;
type Details<Code extends RefusalCode> = Parameters<(typeof REFUSAL_MESSAGES)[Code]>;

/** A request that the service refuses. The rule throws it; `http/answer/refusals.ts` maps it to a status. */
export class Refusal<Code extends RefusalCode = RefusalCode> extends Error {
  override readonly name = 'Refusal';
  readonly code: Code;
  readonly details: Details<Code>;

  /** Also true for refusals of another copy of this module, such as Jest loads after `jest.resetModules()`. */
  static override [Symbol.hasInstance](value: unknown): value is Refusal {
    return isRecord(value) && value.name === 'Refusal';
  }

  constructor(code: Code, ...details: Details<Code>) {
    super((REFUSAL_MESSAGES[code] as (...args: Details<Code>) => string)(...details));
    this.code = code;
    this.details = details;
  }

  is<C extends RefusalCode>(code: C): this is Refusal<C> {
    return (this.code as RefusalCode) === code;
  }
}

/** The refusal of one field with one message. */
export const invalid = (field: string, message: string) => new Refusal('invalid', { [field]: [message] });

/** The first message and the number of others (Laravel's summary, @assumed decisions §5). */
function summarize(errors: FieldErrors): string {
  const messages = Object.values(errors).flat();
  const more = messages.length - 1;
  if (more <= 0) return messages[0] ?? 'The given data was invalid.';
  return `${messages[0]} (and ${counted(more, 'more error')})`;
}
