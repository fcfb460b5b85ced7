import { type Command, Option } from 'commander';
import { EVENT_TYPES } from '../../domain/event.ts';
import { counted } from '../../domain/text.ts';
import { disabledFor, isSameReceiver, UNVERIFIED } from '../../domain/webhook.ts';
import { WHOLE_LIST } from '../../operations/list-query.ts';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  listWebhookEndpoints,
  readWebhookSecret,
  rotateWebhookSecret,
  testWebhookEndpoint,
  updateWebhookEndpoint,
} from '../../operations/webhooks.ts';
import type { WebhookEndpoint } from '../../operations/wire.ts';
import { type Cli, run, verb } from '../command.ts';
import { describe } from '../describe.ts';
import { EXIT, unmet, usage } from '../exit.ts';
import { eventTypes, parsed, receiverUrl, timeoutMs } from '../input/arguments.ts';
import { fileBytes, readableFile } from '../input/files.ts';
import { headersOf } from '../input/header-file.ts';
import { pasted } from '../input/shell-quoted.ts';
import { NOT_ATTEMPTED, timedAnswerOf } from '../show/delivery.ts';
import type { Paint } from '../terminal/output.ts';
import { asked, chosen, requireAll } from '../terminal/prompt.ts';
import { adviceIfUnreached } from '../unreached.ts';
import { listing } from './deliveries.ts';

const SAMPLE = 'we_01JGFJJZ00R8T4M2X7C9VQKD3N';

export default function webhooks(noun: Command) {
  describe(noun, 'Manage endpoints and inspect deliveries.', 'layaway webhooks deliveries --failed');

  verb(noun, 'list', 'List the webhook endpoints, newest first.', 'layaway webhooks list').action(
    run(async (cli) => {
      const answer = await cli.client.call(listWebhookEndpoints, WHOLE_LIST);
      await cli.show(answer, (data) => {
        if (data.length === 0)
          return cli.out.note('There are no webhook endpoints. Add one with `layaway webhooks add <url>`.');
        endpointTable(cli, data);
      });
    }),
  );

  verb(
    noun,
    'add <url>',
    'Add a webhook endpoint and print its secret, which lists do not show.',
    'layaway webhooks add http://localhost:3000/webhooks --events contract.cancelled,contract.defaulted',
  )
    .option('-e, --events <list>', `event types: ${EVENT_TYPES.join(', ')} (default: all); repeatable`, eventTypes)
    .option('--secret <whsec>', 'signing secret (default: a generated one)')
    .option('--insecure', 'accept any certificate of an https receiver, such as a self-signed one')
    .addOption(new Option('--skip-verify', 'the same as --insecure').implies({ insecure: true }).hideHelp())
    .action(run(add));

  const change = (
    name: string,
    summary: string,
    work: (cli: Cli, id: string, flags: { readonly forged?: true }) => Promise<void>,
  ) =>
    verb(noun, `${name} <id>`, summary, `layaway webhooks ${name} ${SAMPLE}`).action(
      run(async (cli, id: string | undefined, flags: object) => work(cli, await chooseEndpoint(cli, id), flags)),
    );

  change('remove', 'Remove an endpoint; its pending deliveries fail.', async (cli, id) => {
    const answer = await cli.client.call(deleteWebhookEndpoint, { params: { id } });
    await cli.show(answer, () => cli.out.note(`Removed ${id}.`));
  });
  change('enable', 'Enable an endpoint again.', (cli, id) => switchTo(cli, id, { enabled: true }));
  change('disable', 'Disable an endpoint; its pending deliveries fail.', (cli, id) =>
    switchTo(cli, id, { enabled: false }),
  );
  change('secret', 'Print the secret of an endpoint.', async (cli, id) => {
    const answer = await cli.client.call(readWebhookSecret, { params: { id } });
    await cli.show(answer, ({ secret = '—' }) => cli.out.line(secret));
  });
  change('rotate', 'Rotate the secret of an endpoint; the old one also signs for another day.', async (cli, id) => {
    const answer = await cli.client.call(rotateWebhookSecret, { params: { id } });
    await cli.show(answer, (endpoint) => showSecret(cli, endpoint));
  });
  change(
    'test',
    'Send a webhook.test event to an endpoint; exits with 5 if it does not return 2xx.',
    async (cli, id, { forged }) => {
      const answer = await cli.client.call(testWebhookEndpoint, {
        params: { id },
        ...(forged && { body: { forged } }),
      });
      const { status, attempts } = answer.body.data;
      const answered = attempts.at(-1)?.status_code ?? 0;
      const isRight = forged ? answered >= 400 && answered <= 499 : status === 'delivered';
      if (!isRight) process.exitCode = EXIT.expectation;
      await cli.show(answer, ({ url, attempts }) => {
        const last = attempts.at(-1);
        if (!last) return cli.out.note(NOT_ATTEMPTED);
        const paint = isRight ? cli.out.paint.green : cli.out.paint.red;
        cli.out.line(`${url}: ${paint(timedAnswerOf(last))}`);
        const unclear = forged && adviceForRoute(last.status_code);
        if (unclear) return cli.out.note(`This may not be due to the signature. ${unclear}`);
        if (isRight) return;
        if (forged && last.status_code !== null) {
          return cli.out.note('The signature was wrong on purpose. Verify signatures, and return 400 for a wrong one.');
        }
        if (forged) cli.out.note('The receiver gave no response, so this shows nothing about it.');
        if (last.response_body) cli.out.note(`It returned: ${last.response_body}`);
        const advice =
          (forged && notForwarded(last.error, id)) ??
          adviceFor(last.status_code, id) ??
          adviceIfUnreached(url, last.error, { inContainer: null });
        if (advice) cli.out.note(advice);
      });
    },
  ).option('--forged', 'sign it with another secret; exits with 5 unless the endpoint refuses it with 4xx');

  listing(noun, 'deliveries', 'layaway webhooks deliveries --failed');

  verb(
    noun,
    'verify',
    'Verify the signature of a received webhook.',
    'layaway webhooks verify --headers headers.txt --body body.json --secret "$LAYAWAY_WEBHOOK_SECRET"',
  )
    .option('--secret <whsec>', 'secret of the endpoint (LAYAWAY_WEBHOOK_SECRET)')
    .option('--headers <file>', 'file with the headers (required): a JSON object, or Name: value lines')
    .option('--body <file>', 'file with the body, exactly as received (required); - reads stdin')
    .addOption(
      new Option('--tolerance <span>', 'maximum difference between the timestamp and now')
        .argParser(timeoutMs)
        .default(300_000, '5m'),
    )
    .action(run(verify));
}

/** What to do about a forged event that `layaway listen` did not pass on. */
const notForwarded = (error: string | null, id: string): string | null =>
  error?.startsWith(UNVERIFIED)
    ? `\`layaway listen\` forwards no forged event: \`layaway certify --endpoint ${pasted(id)} --only genuine,wrong-secret\` sends some to the receiver itself.`
    : null;

/** Such a check returns 403 in Django and 422 in Rails, but other refusals have these statuses, too. */
const OTHER_CSRF = 'If a CSRF check refused it, exempt the route of the webhooks from it.';

/** What to check first at a receiver that refused an event; null if its status does not say. */
function adviceFor(status: number | null, id: string): string | null {
  if (status === 400 || status === 401 || status === 403) {
    const signature = `If it refused the signature, either its secret is not that of the endpoint, which \`layaway webhooks secret ${pasted(id)}\` prints, or it does not verify the body byte for byte as received.`;
    return status === 403 ? `${signature} ${OTHER_CSRF}` : signature;
  }
  if (status === 422) return OTHER_CSRF;
  if (status === 410) {
    return `410 disabled the endpoint. Once the receiver accepts events again, enable it: \`layaway webhooks enable ${pasted(id)}\`.`;
  }
  return adviceForRoute(status);
}

/** What to check first if the event may not have reached the code that verifies the signature; null if the status does not say. */
function adviceForRoute(status: number | null): string | null {
  if (status !== null && status >= 300 && status < 400)
    return 'Redirects are not followed. Use the URL that it redirects to.';
  if (status === 419) return 'The CSRF check refused it: exempt the route of the webhooks from it.';
  if (status === 404 || status === 405) return 'Check the path of the URL: the receiver has to accept POST there.';
  return null;
}

interface AddFlags {
  readonly events?: WebhookEndpoint['events'];
  readonly secret?: string;
  readonly insecure?: true;
}

async function add(cli: Cli, given: string | undefined, { events, secret, insecure }: AddFlags) {
  const typed = await asked(given, 'Missing URL of the receiver.', {
    message: 'URL of the receiver',
    check: receiverUrl,
  });
  const url = parsed(receiverUrl, typed);
  const answer = await cli.client.call(createWebhookEndpoint, { body: { url, events, secret, insecure } });
  await cli.show(answer, (endpoint) => showSecret(cli, endpoint));
  const listed = (await cli.client.call(listWebhookEndpoints, WHOLE_LIST)).body.data;
  for (const { id, transport } of listed.filter((each) => each.enabled && isSameReceiver(each.url, url))) {
    if (id === answer.body.data.id) continue;
    const who = transport === 'http' ? `The endpoint ${id}` : 'A `layaway listen`';
    cli.out.note(
      `${who} sends there too: your receiver gets each event twice. To stop that, run \`layaway webhooks remove ${pasted(id)}\`.`,
    );
  }
}

function showSecret({ out }: Cli, { id, url, events, secret = '—' }: WebhookEndpoint) {
  out.facts([
    ['secret', secret, out.paint.bold],
    ['endpoint', id],
    ['url', url],
    ['events', eventsOf(events)],
  ]);
  out.note(`Lists do not show the secret. To see it again, run \`layaway webhooks secret ${pasted(id)}\`.`);
}

async function switchTo(cli: Cli, id: string, { enabled }: { readonly enabled: boolean }) {
  const answer = await cli.client.call(updateWebhookEndpoint, { params: { id }, body: { enabled } });
  await cli.show(answer, () => cli.out.note(`${enabled ? 'Enabled' : 'Disabled'} ${id}.`));
}

function endpointTable({ out }: Cli, endpoints: readonly WebhookEndpoint[]) {
  out.table(
    [
      { title: 'ENDPOINT' },
      { title: 'URL', shrinks: true, paint: out.paint.bold },
      { title: 'EVENTS', shrinks: true },
      { title: 'STATUS', shrinks: true, paint: statePaint(out.paint) },
      { title: 'SENT BY' },
    ],
    endpoints.map(({ id, url, events, transport, ...state }) => [
      id,
      url,
      eventsOf(events),
      stateOf(state),
      transport === 'listener' ? 'layaway listen' : 'the server',
    ]),
  );
}

function stateOf({
  enabled,
  disabled_reason,
  disconnected_at,
  owed,
}: Pick<WebhookEndpoint, 'enabled' | 'disabled_reason' | 'disconnected_at' | 'owed'>): string {
  if (disconnected_at === null) return enabled ? 'enabled' : disabledFor(disabled_reason);
  // Nothing waits for a disabled endpoint, even if its `layaway listen` is away.
  if (!enabled) return `disconnected, ${disabledFor(disabled_reason)}`;
  return `disconnected${owed > 0 ? `, ${counted(owed, 'event')} waiting` : ''}`;
}

const statePaint = (paint: Paint) => (state: string) => {
  if (state.startsWith('disabled')) return paint.red(state);
  return state.startsWith('disconnected') ? paint.yellow(state) : paint.green(state);
};

interface VerifyFlags {
  readonly secret?: string;
  readonly headers?: string;
  readonly body?: string;
  readonly tolerance: number;
}

async function verify(cli: Cli, flags: VerifyFlags) {
  const given = flags.secret ?? (process.env.LAYAWAY_WEBHOOK_SECRET || undefined);
  requireAll({ '--secret': given, '--headers': flags.headers, '--body': flags.body });
  const secret = await asked(given, missing('--secret'), {
    message: 'Secret of the endpoint',
    secret: true,
  });
  const headersPath = await asked(flags.headers, missing('--headers'), {
    message: 'File with the headers',
    check: readableFile,
  });
  const bodyPath = await asked(flags.body, missing('--body'), { message: 'File with the body', check: readableFile });
  if (headersPath === '-' && bodyPath === '-') throw usage('Only one of --headers and --body can be read from stdin.');
  const headers = headersOf((await fileBytes(headersPath, '--headers')).toString('utf8'));
  const body = await fileBytes(bodyPath, '--body');

  const [{ verify: check, WebhookVerificationError }, { realTime }] = await Promise.all([
    import('../../webhook/verify.ts'),
    import('../../time/real.ts'),
  ]);
  try {
    const event = check(body, headers, secret, { toleranceSeconds: flags.tolerance / 1000, now: realTime.now() });
    if (cli.out.json) return cli.out.document(JSON.stringify({ data: { verified: true, reason: null, event } }));
    cli.out.line(cli.out.paint.green('The signature is valid.'));
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    const { reason, message } = error;
    if (reason === 'malformed_secret') throw usage(message);
    if (cli.out.json) cli.out.document(JSON.stringify({ data: { verified: false, reason, event: null } }));
    const hint = reason === 'stale_timestamp' ? ' For a webhook that you saved earlier, set a larger --tolerance.' : '';
    throw unmet(`The signature is not valid (${reason}): ${message}${hint}`);
  }
}

const missing = (flag: string) => `Missing ${flag}.`;

const eventsOf = (events: readonly string[]) => (events.includes('*') ? 'all' : events.join(', '));

const chooseEndpoint = ({ client }: Cli, given: string | undefined) =>
  chosen(given, 'Missing endpoint id. List the endpoints with `layaway webhooks list`.', {
    message: 'Which endpoint?',
    none: 'There are no webhook endpoints. Add one with `layaway webhooks add <url>`.',
    choices: async () =>
      (await client.call(listWebhookEndpoints, WHOLE_LIST)).body.data.map(({ id, url, enabled }) => [
        id,
        url,
        enabled ? '' : 'disabled',
      ]),
  });
