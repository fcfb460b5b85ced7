import { statSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { type Command, Option } from 'commander';
import { execa } from 'execa';
import type { CoverageReport } from '../../domain/coverage.ts';
import { endTree } from '../../end-tree.ts';
import type { SandboxShop, Simulator } from '../../index.ts';
import type { TraceDocument, TraceFailure } from '../../trace/file.ts';
import { keepGuard } from '../child-guard.ts';
import { type Cli, ENDING, runUntilStopped } from '../command.ts';
import { type CoverageFlags, checkCoverage, codeWith, coverageOptions, shortfall, tellCoverage } from '../coverage.ts';
import { needCurrentFolder } from '../current-folder.ts';
import { describe } from '../describe.ts';
import { CommandError, EXIT, usage } from '../exit.ts';
import { notEmpty, wholeNumber } from '../input/arguments.ts';
import { givenFlags } from '../input/given-flags.ts';
import { type ServerFlags, serverOptions, simulatorOptions, startNotes } from '../input/server-flags.ts';
import { pasted } from '../input/shell-quoted.ts';
import { checkTrace, type TraceFlags } from '../input/trace-flags.ts';
import { checkReportFile, refuseSameFile } from '../report-file.ts';
import { withoutProxy } from '../server/proxy.ts';
import { forCommandLine } from '../server/running.ts';
import { toLookAt, writeTrace } from '../server/write-trace.ts';
import { watchChaos } from '../show/chaos.ts';
import { asked } from '../terminal/prompt.ts';

export default function exec(command: Command) {
  describe(
    coverageOptions(serverOptions(command, { port: 0 })),
    'Start a simulator, run a command with its environment variables, stop, and exit with the command’s exit code.',
    'layaway exec --clock frozen --now 2026-01-01T00:00:00Z --workers 4 -- npm test',
    'Accepts every flag of `layaway serve` except --open. ' +
      'State is kept in memory unless --data names a directory. The command gets LAYAWAY_BASE_URL, ' +
      'LAYAWAY_CLIENT_ID, LAYAWAY_API_KEY and the other variables that `layaway serve` prints. With --workers it also gets ' +
      'LAYAWAY_WORKERS=n and, for each i from 1 to n, LAYAWAY_WORKER_<i>_CLIENT_ID, _API_KEY, _LIVE_CLIENT_ID, ' +
      '_LIVE_API_KEY and _WEBHOOK_SECRET.',
  )
    .option('--workers <n>', 'create a separate merchant for each of n parallel workers', wholeNumber(1, 1000))
    .option('--trace <file>', 'save a trace when the command fails, or the coverage falls short', notEmpty)
    .option('--trace-always', 'also save the trace when nothing fails')
    .addOption(new Option('--open').hideHelp())
    .argument('[command...]')
    .usage('[options] -- <command...>')
    .action(runUntilStopped(work));
}

interface Flags extends ServerFlags, CoverageFlags, TraceFlags {
  readonly workers?: number;
  readonly open?: true;
}

async function work({ out }: Cli, words: readonly string[], flags: Flags) {
  if (flags.open) {
    throw usage('--open does not work with exec, which stops with its command. Use `layaway serve --open`.');
  }
  const [file = '', ...args] = words;
  const command: Invocation = words.length > 0 ? { file, args, isLine: false } : await askCommand();
  if (command.file === '') throw usage(MISSING);
  needCurrentFolder();
  checkTrace(flags);
  await checkCoverage(flags);
  if (typeof flags.coverage === 'string') {
    refuseSameFile({ '--coverage': flags.coverage, '--trace': flags.trace });
    await checkReportFile(flags.coverage);
  }
  const inbox = receiveSignals();
  const [{ createSimulator }, { realTime }] = await Promise.all([
    import('../../index.ts'),
    import('../../time/real.ts'),
  ]);
  const said = new Set<string>();
  const sim = await createSimulator({
    ...simulatorOptions(flags, realTime.now),
    flags: givenFlags(),
    ...watchChaos(out.note),
    // A test suite may cause the same note in every test.
    onNote(note) {
      if (!said.has(note)) out.note(note);
      said.add(note);
    },
  }).catch((error) => {
    throw forCommandLine(error);
  });
  for (const note of startNotes(sim, flags)) out.note(note);
  let code: number;
  try {
    const env = {
      ...outerWorkers(),
      ...withoutProxy(sim.url, process.env),
      ...sim.default.env,
      ...(await workersEnv(sim, flags.workers ?? 0)),
    };
    code = inbox.first ? codeOf(inbox.first) : await runToEnd(command, env, inbox);
    const report = flags.coverage === undefined ? null : await sim.coverage();
    const short = report && shortfall(report, flags);
    const failed = failureOf(command, code, short);
    if (flags.trace !== undefined && (failed || flags.traceAlways)) {
      await saveTrace(sim, flags.trace, failed, out.note);
    }
    if (report) code = codeWith(code, await told(report, short, flags, out));
  } finally {
    await sim.close();
  }
  process.exit(code);
}

const MISSING = 'Missing command. Write it after two dashes: layaway exec -- npm test';

/** A program and its arguments or, if it is a line, what a shell reads. */
interface Invocation {
  readonly file: string;
  readonly args: readonly string[];
  readonly isLine: boolean;
}

/** A line is typed as at a shell. */
const askCommand = async (): Promise<Invocation> => ({
  file: await asked(undefined, MISSING, { message: 'Command to run' }),
  args: [],
  isLine: true,
});

/** What a trace names as failed. A finding names requests, which only a trace still shows when the simulator is gone. */
function failureOf({ file, args }: Invocation, code: number, short: CommandError | null): TraceFailure | null {
  const what = [file, ...args].join(' ');
  if (code !== 0) return { what, exit_code: code, messages: [] };
  return short && { what, exit_code: null, messages: [short.message] };
}

/** A trace that cannot be saved is only noted: the exit code is that of the command. */
async function saveTrace(sim: Simulator, file: string, failed: TraceFailure | null, note: (text: string) => void) {
  try {
    const document = await sim.trace(failed);
    await writeTrace(file, document);
    note(`Saved a trace. ${toLookAt(file)}`);
    if (isUnused(document)) note(UNUSED);
  } catch (error) {
    note(error instanceof Error ? error.message : String(error));
  }
}

/** Whether neither a request nor a lever has reached the simulator. Without a request log, nobody can tell. */
const isUnused = ({ flags, tables }: TraceDocument) =>
  !flags.includes('--no-request-log') && ['requests', 'levers'].every((name) => tables[name]?.rows.length === 0);

const UNUSED =
  'It is empty: no request reached this simulator. Its address is in LAYAWAY_BASE_URL. ' +
  'Tests with layaway/vitest have simulators of their own: LAYAWAY_TRACE names the folder for their traces.';

const UNCOUNTED =
  'Nothing was counted: no request of the store named both a route of the service and an account of this simulator. ' +
  'Requests that a test makes itself, with a helper or a command, do not count. ' +
  'Its address is in LAYAWAY_BASE_URL, an account in LAYAWAY_CLIENT_ID and LAYAWAY_API_KEY. ' +
  'A simulator that the tests create themselves, with createSimulator or layaway/vitest, counts for itself: ' +
  'read `sim.coverage()` there.';

/** Reports the coverage, and notes what it falls short of or why its file cannot be written. */
async function told(report: CoverageReport, short: CommandError | null, flags: Flags, out: Cli['out']) {
  const unwritten = await tellCoverage(report, flags, out).then(() => null, ofCommand);
  if (report.met === 0) out.note(UNCOUNTED);
  for (const problem of [unwritten, short]) if (problem) out.note(problem.message);
  return unwritten ?? short;
}

function ofCommand(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  throw error;
}

/** A merchant for each worker, so that no worker sees what another does. */
async function workersEnv(sim: Simulator, count: number): Promise<Record<string, string>> {
  if (count === 0) return {};
  const env: Record<string, string> = { LAYAWAY_WORKERS: String(count) };
  for (let number = 1; number <= count; number += 1) {
    const merchant: SandboxShop = await sim.merchant();
    for (const [name, value] of Object.entries(merchant.env)) {
      if (sim.default.env[name] !== value) env[name.replace('LAYAWAY_', `LAYAWAY_WORKER_${number}_`)] = value;
    }
  }
  return env;
}

/** Unsets the workers of an `exec` around this one. They are merchants of another server. */
const outerWorkers = () =>
  Object.fromEntries(
    Object.keys(process.env)
      .filter((name) => /^LAYAWAY_WORKER(S|_\d.*)$/.test(name))
      .map((name) => [name, undefined]),
  );

interface SignalInbox {
  /** The first signal that came before `take` was called. */
  readonly first: NodeJS.Signals | undefined;
  take(handle: (signal: NodeJS.Signals) => void): void;
}

/** Keeps signals from ending this process, so that they can be passed on to the command. */
function receiveSignals(): SignalInbox {
  let first: NodeJS.Signals | undefined;
  let handle = (signal: NodeJS.Signals) => {
    first ??= signal;
  };
  for (const signal of ENDING) process.on(signal, () => handle(signal));
  return {
    get first() {
      return first;
    },
    take: (taker) => {
      handle = taker;
    },
  };
}

/** How long after a signal the command is killed: soon enough that the sender does not kill this process first. */
const KILL_AFTER_MS = 4_000;

/**
 * Runs the command and returns its exit code. Without a terminal the command leads a process group of its own, so that
 * a signal reaches everything that it has started. At a terminal it must stay in the foreground group, where it gets
 * every Ctrl-C itself.
 */
async function runToEnd(
  { file, args, isLine }: Invocation,
  env: NodeJS.ProcessEnv,
  inbox: SignalInbox,
): Promise<number> {
  const atTerminal = Boolean(process.stdin.isTTY);
  const ownGroup = !atTerminal && process.platform !== 'win32';
  const guard = keepGuard();
  const place = { env, detached: ownGroup, cleanup: !ownGroup } as const;
  const child = execa(file, args, { ...place, stdio: 'inherit', reject: false, shell: isLine });
  const { pid } = child;
  const send = (signal: NodeJS.Signals) => {
    if (pid === undefined) return;
    if (process.platform === 'win32') return endTree(pid);
    try {
      process.kill(ownGroup ? -pid : pid, signal);
    } catch {
      // It has just ended by itself.
    }
  };
  if (pid !== undefined) guard.watch(ownGroup ? -pid : pid);
  let killTimer: NodeJS.Timeout | undefined;
  inbox.take((signal) => {
    if (signal === 'SIGINT' && atTerminal) return;
    send(signal);
    if (signal !== 'SIGINT') killTimer ??= setTimeout(() => send('SIGKILL'), KILL_AFTER_MS);
  });
  const goDown = () => send('SIGTERM');
  process.on('exit', goDown);
  try {
    const { exitCode, signal, code, message = '' } = await child;
    // Ends what the command left in the background.
    if (ownGroup) send('SIGTERM');
    if (exitCode !== undefined) return exitCode;
    if (signal !== undefined) return codeOf(signal);
    throw cannotStart(file, code, message);
  } finally {
    clearTimeout(killTimer);
    process.off('exit', goDown);
    guard.dismiss();
  }
}

/** The exit code that shells give a command that a signal ended. */
const codeOf = (signal: NodeJS.Signals) => 128 + (constants.signals[signal] ?? 0);

/** With the codes that shells use. */
function cannotStart(file: string, code: string | undefined, message: string): CommandError {
  // The system also reports a folder on the PATH that this user may not read, such as one of root's.
  if (code === 'ENOENT' || (code === 'EACCES' && !isThere(file))) {
    const advice = /\s/.test(file)
      ? `Leave out the quotes around the whole command, or let a shell read it: layaway exec -- sh -c ${pasted(file)}`
      : 'Check its name and your PATH.';
    return new CommandError(127, `The command ${file} was not found. ${advice}`);
  }
  if (code === 'EACCES') return new CommandError(126, `No permission to run ${file}. Check that it is executable.`);
  return new CommandError(EXIT.failure, `The command ${file} could not be started: ${message}`);
}

/** A path, or the name of a file on the PATH. */
const isThere = (file: string) =>
  file.includes('/') || (process.env.PATH ?? '').split(delimiter).some((folder) => isFile(join(folder, file)));

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
