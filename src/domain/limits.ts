/** The documented limits of §4.3 and §8. Decided values are in `assumptions.ts`. */
export const IDEMPOTENCY_KEY_MAX = 255;
export const ORDER_REFERENCE_MAX = 100;
export const URL_MAX = 2048;
export const EMAIL_MAX = 255;
export const STATE_LENGTH = 2;
export const METADATA_ITEMS_MAX = 50;
export const METADATA_KEY_MAX = 40;
export const METADATA_VALUE_MAX = 500;
export const KEY_PREFIX_LENGTH = 12;

/** A list of the control plane answers at most this many items (interface §3). */
export const LIST_MAX = 1000;
/** Without `limit`, it answers at most this many. */
export const LIST_DEFAULT = 100;
/** How much JSON a trace file may hold, because it is read as a whole: far more than the state of a test suite. */
export const TRACE_MAX_BYTES = 128 * 2 ** 20;
/** How much of it rows may take. The rest is for what stands beside them, and for the marks of removed secrets. */
export const TRACE_ROWS_MAX_BYTES = 120 * 2 ** 20;
