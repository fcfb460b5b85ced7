import type { Result, Run } from './result.ts';

/** A line in two runs. Shares are of the earlier value: 0.25 is a quarter. */
export interface Difference {
  readonly figure: string;
  readonly name: string;
  readonly before: number;
  readonly after: number;
  /** Above 0: slower, or larger. */
  readonly slower: number;
  /** How large a difference the noise of both runs explains. */
  readonly noise: number;
  /** The part of `slower`, up or down, that the noise does not explain. */
  readonly beyond: number;
}

export interface Comparison {
  readonly slower: readonly Difference[];
  readonly faster: readonly Difference[];
  readonly same: number;
  /** Lines of only one of the runs. */
  readonly missing: readonly string[];
  /** Other differences between the runs. */
  readonly warnings: readonly string[];
}

const keyOf = ({ figure, name }: Result) => `${figure}: ${name}`;

export function compare(before: Run, after: Run): Comparison {
  const stored = new Map(before.figures.map((result) => [keyOf(result), result]));
  const measured = new Set(after.figures.map(({ figure }) => figure));
  const differences: Difference[] = [];
  const missing: string[] = [];
  for (const result of after.figures) {
    const former = stored.get(keyOf(result));
    stored.delete(keyOf(result));
    const difference = former && differenceOf(former, result);
    if (difference) differences.push(difference);
    else missing.push(`${keyOf(result)} (only in this run)`);
  }
  // Figures that this run left out on purpose are not missing.
  for (const [key, { figure }] of stored) if (measured.has(figure)) missing.push(`${key} (only in the stored run)`);
  const slower = differences.filter(({ beyond }) => beyond > 0);
  const faster = differences.filter(({ beyond }) => beyond < 0);
  return {
    slower: slower.sort((a, b) => b.beyond - a.beyond),
    faster: faster.sort((a, b) => a.beyond - b.beyond),
    same: differences.length - slower.length - faster.length,
    missing,
    warnings: warningsOf(before, after),
  };
}

/** Null if only one of them has a reference, because the values are then not comparable. */
function differenceOf(before: Result, after: Result): Difference | null {
  if (Boolean(before.reference) !== Boolean(after.reference)) return null;
  const isBetterHigh = ['req/s', '/s'].includes(after.unit);
  const slower = isBetterHigh ? before.worth / after.worth - 1 : after.worth / before.worth - 1;
  const noise = Math.hypot(before.noise ?? 0, after.noise ?? 0);
  const beyond = Math.sign(slower) * Math.max(0, Math.abs(slower) - noise);
  const { figure, name } = after;
  return { figure, name, before: before.worth, after: after.worth, slower, noise, beyond };
}

function warningsOf(before: Run, after: Run): string[] {
  const differing = [
    ['machines', before.machine.cpu, after.machine.cpu],
    ['numbers of cores', String(before.machine.cores), String(after.machine.cores)],
    ['versions of Node', before.node, after.node],
    ['efforts', before.effort, after.effort],
  ] as const;
  return differing
    .filter(([, was, is]) => was !== is)
    .map(([what, was, is]) => `The runs have different ${what}: ${was} and ${is}.`);
}

export function describe({ slower, faster, same, missing, warnings }: Comparison): string {
  const lines = [...warnings];
  const list = (title: string, differences: readonly Difference[], word: string) => {
    if (differences.length === 0) return;
    lines.push(title, ...differences.map((difference) => `  ${sentence(difference, word)}`));
  };
  list('Slower than the stored run:', slower, 'slower');
  list('Faster than the stored run:', faster, 'faster');
  if (missing.length > 0) lines.push('Not compared:', ...missing.map((line) => `  ${line}`));
  lines.push(`${slower.length} slower, ${faster.length} faster, ${same} the same within the noise.`);
  return lines.join('\n');
}

function sentence({ figure, name, before, after, slower, noise, beyond }: Difference, word: string): string {
  const change = `${before.toPrecision(3)} to ${after.toPrecision(3)}`;
  return `${figure}: ${name.trim()}: ${percent(slower)} ${word} (${change}), ${percent(beyond)} beyond the noise of ${percent(noise)}`;
}

const percent = (share: number) => `${Math.abs(100 * share).toFixed(0)} %`;
