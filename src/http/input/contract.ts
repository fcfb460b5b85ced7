import type { Static } from 'typebox';
import { WANTED_INSTALLMENT_STATUSES } from '../../domain/history.ts';
import type { Account } from '../../domain/merchant.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { MadeContract } from '../../engine/history.ts';
import { ContractCreate } from '../../operations/contracts.ts';
import { EXAMPLE_CUSTOMER, EXAMPLE_URLS } from '../../operations/schemas.ts';
import { rangeOf, stateCodeOf } from './session.ts';
import { refuseUnknown, validate, validateStrictly, within } from './validate.ts';

/** The order total of a contract without one, limited to the merchant's range. */
const USUAL_TOTAL = 20_000;

/**
 * Reads the description of a contract in any state. The account may be created later, so the result is a function of
 * it.
 * @throws Refusal `invalid`; the returned function too, when the total is outside the account's range
 */
export function madeContractOf(body: object): (account: Account) => MadeContract {
  const { status, installment = {} } = body as { status?: unknown; installment?: object };
  if (WANTED_INSTALLMENT_STATUSES.some((each) => each === status)) {
    throw new Refusal('invalid', {
      status: [
        `${status} is the status of an installment: use installment, such as {"number": 1, "status": "${status}"}.`,
      ],
    });
  }
  const input = validateStrictly(ContractCreate, body);
  within('installment', () => refuseUnknown(Object.keys(installment), ContractCreate.properties.installment));
  return (account) => madeOf(input, account);
}

function madeOf(input: Static<typeof ContractCreate>, account: Account): MadeContract {
  validate(ContractCreate, input, rangeOf(account));
  const { min_order_amount: min, max_order_amount: max } = account.settings;
  return {
    wanted: {
      status: input.status ?? 'active',
      installment: input.installment ? { status: null, ...input.installment } : null,
      daysAgo: input.days_ago ?? 1,
    },
    order: {
      order_reference: input.order_reference ?? null,
      total_amount: input.total_amount ?? Math.max(min, Math.min(USUAL_TOTAL, max)),
      ...EXAMPLE_URLS,
      customer_email: input.customer_email ?? null,
      customer_state: stateCodeOf(input.customer_state),
      metadata: input.metadata ?? {},
    },
    customer: {
      name: input.customer_name ?? EXAMPLE_CUSTOMER.name,
      email: input.customer_email ?? EXAMPLE_CUSTOMER.email,
    },
    webhooks: input.webhooks ?? true,
  };
}
