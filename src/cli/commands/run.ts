import { type Command, Option } from 'commander';
import { CHAOS_ID, type ChaosOptions } from '../../domain/chaos.ts';
import { type CoverageReport, mergeReports } from '../../domain/coverage.ts';
import { getCoverage, getWorkspaceCoverage, SITUATIONS } from '../../operations/coverage.ts';
import { exportTrace, type TraceState } from '../../operations/workspace.ts';
import type { ScenarioResult, StepResult } from '../../scenario/play.ts';
import type { Means, Server, Stage } from '../../scenario/stage.ts';
import type { TraceDocument } from '../../trace/file.ts';
import { type OneShot, run as oneShot } from '../command.ts';
import { type CoverageFlags, checkCoverage, coverageOptions, shortfall, tellCoverage } from '../coverage.ts';
import { describe } from '../describe.ts';
import { CommandError, EXIT, Refused, unmet, usage } from '../exit.ts';
import { wholeNumber } from '../input/arguments.ts';
import { filesOf } from '../input/files.ts';
import { givenFlags } from '../input/given-flags.ts';
import { checkReportFile, writeReport } from '../report-file.ts';
import type { Client } from '../server/client.ts';
import { exchange, noControlPlane, otherKind } from '../server/transport.ts';
import { toLookAt, writeTrace } from '../server/write-trace.ts';
import { closedPipe } from '../terminal/pipes.ts';
import { rest } from '../wait.ts';
import { CHAOS, chaos as chaosFlag } from './serve.ts';

export default function run(command: Command) {
  describe(
    coverageOptions(command),
    'Play scenario files, each against its own simulator, and check their expectations.',
    'layaway run scenarios/*.yaml --reporter junit --output layaway.xml',
    'With --base-url each scenario gets its own merchant on that server. This needs the control token: ' +
      '--control-token, or LAYAWAY_CONTROL_TOKEN if LAYAWAY_BASE_URL names the same server.' +
      '\nExits with 5 when an expectation fails, and with 2 when a file is invalid, before playing any.',
  )
    .argument('[scenario...]')
    .usage('<scenario...> [options]')
    .addOption(new Option('--reporter <name>', 'report format').choices(['spec', 'json', 'junit']).default('spec'))
    .option('--output <file>', 'write the report to this file; progress goes to stderr')
    .option('--seed <n>', 'make every id, token, reference and key reproducible', wholeNumber(0), 1)
    .option('--chaos <seed>[:<percent>]', CHAOS, chaosFlag)
    .option('--trace <file>', 'save a trace of the first scenario that fails')
    .option('--trace-always', 'save the trace of the last scenario when none fails')
    .action(oneShot(work));
}

/** How long a signal waits for a scenario to restore the platform. */
const LEAVING_MS = 5000;

interface Flags extends CoverageFlags {
  readonly reporter: 'spec' | 'json' | 'junit';
  readonly output?: string;
  readonly seed: number;
  readonly chaos?: ChaosOptions;
  readonly trace?: string;
  readonly traceAlways?: true;
}

async function work(
  { client, out, flags: global, beforeSignal }: OneShot,
  words: readonly string[],
  { output, seed, chaos, ...flags }: Flags,
) {
  // The exit code counts, even if nobody reads the output to the end.
  closedPipe.end = () => undefined;
  if (chaos !== undefined && global.baseUrl !== undefined) {
    throw usage('--chaos does not work with --base-url: start that server with `layaway serve --chaos`.');
  }
  const files = await filesOf(words, 'Missing scenario files: layaway run scenarios/*.yaml', 'Scenario files');
  await checkCoverage(flags);
  if (output !== undefined) await checkReportFile(output);
  if (typeof flags.coverage === 'string') await checkReportFile(flags.coverage);
  const reporter = out.json ? 'json' : flags.reporter;
  const [{ readScenarios }, { play }, { ownStage, stageOn }, spec] = await Promise.all([
    import('../../scenario/file.ts'),
    import('../../scenario/play.ts'),
    import('../../scenario/stage.ts'),
    import('../report/spec.ts'),
  ]);
  const scenarios = await readScenarios(files).catch(explain);

  // With a report in a file, stdout stays empty. A report for programs is all that stdout holds.
  const tellsOnStdout = reporter === 'spec' && output === undefined;
  const tell = (lines: readonly string[]) => {
    if (!tellsOnStdout && output === undefined) return;
    for (const line of lines) (tellsOnStdout ? out.line : out.note)(line);
  };
  const results: ScenarioResult[] = [];
  const traced = tracing(flags.trace, flags.traceAlways === true, out.note);
  const covered: CoverageReport[] = [];
  // A scenario's own simulator has only the accounts of the scenario; a given server may have others.
  const coverageOf = global.baseUrl === undefined ? getWorkspaceCoverage : getCoverage;
  for (const read of scenarios) {
    const stop = new AbortController();
    const stage = await (global.baseUrl === undefined
      ? ownStage(read.scenario, { seed, chaos }, MEANS)
      : stageOn(read, await serverOf(client), 'Run it without --base-url.')
    ).catch(explain);
    try {
      tell([spec.scenarioLine(read.scenario.name, read.file, out.paint)]);
      const tellStep = (step: StepResult) => {
        for (const { id, kind, on } of step.faults ?? []) if (id === CHAOS_ID) out.note(`chaos: ${kind} struck ${on}`);
        tell(spec.stepLines(step, read.file, out.paint));
      };
      const playing = play(read, stage, tellStep, stop.signal);
      beforeSignal(() => {
        stop.abort();
        return Promise.race([playing.catch(() => undefined), rest(LEAVING_MS)]);
      });
      const result = await playing;
      results.push(result);
      if (flags.coverage !== undefined) covered.push((await stage.ask(coverageOf)).data);
      const isLast = read === scenarios.at(-1);
      if (traced.isWanted(result, isLast)) await traced.save(stage, result);
    } catch (error) {
      // The work before the signal waits for the end of the scenario, then the process ends.
      if (stop.signal.aborted) return new Promise<void>(() => undefined);
      throw error;
    } finally {
      await stage.close();
    }
  }
  const failed = results.filter(({ status }) => status === 'failed').length;
  const summary = spec.summaryOf(results.length, failed);
  if (failed === 0) tell([out.paint.green(summary)]);

  if (output !== undefined) await writeReport(output, await reportOf(reporter, results, summary), out.document);
  else if (!tellsOnStdout) out.document(await reportOf(reporter, results, summary));
  const coverage = mergeReports(SITUATIONS, covered);
  await tellCoverage(coverage, flags, out);
  const short = flags.coverage === undefined ? null : shortfall(coverage, flags);
  const shown = failed > 0 ? unmet(summary) : short;
  const unsaved = traced.problem();
  if (shown && unsaved) out.note(unsaved.message);
  const end = shown ?? unsaved;
  if (end) throw end;
}

/**
 * Saves a trace of the first scenario that fails or, if it is always wanted, of the last one. A file that cannot be written
 * ends no scenario and costs no report.
 */
function tracing(file: string | undefined, always: boolean, note: (text: string) => void) {
  let isTried = false;
  let problem: CommandError | null = null;
  return {
    problem: () => problem,
    isWanted: ({ status }: ScenarioResult, isLast: boolean) =>
      file !== undefined && !isTried && (status === 'failed' || (always && isLast)),
    async save(stage: Stage, { name, status, steps }: ScenarioResult) {
      const { data } = (await stage.call(exportTrace)).body as { data: TraceState };
      const broken = steps.find((step) => step.status === 'failed');
      const messages = broken
        ? [`${broken.does}: ${broken.problem ?? broken.differences.map(({ at }) => at).join(', ')}`]
        : [];
      const failed = status === 'failed' ? { what: name, exit_code: EXIT.expectation, messages } : null;
      isTried = true;
      try {
        await writeTrace(file as string, { trace: 1, ...data, flags: givenFlags(), failure: failed } as TraceDocument);
        note(`Saved a trace. ${toLookAt(file as string)}`);
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        problem = error;
      }
    },
  };
}

const MEANS: Means = {
  start: async (options) => (await import('../../index.ts')).createSimulator(options),
  exchange,
  waiting: { now: () => performance.now(), pause: rest },
};

async function serverOf(client: Client): Promise<Server> {
  const [controlToken, { baseUrl: url }] = [await client.controlToken(), await client.address()];
  return { ...MEANS, url, controlToken };
}

/** @throws CommandError when the scenario is invalid, or the server creates no merchant for it */
async function explain(error: unknown): Promise<never> {
  const [{ ScenarioError }, { NoMerchant }, { told }] = await Promise.all([
    import('../../scenario/error.ts'),
    import('../../scenario/stage.ts'),
    import('../../scenario/told.ts'),
  ]);
  if (error instanceof ScenarioError) throw usage(error.message);
  if (!(error instanceof NoMerchant)) throw error;
  const { url, status, body } = error;
  if (status === 404) throw noControlPlane(url);
  if (status < 400) throw otherKind(url, 'it creates no merchants', error);
  if (status !== 401) throw new Refused(status, JSON.stringify(body), `No merchant for the scenario: ${told(error)}`);
  const hint = `The control token does not match the server at ${url}.`;
  throw new Refused(status, JSON.stringify(body), told(error), { hint });
}

async function reportOf(reporter: Flags['reporter'], results: readonly ScenarioResult[], summary: string) {
  if (reporter === 'json') return (await import('../report/json.ts')).jsonReport(results);
  if (reporter === 'junit') return (await import('../report/junit.ts')).junitReport(results);
  return (await import('../report/spec.ts')).specReport(results, summary);
}
