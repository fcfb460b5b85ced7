import { expect, test } from 'vitest';
import {
  CONTRACT_MACHINE,
  CONTRACT_STATUSES,
  CONTRACT_TRIGGERS,
  type ContractStatus,
  type ContractTrigger,
  cannotCancel,
  moveContract,
  paidCents,
} from '../../src/domain/contract.ts';
import { gridOf } from '../support/grid.ts';

/** §3.2 with the triggers of decisions §4, written from the documents. `-` is a refusal. */
const { triggers, states, cells } = gridOf(`
            activate  abandon    cancel     complete   default
  pending   active    cancelled  -          -          -
  active    -         -          cancelled  completed  defaulted
  completed -         -          -          -          -
  cancelled -         -          -          -          -
  defaulted -         -          -          -          -
`);

test('§3.2: the grid below names every state and every trigger', () => {
  expect(states).toEqual([...CONTRACT_STATUSES]);
  expect(triggers).toEqual([...CONTRACT_TRIGGERS]);
});

test.each(cells)('§3.2, decisions §4: a contract %s on %s: %s', (from, trigger, to) => {
  expect(moveContract(from as ContractStatus, trigger as ContractTrigger) ?? '-').toBe(to);
});

test('§3.2: completed, cancelled and defaulted are terminal, and nothing else is', () => {
  expect(CONTRACT_STATUSES.filter((status) => Object.keys(CONTRACT_MACHINE[status]).length === 0)).toEqual([
    'completed',
    'cancelled',
    'defaulted',
  ]);
});

test.each([
  ['pending', 'contract_not_active', 'Only an active contract can be cancelled.'],
  ['completed', 'contract_ended', 'A completed contract cannot be cancelled.'],
  ['defaulted', 'contract_ended', 'A defaulted contract cannot be cancelled.'],
] as const)('§4.8, decisions §4: cancelling a %s contract is refused', (status, code, message) => {
  expect(cannotCancel(status)).toMatchObject({ code, message });
});

test('§2.6: paid_amount is the sum of the paid installments alone', () => {
  const statuses = ['paid', 'paid', 'due', 'past_due', 'delinquent', 'upcoming'] as const;
  expect(paidCents(statuses.map((status, index) => ({ status, amountCents: 10 ** index })))).toBe(11);
  expect(paidCents([])).toBe(0);
});
