import type { Command } from 'commander';
import { DamagedTrace } from '../../domain/cannot-start.ts';
import { counted } from '../../domain/text.ts';
import { createKey } from '../../operations/keys.ts';
import { exportTrace } from '../../operations/workspace.ts';
import type { Simulator } from '../../simulator-types.ts';
import type { TraceDocument } from '../../trace/file.ts';
import { VERSION } from '../../version.ts';
import { type Cli, onSignals, run, runUntilStopped, verb } from '../command.ts';
import { describe } from '../describe.ts';
import { EXIT, usage } from '../exit.ts';
import { notEmpty, parsed } from '../input/arguments.ts';
import { fileBytes, readableFile } from '../input/files.ts';
import { pasted } from '../input/shell-quoted.ts';
import { refuseOtherKind } from '../input/trace-flags.ts';
import { toLookAt, writeTrace } from '../server/write-trace.ts';
import { struckBy } from '../show/struck-by.ts';
import { instant } from '../terminal/format.ts';
import { closedPipe } from '../terminal/pipes.ts';
import { asked } from '../terminal/prompt.ts';
import { openDashboard, readyLine } from './serve.ts';

const MISSING = 'Missing trace file, such as checkout.layaway.';

export default function trace(noun: Command) {
  describe(
    noun,
    'Save the whole sandbox in one file, and open it elsewhere.',
    'layaway trace save checkout.layaway',
    'A trace contains the state, the request log and what failed, but no API key, signing secret, control token, ' +
      'cookie or user info of a URL. ' +
      '`layaway exec --trace <file>` saves one when its command fails.',
  );

  verb(noun, 'save <file>', 'Save the state of the server as it is now.', 'layaway trace save checkout.layaway').action(
    run(async (cli, given: string | undefined) => {
      const file = parsed(notEmpty, await asked(given, MISSING, { message: 'Save the trace as' }));
      refuseOtherKind(file, 'trace save');
      const { data } = (await cli.client.call(exportTrace)).body;
      const bytes = await writeTrace(file, { trace: 1, ...data, failure: null });
      if (cli.out.json) cli.out.document(JSON.stringify({ file, bytes }));
      else cli.out.note(`Saved ${file}. ${toLookAt(file)}`);
    }),
  );

  verb(
    noun,
    'open <file>',
    'Show the saved state in the dashboard. Nothing is sent anywhere.',
    'layaway trace open checkout.layaway --no-open',
    'With --client-id, the dashboard and the printed command use that account of the trace.',
  )
    .option('--no-open', 'do not open the browser')
    .option('--contract <reference>', 'use the account of this contract in the dashboard and the printed command')
    .action(runUntilStopped(open));

  verb(noun, 'show <file>', 'Print a summary of a trace.', 'layaway trace show checkout.layaway').action(
    run(async (cli, given: string | undefined) => {
      const { document } = await read(given);
      const { summaryOf } = await import('../../trace/summary.ts');
      const summary = summaryOf(document);
      if (cli.out.json) return cli.out.document(JSON.stringify(summary));
      show(cli, summary);
    }),
  );

  verb(
    noun,
    'scenario <file>',
    'Print a scenario that repeats the requests and levers of a trace and expects the same results.',
    'layaway trace scenario checkout.layaway',
    'With --client-id, it is the story of that account of the trace.',
  )
    .option('--contract <reference>', 'only the story of this contract')
    .action(
      run(async (cli, given: string | undefined, flags: { contract?: string }) => {
        const choice = choiceOf(cli, flags.contract);
        const { document } = await read(given);
        const [{ replayOf }, { unmadeIn }, { whoseIn }, { SCENARIO_BYTES_MAX }, { stringify }] = await Promise.all([
          import('../../trace/replay.ts'),
          import('../../trace/scenario.ts'),
          import('../../trace/recording.ts'),
          import('../../scenario/file.ts'),
          import('yaml'),
        ]);
        const { scenario, clientId, foreignSessions } = replayOf(document, choice);
        const text = cli.out.json ? JSON.stringify(scenario) : stringify(scenario, { lineWidth: 0 }).trimEnd();
        cli.out.document(text);
        if (choice.contract === null && choice.clientId === null && foreignSessions > 0) {
          cli.out.note(
            `This scenario covers ${clientId}, ${whoseIn(document)}. It leaves out ${counted(foreignSessions, 'session')} of other accounts. To print another story, use --client-id or --contract.`,
          );
        }
        const [unmade] = unmadeIn(document, scenario);
        if (unmade !== undefined) {
          cli.out.note(
            `No step of this scenario makes ${unmade}, so layaway run cannot play it. The fixture made it, or its request is not in the log.`,
          );
        }
        if (Buffer.byteLength(text) < SCENARIO_BYTES_MAX) return;
        const advice = choice.contract === null ? 'Print the story of one contract with --contract.' : 'Shorten it.';
        cli.out.note(
          `This scenario is larger than ${SCENARIO_BYTES_MAX / 1024} KiB, and layaway run refuses it. ${advice}`,
        );
      }),
    );
}

interface Read {
  readonly file: string;
  readonly document: TraceDocument;
}

async function read(given: string | undefined): Promise<Read> {
  const { unpack } = await import('../../trace/file.ts');
  const documentIn = async (path: string) => unpack(await fileBytes(path), path, VERSION);
  const check = (path: string) => readableFile(path).then(() => documentIn(path));
  const file = await asked(given, MISSING, { message: 'File of the trace', check });
  return { file, document: await documentIn(file) };
}

interface OpenFlags {
  readonly open: boolean;
  readonly contract?: string;
}

/** The account that the flags name. The variable LAYAWAY_CLIENT_ID is about another server. */
function choiceOf({ flags }: Pick<Cli, 'flags'>, contract: string | null = null) {
  const { clientId } = flags;
  if (clientId === undefined || contract === null) return { contract, clientId: clientId ?? null };
  throw usage('--contract and --client-id both choose the account. Use one of them.');
}

async function open(cli: Cli, given: string | undefined, flags: OpenFlags) {
  const { out } = cli;
  const choice = choiceOf(cli, flags.contract);
  const { file, document } = await read(given);
  const [{ createSimulator }, { clientIdIn, whoseIn }] = await Promise.all([
    import('../../index.ts'),
    import('../../trace/recording.ts'),
  ]);
  const clientId = clientIdIn(document, choice);
  const sim = await createSimulator({ trace: document, onNote: out.note }).catch((error) => {
    throw error instanceof DamagedTrace ? new DamagedTrace(file, error.why, { cause: error }) : error;
  });
  const stop = () => void sim.close().then(() => process.exit(EXIT.done));
  onSignals(stop);
  closedPipe.end = stop;
  const account = await accountFor(sim, clientId ?? sim.default.clientId);
  const dashboardUrl = `${sim.dashboardUrl}&account=${account.client_id}`;
  if (out.json) out.document(JSON.stringify({ ...readyLine(sim, null), dashboard_url: dashboardUrl, account }));
  else {
    out.line(`${out.paint.bold(file)}, saved ${instant(document.saved_at)}. Nothing is sent anywhere.`);
    tellFailure({ out }, document.failure);
    out.line(`  dashboard  ${out.paint.cyan(dashboardUrl)} (opens once)`);
    const isDefault = account.client_id === sim.default.clientId;
    if (!isDefault) {
      const which = flags.contract ? `the account of ${flags.contract}` : whoseIn(document);
      const why = choice.clientId === null ? `, ${which}` : '';
      out.line(`  account    ${account.client_id}${why}. For another one, use --contract or --client-id.`);
    }
    const pair = isDefault ? '' : ` --client-id ${account.client_id} --api-key ${account.api_key}`;
    out.line(`  commands   layaway explain <id> --base-url ${sim.url}${pair}`);
    out.line(`  token      ${sim.controlToken}, for commands that need --control-token`);
    out.line('Press Ctrl-C to stop.');
  }
  if (flags.open && !out.json) await openDashboard({ dashboardUrl }, out);
}

/** The pair of an account. A trace holds no keys, so any but the default account gets a new one. */
async function accountFor(sim: Simulator, clientId: string) {
  const known = [sim.default, sim.default.live].find((shop) => shop.clientId === clientId);
  if (known) return { client_id: known.clientId, api_key: known.apiKey };
  const { method, path } = createKey;
  const headers = { authorization: `Bearer ${sim.controlToken}`, 'x-client-id': clientId };
  const answer = await sim.inject({ method, url: path, headers, payload: { name: 'trace open' } });
  return { client_id: clientId, api_key: answer.json<{ data: { key: string } }>().data.key };
}

function tellFailure({ out }: Pick<Cli, 'out'>, told: TraceDocument['failure']) {
  if (!told) return;
  const code = told.exit_code === null ? '' : ` (exit code ${told.exit_code})`;
  out.line(out.paint.red(`Failed: ${told.what}${code}`));
  for (const line of told.messages.flatMap((message) => message.split('\n'))) out.line(`  ${line}`);
}

function show(cli: Cli, summary: import('../../trace/summary.ts').TraceSummary) {
  const { out } = cli;
  out.line(`Saved ${instant(summary.saved_at)} by layaway ${summary.layaway}.`);
  tellFailure(cli, summary.failure);
  if (summary.flags.length > 0) out.line(`Flags: ${summary.flags.map(pasted).join(' ')}`);
  out.line(
    [
      counted(summary.accounts.length, 'account'),
      counted(summary.sessions, 'session'),
      counted(summary.contracts, 'contract'),
      counted(summary.events, 'event'),
      counted(summary.requests, 'request'),
    ].join(', '),
  );
  const isOneAccount = new Set(summary.latest_requests.map(({ client_id }) => client_id)).size <= 1;
  for (const { id, at, client_id, method, path, status, fault } of summary.latest_requests) {
    const asked = `${method.padEnd(6)} ${path}`;
    const whose = isOneAccount ? [] : [client_id ?? 'no account'];
    out.line(`  ${[instant(at), status ?? '---', asked, id, ...whose, ...struckBy(out.paint, fault)].join('  ')}`);
  }
}
