/**
 * What made the engine write a row, as the row keeps it: the id of a request to `/v1`, a lever with the id of its call, or
 * a word for what nobody asked for.
 */
export type Cause = string;

/** Something fell due. */
export const CLOCK: Cause = 'clock';
/** The server made it as it began: the fixture's contracts, the endpoints of flags. */
export const START: Cause = 'start';

/** The number of every request that a server without a request log answers. */
export const UNLOGGED = 0;

export const requestCause = (number: number): Cause => numbered('req', number);
export const leverCause = (operation: string, number: number): Cause => `${operation} ${leverId(number)}`;
/** A step on the checkout pages, which counts as a call of that lever. */
export const pageCause = (operation: string, number: number): Cause => `${leverCause(operation, number)} ${PAGE}`;
const PAGE = 'page';

export const leverId = (number: number) => numbered('lvr', number);

/** The prefix and the number, so that ids sort and can be resumed from. */
const numbered = (prefix: string, number: number) => `${prefix}_${String(number).padStart(12, '0')}`;

/** The number in an id such as `req_000000000012`; null for any other text. */
export function numberIn(prefix: 'req' | 'lvr', id: string): number | null {
  const digits = id.startsWith(`${prefix}_`) ? id.slice(prefix.length + 1) : '';
  return /^\d{12}$/.test(digits) ? Number(digits) : null;
}

export type ReadCause =
  | { readonly kind: 'request'; readonly number: number; readonly id: string }
  | {
      readonly kind: 'lever';
      readonly operation: string;
      readonly number: number;
      readonly id: string;
      readonly isOnPage: boolean;
    }
  | { readonly kind: 'clock' | 'start' }
  /** Written before causes were. */
  | { readonly kind: 'unknown' };

export function readCause(cause: Cause | null): ReadCause {
  if (cause === CLOCK || cause === START) return { kind: cause as 'clock' | 'start' };
  const [first = '', second = '', third = ''] = cause?.split(' ') ?? [];
  const request = numberIn('req', first);
  if (request !== null) return { kind: 'request', number: request, id: first };
  const lever = numberIn('lvr', second);
  if (lever !== null) return { kind: 'lever', operation: first, number: lever, id: second, isOnPage: third === PAGE };
  return { kind: 'unknown' };
}
