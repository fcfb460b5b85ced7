import { declined, interrupted, usage } from '../exit.ts';
import { shorten, width } from './format.ts';
import { printable } from './printable.ts';

/** Whether somebody can answer. In a pipeline a question would hang. */
export const canAsk = () => Boolean(process.stdin.isTTY && process.stdout.isTTY && !process.env.CI);

export interface Choice {
  readonly value: string;
  /** The columns by which a person recognizes it. The value itself comes first. */
  readonly cells: readonly string[];
}

/** Questions belong to stderr: stdout may be captured. */
const context = { output: process.stderr };

/**
 * The value, or the answer of the person at the terminal.
 * @throws CommandError when there is neither
 */
export async function asked(
  value: string | undefined,
  missing: string,
  question: { readonly message: string; readonly validate?: (text: string) => true | string; readonly secret?: true },
): Promise<string> {
  if (value !== undefined) return value;
  refuseUnlessAsked(missing);
  const { input, password } = await import('@inquirer/prompts');
  const { message, validate = (text: string) => text.trim() !== '' || 'Please enter a value.' } = question;
  return answered(
    question.secret ? password({ message, mask: true, validate }, context) : input({ message, validate }, context),
  );
}

/** An optional answer; undefined when it is empty. */
export async function askedOptional(message: string): Promise<string | undefined> {
  const { input } = await import('@inquirer/prompts');
  const text = (await answered(input({ message: `${message} (optional)` }, context))).trim();
  return text === '' ? undefined : text;
}

/** The value, or one that the person finds in a list by typing any part of it. */
export async function chosen(
  value: string | undefined,
  missing: string,
  question: { readonly message: string; readonly none: string; readonly choices: () => Promise<readonly Choice[]> },
): Promise<string> {
  if (value !== undefined) return value;
  refuseUnlessAsked(missing);
  const choices = await question.choices();
  if (choices.length === 0) throw usage(`${question.none} ${missing}`);
  const { search } = await import('@inquirer/prompts');
  const listed = aligned(choices);
  const source = (term = '') => {
    const found = listed.filter(({ text }) => text.toLowerCase().includes(term.toLowerCase()));
    // An item that is too old for the list can still be typed.
    return found.length === 0 ? [{ value: term.trim(), name: term.trim() }] : found;
  };
  return answered(search({ message: question.message, source: (term) => source(term) }, context));
}

/** An arrow and a space, before each line of a list. */
const ARROW = 2;

function aligned(choices: readonly Choice[]) {
  const rows = choices.map(({ cells }) => cells.map(printable));
  const widths = (rows[0] ?? []).map((_cell, column) => Math.max(...rows.map((row) => width(row[column] ?? ''))));
  return choices.map(({ value }, index) => {
    const cells = (rows[index] ?? []).map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - width(cell)));
    const line = cells.join('  ').trimEnd();
    const name = shorten(line, (process.stderr.columns || 80) - ARROW);
    return { value, name, short: printable(value), text: (rows[index] ?? []).join('  ') };
  });
}

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
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Error && error.name === 'ExitPromptError') throw interrupted('Nothing done.');
    throw error;
  }
}
