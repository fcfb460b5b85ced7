import type { ChalkInstance } from 'chalk';
import { printable, printableJson } from './printable.ts';
import { hideProgress } from './progress.ts';
import { type Column, type Fact, factLines, type Span, table, wrapped } from './table.ts';

const COLORS = ['bold', 'dim', 'green', 'yellow', 'red', 'cyan'] as const;
type Color = (typeof COLORS)[number];
export type Paint = Readonly<Record<Color, (text: string) => string>>;

export type Wrap = (text: string | readonly Span[], indent: number, hang?: number) => string[];

interface Painting {
  readonly paint: Paint;
  /** What is written for a line, with its colors unless they are not wanted. */
  readonly shown: (line: string, isColored: boolean) => string;
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

const paintOf = (brushOf: (color: Color) => (text: string) => string) =>
  Object.fromEntries(COLORS.map((color) => [color, brushOf(color)])) as Paint;

/** For files, whose lines have no end. */
export const UNWRAPPED: Wrap = (text) => wrapped(text, Number.POSITIVE_INFINITY);
export const PLAIN = paintOf(() => (text) => text);

export async function createOutput(json: boolean): Promise<Output> {
  const { stdout } = process;
  const colored = stdout.isTTY && !json && !process.env.NO_COLOR;
  const { paint, shown }: Painting = colored
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
    // Whether to use colors was decided for stdout, but stderr may go to a file.
    note: (text) => write(process.stderr, shown(text, process.stderr.isTTY)),
  };
}

const columnsOf = ({ isTTY, columns }: NodeJS.WriteStream) => (isTTY ? columns || 80 : Number.POSITIVE_INFINITY);

const wrapAt =
  (columns: number): Wrap =>
  (text, indent, hang) => {
    const spans: readonly Span[] = typeof text === 'string' ? [[text]] : text;
    return wrapped(
      spans.map(([part, color]): Span => [printable(part), color]),
      columns - indent,
      hang,
    );
  };

/**
 * Until a line is written, a color is between two marks that nobody outside can guess, so that nothing that a server
 * sends is taken for a color.
 */
async function paintWith(chalk: ChalkInstance): Promise<Painting> {
  const { randomUUID } = await import('node:crypto');
  const mark = randomUUID();
  const marked = (color: Color) => {
    const [on, off] = chalk[color](mark).split(mark);
    return (text: string) => (text === '' ? '' : `${mark}${on}${mark}${text}${mark}${off}${mark}`);
  };
  const shown: Painting['shown'] = (line, isColored) =>
    line
      .split(mark)
      .map((part, index) => (index % 2 === 0 ? printable(part) : isColored ? part : ''))
      .join('');
  return { paint: paintOf(marked), shown };
}

/** The colors for the statuses of sessions, contracts and installments. */
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
