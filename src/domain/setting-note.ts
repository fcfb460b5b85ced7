import { ASSUMPTIONS, type Assumption } from './assumptions.ts';

/** A setting that decided something, with its value at that time. */
export interface Setting {
  readonly name: string;
  readonly value: unknown;
}

/** Settings whose default the service description states. */
const STATED: ReadonlySet<string> = new Set(['idempotency_hours']);

/** Names the value, and says whether it is known to be the service's own. */
export function settingNote({ name, value }: Setting): string {
  const assumption = (ASSUMPTIONS as Readonly<Record<string, Assumption>>)[name];
  if (!assumption) return `${name} was ${text(value)}.`;
  const { default: usual, completes, scope } = assumption;
  if (JSON.stringify(value) === JSON.stringify(usual)) {
    return STATED.has(name)
      ? `${name} was ${text(value)}, as the service description says (${completes}).`
      : `${name} was ${text(value)}, an assumption: the service description leaves it open (${completes}).`;
  }
  const otherwise = STATED.has(name)
    ? `the service description says ${text(usual)}`
    : `${text(usual)} is assumed otherwise`;
  const where = scope === 'platform' || scope === 'server' ? `the ${scope}` : 'this account';
  return `${name} was ${text(value)}, set for ${where}; ${otherwise}.`;
}

const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
