import { diffArrays } from 'diff';
import type { Difference } from '../../scenario/match.ts';

/** A place that terminals and editors open. */
export const placeIn = (file: string, { line, column }: { readonly line: number; readonly column: number }) =>
  `${file}:${line}:${column}`;

/** A difference for a reader: expected lines begin with `-`, actual lines with `+`. */
export function differenceLines({ at, expected, actual, ...place }: Difference, file: string): string[] {
  const head = `${placeIn(file, place)} ${at}`;
  const [before, after] = distinctLines(expected, actual);
  if (before.length === 1 && after.length === 1) {
    return [head, `- expected: ${before[0]}`, `+ actual:   ${after[0]}`];
  }
  return [`${head} (- expected, + actual)`, ...merged(before, after)];
}

/** Strings stand without quotes, except where only these tell the values apart, such as 200 and "200". */
function distinctLines(expected: unknown, actual: unknown): readonly [readonly string[], readonly string[]] {
  const plain = [linesOf(expected), actual === undefined ? ['(nothing)'] : linesOf(actual)] as const;
  return plain[0].join('\n') === plain[1].join('\n') ? [quotedLinesOf(expected), quotedLinesOf(actual)] : plain;
}

function linesOf(value: unknown): string[] {
  if (typeof value === 'string') return value.split('\n').map((line, index) => (index === 0 ? line : `  ${line}`));
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) {
    return value.length === 0 ? ['(none)'] : value.map(String);
  }
  return quotedLinesOf(value);
}

const quotedLinesOf = (value: unknown) => (JSON.stringify(value, null, 2) ?? '(nothing)').split('\n');

/** Both texts as one: lines that both have begin with a space. */
const merged = (before: readonly string[], after: readonly string[]): string[] =>
  diffArrays([...before], [...after]).flatMap(({ added, removed, value }) =>
    value.map((line) => `${added ? '+' : removed ? '-' : ' '} ${line}`),
  );
