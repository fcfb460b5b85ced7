import * as Type from 'typebox';
import { CONTRACT_STATUSES, OUTCOMES } from '../domain/contract.ts';
import { WANTED_INSTALLMENT_STATUSES } from '../domain/history.ts';
import { ListQuery, listQuery, WaitQuery } from './list-query.ts';
import { created, enveloped, input, listed, named, ok, operation, ref, resource } from './operation.ts';
import { count, flag, instant, oneOf, RefusedOrInvalid, SessionCreate, text } from './schemas.ts';
import { AcceptInput } from './sessions.ts';

const tag = 'Contracts';
const params = { reference: 'The agreement’s public reference, `LAY-…`.' };
const cents = count('Cents.');

export const PaymentAttempt = named('PaymentAttempt', 'One attempt to collect a payment.', {
  reference: text('`sim_…` in sandbox, `pay_…` in live.'),
  sequence: Type.Integer({ minimum: 1, description: 'Of the installment; 1 is the Cart Capture.' }),
  number: Type.Integer({ minimum: 1, description: 'Counts the attempts on that installment.' }),
  outcome: oneOf(OUTCOMES),
  amount: cents,
  late_charge_amount: cents,
  at: instant('Account time.'),
});
export const Outcomes = named('Outcomes', 'How the next scheduled collection attempts end.', {
  outcomes: Type.Array(oneOf(OUTCOMES), {
    maxItems: 1000,
    description: 'Outcomes of the next scheduled attempts, one each; later attempts succeed.',
  }),
});

const { order_reference, total_amount, customer_state, metadata } = SessionCreate.properties;
const { customer_name, customer_email } = AcceptInput.properties;
export const ContractCreate = input(
  'ContractCreate',
  'A contract in a given state, with the history that leads to it.',
  {
    status: Type.Optional(
      oneOf(CONTRACT_STATUSES, { description: 'The contract’s status now; `active` when absent.' }),
    ),
    installment: Type.Optional(
      Type.Object(
        {
          number: Type.Integer({ minimum: 1, description: 'The `installment_number`.' }),
          status: Type.Optional(
            oneOf(WANTED_INSTALLMENT_STATUSES, { description: '`paid` when absent, except where it defaults.' }),
          ),
        },
        {
          description:
            'One installment and its status now. Those before it are paid. On a defaulted contract it is the one that defaults, by default the first.',
        },
      ),
    ),
    days_ago: Type.Optional(
      count('The minimum number of days between the end of the history and the account’s clock; 1 when absent.'),
    ),
    webhooks: Type.Optional(flag('`false`: events are recorded, and nothing is sent to endpoints.')),
    order_reference: Type.Optional(order_reference),
    total_amount: Type.Optional(total_amount),
    customer_name: Type.Optional(customer_name),
    customer_email: Type.Optional(customer_email),
    customer_state: Type.Optional(customer_state),
    metadata: Type.Optional(metadata),
  },
);

export const createContract = operation({
  operationId: 'createContract',
  method: 'POST',
  path: '/_sim/contracts',
  auth: 'account',
  tag,
  summary: 'Create a contract in any state, with its history in the account’s past',
  description:
    'Session, acceptance, payments, notices and events get the instants at which they would have happened. The clock and other contracts stay as they are, and availability is not checked.',
  body: ref('ContractCreate'),
  success: created(enveloped('Contract'), 'The contract.'),
  refusals: [401, 413, 415, [422, 'No history leads to this state by now.']],
});

export const findContracts = operation({
  operationId: 'findContracts',
  method: 'GET',
  path: '/_sim/contracts',
  auth: 'account',
  tag,
  summary: 'Find contracts by order reference, status or overdue installment, newest first',
  query: listQuery({
    status: Type.Optional(oneOf(CONTRACT_STATUSES, { description: 'Only contracts with this status.' })),
    order_reference: Type.Optional(text('Only contracts with exactly this order reference.')),
    overdue: Type.Optional(
      oneOf(['true'], { description: 'Only active contracts that have a past due or delinquent installment.' }),
    ),
  }),
  success: ok(listed('Contract'), 'The contracts; those of previews are left out.'),
  refusals: [401, 422],
});

export const getOutcomes = operation({
  operationId: 'getOutcomes',
  method: 'GET',
  path: '/_sim/contracts/{reference}/outcomes',
  auth: 'account',
  tag,
  summary: 'Read the outcomes set for a contract’s next scheduled payments',
  params,
  success: ok(enveloped('Outcomes'), 'The outcomes that are left.'),
  refusals: [401, 404],
});

export const listAttempts = operation({
  operationId: 'listAttempts',
  method: 'GET',
  path: '/_sim/contracts/{reference}/attempts',
  auth: 'account',
  tag,
  summary: 'List a contract’s payment attempts, newest first',
  params,
  query: ListQuery,
  success: ok(listed('PaymentAttempt'), 'The attempts.'),
  refusals: [401, 404, 422],
});

export const exportScenario = operation({
  operationId: 'exportScenario',
  method: 'GET',
  path: '/_sim/contracts/{reference}/scenario',
  auth: 'account',
  tag,
  summary: 'Read a scenario that repeats the story of a contract and expects the same results',
  params,
  success: ok(resource({ data: Type.Unsafe<object>({ type: 'object' }) }), 'A scenario for `layaway run`.'),
  refusals: [401, 404, [409, 'No request or lever of this contract is known.']],
});

export const arrangeOutcomes = operation({
  operationId: 'arrangeOutcomes',
  method: 'PUT',
  path: '/_sim/contracts/{reference}/outcomes',
  auth: 'account',
  tag,
  summary: 'Set the outcomes of a contract’s next scheduled payments',
  params,
  body: ref('Outcomes'),
  success: ok(enveloped('Outcomes'), 'The outcomes as set.'),
  refusals: [401, 404, [409, 'This contract has no further payments.'], 413, 415, 422],
});

export const settleInstallment = operation({
  operationId: 'settleInstallment',
  method: 'POST',
  path: '/_sim/contracts/{reference}/installments/{number}/settle',
  auth: 'account',
  tag,
  summary: 'Settle an overdue installment as the customer, late charge included',
  params: { ...params, number: 'The `installment_number`, counted from 1.' },
  query: WaitQuery,
  success: ok(enveloped('Contract'), 'The contract.'),
  refusals: [401, 404, [422, 'The installment is not overdue, or the request is invalid.', RefusedOrInvalid]],
});

export const endContract = operation({
  operationId: 'endContract',
  method: 'POST',
  path: '/_sim/contracts/{reference}/cancel',
  auth: 'account',
  tag,
  summary: 'End an active contract, as the dashboard does without a key',
  params,
  success: ok(enveloped('Contract'), 'The contract, cancelled.'),
  refusals: [401, 404, [422, 'The contract is not active, or the request is invalid.', RefusedOrInvalid]],
});

export const CONTRACT_SCHEMAS = [PaymentAttempt, Outcomes, ContractCreate] as const;
export const CONTRACT_OPERATIONS = [
  createContract,
  findContracts,
  listAttempts,
  getOutcomes,
  exportScenario,
  arrangeOutcomes,
  settleInstallment,
  endContract,
] as const;
