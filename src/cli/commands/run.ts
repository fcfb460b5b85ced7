import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { CHAOS_ID, type ChaosOptions } from '../../domain/chaos.ts';
import { type CoverageReport, mergeReports } from '../../domain/coverage.ts';
import type { TraceState } from '../../domain/trace.ts';
import { getCoverage, getWorkspaceCoverage, SITUATIONS } from '../../operations/coverage.ts';
import { exportTrace } from '../../operations/workspace.ts';
import type { ScenarioError } from '../../scenario/error.ts';
import type { ReadScenario } from '../../scenario/file.ts';
import type { ScenarioResult, StepResult, Unplayed } from '../../scenario/result.ts';
import type { Dependencies, Server, Stage } from '../../scenario/stage.ts';
import { type OneShot, run as oneShot } from '../command.ts';
import { type CoverageFlags, checkCoverage, coverageOptions, shortfall, tellCoverage } from '../coverage.ts';
import { describe } from '../describe.ts';
import { CommandError, EXIT, failure, interrupted, Refused, unmet, usage } from '../exit.ts';
import { notEmpty, wholeNumber } from '../input/arguments.ts';
import { filesOf } from '../input/files.ts';
import { givenFlags } from '../input/given-flags.ts';
import { type ReportFlags, reporterOf, reporterOption } from '../input/reporter.ts';
import { CHAOS, chaos as chaosFlag } from '../input/server-flags.ts';
import { checkTrace, type TraceFlags } from '../input/trace-flags.ts';
import { checkReportFile, filesIn, refuseSameFile, type Written, writeReport } from '../report-file.ts';
import type { Client } from '../server/client.ts';
import { exchange, noControlPlane, otherKind } from '../server/transport.ts';
import { toLookAt, writeTrace } from '../server/write-trace.ts';
import { stoppedBySignal } from '../stopping.ts';
import { type Output, PLAIN } from '../terminal/output.ts';
import { closedPipe } from '../terminal/pipes.ts';
import { withProgress } from '../terminal/progress.ts';
import { rest } from '../wait.ts';

export default function run(command: Command) {
  describe(
    coverageOptions(command),
    'Play scenario files, each against its own simulator, and check their expectations.',
    'layaway run scenarios/*.yaml --reporter junit --output layaway.xml',
    'With --base-url each scenario gets its own merchant on that server. This needs the control token: ' +
      '--control-token, or LAYAWAY_CONTROL_TOKEN if LAYAWAY_BASE_URL names the same server.' +
      '\nExits with 5 when an expectation fails, and with 2 when a file is invalid, before playing any. ' +
      'If a signal interrupts it, it writes the report, the coverage and the trace of what it has played, ' +
      'and exits with 130. A second signal ends it at once.',
  )
    .argument('[scenario...]')
    .usage('<scenario...> [options]')
    .addOption(reporterOption())
    .option('--output <file>', 'write the report to this file; progress goes to stderr', notEmpty)
    .option('--seed <n>', 'make every id, token, reference and key reproducible (default: 1)', wholeNumber(0))
    .option('--chaos <seed>[:<percent>]', CHAOS, chaosFlag)
    .option('--trace <file>', 'save a trace of the first scenario that fails', notEmpty)
    .option('--trace-always', 'save the trace of the last scenario when none fails')
    .action(oneShot(work));
}

interface Flags extends CoverageFlags, TraceFlags, ReportFlags {
  readonly seed?: number;
  readonly chaos?: ChaosOptions;
}

/** Tells a person of progress: on stdout, unless that is for a report. */
type Tell = (lines: readonly string[]) => void;

interface Played {
  readonly results: readonly ScenarioResult[];
  readonly skipped: readonly Unplayed[];
  readonly coverage: CoverageReport;
  readonly isInterrupted: boolean;
  /** What ended the run before its time, such as a server that is gone. */
  readonly fault: { readonly error: unknown } | null;
}

async function work(shot: OneShot, words: readonly string[], flags: Flags) {
  // The exit code counts, even if nobody reads the output to the end.
  closedPipe.end = () => undefined;
  const { out } = shot;
  const files = await checkedFiles(words, flags, shot.flags.baseUrl);
  const reporter = reporterOf(flags, out.json);
  const scenarios = await readAll(files, shot);
  // With a report in a file, stdout stays empty. A report for programs is all that stdout holds.
  const tellsOnStdout = reporter === 'spec' && flags.output === undefined;
  const tell: Tell = (lines) => {
    if (!tellsOnStdout && flags.output === undefined) return;
    for (const line of lines) (tellsOnStdout ? out.line : out.note)(line);
  };
  const traced = flags.trace === undefined ? null : tracing(flags.trace, flags, shot);
  const played = await playAll(scenarios, flags, shot, traced, tell);
  const summary = await summaryOf(played);
  if (isPassed(played)) tell([out.paint.green(summary)]);

  const report = await reportOf(reporter, [...played.results, ...played.skipped], summary);
  if (flags.output !== undefined) await writeReport(flags.output, report, out.document);
  // Without a file for the report, what is printed is the error.
  else if (!tellsOnStdout && played.fault === null) out.document(report);
  await annotate(out, ({ annotationsOf }) => annotationsOf(played.results));
  await tellCoverage(played.coverage, flags, out);
  if (played.fault) throw played.fault.error;
  const end = endOf(played, flags, summary);
  const unsaved = traced?.problem();
  if (end && unsaved) out.note(unsaved.message);
  if (end ?? unsaved) throw end ?? unsaved;
}

/** The scenario files, when all flags can be met. */
async function checkedFiles(
  words: readonly string[],
  flags: Flags,
  baseUrl: string | undefined,
): Promise<readonly string[]> {
  const { output, trace, coverage } = flags;
  const ofServe = (['seed', 'chaos'] as const).find((name) => flags[name] !== undefined);
  if (ofServe !== undefined && baseUrl !== undefined) {
    throw usage(`--${ofServe} does not work with --base-url: start that server with \`layaway serve --${ofServe}\`.`);
  }
  const coverageFile = coverage === true ? undefined : coverage;
  const written = { '--output': output, '--coverage': coverageFile, '--trace': trace };
  // A flag without its value has taken the only scenario.
  if (words.length === 0) refuseOverwriting(written, []);
  const files = await filesOf(words, 'Missing scenario files: layaway run scenarios/*.yaml', 'Scenario files');
  refuseOverwriting(written, files);
  checkTrace(flags);
  await checkCoverage(flags);
  if (output !== undefined) await checkReportFile(output);
  if (coverageFile !== undefined) await checkReportFile(coverageFile);
  return files;
}

async function readAll(files: readonly string[], { flags, out }: OneShot): Promise<readonly ReadScenario[]> {
  const [{ readScenarios }, { refuseOwn }] = await Promise.all([
    import('../../scenario/file.ts'),
    import('../../scenario/stage.ts'),
  ]);
  try {
    const scenarios = await readScenarios(files);
    if (flags.baseUrl !== undefined) for (const each of scenarios) refuseOwn(each, 'Run it without --base-url.');
    return scenarios;
  } catch (error) {
    const { mistakes = [] } = error as Partial<ScenarioError>;
    await annotate(out, ({ mistakeAnnotations }) => mistakeAnnotations(mistakes));
    return explain(error);
  }
}

/** Plays one scenario after the other, until a signal or a fault ends it. */
async function playAll(
  scenarios: readonly ReadScenario[],
  { seed = 1, chaos, coverage }: Flags,
  { client, out, flags, beforeSignal }: OneShot,
  traced: ReturnType<typeof tracing> | null,
  tell: Tell,
): Promise<Played> {
  const [{ play }, { unplayed }, { ownStage, stageOn }, { told }, spec] = await Promise.all([
    import('../../scenario/play.ts'),
    import('../../scenario/result.ts'),
    import('../../scenario/stage.ts'),
    import('../../scenario/told.ts'),
    import('../report/spec.ts'),
  ]);
  const { stopping } = await stoppedBySignal({ beforeSignal });
  const results: ScenarioResult[] = [];
  const covered: CoverageReport[] = [];
  let fault: Played['fault'] = null;
  const isOwn = flags.baseUrl === undefined;
  // A scenario's own simulator has only the accounts of the scenario; a given server may have others.
  const coverageOf = isOwn ? getWorkspaceCoverage : getCoverage;
  const playOne = async (read: ReadScenario, tellStep: (step: StepResult) => void) => {
    const opening = isOwn
      ? ownStage(read, { seed, chaos }, DEPENDENCIES)
      : serverOf(client).then((server) => stageOn(read, server));
    const stage = await stopping.untilStopped(opening.catch(explain));
    if (stage === null) return;
    try {
      tell([spec.scenarioLine(read.scenario.name, read.file, out.paint)]);
      const result = await play(read, stage, tellStep, stopping);
      results.push(result);
      if (coverage !== undefined) {
        const answer = await stopping.untilLate(stage.call(coverageOf));
        // A scenario, or somebody else, may have reset the server, and with it the account.
        if (answer && answer.status >= 400) out.note(`The coverage leaves out ${read.file}: ${told(answer)}`);
        else if (answer) covered.push((answer.body as { readonly data: CoverageReport }).data);
      }
      const isLast = read === scenarios.at(-1);
      const code = stopping.isStopped ? EXIT.interrupted : EXIT.expectation;
      if (traced?.isWanted(result, isLast)) await stopping.untilLate(traced.save(stage, result, code));
    } finally {
      await stopping.untilLate(stage.close());
    }
  };
  for (const [index, read] of scenarios.entries()) {
    const played: StepResult[] = [];
    const tellStep = (step: StepResult) => {
      played.push(step);
      for (const { id, kind, on } of step.faults ?? []) if (id === CHAOS_ID) out.note(`chaos: ${kind} struck ${on}`);
      tell(spec.stepLines(step, read.file, out.paint));
    };
    try {
      await withProgress('Playing', playOne(read, tellStep));
    } catch (error) {
      // Nothing was played, so there is nothing to report.
      if (index + played.length === 0) throw error;
      if (results.length === index) results.push(brokenOff(unplayed(read), played, error as Error));
      fault = { error };
    }
    if (fault || stopping.isStopped) break;
  }
  const skipped = scenarios.slice(results.length).map(unplayed);
  return { results, skipped, coverage: mergeReports(SITUATIONS, covered), isInterrupted: stopping.isStopped, fault };
}

const failedIn = (results: readonly ScenarioResult[]) => results.filter(({ status }) => status === 'failed').length;

const isPassed = ({ results, isInterrupted, fault }: Played) =>
  failedIn(results) === 0 && !isInterrupted && fault === null;

async function summaryOf({ results, skipped, isInterrupted }: Played): Promise<string> {
  const { interruptionOf, summaryOf: summary } = await import('../report/spec.ts');
  const failed = failedIn(results);
  if (!isInterrupted) return summary(results.length, failed);
  return interruptionOf({ passed: results.length - failed, failed, skipped: skipped.length });
}

/** The error that decides the exit code, besides a fault; null for success. */
function endOf({ results, coverage, isInterrupted }: Played, flags: Flags, summary: string): CommandError | null {
  if (isInterrupted) return interrupted(summary);
  const short = flags.coverage === undefined ? null : shortfall(coverage, flags);
  if (failedIn(results) > 0) return unmet(short ? `${summary} ${short.message}` : summary);
  return short;
}

/** The result of a scenario that could not go on after some of its steps. */
function brokenOff(rest: Unplayed, played: readonly StepResult[], { message }: Error): ScenarioResult {
  const broken = (step: StepResult): StepResult => ({ ...step, status: 'failed', problem: message });
  const steps = rest.steps.map((step, index) => played[index] ?? (index === played.length ? broken(step) : step));
  return { ...rest, status: 'failed', steps };
}

/**
 * A shell expands `--output scenarios/*.yaml`, and the first scenario becomes the file to write.
 * @throws CommandError
 */
function refuseOverwriting(written: Written, scenarios: readonly string[]) {
  for (const [flag, file] of filesIn(written)) {
    const isYaml = /\.ya?ml$/i.test(file) && existsSync(file);
    if (isYaml || scenarios.some((scenario) => resolve(scenario) === resolve(file))) {
      throw usage(`${flag} would overwrite ${file}, which looks like a scenario. Name another file.`);
    }
  }
  refuseSameFile(written);
}

/**
 * Saves a trace of the first scenario that fails or, if it is always wanted, of the last one. A server that gives none, or a
 * file that cannot be written, ends no scenario and costs no report.
 */
function tracing(
  file: string,
  { traceAlways }: Pick<TraceFlags, 'traceAlways'>,
  { flags, out }: Pick<OneShot, 'flags' | 'out'>,
) {
  let isTried = false;
  let problem: CommandError | null = null;
  return {
    problem: () => problem,
    isWanted: ({ status }: ScenarioResult, isLast: boolean) =>
      !isTried && (status === 'failed' || (traceAlways === true && isLast)),
    async save(stage: Stage, { name, file: scenarioFile, status, steps }: ScenarioResult, code: number) {
      const [{ stepLines }, { told }] = await Promise.all([
        import('../report/spec.ts'),
        import('../../scenario/told.ts'),
      ]);
      const answer = await stage.call(exportTrace);
      const broken = steps.find((step) => step.status === 'failed');
      const messages = broken ? [shortened(stepLines(broken, scenarioFile, PLAIN))] : [];
      // Others may have asked a given server since.
      const account = flags.baseUrl === undefined ? {} : { client_id: stage.merchant.sandbox.client_id };
      const failed = status === 'failed' ? { what: name, exit_code: code, messages, ...account } : null;
      isTried = true;
      try {
        if (answer.status >= 400) throw failure(`${stage.url} gave no trace: ${told(answer)}`);
        const { data } = answer.body as { readonly data: TraceState };
        await writeTrace(file, { trace: 1, ...data, flags: givenFlags(), failure: failed });
        out.note(`Saved a trace. ${toLookAt(file)}`);
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        problem = error;
      }
    },
  };
}

/** How many lines a trace keeps of what failed: they stand above every page of the dashboard. */
const TOLD_LINES = 30;

function shortened(lines: readonly string[]): string {
  const left = lines.length - TOLD_LINES;
  const told =
    left > 0 ? [...lines.slice(0, TOLD_LINES), `  ${left} more lines. To see them, run the scenario again.`] : lines;
  return told.map((line) => line.slice(2)).join('\n');
}

const DEPENDENCIES: Dependencies = {
  start: async (options) => (await import('../../index.ts')).createSimulator(options),
  exchange,
  waiting: { now: () => performance.now(), pause: rest },
};

async function serverOf(client: Client): Promise<Server> {
  const [controlToken, { baseUrl: url }] = [await client.controlToken(), await client.address()];
  return { ...DEPENDENCIES, url, controlToken };
}

type Annotations = typeof import('../report/annotations.ts');

async function annotate(out: Output, linesOf: (annotations: Annotations) => string[]) {
  if (process.env.GITHUB_ACTIONS !== 'true') return;
  for (const line of linesOf(await import('../report/annotations.ts'))) out.note(line);
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

async function reportOf(reporter: Flags['reporter'], results: readonly (ScenarioResult | Unplayed)[], summary: string) {
  if (reporter === 'json') return (await import('../report/json.ts')).jsonReport(results);
  if (reporter === 'junit') return (await import('../report/junit.ts')).junitReport(results);
  return (await import('../report/spec.ts')).specReport(results, summary);
}
