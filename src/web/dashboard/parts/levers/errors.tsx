import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import type { AskError } from '../../ask.ts';
import { money } from '../../words.ts';

interface Refused {
  /** Messages by the field's name in the API. */
  readonly errors: Readonly<Record<string, string>>;
  /** How often the form was refused. */
  readonly count: number;
  /** Registers a field of the form. Returns a function that removes it. */
  join(name: string): () => void;
  clear(name: string): void;
  clearAll(): void;
  /** Shows each message at its field. False if a message has no field in this form. */
  refuse(error: AskError): boolean;
}

const NOWHERE: Refused = { errors: {}, count: 0, join: () => () => {}, clear() {}, clearAll() {}, refuse: () => false };

export const Refusals = createContext<Refused>(NOWHERE);
export const useRefusals = () => useContext(Refusals);

/** Fields that are sent together. A refusal appears at its field, and the first such field gets the focus. */
export function Fields({ children }: { children: (refused: Refused) => ComponentChildren }) {
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [count, setCount] = useState(0);
  const names = useRef(new Set<string>()).current;
  /** One item of a list is refused at the field of the list, and a whole object at the first field of its parts. */
  const fieldOf = (name: string) => {
    if (names.has(name)) return name;
    return [...names].find((each) => each.startsWith(`${name}.`)) ?? name.replace(/\.\d+$/, '');
  };
  const refused: Refused = {
    errors,
    count,
    join(name) {
      names.add(name);
      return () => names.delete(name);
    },
    clear(name) {
      if (name in errors) setErrors(Object.fromEntries(Object.entries(errors).filter(([each]) => each !== name)));
    },
    clearAll: () => setErrors({}),
    refuse({ errors: given }) {
      const told = Object.entries(given).map(([name, [message = '']]) => [fieldOf(name), message] as const);
      setErrors(Object.fromEntries(told));
      setCount((before) => before + 1);
      return told.length > 0 && told.every(([name]) => names.has(name));
    },
  };
  return <Refusals.Provider value={refused}>{children(refused)}</Refusals.Provider>;
}

/** The error message of a field, and a function that clears it. */
export function useFieldError(name: string | undefined, id: string, isCents: boolean) {
  const { errors, count, join, clear } = useRefusals();
  useEffect(() => (name === undefined ? undefined : join(name)), [name]);
  const message = name === undefined ? undefined : errors[name];
  const isFirst = name !== undefined && Object.keys(errors)[0] === name;
  // Only at a refusal: a field becomes the first one, too, while the one before it is being corrected.
  useEffect(() => {
    if (message !== undefined && isFirst) document.getElementById(id)?.focus();
  }, [count]);
  return {
    error: message === undefined ? null : inWords(message, isCents),
    clear: () => name !== undefined && clear(name),
  };
}

const SAID: readonly (readonly [wire: RegExp, words: string])[] = [
  [/^is required\.$/, 'This is required.'],
  [/^must be an integer\.$/, 'Enter a whole number.'],
  [/^must not be greater than ([\d,.$]+) characters\.$/, 'Must not be longer than $1 characters.'],
  [/^must not be greater than ([\d,.$]+)\.$/, 'Must not be more than $1.'],
  [/^must be a valid URL\.$/, 'Enter a URL that begins with http:// or https://.'],
  [/^must be a valid email address\.$/, 'Enter an email address, such as ada@example.com.'],
  [/^must be a string\.$/, 'Enter text.'],
  [/^must be absent: (.+)$/, 'Leave this empty: $1'],
  [/^is invalid\. Valid values: (.+)\.$/, 'Choose one of $1.'],
  [/^is invalid\.$/, 'Choose one of the values.'],
  [/^format is invalid\.$/, 'Does not have the required format.'],
  [/^names no (\w+) of this account\.$/, 'This account has no such $1.'],
];

/** Rewords a message of the API for people. It drops the field name, which the label already shows. */
function inWords(message: string, isCents: boolean): string {
  const what = message.replace(
    /^The (?:selected )?[\w. -]+?(?: field)? (?=format is|must|may|is|cannot|names|leads|does|and)/,
    '',
  );
  const amounts = isCents ? what.replaceAll(/\b\d{3,}\b/g, (cents) => money(Number(cents))) : what;
  for (const [wire, words] of SAID) if (wire.test(amounts)) return amounts.replace(wire, words);
  return amounts.charAt(0).toUpperCase() + amounts.slice(1);
}
