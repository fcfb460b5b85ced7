import type { ChalkInstance } from 'chalk';
import { type Column, type Fact, factLines, table, wrapped } from './table.ts';

type Colour = 'bold' | 'dim' | 'green' | 'yellow' | 'red' | 'cyan';
export type Paint = Readonly<Record<Colour, (text: string) => string>>;

/** Data to stdout, everything else to stderr. */
export interface Output {
  readonly json: boolean;
  readonly paint: Paint;
  /** One document on stdout, as it came. */
  document(text: string): void;
  line(text?: string): void;
  table(shape: readonly Column[], rows: readonly (readonly string[])[]): void;
  facts(facts: readonly Fact[]): void;
  /** A text as lines that fit beside an indent. */
  wrap(text: string, indent: number): string[];
  /** For the person at the terminal; never part of the data. */
  note(text: string): void;
}

const plain = (text: string) => text;
export const PLAIN: Paint = { bold: plain, dim: plain, green: plain, yellow: plain, red: plain, cyan: plain };

export async function createOutput(json: boolean): Promise<Output> {
  const { stdout } = process;
  const coloured = stdout.isTTY && !json && !process.env.NO_COLOR;
  const paint: Paint = coloured ? paintWith((await import('chalk')).default) : PLAIN;
  const columns = stdout.isTTY ? stdout.columns || 80 : Number.POSITIVE_INFINITY;
  const print = (lines: readonly string[]) => {
    if (lines.length > 0) stdout.write(`${lines.join('\n')}\n`);
  };
  return {
    json,
    paint,
    document: (text) => print([text.trimEnd()]),
    line: (text = '') => print([text]),
    table(shape, rows) {
      const [title, ...lines] = table(shape, rows, columns);
      const aligned = title !== undefined && lines.length === rows.length;
      print(aligned ? [paint.dim(title), ...lines] : table(shape, rows, columns));
    },
    facts: (facts) => print(factLines(facts, columns)),
    wrap: (text, indent) => wrapped(text, columns - indent),
    note: (text) => process.stderr.write(`${text}\n`),
  };
}

const paintWith = ({ bold, dim, green, yellow, red, cyan }: ChalkInstance): Paint => ({
  bold,
  dim,
  green,
  yellow,
  red,
  cyan,
});

/** What the states of sessions, contracts and installments feel like. */
export function statusPaint(paint: Paint): (status: string) => string {
  const tone: Readonly<Record<string, keyof Paint>> = {
    completed: 'green',
    active: 'green',
    paid: 'green',
    pending: 'yellow',
    decision_made: 'yellow',
    due: 'yellow',
    past_due: 'red',
    delinquent: 'red',
    defaulted: 'red',
    cancelled: 'dim',
    expired: 'dim',
  };
  return (status) => paint[tone[status.trim()] ?? 'bold'](status);
}
