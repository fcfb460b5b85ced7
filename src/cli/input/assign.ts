import { InvalidArgumentError } from 'commander';
import { ASSUMPTIONS, type Assumption } from '../../domain/assumptions.ts';
import { stateCode } from '../../domain/availability.ts';
import { list } from './arguments.ts';

export type AssumptionName = keyof typeof ASSUMPTIONS;

export const ASSUMPTION_NAMES = Object.keys(ASSUMPTIONS) as AssumptionName[];

export const isAssumption = (name: string): name is AssumptionName => Object.hasOwn(ASSUMPTIONS, name);

/**
 * Converts what a person typed to the type of the assumption. The server checks the range.
 * @throws InvalidArgumentError when it is not of that type
 */
export function typedValue(name: AssumptionName, text: string): unknown {
  const assumption: Assumption = ASSUMPTIONS[name];
  switch (assumption.kind) {
    case 'integer':
      return integer(name, text);
    case 'boolean':
      if (text === 'true' || text === 'false') return text === 'true';
      throw new InvalidArgumentError(`${name} must be true or false.`);
    case 'choice':
      if (assumption.values.includes(text)) return text;
      throw new InvalidArgumentError(`${name} must be one of ${assumption.values.join(', ')}.`);
    case 'state':
      return stateCode(text);
    case 'states':
      return list(unbracketed(text)).map(stateCode);
    case 'seconds':
      return list(unbracketed(text)).map((part) => integer(name, part));
    case 'text':
      return assumption.nullable && text === '' ? null : text;
    default:
      return text;
  }
}

/** A list as the README or `--json` shows it is in brackets. */
const unbracketed = (text: string) => /^\s*\[(.*)\]\s*$/s.exec(text)?.[1]?.replaceAll('"', '') ?? text;

function integer(name: string, text: string): number {
  if (/^\d+$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text);
  throw new InvalidArgumentError(
    `${name} must be a whole number, digits only${name.endsWith('_seconds') ? ', or several separated by commas' : ''}.`,
  );
}

/** `--set name=value` of a new merchant, repeated. */
export function assignment(text: string, before: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const at = text.indexOf('=');
  const name = text.slice(0, at);
  if (at > 0 && isAssumption(name) && ASSUMPTIONS[name].scope === 'merchant') {
    throw new InvalidArgumentError(`${name} has a flag of its own: --${name.replaceAll('_', '-')}.`);
  }
  if (at < 1 || !isAssumption(name) || ASSUMPTIONS[name].scope !== 'account') {
    throw new InvalidArgumentError('It must be name=value, with a name of the account in `layaway assumptions list`.');
  }
  if (Object.hasOwn(before, name)) throw new InvalidArgumentError(`The name ${name} appears twice.`);
  return { ...before, [name]: typedValue(name, text.slice(at + 1)) };
}
