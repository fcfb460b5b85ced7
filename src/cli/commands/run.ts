import { writeFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { wholeNumber } from '../arguments.ts';
import { type Cli, run as oneShot } from '../command.ts';
import { describe } from '../describe.ts';
import { failure, unmet, usage } from '../exit.ts';
import { closedPipe } from '../pipes.ts';
import type { ScenarioResult } from '../scenario/play.ts';

export default function run(command: Command) {
  describe(
    command,
    'Play scenario files against a simulator of their own and check what they expect.',
    'layaway run scenarios/*.yaml --reporter junit --output layaway.xml',
    'With --base-url each scenario gets a merchant of its own on that server, which takes its control token: ' +
      '--control-token, or LAYAWAY_CONTROL_TOKEN where LAYAWAY_BASE_URL names the same server.' +
      '\nEnds with 5 when an expectation fails, with 2 when a file is wrong; then nothing was played.',
  )
    .argument('[scenario...]')
    .usage('<scenario...> [options]')
    .addOption(
      new Option('--reporter <name>', 'how the results are told').choices(['spec', 'json', 'junit']).default('spec'),
    )
    .option('--output <file>', 'write the report there; progress goes to stderr')
    .option('--seed <n>', 'fixes every id, token, reference and key', wholeNumber(0), 1)
    .action(oneShot(work));
}

interface Flags {
  readonly reporter: 'spec' | 'json' | 'junit';
  readonly output?: string;
  readonly seed: number;
}

async function work({ client, out, flags: global }: Cli, files: readonly string[], { output, seed, ...flags }: Flags) {
  // What failed is told by the exit code, even when nobody reads on.
  closedPipe.end = () => undefined;
  if (files.length === 0) throw usage('Name the scenario files to play: layaway run scenarios/*.yaml');
  const reporter = out.json ? 'json' : flags.reporter;
  const { readScenarios } = await import('../scenario/file.ts');
  const scenarios = await readScenarios(files);
  const [{ play }, { ownStage, stageElsewhere }, spec] = await Promise.all([
    import('../scenario/play.ts'),
    import('../scenario/stage.ts'),
    import('../scenario/report/spec.ts'),
  ]);

  // A report in a file leaves stdout empty, and one for machines has it to itself.
  const tellsOnStdout = reporter === 'spec' && output === undefined;
  const tell = (lines: readonly string[]) => {
    if (!tellsOnStdout && output === undefined) return;
    for (const line of lines) (tellsOnStdout ? out.line : out.note)(line);
  };
  const results: ScenarioResult[] = [];
  for (const { file, scenario, placeOf } of scenarios) {
    const stage =
      global.baseUrl === undefined ? await ownStage(scenario, seed) : await stageElsewhere(file, scenario, client);
    try {
      tell([spec.scenarioLine(scenario.name, file, out.paint)]);
      results.push(await play(file, scenario, stage, (step) => tell(spec.stepLines(step, out.paint)), placeOf));
    } finally {
      await stage.close();
    }
  }
  const failed = results.filter(({ status }) => status === 'failed').length;
  const summary = spec.summaryOf(results.length, failed);
  if (failed === 0) tell([out.paint.green(summary)]);

  if (output !== undefined) await write(output, await reportOf(reporter, results, summary));
  else if (!tellsOnStdout) out.document(await reportOf(reporter, results, summary));
  if (failed > 0) throw unmet(summary);
}

async function reportOf(reporter: Flags['reporter'], results: readonly ScenarioResult[], summary: string) {
  if (reporter === 'json') return (await import('../scenario/report/json.ts')).jsonReport(results);
  if (reporter === 'junit') return (await import('../scenario/report/junit.ts')).junitReport(results);
  return (await import('../scenario/report/spec.ts')).specReport(results, summary);
}

async function write(file: string, text: string) {
  try {
    await writeFile(file, text);
  } catch (error) {
    throw failure(`The report could not be written to ${file}: ${(error as Error).message}`, error);
  }
}
