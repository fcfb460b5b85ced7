import { resolve } from 'node:path';
import type { Command } from 'commander';
import { coarse, MINUTE } from '../../domain/calendar.ts';
import { LIST_MAX } from '../../domain/limits.ts';
import type { SandboxShop, Shop, Simulator } from '../../index.ts';
import { VERSION } from '../../version.ts';
import { type Cli, onSignals, runUntilStopped } from '../command.ts';
import { describe } from '../describe.ts';
import { EXIT } from '../exit.ts';
import { givenFlags } from '../input/given-flags.ts';
import { type ServerFlags, serverOptions, simulatorOptions, startNotes } from '../input/server-flags.ts';
import { pasted, SETTING_LINES, shellOf } from '../input/shell-quoted.ts';
import { enlist, forCommandLine } from '../server/running.ts';
import { watchChaos } from '../show/chaos.ts';
import { watchers } from '../show/server-events.ts';
import { openInBrowser } from '../terminal/browser.ts';
import type { Output } from '../terminal/output.ts';
import { closedPipe, unwritten } from '../terminal/pipes.ts';
import type { Fact } from '../terminal/table.ts';
import { watchUnreached } from '../unreached.ts';

const DEFAULT_PORT = 4747;

export default function serve(command: Command) {
  describe(
    serverOptions(command, { port: DEFAULT_PORT, data: '.layaway' }),
    'Run the simulator on this machine, until stopped.',
    'layaway serve --memory --clock frozen --now 2026-01-01T00:00:00Z --seed 1',
  )
    .option('--open', 'open the dashboard in the browser')
    .action(runUntilStopped(work));
}

/** A program that npm started, in a clone or a project, is not on the PATH. */
const asTyped = () => (process.env.npm_lifecycle_event === undefined ? 'layaway' : 'npx layaway');

/** npm runs a script in a shell that ends at a signal and does not pass it on. */
const isRunByNpm = () => ['start', 'npx'].includes(process.env.npm_lifecycle_event ?? '');

const LOOK_AT_PARENT_MS = 250;

/** Calls `gone` when the process that started this one has ended. */
function watchParent(gone: () => void) {
  const { ppid } = process;
  setInterval(() => process.ppid !== ppid && gone(), LOOK_AT_PARENT_MS).unref();
}

interface Flags extends ServerFlags {
  readonly open?: true;
}

async function work(cli: Cli, flags: Flags) {
  const { out } = cli;
  let sim: Simulator | undefined;
  let stopping = false;
  let withdraw: () => void = () => undefined;
  const end = async (sim: Simulator) => {
    withdraw();
    await sim.close();
    process.exit(EXIT.done);
  };
  const stop = () => {
    if (stopping) return;
    stopping = true;
    // A simulator that is still starting is closed as soon as it has started.
    if (sim) void end(sim);
  };
  onSignals(stop);
  closedPipe.end = stop;
  if (isRunByNpm()) watchParent(stop);

  const [{ createSimulator }, { realTime }] = await Promise.all([
    import('../../index.ts'),
    import('../../time/real.ts'),
  ]);
  if (stopping) process.exit(EXIT.done);
  const { onRequest, onDelivery, onClock } = watchers(out, () => stopping);
  const struck = watchChaos(out.note);
  const unreached = watchUnreached(out.note);
  let isReady = false;
  /** Lines that wait for the ready line, which a script reads first (interface §2). */
  const waiting: (() => void)[] = [];
  const say = (line: () => void) => void (isReady || !out.json ? line() : waiting.push(line));
  sim = await createSimulator({
    ...simulatorOptions(flags, realTime.now),
    flags: givenFlags(),
    onClock: (line) => say(() => onClock(line)),
    onNote: out.note,
    onDelivery(line) {
      say(() => onDelivery(line));
      struck.onDelivery(line);
      unreached(line.url, line.error);
    },
    onRequest(line) {
      // Not for the request that reads the merchants.
      if (isReady || !sim) say(() => onRequest(line));
      struck.onRequest(line);
    },
  }).catch((error) => {
    throw forCommandLine(error);
  });
  const data = flags.memory || flags.data === undefined ? null : resolve(flags.data);
  withdraw = enlist(recordOf(sim));
  const merchants = await fixtureMerchants(sim);
  if (out.json) out.document(JSON.stringify(readyLine(sim, data, merchants)));
  else banner(cli, sim, data, merchants, realTime.now());
  isReady = true;
  unwritten.ends = false;
  for (const line of waiting.splice(0)) line();
  // Loaded late, because they must not delay the start.
  const [{ limitYoungGeneration }, { watchState }] = await Promise.all([
    import('../server/young-generation.ts'),
    import('../server/lost-state.ts'),
  ]);
  limitYoungGeneration();
  if (data !== null) watchState(data, out.note);
  for (const note of startNotes(sim, flags)) out.note(note);
  if (stopping) await end(sim);
  if (flags.open && !stopping) await openDashboard(sim, out);
}

/** Only notes an error, because a browser that does not open must not end the server. */
export async function openDashboard(sim: Pick<Simulator, 'dashboardUrl'>, out: Output) {
  try {
    await openInBrowser(sim.dashboardUrl);
  } catch (error) {
    out.note(error instanceof Error ? error.message : String(error));
  }
}

const pair = ({ clientId, apiKey }: { clientId: string; apiKey: string }) => ({
  client_id: clientId,
  api_key: apiKey,
});

/** What commands need to find this server. */
const recordOf = (sim: Simulator) => ({
  pid: process.pid,
  base_url: sim.listening,
  control_token: sim.controlToken,
  sandbox: pair(sim.default),
  live: pair(sim.default.live),
});

interface FixtureMerchant {
  readonly shop: SandboxShop;
  readonly legalName: string;
}

/** The merchants of the fixture, with their names. */
async function fixtureMerchants(sim: Simulator): Promise<FixtureMerchant[]> {
  if (sim.merchants.length === 0) return [];
  const records = await sim.listMerchants({ limit: LIST_MAX });
  return sim.merchants.map((shop) => ({
    shop,
    legalName: records.find(({ sandbox }) => sandbox.client_id === shop.clientId)?.legal_name ?? shop.clientId,
  }));
}

/** The line with everything that a script needs (interface §2). */
export function readyLine(sim: Simulator, data: string | null, merchants: readonly FixtureMerchant[] = []) {
  const account = (shop: Shop) => ({ ...pair(shop), webhook_secret: shop.webhookSecret });
  return {
    event: 'ready',
    version: VERSION,
    pid: process.pid,
    base_url: sim.url,
    listening: sim.listening,
    dashboard_url: sim.dashboardUrl,
    control_token: sim.controlToken,
    sandbox: pair(sim.default),
    live: pair(sim.default.live),
    webhook_secret: sim.default.webhookSecret,
    webhooks: sim.webhooks,
    ...(merchants.length === 0
      ? {}
      : {
          merchants: merchants.map(({ shop, legalName }) => ({
            legal_name: legalName,
            sandbox: account(shop),
            live: account(shop.live),
          })),
        }),
    data,
  };
}

/** The variables of interface §2, those that a store needs first at the top. */
const VARIABLES = [
  'LAYAWAY_BASE_URL',
  'LAYAWAY_CLIENT_ID',
  'LAYAWAY_API_KEY',
  'LAYAWAY_LIVE_CLIENT_ID',
  'LAYAWAY_LIVE_API_KEY',
  'LAYAWAY_WEBHOOK_SECRET',
  'LAYAWAY_CONTROL_TOKEN',
];

/** A state with many merchants has more endpoints than anybody reads. */
const ENDPOINTS_SHOWN = 20;

/** The mode of the clock and its time. */
function clockLine({ mode, now }: Simulator['startClock'], realNow: number) {
  const reads = `${now.slice(0, 10)} ${now.slice(11, 16)} UTC`;
  if (mode === 'frozen') return `frozen at ${reads}`;
  const awayMs = Date.parse(now) - realNow;
  if (Math.abs(awayMs) < MINUTE) return `running, ${reads}`;
  return `running, ${reads}, ${coarse(Math.abs(awayMs))} ${awayMs > 0 ? 'ahead of' : 'behind'} real time`;
}

/** Where events go, or wait for a `layaway listen`, at the start. */
function endpointFacts(
  { url, clientId, ...of }: Simulator['endpoints'][number],
  sim: Simulator,
  paint: (text: string) => string,
): Fact[] {
  if (!of.enabled) return [];
  const isOwn = clientId === sim.default.clientId;
  const whose = isOwn ? '' : ` (of ${clientId})`;
  const goes: Fact =
    of.transport === 'http'
      ? ['  webhooks go to', `${url}${whose}`, paint]
      : ['  webhooks wait', `for layaway listen --forward-to ${pasted(url)}${whose}; ${of.owed} waiting`];
  if (!isOwn || of.secret === sim.default.webhookSecret) return [goes];
  return [goes, ['  signed with', `${of.secret}, not with LAYAWAY_WEBHOOK_SECRET`]];
}

function banner(
  { out }: Cli,
  sim: Simulator,
  data: string | null,
  merchants: readonly FixtureMerchant[],
  realNow: number,
) {
  const { bold, cyan, dim } = out.paint;
  out.line(`${bold(`Layaway sandbox ${VERSION}`)} is ready. No real payments are made.`);
  out.line();
  out.facts([
    ['  service', sim.url, cyan],
    ...(sim.listening === sim.url ? [] : [['  listening on', sim.listening, cyan] satisfies Fact]),
    ['  documentation', `${sim.url}/docs`, cyan],
    ['  dashboard', `${sim.dashboardUrl} (opens once)`, cyan],
    ['  state', data ?? 'in memory, lost on exit'],
    ['  clock', clockLine(sim.startClock, realNow)],
    ...sim.endpoints.slice(0, ENDPOINTS_SHOWN).flatMap((endpoint) => endpointFacts(endpoint, sim, cyan)),
  ]);
  if (sim.endpoints.length > ENDPOINTS_SHOWN) {
    out.line(`  and ${sim.endpoints.length - ENDPOINTS_SHOWN} more endpoints`);
  }
  out.line();
  const shell = shellOf(process.platform, process.env);
  const variableOf = (env: Readonly<Record<string, string>>, name: string) =>
    `  ${SETTING_LINES[shell](name, env[name] as string)}`;
  const again = `${asTyped()} env${shell === 'shell' ? '' : ` --format ${shell}`}`;
  out.line(dim(`Environment variables for your store; ${again} prints them again:`));
  for (const name of VARIABLES) out.line(variableOf(sim.default.env, name));
  out.line();
  for (const { shop, legalName } of merchants) {
    out.line(dim(`Merchant ${legalName} from the fixture:`));
    for (const name of ['LAYAWAY_CLIENT_ID', 'LAYAWAY_API_KEY']) out.line(variableOf(shop.env, name));
    out.line();
  }
  out.line(dim('Try next, in another terminal:'));
  out.line(`  ${asTyped()} sessions create --order-reference A-1001 --total-amount 20000`);
  out.line();
  out.line(dim('Press Ctrl-C to stop.'));
}
