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
  const match = FORM.exec(text.trim()) as Match | null;
  if (!match) return null;
  const [, reference, number, token, status] = match;
  if (token !== undefined) return isOneOf(SESSION_STATUSES, status) ? { of: 'session', token, status } : null;
  if (number === undefined) return isOneOf(CONTRACT_STATUSES, status) ? { of: 'contract', reference, status } : null;
  return isOneOf(INSTALLMENT_STATUSES, status)
    ? { of: 'installment', reference, number: Number(number), status }
    : null;
}

/** The statuses of what `text` names; null when it has not the form of a condition. */
export function statusesOf(text: string): readonly string[] | null {
  const match = FORM.exec(text.trim()) as Match | null;
  if (!match) return null;
  const [, , number, token] = match;
  if (token !== undefined) return SESSION_STATUSES;
  return number === undefined ? CONTRACT_STATUSES : INSTALLMENT_STATUSES;
}

const isOneOf = <T extends string>(values: readonly T[], value: unknown): value is T => values.includes(value as T);
