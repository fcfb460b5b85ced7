import { expect, test } from 'vitest';
import { type Condition, parseCondition } from '../../src/domain/condition.ts';
import { CONTRACT_STATUSES } from '../../src/domain/contract.ts';
import { INSTALLMENT_STATUSES } from '../../src/domain/installment.ts';
import { SESSION_STATUSES } from '../../src/domain/session.ts';

const REFERENCE = 'LAY-7K3M9QXAHD';
const TOKEN = 'cs_0aZ9bY8cX7dW6eV5fU4gT3hS2iR1jQ0k';

test.each<[string, Condition]>([
  [`${REFERENCE}=defaulted`, { of: 'contract', reference: REFERENCE, status: 'defaulted' }],
  [`${REFERENCE}#2=past_due`, { of: 'installment', reference: REFERENCE, number: 2, status: 'past_due' }],
  [`${REFERENCE}#24=paid`, { of: 'installment', reference: REFERENCE, number: 24, status: 'paid' }],
  [`${TOKEN}=expired`, { of: 'session', token: TOKEN, status: 'expired' }],
  [`  ${REFERENCE}=active\n`, { of: 'contract', reference: REFERENCE, status: 'active' }],
])('interface §2: %j is a condition', (text, condition) => {
  expect(parseCondition(text)).toEqual(condition);
});

test.each([
  ['contract', REFERENCE, CONTRACT_STATUSES],
  ['installment', `${REFERENCE}#1`, INSTALLMENT_STATUSES],
  ['session', TOKEN, SESSION_STATUSES],
] as const)('interface §2: a %s has its own statuses and no other', (of, subject, statuses) => {
  const own: readonly string[] = statuses;
  for (const status of [...CONTRACT_STATUSES, ...INSTALLMENT_STATUSES, ...SESSION_STATUSES]) {
    const condition = parseCondition(`${subject}=${status}`);
    if (own.includes(status)) expect(condition).toMatchObject({ of, status });
    else expect(condition).toBeNull();
  }
});

test.each([
  '',
  'defaulted',
  '=defaulted',
  REFERENCE,
  `${REFERENCE}=`,
  `${REFERENCE}=DEFAULTED`,
  `${REFERENCE} = defaulted`,
  `${REFERENCE}=default`,
  `${REFERENCE}=defaulted now`,
  `until ${REFERENCE}=defaulted`,
  `x${REFERENCE}=defaulted`,
  `${REFERENCE}#0=paid`,
  `${REFERENCE}#-1=paid`,
  `${REFERENCE}#x=paid`,
  `${REFERENCE}#1x=paid`,
  `${REFERENCE}#=paid`,
  `${REFERENCE}#1234567=paid`,
  `${TOKEN}#1=paid`,
  'lay-7k3m9qxahd=defaulted',
  'LAY-=defaulted',
  'cs_=expired',
  'cs_a-b=expired',
  'evt_1=expired',
])('interface §2: %j is none', (text) => {
  expect(parseCondition(text)).toBeNull();
});
