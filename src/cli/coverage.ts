import { readFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { type CoverageReport, isReport } from '../domain/coverage.ts';
import { parsed } from '../domain/json.ts';
import { type CommandError, EXIT, unmet, usage } from './exit.ts';
import { formed } from './input/arguments.ts';
import { type Format, formatOf, writeReport } from './report-file.ts';
import type { Output, Paint, Wrap } from './terminal/output.ts';

/** What a coverage must reach. */
export interface Bar {
  readonly failUnder?: number;
  readonly failOnFindings?: true;
}

/** The coverage flags of commands that start a simulator of their own. */
export interface CoverageFlags extends Bar {
  /** A file, or true: on stderr. */
  readonly coverage?: string | true;
}

/** `--fail-under 80`, `--fail-under 72.5` */
export function percentage(text: string): number {
  const number = Number(text);
  if (/^\d{1,3}(\.\d+)?$/.test(text) && number <= 100) return number;
  throw new InvalidArgumentError('It must be a percentage from 0 to 100, such as 80.');
}

/**
 * The ending chooses the format. It must be known, so that a word after the flag by mistake is not taken for a file.
 */
const coverageFile = formed(
  (text) => formatOf(text) !== undefined,
  'The file must end in .json, .html, .xml (JUnit) or .txt. To print the report without a file, write --coverage last, before any `--`.',
);

export const barOptions = (command: Command) =>
  command
    .option('--fail-under <percent>', 'exit with 5 if less than this percentage of the situations was met', percentage)
    .option('--fail-on-findings', 'exit with 5 if there is a finding');

/** For `exec` and `run`. */
export const coverageOptions = (command: Command) =>
  barOptions(
    command.option(
      '--coverage [file]',
      'report what the store has met, on stderr or in a .json, .html, .xml or .txt file',
      coverageFile,
    ),
  );

/**
 * Checks before the start that the flags go together and that --coverage overwrites no JSON of another kind.
 * @throws CommandError
 */
export async function checkCoverage({ coverage, failUnder, failOnFindings }: CoverageFlags) {
  if (coverage === undefined) {
    const flag = failUnder !== undefined ? '--fail-under' : failOnFindings ? '--fail-on-findings' : null;
    if (flag !== null) throw usage(`${flag} needs --coverage.`);
    return;
  }
  if (coverage === true || formatOf(coverage) !== 'json') return;
  const before = await readFile(coverage, 'utf8').catch(() => null);
  if (before !== null && before.trim() !== '' && reportIn(before) === null) {
    throw usage(`${coverage} exists and is not a coverage report. Name another file for --coverage.`);
  }
}

/** Prints or writes the coverage. `shortfall` says what it does not reach. */
export async function tellCoverage(report: CoverageReport, { coverage }: CoverageFlags, out: Output) {
  if (coverage === undefined) return;
  if (coverage === true) {
    for (const line of await lines(report, out.paint, out.wrapNote)) out.note(line);
  } else {
    const print = (text: string) => text.trimEnd().split('\n').forEach(out.note);
    await writeReport(coverage, await rendered(report, formatOf(coverage) ?? 'json'), print);
  }
}

const lines = async (report: CoverageReport, paint: Paint, wrap?: Wrap) =>
  (await import('./report/coverage.ts')).coverageLines(report, paint, wrap);

/** The report as a document of that format. */
export async function rendered(report: CoverageReport, format: Format): Promise<string> {
  if (format === 'json') return `${JSON.stringify({ data: report }, null, 2)}\n`;
  if (format === 'html') return (await import('./report/coverage-html.ts')).coverageHtml(report);
  if (format === 'junit') return (await import('./report/coverage-junit.ts')).coverageJunit(report);
  const { PLAIN } = await import('./terminal/output.ts');
  return `${(await lines(report, PLAIN)).join('\n')}\n`;
}

/** Why a coverage is not enough; null when it is. */
export function shortfall(report: CoverageReport, { failUnder, failOnFindings }: Bar): CommandError | null {
  const { percent, findings } = report;
  const reasons: string[] = [];
  if (failUnder !== undefined && percent < failUnder) {
    reasons.push(`The coverage is ${percent}%, below the ${failUnder}% of --fail-under.`);
  }
  if (failOnFindings && findings.length > 0) {
    reasons.push(`The store has findings: ${findings.map(({ rule }) => rule).join(', ')}.`);
  }
  return reasons.length > 0 ? unmet(reasons.join(' ')) : null;
}

/** The report in a JSON document, as the control plane or `--format json` gives it; null when it holds none. */
export function reportIn(text: string): CoverageReport | null {
  // Some editors begin a file with a byte order mark, which counts as white space here.
  const document = parsed(text.trim(), null);
  const { data = document } = (document ?? {}) as { readonly data?: unknown };
  return isReport(data) ? data : null;
}

/** The exit code of the child counts, unless the child succeeded and the coverage falls short. */
export const codeWith = (code: number, short: CommandError | null) => (code === EXIT.done && short ? short.code : code);
