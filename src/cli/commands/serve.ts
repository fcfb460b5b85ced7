import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { formatInstant } from '../../domain/calendar.ts';
import type { Simulator, SimulatorOptions } from '../../index.ts';
import { VERSION } from '../../version.ts';
import { instant, wholeNumber } from '../arguments.ts';
import { type Cli, runUntilStopped } from '../command.ts';
import { describe } from '../describe.ts';
import { EXIT } from '../exit.ts';
import { harmless } from '../harmless.ts';
import { closedPipe } from '../pipes.ts';

const DEFAULT_PORT = 4747;

export default function serve(command: Command) {
  describe(
    serverOptions(command),
    'Run the simulator on this machine, until stopped.',
    'layaway serve --memory --clock frozen --now 2026-01-01T00:00:00Z --seed 1',
  ).action(runUntilStopped(work));
}

/** What the flags of a server say. */
export interface ServerFlags {
  readonly port: number;
  readonly host: string;
  readonly data: string;
  readonly memory?: true;
  readonly clock: 'running' | 'frozen';
  readonly now?: string;
  readonly seed?: number;
  readonly rateLimit?: number | 'off';
}

export const serverOptions = (command: Command): Command =>
  command
    .option('--port <n>', '0 takes a free one', wholeNumber(0, 65_535), DEFAULT_PORT)
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .addOption(new Option('--data <directory>', 'where the state is kept').default('.layaway'))
    .addOption(new Option('--memory', 'keep no state after the end').conflicts('data'))
    .addOption(
      new Option('--clock <mode>', 'whether the accounts’ time passes')
        .choices(['running', 'frozen'])
        .default('running'),
    )
    .option('--now <instant>', 'where the clocks begin (default: now)', instant)
    .option('--seed <n>', 'fixes every id, token, reference and key', wholeNumber(0))
    .option('--rate-limit <n>', 'requests a minute, per source and per key; or off', rateLimit);

function rateLimit(text: string): number | 'off' {
  if (text === 'off') return text;
  if (/^\d{1,9}$/.test(text) && Number(text) > 0) return Number(text);
  throw new InvalidArgumentError('It is a number of requests a minute from 1 up, or off.');
}

/** The options that flags stand for. A clock without `--now` begins at real now. */
export function simulatorOptions(flags: ServerFlags, realNow: () => number): SimulatorOptions {
  const { port, host, memory, data, clock, now, seed, rateLimit } = flags;
  const begin = now ?? (clock === 'frozen' ? formatInstant(realNow()) : undefined);
  return {
    port,
    host,
    ...(memory ? {} : { data: resolve(data) }),
    ...(begin === undefined ? {} : { clock: clock === 'frozen' ? { frozenAt: begin } : { runningFrom: begin } }),
    ...(seed === undefined ? {} : { seed }),
    ...(rateLimit === undefined ? {} : { rateLimit }),
  };
}

async function work(cli: Cli, flags: ServerFlags) {
  const { out } = cli;
  const [{ createSimulator }, { realTime }] = await Promise.all([
    import('../../index.ts'),
    import('../../time/real.ts'),
  ]);

  let sim: Simulator | undefined;
  let stopping = false;
  // npm sends the signal a second time: the first one is being obeyed already.
  const stop = () => {
    if (stopping) return;
    stopping = true;
    // One that is still starting is closed as soon as it has started.
    if (sim) void end(sim);
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  closedPipe.end = stop;

  sim = await createSimulator({
    ...simulatorOptions(flags, realTime.now),
    onRequest(line) {
      if (stopping) return;
      const { at, method, path, status, durationMs } = line;
      if (out.json) {
        const event = { event: 'request', at: formatInstant(at), method, path, status, duration_ms: round(durationMs) };
        return out.document(JSON.stringify(event));
      }
      const { dim } = out.paint;
      const time = formatInstant(at).slice(11, 19);
      out.line(
        `${dim(time)}  ${statusPaint(cli, status)}  ${method.padEnd(6)} ${harmless(path)}  ${dim(`${round(durationMs)} ms`)}`,
      );
    },
  });
  const data = flags.memory ? null : resolve(flags.data);
  if (out.json) out.document(JSON.stringify(readyLine(sim, data)));
  else banner(cli, sim, flags, data);
  for (const note of sim.notes) out.note(note);
  if (stopping) await end(sim);
}

async function end(sim: Simulator) {
  await sim.close();
  process.exit(EXIT.done);
}

const round = (ms: number) => Math.round(ms * 10) / 10;

function statusPaint({ out }: Cli, status: number): string {
  if (status >= 500) return out.paint.red(String(status));
  return status >= 400 ? out.paint.yellow(String(status)) : out.paint.green(String(status));
}

/** Interface §2: what a script needs to begin. */
function readyLine(sim: Simulator, data: string | null) {
  const pair = ({ clientId, apiKey }: { clientId: string; apiKey: string }) => ({
    client_id: clientId,
    api_key: apiKey,
  });
  return {
    event: 'ready',
    version: VERSION,
    pid: process.pid,
    base_url: sim.url,
    dashboard_url: `${sim.url}/dashboard`,
    control_token: sim.controlToken,
    sandbox: pair(sim.default),
    live: pair(sim.default.live),
    webhooks: [],
    data,
  };
}

/** Interface §2; what a store needs first stands first. */
const VARIABLES = [
  'LAYAWAY_BASE_URL',
  'LAYAWAY_CLIENT_ID',
  'LAYAWAY_API_KEY',
  'LAYAWAY_LIVE_CLIENT_ID',
  'LAYAWAY_LIVE_API_KEY',
  'LAYAWAY_WEBHOOK_SECRET',
  'LAYAWAY_CONTROL_TOKEN',
];

function banner({ out }: Cli, sim: Simulator, { clock, now }: ServerFlags, data: string | null) {
  const { bold, cyan, dim } = out.paint;
  out.line(`${bold(`Layaway sandbox ${VERSION}`)} is ready. Nothing here charges anybody.`);
  out.line();
  out.facts([
    ['  service', sim.url, cyan],
    ['  documentation', `${sim.url}/docs`, cyan],
    ['  state', data ?? 'in memory, gone when this ends'],
    ['  clock of a new state', now === undefined ? `${clock} at real now` : `${clock} from ${now}`],
  ]);
  out.line();
  out.line(dim('Paste into the shell of your store:'));
  for (const name of VARIABLES) out.line(`  export ${name}=${sim.default.env[name]}`);
  out.line();
  out.line(dim('Try next, in another terminal:'));
  out.line('  layaway sessions create --order-reference A-1001 --total-amount 20000');
  out.line();
  out.line(dim('Ctrl-C stops.'));
}
