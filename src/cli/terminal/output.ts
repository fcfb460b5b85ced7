import type { ChalkInstance } from 'chalk';
import { printable, printableJson } from './printable.ts';
import { hideProgress } from './progress.ts';
import { type Column, type Fact, factLines, type Span, table, wrapped } from './table.ts';

const COLOURS = ['bold', 'dim', 'green', 'yellow', 'red', 'cyan'] as const;
type Colour = (typeof COLOURS)[number];
export type Paint = Readonly<Record<Colour, (text: string) => string>>;

export type Wrap = (text: string | readonly Span[], indent: number, hang?: number) => string[];

interface Painting {
  readonly paint: Paint;
  /** What is written for a line, with its colours unless they are not wanted. */
  readonly shown: (line: string, isColoured: boolean) => string;
}

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
  /** The same for what goes to `note`. */
  readonly wrapNote: Wrap;
  /** For the person at the terminal; never part of the data. */
  note(text: string): void;
}

const paintOf = (brushOf: (colour: Colour) => (text: string) => string) =>
  Object.fromEntries(COLOURS.map((colour) => [colour, brushOf(colour)])) as Paint;

/** For files, whose lines have no end. */
export const UNWRAPPED: Wrap = (text) => wrapped(text, Number.POSITIVE_INFINITY);
export const PLAIN = paintOf(() => (text) => text);

export async function createOutput(json: boolean): Promise<Output> {
  const { stdout } = process;
  const coloured = stdout.isTTY && !json && !process.env.NO_COLOR;
  const { paint, shown }: Painting = coloured
    ? await paintWith((await import('chalk')).default)
    : { paint: PLAIN, shown: printable };
  const columns = columnsOf(stdout);
  const write = (stream: NodeJS.WriteStream, text: string) => {
    hideProgress();
    stream.write(`${text}\n`);
  };
  const print = (lines: readonly string[]) => {
    if (lines.length > 0) write(stdout, lines.map((line) => shown(line, true)).join('\n'));
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
    wrap: wrapAt(columns),
    wrapNote: (...text) => wrapAt(columnsOf(process.stderr))(...text),
    // Whether to use colours was decided for stdout, but stderr may go to a file.
    note: (text) => write(process.stderr, shown(text, process.stderr.isTTY)),
  };
}

const columnsOf = ({ isTTY, columns }: NodeJS.WriteStream) => (isTTY ? columns || 80 : Number.POSITIVE_INFINITY);

const wrapAt =
  (columns: number): Wrap =>
  (text, indent, hang) => {
    const spans: readonly Span[] = typeof text === 'string' ? [[text]] : text;
    return wrapped(
      spans.map(([part, colour]): Span => [printable(part), colour]),
      columns - indent,
      hang,
    );
  };

/**
 * Until a line is written, a colour is between two marks that nobody outside can guess, so that nothing that a server
 * sends is taken for a colour.
 */
async function paintWith(chalk: ChalkInstance): Promise<Painting> {
  const { randomUUID } = await import('node:crypto');
  const mark = randomUUID();
  const marked = (colour: Colour) => {
    const [on, off] = chalk[colour](mark).split(mark);
    return (text: string) => (text === '' ? '' : `${mark}${on}${mark}${text}${mark}${off}${mark}`);
  };
  const shown: Painting['shown'] = (line, isColoured) =>
    line
      .split(mark)
      .map((part, index) => (index % 2 === 0 ? printable(part) : isColoured ? part : ''))
      .join('');
  return { paint: paintOf(marked), shown };
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
