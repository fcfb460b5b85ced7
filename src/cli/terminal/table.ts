import { shorten, width } from './format.ts';
import { printable } from './printable.ts';

export interface Column {
  readonly title: string;
  /** Right-aligned, for figures. */
  readonly figures?: true;
  /** May be cut short on a narrow terminal; ids and amounts may not. */
  readonly shrinks?: true;
  /** Sentences, which go below their row if they do not fit. At most one column. */
  readonly sentences?: true;
  readonly paint?: (text: string) => string;
}

const GAP = 2;
/** A cut column keeps at least this much. */
const SHRUNK = 8;

/** Lines of a usual terminal. */
const SCREEN = 24;

/**
 * Rows as lines of at most `columns`: aligned under their titles or, if that does not fit, one fact per line. Nothing is
 * cut of what fits a screen in that way. `Infinity` columns cut nothing, for pipes.
 */
export function table(shape: readonly Column[], rows: readonly (readonly string[])[], columns: number): string[] {
  const cells = rows.map((row) => row.map(printable));
  const mayCut = rows.length * (shape.length + 1) > SCREEN;
  const sentences = shape.findIndex((column) => column.sentences);
  const fitting =
    sentences < 0
      ? aligned(shape, cells, columns, mayCut)
      : (aligned(shape, cells, columns, false) ?? above(shape, cells, columns, mayCut, sentences));
  return fitting ?? blocks(shape, cells, columns);
}

/** One line per row, after that of the titles; null if they do not fit, even with the cuts that `mayCut` allows. */
function aligned(
  shape: readonly Column[],
  cells: readonly (readonly string[])[],
  columns: number,
  mayCut: boolean,
): string[] | null {
  // Not as arguments of one call, which takes some 100,000 at most.
  const widths = shape.map(({ title }, index) =>
    cells.reduce((widest, row) => Math.max(widest, width(row[index] ?? '')), width(title)),
  );
  const excess = sum(widths) + GAP * (shape.length - 1) - columns;
  if (excess > 0 && !(mayCut && shrink(shape, widths, excess))) return null;

  const line = (row: readonly string[], paints: boolean) =>
    shape
      .map(({ figures, paint }, index) => {
        const columnWidth = widths[index] ?? 0;
        const text = shorten(row[index] ?? '', columnWidth);
        const padding = ' '.repeat(columnWidth - width(text));
        const shown = paints && paint ? paint(text) : text;
        return figures ? padding + shown : shown + padding;
      })
      .join(' '.repeat(GAP))
      .trimEnd();
  return [
    line(
      shape.map(({ title }) => title),
      false,
    ),
    ...cells.map((row) => line(row, true)),
  ];
}

/** The rows without the column at `index`, whose sentences follow each row. */
function above(
  shape: readonly Column[],
  cells: readonly (readonly string[])[],
  columns: number,
  mayCut: boolean,
  index: number,
): string[] | null {
  const others = cells.map((row) => row.toSpliced(index, 1));
  const [titles, ...lines] = aligned(shape.toSpliced(index, 1), others, columns, mayCut) ?? [];
  if (titles === undefined) return null;
  const paint = shape[index]?.paint ?? same;
  const below = (row: readonly string[]) =>
    wrapped(row[index] ?? '', columns - GAP).map((line) => `${' '.repeat(GAP)}${paint(line)}`);
  return [titles, ...lines.flatMap((line, at) => [line, ...below(cells[at] ?? [])])];
}

/** Takes `excess` from the widest shrinking columns; false when they cannot give that much. */
function shrink(shape: readonly Column[], widths: number[], excess: number): boolean {
  for (let left = excess; left > 0; left -= 1) {
    let widest = -1;
    shape.forEach(({ shrinks }, index) => {
      const candidate = widths[index] ?? 0;
      if (shrinks && candidate > SHRUNK && candidate > (widths[widest] ?? 0)) widest = index;
    });
    if (widest < 0) return false;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return true;
}

function blocks(shape: readonly Column[], rows: readonly (readonly string[])[], columns: number): string[] {
  return rows.flatMap((row, index) => {
    const facts = shape.map(
      ({ title, paint }, at): Fact => [title.trim().toLowerCase(), (row[at] ?? '').trim(), paint],
    );
    return [...(index === 0 ? [] : ['']), ...factLines(facts, columns)];
  });
}

export type Fact = readonly [label: string, value: string, paint?: ((text: string) => string) | undefined];

/** One labeled value per line, aligned. A value that does not fit goes below its label, in as many lines as it needs. */
export function factLines(facts: readonly Fact[], columns: number): string[] {
  const cleaned = facts.map(([label, value, paint = same]) => [printable(label), printable(value), paint] as const);
  const labelWidth = Math.max(...cleaned.map(([label]) => width(label)));
  return cleaned.flatMap(([label, text, paint]) => {
    if (labelWidth + GAP + width(text) > columns) {
      return [label, ...wrapped(text, columns - GAP).map((line) => `${' '.repeat(GAP)}${paint(line)}`)];
    }
    return [`${label}${' '.repeat(labelWidth - width(label) + GAP)}${paint(text)}`.trimEnd()];
  });
}

/** A part of a text, with its color. */
export type Span = readonly [text: string, paint?: ((text: string) => string) | undefined];

/**
 * Lines of at most `columns`, those after the first shorter by `hang`, broken at spaces. A longer word stays whole, for
 * it may be an id, and so does a command in backticks: it can still be copied.
 */
export function wrapped(text: string | readonly Span[], columns: number, hang = 0): string[] {
  const spans: readonly Span[] = typeof text === 'string' ? [[text]] : text;
  const lines: string[] = [];
  for (const word of wordsOf(spans.map(([part]) => part).join(''))) {
    const last = lines.at(-1);
    const room = lines.length > 1 ? columns - hang : columns;
    if (last !== undefined && width(`${last} ${word}`) <= room) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return painted(lines, spans);
}

function wordsOf(text: string): string[] {
  if (text === '') return [];
  const words: string[] = [];
  let isCommand = false;
  for (const piece of text.split(' ')) {
    if (isCommand) words.push(`${words.pop()} ${piece}`);
    else words.push(piece);
    if (piece.split('`').length % 2 === 0) isCommand = !isCommand;
  }
  return isCommand ? text.split(' ') : words;
}

/** The lines of the spans in the colors of the spans. Between two lines, one space is gone. */
function painted(lines: readonly string[], spans: readonly Span[]): string[] {
  let at = 0;
  return lines.map((line) => {
    const [from, to] = [at, at + line.length];
    at = to + 1;
    let begin = 0;
    return spans
      .map(([text, paint = same]) => {
        const part = text.slice(Math.max(0, from - begin), Math.max(0, to - begin));
        begin += text.length;
        return part === '' ? '' : paint(part);
      })
      .join('');
  });
}

const same = (text: string) => text;
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
