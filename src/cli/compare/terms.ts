import { isRecord } from '../../domain/json.ts';
import { share } from '../../domain/money.ts';

/** What `/v1/config` says about an account. */
export interface Config {
  /** Absent in an answer that is not complete. */
  readonly merchant?: { readonly legal_name: string; readonly dba: string | null };
  readonly terms: {
    readonly min_order_amount: number;
    readonly max_order_amount: number;
    readonly down_payment_percentage: number;
  };
  readonly session_ttl_minutes: number;
}

type Values = Readonly<Record<string, unknown>>;

/**
 * Replaces what follows from the account's own terms by a name. So another minimum is one difference, in `/v1/config`,
 * and not one in every sentence and amount.
 */
export function withoutTerms(body: unknown, config: Config): unknown {
  if (!isRecord(body)) return body;
  if (isRecord(body.errors)) return { ...body, ...sentencesWithout(body, config) };
  const { data } = body;
  return isRecord(data) && 'down_payment_percentage' in data ? { ...body, data: sessionWithout(data, config) } : body;
}

function sentencesWithout({ message, errors }: Values, { terms }: Config) {
  const named = (text: unknown): unknown => {
    if (Array.isArray(text)) return text.map(named);
    if (typeof text !== 'string') return text;
    return text
      .replace(`must be at least ${terms.min_order_amount}.`, 'must be at least {min_order_amount}.')
      .replace(`must not be greater than ${terms.max_order_amount}.`, 'must not be greater than {max_order_amount}.');
  };
  const entries = Object.entries(errors as object).map(([field, said]) => [field, named(said)]);
  return { message: named(message), errors: Object.fromEntries(entries) };
}

function sessionWithout(data: Values, { terms, merchant, session_ttl_minutes: minutes }: Config): Values {
  const percentage = terms.down_payment_percentage;
  const number = (name: string) => data[name] as number;
  const expected: Values = {
    down_payment_percentage: percentage,
    down_payment_amount: share(number('total_amount'), percentage),
    customer_total: number('total_amount') + number('reservation_fee_amount'),
    due_today_amount: number('down_payment_amount') + number('reservation_fee_amount'),
  };
  const named = Object.entries(data).map(([name, value]): [string, unknown] => {
    if (name in expected) return [name, value === expected[name] ? `{${name} by the terms}` : value];
    if (name === 'merchant' && isRecord(value)) {
      const isStore = value.name === (merchant?.dba ?? merchant?.legal_name);
      return [name, { ...value, ...(isStore ? { name: '{the store}' } : {}) }];
    }
    if (name === 'installments' && Array.isArray(value) && value.every(isRecord)) return [name, scheduleOf(value)];
    if (name === 'expires_at' && 'created_at' in data) {
      const lifeMs = Date.parse(String(value)) - Date.parse(String(data.created_at));
      return [name, lifeMs === minutes * 60_000 ? value : `${lifeMs / 60_000} minutes after created_at`];
    }
    return [name, value];
  });
  return Object.fromEntries(named);
}

/** The number of captures after the Cart Capture, their cadence, and how the rest of the total is split. */
function scheduleOf(installments: readonly unknown[]): Values {
  const rows = installments as readonly { readonly due_date: string; readonly amount: number }[];
  const [first, ...captures] = rows;
  const amounts = captures.map(({ amount }) => amount);
  const isEven =
    Math.max(...amounts) - Math.min(...amounts) <= 1 &&
    amounts.every((amount, index) => amount <= (amounts[index - 1] ?? amount));
  return {
    count: captures.length,
    cadence: cadenceOf(captures.map(({ due_date }, index) => daysBetween(rows[index]?.due_date, due_date))),
    amounts: isEven ? 'even, leftover cents first' : amounts,
    first: first && { ...first, amount: 'the Cart Capture' },
  };
}

function cadenceOf(days: readonly number[]): string {
  if (days.every((count) => count === 7)) return 'weekly';
  if (days.every((count) => count === 14)) return 'biweekly';
  return days.every((count) => count >= 28 && count <= 31) ? 'monthly' : `after ${days.join(', ')} days`;
}

const daysBetween = (from: string | undefined, to: string) => (Date.parse(to) - Date.parse(String(from))) / 86_400_000;
