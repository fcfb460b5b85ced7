import { ASSUMPTIONS, loweredCount } from '../../domain/assumptions.ts';
import { REASON_SETTINGS } from '../../domain/availability.ts';
import { isRecord } from '../../domain/json.ts';
import { share } from '../../domain/money.ts';
import { CADENCES } from '../../domain/quote.ts';

/** The name of an assumption and the value that the other server shows. */
export interface Remedy {
  readonly name: keyof typeof ASSUMPTIONS;
  readonly value: string | number | boolean;
}

/**
 * The assumption that makes this server answer as the other one in that place; null when none does.
 * @param data what the other server answered, as the API gives it
 */
export function remedyOf(
  place: string,
  [here, there]: readonly [unknown, unknown],
  data: Readonly<Record<string, unknown>>,
): Remedy | null {
  const last = place.split('.').at(-1) ?? '';
  if (place.endsWith('data.layaway')) return isSelling(there) ? switchedBack(here) : switchOf(there);
  if (last === 'reservation_fee_amount') return feeOf(there, data.total_amount);
  if (place.endsWith('installments.count')) return { name: 'installment_count', value: there as number };
  if (place.endsWith('installments.cadence')) {
    const value = CADENCES.find((cadence) => cadence === there);
    return value ? { name: 'installment_cadence', value } : null;
  }
  const isTerm = /\.data\.(terms\.|merchant\.|session_ttl_minutes$|legal_name$|dba$)/.test(place);
  if (!isTerm || !isSettable(last)) return null;
  if (there === null && isNullable(last)) return { name: last, value: '' };
  // A number that came as text is not the value of any assumption.
  const isOfKind = typeof there === typeof here || here === null || here === undefined;
  return isScalar(there) && isOfKind ? { name: last, value: there } : null;
}

/** The switch that makes one server refuse a session that the other one opens; null for other differing statuses. */
export function remedyOfStatus(here: Refusable, there: Refusable): Remedy | null {
  if (there.status === 403) return switchOf(there.body);
  return here.status === 403 && there.status === 201 ? switchedBack(here.body) : null;
}

/** Before the minimum is lowered, the number of installments is lowered to what it allows. */
export function stepsOf(remedy: Remedy, installmentCount: number | null): readonly Remedy[] {
  const { name, value } = remedy;
  if (name !== 'min_order_amount' || typeof value !== 'number' || installmentCount === null) return [remedy];
  const count = loweredCount(value, installmentCount);
  return count === null ? [remedy] : [{ name: 'installment_count', value: count }, remedy];
}

interface Refusable {
  readonly status: number;
  readonly body: unknown;
}

const SWITCHES: Readonly<Record<string, Remedy>> = REASON_SETTINGS;

/** Null for an excluded state: that depends on the merchant's own state, which no answer shows. */
function switchOf(refused: unknown): Remedy | null {
  const reason = isRecord(refused) ? refused.reason : null;
  return typeof reason === 'string' && Object.hasOwn(SWITCHES, reason) ? (SWITCHES[reason] ?? null) : null;
}

const isSelling = (layaway: unknown) => isRecord(layaway) && layaway.available === true;

/** Undoes what makes this server refuse, when the other one sells. */
function switchedBack(here: unknown): Remedy | null {
  const remedy = switchOf(here);
  return remedy && { ...remedy, value: !remedy.value };
}

/** The only whole percentage that gives this fee. */
function feeOf(fee: unknown, total: unknown): Remedy | null {
  if (typeof fee !== 'number' || typeof total !== 'number') return null;
  const { min, max } = ASSUMPTIONS.reservation_fee_percentage;
  const value = Math.round((100 * fee) / total);
  return value >= min && value <= max && share(total, value) === fee
    ? { name: 'reservation_fee_percentage', value }
    : null;
}

const isSettable = (name: string): name is keyof typeof ASSUMPTIONS =>
  Object.hasOwn(ASSUMPTIONS, name) && ASSUMPTIONS[name as keyof typeof ASSUMPTIONS].scope !== 'server';

const isScalar = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';

/** The command line takes an empty value for null. */
const isNullable = (name: keyof typeof ASSUMPTIONS) => 'nullable' in ASSUMPTIONS[name];
