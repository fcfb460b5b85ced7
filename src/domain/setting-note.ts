import { ASSUMPTIONS, type Assumption } from './assumptions.ts';

/** A setting that decided something, with its value at that time. */
export interface Setting {
  readonly name: string;
  readonly value: unknown;
}

/** Names the value, and says whether it is known to be the service's own. */
export function settingNote({ name, value }: Setting): string {
  const assumption = (ASSUMPTIONS as Readonly<Record<string, Assumption>>)[name];
  if (!assumption) return `${name} was ${text(value)}.`;
  return JSON.stringify(value) === JSON.stringify(assumption.default)
    ? `${name} was ${text(value)}, an assumption: the service description leaves it open (${assumption.completes}).`
    : `${name} was ${text(value)}, set for ${assumption.scope === 'platform' ? 'the platform' : 'this account'}; ${text(assumption.default)} is assumed otherwise.`;
}

const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
