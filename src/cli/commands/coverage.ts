import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { type CoverageReport, isOfTable, mergeReports } from '../../domain/coverage.ts';
import { suggestion } from '../../nearest.ts';
import { clearCoverage, getCoverage, getWorkspaceCoverage, SITUATIONS } from '../../operations/coverage.ts';
import { type Cli, run, verb } from '../command.ts';
import { type Bar, barOptions, rendered, reportIn, shortfall } from '../coverage.ts';
import { describe } from '../describe.ts';
import { usage } from '../exit.ts';
import { notEmpty } from '../input/arguments.ts';
import { fileBytes, filesOf } from '../input/files.ts';
import { FORMATS, type Format, reportFormat, writeReport } from '../report-file.ts';
import { readdressed } from '../server/address.ts';

export default function coverage(noun: Command) {
  outputOptions(
    describe(
      noun,
      'Show which situations of the service the store has met, and what it does wrong.',
      'layaway coverage --format html --output coverage.html',
      'Each missing situation is shown with the command that reaches it. Requests of commands and of the levers ' +
        'of a test do not count, because they do not come from the store.',
    ),
  )
    .option('--all', 'sum over all accounts of the server; needs the control token')
    .argument('[verb...]')
    .usage('[options]')
    .action(
      run(async (cli, [word]: readonly string[], flags: Flags & { readonly all?: true }) => {
        if (word !== undefined)
          throw usage(`There is no command "coverage ${word}". ${suggestion(word, VERBS, 'coverage ')}`);
        const answer = flags.all ? await cli.client.call(getWorkspaceCoverage) : await cli.client.call(getCoverage);
        await show(cli, answer.body.data, flags, answer.text);
      }),
    );

  outputOptions(
    verb(
      noun,
      'merge <json...>',
      'Merge coverage reports, such as those of the shards of a test run.',
      'layaway coverage merge shard-1.json shard-2.json --fail-under 10',
    ),
  ).action(
    run(async (cli, given: readonly string[]) => {
      const missing = 'Missing reports: layaway coverage merge shard-1.json shard-2.json';
      const flags = flagsOfNoun(cli, 'merge');
      const reports: CoverageReport[] = [];
      const files = await filesOf(given, missing, 'Reports');
      // Two names, a name and a pattern, or a link may mean the same file, which counts once.
      for (const file of new Map(files.map((each) => [realPath(each), each])).values())
        reports.push(await shardIn(file));
      await show(cli, mergeReports(SITUATIONS, reports), flags);
    }),
  );

  verb(noun, 'clear', 'Clear what the store has met, and all findings.', 'layaway coverage clear').action(
    run(async (cli) => {
      flagsOfNoun(cli, 'clear');
      const answer = await cli.client.call(clearCoverage);
      await cli.show(answer, () => cli.out.note('Cleared the coverage of the account.'));
    }),
  );
}

/** Where a file is; the path itself if it cannot be found, such as a pipe. */
function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return resolve(file);
  }
}

const VERBS = ['merge', 'clear'];

interface Flags extends Bar {
  readonly format?: Format;
  readonly output?: string;
}

/** The noun has the same flags as its verbs, and takes them before these can. */
function flagsOfNoun({ flags }: Cli, verb: string): Flags {
  const { all, ...own } = flags as unknown as Flags & { readonly all?: true };
  if (all) throw usage(`--all sums the accounts of a server. It does not work with ${verb}.`);
  return own;
}

const outputOptions = (command: Command) =>
  barOptions(
    command
      .addOption(
        new Option('--format <name>', 'report format (default: by the extension of --output, otherwise text)').choices(
          FORMATS,
        ),
      )
      .option('--output <file>', 'write the report to this file: .json, .html, .xml (JUnit) or any other', notEmpty),
  );

async function shardIn(file: string): Promise<CoverageReport> {
  const report = reportIn((await fileBytes(file, 'coverage merge')).toString('utf8'));
  if (!report)
    throw usage(`${file} is not a coverage report. Write one with \`layaway coverage --format json --output <file>\`.`);
  if (isOfTable(SITUATIONS, report)) return report;
  throw usage(
    `${file} was written by another version of layaway, which has other situations or findings. Write all reports with the same version.`,
  );
}

async function show(cli: Cli, report: CoverageReport, flags: Flags, text?: string) {
  const { out } = cli;
  const format = reportFormat(FORMATS, { format: flags.format, output: flags.output }, out.json);
  if (flags.output !== undefined) await writeReport(flags.output, await rendered(report, format), out.document);
  else if (format === 'text') await print(cli, report);
  else out.document(format === 'json' && text !== undefined ? text : await rendered(report, format));
  const short = shortfall(report, flags);
  if (short) throw short;
}

async function print({ out, flags }: Cli, report: CoverageReport) {
  const { coverageLines } = await import('../report/coverage.ts');
  const situations = report.situations.map((each) => ({ ...each, how: readdressed(each.how, flags) }));
  for (const line of coverageLines({ ...report, situations }, out.paint, out.wrap)) out.line(line);
}
