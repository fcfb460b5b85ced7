import { fileURLToPath } from 'node:url';
import { type Command, Option } from 'commander';
import { given } from '../../domain/given.ts';
import { withoutUserInfo } from '../../domain/secret-text.ts';
import type { CertifyCheck, CertifyError, CertifyOptions } from '../../index.ts';
import { meant } from '../../nearest.ts';
import { WHOLE_LIST } from '../../operations/list-query.ts';
import { listSessions } from '../../operations/sessions.ts';
import { getSettings } from '../../operations/settings.ts';
import { listWebhookEndpoints, readWebhookSecret } from '../../operations/webhooks.ts';
import { type Cli, type OneShot, run } from '../command.ts';
import { describe } from '../describe.ts';
import { CommandError, EXIT, interrupted, Unreachable, unmet, unreachable, usage } from '../exit.ts';
import { header, list, notEmpty, receiverUrl } from '../input/arguments.ts';
import { type ReportFlags, reporterOf, reporterOption } from '../input/reporter.ts';
import { pasted } from '../input/shell-quoted.ts';
import { checkReportFile, writeReport } from '../report-file.ts';
import { isLive } from '../server/address.ts';
import { isSimulator } from '../server/health.ts';
import { merchantsOf } from '../server/merchants.ts';
import { shippedFile } from '../shipped.ts';
import { stoppedBySignal } from '../stopping.ts';
import { closedPipe } from '../terminal/pipes.ts';
import { withProgress } from '../terminal/progress.ts';
import { chosenOf } from '../terminal/prompt.ts';
import { isInContainer, whereElse } from '../unreached.ts';

/** As in certify/checks.ts, in its order: help lists them without loading the checks. */
export const CHECKS_IN_HELP = [
  'genuine raw-body tampered wrong-secret unsigned stale future second-signature unknown-version duplicate',
  'duplicate-burst out-of-order unknown-type unknown-field large unicode burst acknowledges acknowledges-soon',
  'no-redirect retry-after-outage live-refused get-harmless',
].join(' ');

export default function certify(command: Command) {
  describe(
    command,
    'Examine a webhook endpoint with genuine, forged, late, duplicate and out-of-order events, and grade it.',
    'layaway certify --endpoint we_01JGFJJZ00R8T4M2X7C9VQKD3N --only genuine,large,burst',
    'The events are about contracts of a throw-away merchant, which is deleted at the end: your account keeps its clock, its lists and its deliveries. ' +
      'The running server makes that merchant if its control token is known; otherwise this command does, in memory. ' +
      'The requests to an endpoint of your account come from the server, as its deliveries do; those to a --webhook-url, and to an endpoint of `layaway listen`, come from this command. ' +
      'Without --endpoint and --webhook-url, the only endpoint of your account is examined. ' +
      'Without --secret, an endpoint of your account is examined with its own secret, and a --webhook-url with LAYAWAY_WEBHOOK_SECRET, otherwise with the secret of every endpoint that `layaway serve --forward-to` creates.' +
      '\nThe --observe command gets LAYAWAY_CONTRACT, LAYAWAY_ORDER_REFERENCE and LAYAWAY_SESSION; a URL may contain {contract}, {order_reference} and {session}. ' +
      'It must print the state of the order. Leave out everything that changes by itself, such as a counter, and everything that belongs to one order only, such as its number in your store.' +
      `\nChecks: ${CHECKS_IN_HELP.replaceAll(' ', ', ')}.` +
      '\nExits with 5 when a check that counts at --level fails, and with 4 when nothing listens at the URL. ' +
      'If a signal interrupts it, it writes a report in which the check under way is failed and those after it are skipped, ' +
      'and exits with 130. A second signal ends it at once.',
  )
    .option('--endpoint <id>', 'examine this endpoint of your account')
    .addOption(
      new Option('--webhook-url <url>', 'examine the receiver at this URL; needs no server')
        .argParser(receiverUrl)
        .conflicts('endpoint'),
    )
    .option('--secret <whsec>', 'secret that the receiver verifies with')
    .option('-H, --header <header>', "send this header too, 'Name: value'; repeatable", header)
    .option('--insecure', 'accept any certificate of an https receiver or --observe URL, such as a self-signed one')
    .addOption(new Option('--skip-verify', 'the same as --insecure').implies({ insecure: true }).hideHelp())
    .option('--observe <command|url>', 'command or URL that shows the state of an order in your store', notEmpty)
    .option('--checkout <command>', 'command that makes your store open a checkout session', notEmpty)
    .option('--only <ids>', 'run only these checks; repeatable', list)
    .option('--skip <ids>', 'skip these checks; repeatable', list)
    .addOption(new Option('--level <level>', 'which failures count').choices(['must', 'should']).default('must'))
    .addOption(reporterOption())
    .option('--output <file>', 'write the report to this file; progress goes to stderr', notEmpty)
    .action(run(work));
}

interface Flags extends ReportFlags {
  readonly endpoint?: string;
  readonly webhookUrl?: string;
  readonly secret?: string;
  readonly header?: Readonly<Record<string, string>>;
  readonly insecure?: boolean;
  readonly observe?: string;
  readonly checkout?: string;
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  readonly level: CertifyCheck['level'];
}

const EXIT_OF: Readonly<Record<CertifyError['code'], number>> = {
  usage: EXIT.usage,
  unreachable: EXIT.unreachable,
  refused: EXIT.refused,
  command: EXIT.failure,
};

async function work(cli: OneShot, { output, ...flags }: Flags) {
  // The exit code counts, even if nobody reads the output to the end.
  closedPipe.end = () => undefined;
  const { out } = cli;
  const reporter = reporterOf({ ...flags, output }, out.json);
  const tellsOnStdout = reporter === 'spec' && output === undefined;
  const tell = tellsOnStdout ? out.line : output === undefined ? () => undefined : out.note;
  const wrap = tellsOnStdout ? out.wrap : out.wrapNote;

  refuseUnknownChecks(flags);
  if (output !== undefined) await checkReportFile(output);
  const target = await (flags.webhookUrl === undefined
    ? endpointOf(cli, flags)
    : receiverOf(cli, flags, flags.webhookUrl));
  const [{ certify: examine, isCertified, CertifyError: CannotExamine }, { brokenOff }, report] = await Promise.all([
    import('../../index.ts'),
    import('../../certify/run.ts'),
    import('../report/certificate.ts'),
  ]);
  const { signal, stopping } = await stoppedBySignal(cli);
  const { header: headers, only, skip, observe, checkout, level } = flags;
  const wanted = { ...given({ only, skip }), level };
  const made: CertifyCheck[] = [];
  const url = withoutUserInfo(target.url);
  const examination = examine({
    ...target,
    ...wanted,
    signal,
    ...given({ headers, observe, checkout }),
    onReached: () => tell(report.headingOf(url, out.paint)),
    onCheck(check) {
      made.push(check);
      if (!report.isTold(check)) return;
      const isBrief = report.repeatedBy(check, made) !== undefined;
      for (const line of report.checkLines(check, out.paint, { wrap, isBrief })) tell(line);
    },
  }).catch((error: unknown) => {
    if (!(error instanceof CannotExamine)) throw error;
    const inContainer = target.sendsFrom === 'server' ? null : isInContainer();
    const where = whereElse(target.url, error.cause, { inContainer }).map(withoutUserInfo);
    throw new CommandError(EXIT_OF[error.code], [error.message, ...where].join(' '), { cause: error });
  });
  /** What ends the examination before its time, such as a command of the store that cannot be run. */
  let fault: Error | undefined;
  const done = await withProgress('Examining', stopping.untilStopped(examination)).catch((error: Error) => {
    // Without a file for the report, what is printed is the error.
    if (output === undefined || made.length === 0) throw error;
    fault = error;
    return null;
  });

  const certificate = done ?? brokenOff(made, wanted, fault);
  const summary = done ? report.summaryOf(done) : report.interruptionOf(made, certificate);
  const isPassed = isCertified(certificate);
  const isFailed = made.some(({ verdict }) => verdict === 'fail');
  const docs = isFailed
    ? wrap([[`\`fix\` names sections of ${fileURLToPath(shippedFile('docs/webhooks.md'))}`]], 0)
    : [];
  for (const line of [...report.closingOf(made, wrap), ...docs]) tell(line);
  if (done && isPassed) tell(out.paint.green(summary));
  if (!tellsOnStdout) {
    const document = report.certificateAs(reporter, url, certificate, summary);
    if (output === undefined) out.document(document);
    else await writeReport(output, document, out.document);
  }
  if (fault) throw fault;
  if (!done) {
    // The throw-away merchant is deleted, unless the server gives no answer.
    await stopping.untilLate(examination);
    throw interrupted(summary);
  }
  if (!isPassed) throw unmet(summary);
}

/** @throws CommandError */
function refuseUnknownChecks({ only, skip }: Pick<Flags, 'only' | 'skip'>) {
  const known = CHECKS_IN_HELP.split(' ');
  const unknown = [...(only ?? []), ...(skip ?? [])].filter((id) => !known.includes(id));
  if (unknown.length > 0) {
    const names = unknown.map((id) => `"${id}"`).join(', ');
    const hint = unknown.length === 1 && meant(unknown[0] as string, known);
    throw usage(
      [`Unknown check ${names}.`, hint, '`layaway certify --help` lists the checks.'].filter(Boolean).join(' '),
    );
  }
}

type Target = Pick<
  CertifyOptions,
  'url' | 'secret' | 'liveSecret' | 'mode' | 'insecure' | 'shop' | 'server' | 'sendsFrom'
>;

/** The named endpoint, or the only one. The server sends to it, unless a `layaway listen` forwards to it. */
async function endpointOf(cli: Cli, { endpoint, secret, insecure = false }: Flags): Promise<Target> {
  const id = await chosenEndpoint(cli, endpoint);
  const found = (await cli.client.call(readWebhookSecret, { params: { id } })).body.data;
  if (!found.enabled) {
    cli.out.note(
      `The endpoint ${id} is disabled (${found.disabled_reason ?? 'no reason given'}): it is examined, but your account sends it nothing. Enable it with \`layaway webhooks enable ${pasted(id)}\`.`,
    );
  }
  const { liveSecret, derived: _, server, ...account } = await accountOf(cli);
  const isSentByServer = found.transport === 'http';
  if (isSentByServer && server === undefined) {
    const { baseUrl } = await cli.client.address();
    cli.out.note(
      `This command makes and sends the events itself: it does not have the control token of ${baseUrl}. Use --control-token to let that server send them.`,
    );
  }
  return {
    ...account,
    ...given({ liveSecret, secret: secret ?? found.secret, server }),
    sendsFrom: isSentByServer && server !== undefined ? 'server' : 'here',
    url: found.url,
    insecure: found.insecure || insecure,
  };
}

async function chosenEndpoint({ client }: Cli, named: string | undefined): Promise<string> {
  if (named !== undefined) return named;
  const { body } = await client.call(listWebhookEndpoints, WHOLE_LIST).catch((error: unknown) => {
    if (!(error instanceof Unreachable)) throw error;
    throw unreachable(`${error.message} Without a server, name your receiver with --webhook-url.`, error.cause);
  });
  const endpoints = body.data;
  if (endpoints.length === 0) {
    throw usage(
      'Your account has no webhook endpoint. Use --webhook-url, or add one with `layaway webhooks add <url>`.',
    );
  }
  const [only] = endpoints;
  if (only && endpoints.length === 1) return only.id;
  const ids = endpoints.map(({ id, url }) => `${id} (${url})`).join(', ');
  return chosenOf(undefined, `Your account has several webhook endpoints. Name one with --endpoint: ${ids}.`, {
    message: 'Which endpoint?',
    choices: endpoints.map(({ id, url, enabled }) => [id, url, enabled ? '' : 'disabled']),
  });
}

/** A URL needs no server. If one runs, it makes the orders, and --checkout gets its account. */
async function receiverOf(cli: Cli, { insecure = false, ...flags }: Flags, url: string): Promise<Target> {
  const { baseUrl } = await cli.client.address();
  const isNamed = cli.flags.baseUrl !== undefined;
  const account = isNamed || (await isSimulator(baseUrl)) ? await accountOf(cli) : null;
  const { liveSecret, derived, server, ...target } = account ?? {};
  const known = flags.secret ?? (process.env.LAYAWAY_WEBHOOK_SECRET || undefined);
  const secret = known ?? derived ?? (await defaultSecret());
  if (known === undefined) cli.out.note(`Signing with ${secret}, the secret of endpoints that --forward-to creates.`);
  return { ...target, ...given({ liveSecret, server }), secret, url, insecure };
}

/** The account on a running server: the variables for --checkout, and the secrets that only the control token shows. */
async function accountOf({ client }: Cli) {
  const { baseUrl, clientId, apiKey, controlToken } = await client.address();
  // Without them the default secret is used, a live one is drawn, and the orders are made in memory.
  const merchants = await merchantsOf(client);
  const own = merchants?.find(({ sandbox, live }) => [sandbox.client_id, live.client_id].includes(clientId));
  const mode = isLive(apiKey) ? ('live' as const) : ('sandbox' as const);
  return {
    mode,
    server: controlToken === null || merchants === null ? undefined : { listening: baseUrl, controlToken },
    // Where one secret is for both modes, a store may still verify with it, such as after a rotation.
    liveSecret: own?.live.webhook_secret === own?.sandbox.webhook_secret ? undefined : own?.live.webhook_secret,
    derived: own?.[mode].webhook_secret,
    shop: {
      env: {
        LAYAWAY_BASE_URL: baseUrl,
        LAYAWAY_CLIENT_ID: clientId,
        LAYAWAY_API_KEY: apiKey,
        ...(controlToken === null ? {} : { LAYAWAY_CONTROL_TOKEN: controlToken }),
        ...(own === undefined ? {} : { LAYAWAY_WEBHOOK_SECRET: own[mode].webhook_secret }),
      },
      sessions: {
        list: async (query: object = {}) => (await client.call(listSessions, { query })).body.data,
      },
      assumptions: { get: async () => (await client.call(getSettings)).body.data },
    },
  };
}

/** The secret of the default merchant, which is the same on every machine. */
const defaultSecret = async () => (await import('../../secrets/draw.ts')).defaultDraw.webhookSecret('account', 1);
