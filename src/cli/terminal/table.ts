import { shorten, width } from './format.ts';
import { printable } from './printable.ts';

export interface Column {
  readonly title: string;
  /** Right-aligned, for figures. */
  readonly figures?: true;
  /** May be cut short on a narrow terminal; ids and amounts may not. */
  readonly shrinks?: true;
  readonly paint?: (text: string) => string;
}

const GAP = 2;
/** A cut column keeps at least this much. */
const SHRUNK = 8;

/**
 * Rows as lines of at most `columns`: aligned under their titles or, if that does not fit, one fact per line.
 * `Infinity` columns cut nothing, for pipes.
 */
export function table(shape: readonly Column[], rows: readonly (readonly string[])[], columns: number): string[] {
  const cells = rows.map((row) => row.map(printable));
  const widths = shape.map(({ title }, index) =>
    Math.max(width(title), ...cells.map((row) => width(row[index] ?? ''))),
  );
  const excess = sum(widths) + GAP * (shape.length - 1) - columns;
  if (excess > 0 && !shrink(shape, widths, excess)) return blocks(shape, cells, columns);

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
    const facts = shape.map(({ title, paint }, at): Fact => [title.toLowerCase(), row[at] ?? '', paint]);
    return [...(index === 0 ? [] : ['']), ...factLines(facts, columns)];
  });
}

export type Fact = readonly [label: string, value: string, paint?: ((text: string) => string) | undefined];

/** One labelled value per line, aligned. A value that does not fit goes below its label, in as many lines as it needs. */
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

/** Lines of at most `columns`, broken at spaces; a word that is longer stays whole, for it may be an id. */
export function wrapped(text: string, columns: number): string[] {
  if (text === '') return [];
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && width(`${last} ${word}`) <= columns) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

const same = (text: string) => text;
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
