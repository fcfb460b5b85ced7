import type { ChalkInstance } from 'chalk';
import { printable, printableJson } from './printable.ts';
import { hideProgress } from './progress.ts';
import { type Column, type Fact, factLines, type Span, table, wrapped } from './table.ts';

type Colour = 'bold' | 'dim' | 'green' | 'yellow' | 'red' | 'cyan';
export type Paint = Readonly<Record<Colour, (text: string) => string>>;

export type Wrap = (text: string | readonly Span[], indent: number, hang?: number) => string[];

/** Data goes to stdout, everything else to stderr. All text is made printable, because others may have written it. */
export interface Output {
  readonly json: boolean;
  readonly paint: Paint;
  /** One JSON or XML document on stdout. */
  document(text: string): void;
  line(text?: string): void;
  /** A line for programs, a tab between its values. */
  fields(values: readonly string[]): void;
  table(shape: readonly Column[], rows: readonly (readonly string[])[]): void;
  facts(facts: readonly Fact[]): void;
  /** A text as lines that fit beside an indent; those after the first beside `hang` more. */
  readonly wrap: Wrap;
  /** For the person at the terminal; never part of the data. */
  note(text: string): void;
}

const plain = (text: string) => text;
/** For files, whose lines have no end. */
export const UNWRAPPED: Wrap = (text) => wrapped(text, Number.POSITIVE_INFINITY);
export const PLAIN: Paint = { bold: plain, dim: plain, green: plain, yellow: plain, red: plain, cyan: plain };

export async function createOutput(json: boolean): Promise<Output> {
  const { stdout } = process;
  const coloured = stdout.isTTY && !json && !process.env.NO_COLOR;
  const { paint, shown } = coloured
    ? await paintWith((await import('chalk')).default)
    : { paint: PLAIN, shown: printable };
  const columns = stdout.isTTY ? stdout.columns || 80 : Number.POSITIVE_INFINITY;
  const write = (stream: NodeJS.WriteStream, text: string) => {
    hideProgress();
    stream.write(`${text}\n`);
  };
  const print = (lines: readonly string[]) => {
    if (lines.length > 0) write(stdout, lines.map(shown).join('\n'));
  };
  return {
    json,
    paint,
    document: (text) => write(stdout, printableJson(text.trimEnd())),
    line: (text = '') => print([text]),
    fields: (values) => write(stdout, values.map(printable).join('\t')),
    table(shape, rows) {
      const [title, ...lines] = table(shape, rows, columns);
      const aligned = title !== undefined && lines.length === rows.length;
      print(aligned ? [paint.dim(title), ...lines] : table(shape, rows, columns));
    },
    facts: (facts) => print(factLines(facts, columns)),
    wrap(text, indent, hang) {
      const spans: readonly Span[] = typeof text === 'string' ? [[text]] : text;
      return wrapped(
        spans.map(([part, colour]): Span => [printable(part), colour]),
        columns - indent,
        hang,
      );
    },
    note: (text) => write(process.stderr, shown(text)),
  };
}

/**
 * Until a line is written, a colour is between two marks that nobody outside can guess, so that nothing that a server
 * sends is taken for a colour.
 */
async function paintWith(chalk: ChalkInstance): Promise<{ paint: Paint; shown: (line: string) => string }> {
  const { randomUUID } = await import('node:crypto');
  const mark = randomUUID();
  const marked = (colour: Colour) => {
    const [on, off] = chalk[colour](mark).split(mark);
    return (text: string) => (text === '' ? '' : `${mark}${on}${mark}${text}${mark}${off}${mark}`);
  };
  const paint: Paint = {
    bold: marked('bold'),
    dim: marked('dim'),
    green: marked('green'),
    yellow: marked('yellow'),
    red: marked('red'),
    cyan: marked('cyan'),
  };
  const shown = (line: string) =>
    line
      .split(mark)
      .map((part, index) => (index % 2 === 0 ? printable(part) : part))
      .join('');
  return { paint, shown };
}

/** The colours for the statuses of sessions, contracts and installments. */
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
