import { CONTRACT_STATUSES, type ContractStatus } from './contract.ts';
import { INSTALLMENT_STATUSES, type InstallmentStatus } from './installment.ts';
import { SESSION_STATUSES, type SessionStatus } from './session.ts';

/** A state to advance to: `LAY-…=defaulted`, `LAY-…#2=past_due`, `cs_…=expired` (interface §2). */
export type Condition =
  | { readonly of: 'contract'; readonly reference: string; readonly status: ContractStatus }
  | {
      readonly of: 'installment';
      readonly reference: string;
      /** The `installment_number`, from 1. */
      readonly number: number;
      readonly status: InstallmentStatus;
    }
  | { readonly of: 'session'; readonly token: string; readonly status: SessionStatus };

type Match =
  | readonly [text: string, reference: string, number: string | undefined, token: undefined, status: string]
  | readonly [text: string, reference: undefined, number: undefined, token: string, status: string];

const FORM = /^(?:(LAY-[0-9A-Z]+)(?:#([1-9]\d{0,5}))?|(cs_[0-9A-Za-z]+))=([a-z_]+)$/;

/** Parses a condition; null when `text` is not one. */
export function parseCondition(text: string): Condition | null {
  const read = readForm(text);
  return read?.statuses.includes(read.condition.status) ? (read.condition as Condition) : null;
}

/** The statuses of what `text` names; null when it does not have the form of a condition. */
export const statusesOf = (text: string): readonly string[] | null => readForm(text)?.statuses ?? null;

/** What `text` names, with any status; null when it does not have the form of a condition. */
function readForm(text: string) {
  const match = FORM.exec(text.trim()) as Match | null;
  if (!match) return null;
  const [, reference, number, token, status] = match;
  if (token !== undefined) return form(SESSION_STATUSES, { of: 'session', token, status });
  if (number === undefined) return form(CONTRACT_STATUSES, { of: 'contract', reference, status });
  return form(INSTALLMENT_STATUSES, { of: 'installment', reference, number: Number(number), status });
}

const form = <Named extends { readonly status: string }>(statuses: readonly string[], condition: Named) => ({
  statuses,
  condition,
});
