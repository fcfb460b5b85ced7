import * as Type from 'typebox';
import { OUTCOMES } from '../domain/contract.ts';
import { listQuery } from './list-query.ts';
import { enveloped, listed, ok, operation, ref, resource } from './operation.ts';
import { instant, oneOf } from './schemas.ts';

const tag = 'Contracts';
const params = { reference: 'The agreement’s public reference, `LAY-…`.' };
const cents = Type.Integer({ minimum: 0, description: 'Cents.' });

export const PaymentAttempt = resource(
  {
    reference: Type.String({ description: '`sim_…` in sandbox, `pay_…` in live.' }),
    sequence: Type.Integer({ minimum: 1, description: 'Of the installment; 1 is the Cart Capture.' }),
    number: Type.Integer({ minimum: 1, description: 'Counts the attempts on that installment.' }),
    outcome: oneOf(OUTCOMES),
    amount: cents,
    late_charge_amount: cents,
    at: instant('Account time.'),
  },
  { $id: 'PaymentAttempt', description: 'One attempt to collect a payment.' },
);
export const Outcomes = resource(
  {
    outcomes: Type.Array(oneOf(OUTCOMES), {
      maxItems: 1000,
      description: 'Of the next scheduled attempts, one each; then every one succeeds.',
    }),
  },
  { $id: 'Outcomes', description: 'How the next scheduled collection attempts end.' },
);

export const listAttempts = operation({
  operationId: 'listAttempts',
  method: 'GET',
  path: '/_sim/contracts/{reference}/attempts',
  auth: 'account',
  tag,
  summary: 'List a contract’s payment attempts, newest first',
  params,
  query: listQuery({}),
  success: ok(listed('PaymentAttempt'), 'The attempts.'),
  refusals: [401, 404, [422, Type.Ref('ValidationError')]],
});

export const arrangeOutcomes = operation({
  operationId: 'arrangeOutcomes',
  method: 'PUT',
  path: '/_sim/contracts/{reference}/outcomes',
  auth: 'account',
  tag,
  summary: 'Arrange how a contract’s next scheduled payments end',
  params,
  body: ref('Outcomes'),
  success: ok(enveloped('Outcomes'), 'What is arranged now.'),
  refusals: [
    401,
    404,
    [409, Type.Ref('Error'), 'No payment of this contract is to come.'],
    413,
    415,
    [422, Type.Ref('ValidationError')],
  ],
});

export const settleInstallment = operation({
  operationId: 'settleInstallment',
  method: 'POST',
  path: '/_sim/contracts/{reference}/installments/{number}/settle',
  auth: 'account',
  tag,
  summary: 'Settle an overdue installment as the customer, late charge included',
  params: { ...params, number: 'The `installment_number`, counted from 1.' },
  success: ok(enveloped('Contract'), 'The contract.'),
  refusals: [401, 404, [422, Type.Ref('Error'), 'The installment is not overdue.']],
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
  refusals: [401, 404, [422, Type.Ref('Error'), 'The contract is not active.']],
});

export const CONTRACT_SCHEMAS = [PaymentAttempt, Outcomes] as const;
export const CONTRACT_OPERATIONS = [listAttempts, arrangeOutcomes, settleInstallment, endContract] as const;
