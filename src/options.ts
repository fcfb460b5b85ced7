import { isRecord } from './domain/json.ts';
import { suggestion } from './nearest.ts';

/** What a value must be, and whether it is. */
export interface Form {
  readonly what: string;
  is(value: unknown): boolean;
}

export const isText = (value: unknown): value is string => typeof value === 'string';
const isFunction = (value: unknown) => typeof value === 'function';

/** For what is checked elsewhere. */
export const ANY: Form = { what: 'anything', is: () => true };
export const TEXT: Form = { what: 'a string', is: isText };
/** An empty one would match everything. */
export const FILTER: Form = { what: 'a string that is not empty', is: (value) => isText(value) && value.trim() !== '' };
export const TEXTS: Form = {
  what: 'a list of strings',
  is: (value) => Array.isArray(value) && value.every(isText),
};
export const FLAG: Form = { what: 'true or false', is: (value) => typeof value === 'boolean' };
/**
 * A plain object: the content of a file, or options. The fields of a URL, a promise or a signal are not its own, so it would
 * pass for an empty one.
 */
export const isContent = (value: unknown): value is object =>
  ['[object Object]', '[object Module]'].includes(Object.prototype.toString.call(value));
export const MAP: Form = { what: 'an object', is: isRecord };
/** The entries of `Headers` or a Map are not properties, so none of them would be sent. */
export const isHeaders = (value: unknown): value is Record<string, unknown> =>
  isRecord(value) && !(Symbol.iterator in value);
export const CALLBACK: Form = { what: 'a function', is: isFunction };
export const SEED: Form = {
  what: 'a whole number of at least 0, or a string with at least one character',
  is: (value) => (isText(value) && value !== '') || (Number.isSafeInteger(value) && (value as number) >= 0),
};

export const oneOf = (...values: readonly string[]): Form => ({
  what: values.join(' or '),
  is: (value) => isText(value) && values.includes(value),
});

/** An object with these functions. It may be an instance of a class. */
export const withFunctions = (what: string, ...names: readonly string[]): Form => ({
  what,
  is: (value) => isRecord(value) && names.every((name) => isFunction(value[name])),
});

/** An object with these strings. */
export const withTexts = (what: string, ...names: readonly string[]): Form => ({
  what,
  is: (value) => isRecord(value) && names.every((name) => isText(value[name])),
});

/** Whether the rows make sense is found when the trace is opened. */
export const TRACE: Form = {
  what: 'a trace, as readTrace returns it',
  is: (value) => isRecord(value) && value.trace === 1 && isRecord(value.tables) && TEXTS.is(value.flags),
};

/** A sentence about the first option that is unknown or wrong; null if there is none. */
export function wrongOption(given: unknown, forms: Readonly<Record<string, Form>>, of: string): string | null {
  const names = Object.keys(forms);
  if (!isRecord(given)) return noObject(of);
  if (!isContent(given)) return `${notPlain(of)} Available: ${names.join(', ')}.`;
  for (const [name, value] of Object.entries(given)) {
    const form = Object.hasOwn(forms, name) ? forms[name] : undefined;
    if (!form) return `${of} has no option "${name}". ${suggestion(name, names)}`;
    if (value !== undefined && !form.is(value)) return `The option ${name} of ${of} must be ${form.what}.`;
  }
  return null;
}

const noObject = (of: string) => `The options of ${of} must be an object.`;
const notPlain = (of: string) => `The options of ${of} must be a plain object.`;

/**
 * For options that the server checks.
 * @throws TypeError
 */
export function refuseNonObject(given: unknown, of: string): asserts given is object {
  if (!isRecord(given)) throw new TypeError(noObject(of));
  if (!isContent(given)) throw new TypeError(notPlain(of));
}

/** @throws TypeError for one of these options that is missing */
export function refuseLacking<Name extends string>(
  given: Readonly<Record<Name, unknown>>,
  names: readonly Name[],
  of: string,
): void {
  for (const name of names) if (given[name] === undefined) throw new TypeError(`${of} needs the option ${name}.`);
}

/**
 * A mistyped option would have no effect, and a test would pass wrongly.
 * @throws TypeError for an option that is unknown or wrong
 */
export function refuseWrong(given: unknown, forms: Readonly<Record<string, Form>>, of: string): void {
  const wrong = wrongOption(given, forms, of);
  if (wrong !== null) throw new TypeError(wrong);
}
