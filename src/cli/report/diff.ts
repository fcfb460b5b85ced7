import type { Difference } from '../../scenario/match.ts';

/** A difference for a reader: lines that were expected begin with `-`, lines that are there with `+`. */
export function differenceLines({ at, expected, actual }: Difference): string[] {
  const before = linesOf(expected);
  const after = actual === undefined ? ['(nothing)'] : linesOf(actual);
  if (before.length === 1 && after.length === 1) return [at, `- ${before[0]}`, `+ ${after[0]}`];
  return [at, ...merged(before, after)];
}

function linesOf(value: unknown): string[] {
  if (typeof value === 'string') return value.split('\n').map((line, index) => (index === 0 ? line : `  ${line}`));
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) {
    return value.length === 0 ? ['(none)'] : value.map(String);
  }
  return (JSON.stringify(value, null, 2) ?? '(nothing)').split('\n');
}

/** Both texts as one, by their longest common subsequence of lines. */
function merged(before: readonly string[], after: readonly string[]): string[] {
  const length = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0));
  const at = (i: number, j: number) => length[i]?.[j] ?? 0;
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      const row = length[i] as number[];
      row[j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push(`  ${before[i]}`);
      i += 1;
      j += 1;
    } else if (i < before.length && (j >= after.length || at(i + 1, j) >= at(i, j + 1))) {
      lines.push(`- ${before[i]}`);
      i += 1;
    } else {
      lines.push(`+ ${after[j]}`);
      j += 1;
    }
  }
  return lines;
}
