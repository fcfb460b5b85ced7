import { declined, interrupted, usage } from '../exit.ts';
import { shorten, width } from './format.ts';
import { printable } from './printable.ts';

/** Whether somebody can answer. In a pipeline a question would hang. */
export const canAsk = () => Boolean(process.stdin.isTTY && process.stdout.isTTY && !process.env.CI);

interface Question {
  readonly message: string;
  /** Throws what is wrong with an answer. Without it, every answer but an empty one is accepted. */
  readonly check?: (text: string) => unknown;
  readonly secret?: true;
}

/** A value, and the columns beside it by which a person recognizes it. */
export type Choice = readonly [value: string, ...others: string[]];

/** Questions go to stderr, because stdout is for data. If stderr goes elsewhere (`2>errors.log`), nobody would see them there. */
const output = process.stderr.isTTY ? process.stderr : process.stdout;
const context = { output };

/**
 * The value, or the answer of the person at the terminal, without the spaces that come along when it is pasted. A wrong
 * answer is asked for again; a given value is the caller's to check.
 * @throws CommandError when there is neither
 */
export async function asked(value: string | undefined, missing: string, question: Question): Promise<string> {
  if (value !== undefined) return value;
  refuseUnlessAsked(missing);
  const { input, password } = await import('@inquirer/prompts');
  const { message, check = notEmpty } = question;
  const validate = (text: string) => verdict(check, text.trim());
  const answer = question.secret
    ? password({ message, mask: true, validate }, context)
    : input({ message, validate }, context);
  return (await answered(answer)).trim();
}

function notEmpty(text: string) {
  if (text === '') throw usage('Please enter a value.');
}

/** True, or what is wrong with an answer. */
async function verdict(check: (text: string) => unknown, text: string): Promise<true | string> {
  try {
    await check(text);
    return true;
  } catch (error) {
    return printable((error as Error).message);
  }
}

/** An optional answer; undefined when it is empty. `check` is as in a question. */
export async function askedOptional(message: string, check: (text: string) => unknown): Promise<string | undefined> {
  const { input } = await import('@inquirer/prompts');
  const validate = (text: string) => text.trim() === '' || verdict(check, text.trim());
  const text = (await answered(input({ message: `${message} (optional)`, validate }, context))).trim();
  return text === '' ? undefined : text;
}

/** The value, or one that the person finds in a list by typing any part of it. */
export async function chosen(
  value: string | undefined,
  missing: string,
  question: {
    readonly message: string;
    /** That there is nothing to choose from, and how to get something. */
    readonly none: string;
    readonly choices: () => Promise<readonly Choice[]>;
  },
): Promise<string> {
  if (value !== undefined) return value;
  refuseUnlessAsked(missing);
  const choices = await question.choices();
  if (choices.length === 0) throw usage(question.none);
  const source = sourceOf(choices);
  return find(question.message, (term) => {
    const found = source(term);
    // An item that is too old for the list can still be typed.
    return found.length === 0 ? [{ value: term.trim(), name: term.trim() }] : found;
  });
}

/** The value, or one of a list that has all of them. */
export async function chosenOf(
  value: string | undefined,
  missing: string,
  question: { readonly message: string; readonly choices: readonly Choice[] },
): Promise<string> {
  if (value !== undefined) return value;
  refuseUnlessAsked(missing);
  return find(question.message, sourceOf(question.choices));
}

export const wordChoices = (words: readonly string[]): Choice[] => words.map((word) => [word]);

type Source = (term: string) => readonly { readonly value: string; readonly name: string }[];

async function find(message: string, source: Source): Promise<string> {
  const { search } = await import('@inquirer/prompts');
  return answered(search({ message, source: (term = '') => source(term) }, context));
}

function sourceOf(choices: readonly Choice[]): Source {
  const listed = aligned(choices);
  return (term) => {
    const part = term.trim().toLowerCase();
    // Tab searches for the whole line of the list.
    return listed.filter(({ text, name }) => `${text}\n${name}`.toLowerCase().includes(part));
  };
}

/** An arrow and a space, before each line of a list. */
const ARROW = 2;
const GAP = '  ';
/** A long cell keeps at least this much. An instant is shorter. */
const KEPT = 24;

function aligned(choices: readonly Choice[]) {
  const whole = choices.map((cells) => cells.map(printable));
  const room = (output.columns || 80) - ARROW;
  const isTight = lineWidth(fitting(whole, room)) > room;
  const rows = isTight ? whole.map(([value = '', ...others]) => [shortId(value), ...others]) : whole;
  const widths = fitting(rows, room);
  return choices.map(([value], index) => {
    const cells = (rows[index] ?? []).map((cell, column) => {
      const text = shorten(cell, widths[column] ?? 0);
      return text + ' '.repeat((widths[column] ?? 0) - width(text));
    });
    const name = shorten(cells.join(GAP).trimEnd(), room);
    return { value, name, short: printable(value), text: (whole[index] ?? []).join(GAP) };
  });
}

/** One long cell would push the columns after it out of every line. The first column, the value itself, is not cut. */
function fitting(rows: readonly (readonly string[])[], room: number): number[] {
  const [first = 0, ...others] = (rows[0] ?? []).map((_cell, column) =>
    Math.max(...rows.map((row) => width(row[column] ?? ''))),
  );
  for (let most = Math.max(0, ...others); ; most -= 1) {
    const widths = [first, ...others.map((each) => Math.min(each, most))];
    if (lineWidth(widths) <= room || most <= KEPT) return widths;
  }
}

const lineWidth = ([first = 0, ...others]: readonly number[]) =>
  others.reduce((sum, each) => sum + GAP.length + each, first);

/** `evt_…1A2B3C4D`: a person chooses by what stands beside it. */
const shortId = (id: string) => id.replace(/^([a-z]+_)\w{9,}(\w{8})$/, '$1…$2');

/**
 * Asks a person before something that cannot be undone. A script is not asked.
 * @throws CommandError when the person says no
 */
export async function confirmed(question: string, { yes = false }: { readonly yes?: boolean }): Promise<void> {
  if (yes || !canAsk()) return;
  const { confirm } = await import('@inquirer/prompts');
  if (!(await answered(confirm({ message: printable(question), default: false }, context)))) {
    throw declined();
  }
}

/**
 * If nobody can be asked, names every missing argument at once.
 * @throws CommandError
 */
export function requireAll(values: Readonly<Record<string, unknown>>): void {
  const missing = Object.keys(values).filter((name) => values[name] === undefined);
  if (missing.length > 0 && !canAsk()) throw usage(`Missing: ${missing.join('; ')}.`);
}

function refuseUnlessAsked(missing: string) {
  if (!canAsk()) throw usage(missing);
}

async function answered<T>(answer: Promise<T>): Promise<T> {
  process.on('SIGCONT', readAgain);
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Error && error.name === 'ExitPromptError') throw interrupted('Nothing done.');
    throw error;
  } finally {
    process.off('SIGCONT', readAgain);
  }
}

/** After Ctrl-Z and `fg`, readline leaves the terminal paused, and the question would end the command. */
const readAgain = () => setImmediate(() => process.stdin.resume());
