import { type Command, Option } from 'commander';
import { counted } from '../../domain/text.ts';
import { isSameReceiver } from '../../domain/webhook.ts';
import { deleteWebhookEndpoint, streamDeliveries } from '../../operations/webhooks.ts';
import type { WebhookEndpoint } from '../../operations/wire.ts';
import { type Cli, onSignals, runUntilStopped } from '../command.ts';
import { describe } from '../describe.ts';
import { CommandError, EXIT, failure, Unreachable } from '../exit.ts';
import { eventTypes, header, parsed, receiverUrl } from '../input/arguments.ts';
import { pasted } from '../input/shell-quoted.ts';
import { carrier, type StreamedDelivery } from '../listen/carry.ts';
import {
  knownEndpoints,
  listenerOf,
  missedEvents,
  registerListener,
  removeListener,
  secretOf,
} from '../listen/endpoint.ts';
import { messages } from '../server/event-stream.ts';
import { accountOf } from '../server/merchants.ts';
import { closedPipe } from '../terminal/pipes.ts';
import { asked } from '../terminal/prompt.ts';
import { rest } from '../wait.ts';

export default function listen(command: Command) {
  describe(
    command,
    'Forward events to a URL that this machine can reach, until stopped.',
    'layaway listen --forward-to http://localhost:3000/webhooks --events contract.cancelled',
  )
    .option('-f, --forward-to <url>', 'URL of your receiver (required); a port alone means localhost', receiverUrl)
    .option('-e, --events <list>', 'only these event types (default: all); repeatable', eventTypes)
    .option('-H, --header <header>', "send this header too, 'Name: value'; repeatable", header)
    .option('--insecure', 'accept any certificate of an https receiver, such as a self-signed one')
    .addOption(new Option('--skip-verify', 'the same as --insecure').implies({ insecure: true }).hideHelp())
    .option('--skip-missed', 'drop the events that happened while nobody listened')
    .option('--ephemeral', 'remove the webhook endpoint at the end; by default it stays and events wait for an hour')
    .option('--print-secret', 'print the signing secret and exit')
    .action(runUntilStopped(work));
}

interface Flags {
  readonly forwardTo?: string;
  readonly events?: WebhookEndpoint['events'];
  readonly header?: Record<string, string>;
  readonly insecure?: boolean;
  readonly skipMissed?: true;
  readonly ephemeral?: true;
  readonly printSecret?: true;
}

/** Any other message in the stream: another process took over, or the endpoint was changed. */
type StreamedNews =
  | { readonly secret_changed: true }
  | { readonly superseded: true }
  | { readonly removed: true }
  | { readonly disabled: string }
  | { readonly enabled: true };

const WAITS_MS = [250, 500, 1000, 2000, 5000];

async function work(cli: Cli, flags: Flags) {
  const { client, out } = cli;
  const leaving = leaveOnSignals();
  if (flags.printSecret) return printSecret(cli, flags);

  const url = parsed(
    receiverUrl,
    await asked(
      flags.forwardTo,
      'Missing --forward-to, the URL of your receiver, such as http://localhost:3000/webhooks.',
      { message: 'URL of your receiver', check: receiverUrl },
    ),
  );
  const before = await knownEndpoints(cli);
  const known = listenerOf(before, url);
  const missed = await missedEvents(cli, known);
  // A new endpoint gets the derived one.
  const derived = known && (await accountOf(client))?.webhook_secret;
  const register = (options: { skip_missed?: boolean } = {}) => registerListener(cli, url, flags.events, options);
  const secret = keepSecret(out.note);
  const carry = await carrier(cli, url, flags, async () => secret.learn(await register()));

  for (let failures = 0, begun = false, at = ''; ; failures += 1) {
    try {
      const registered = register(begun || !flags.skipMissed ? {} : { skip_missed: true });
      if (flags.ephemeral) leaving.after(() => registered.finally(() => removeListener(cli, url)));
      const endpoint = await registered;
      if (leaving.isLeaving()) return;
      const { id } = endpoint;
      secret.learn(endpoint);
      const response = await client.stream(streamDeliveries, { params: { id } });
      if (!begun) {
        const notes = [...signedWith(url, id, secret.present(), derived), ...whatIsThere(before, url, missed, flags)];
        for (const line of notes) out.note(line);
      }
      const { baseUrl } = await client.address();
      if (begun && failures > 0) out.note(`Reconnected to the server${baseUrl === at ? '' : `, now at ${baseUrl}`}.`);
      at = baseUrl;
      begun = true;
      failures = 0;
      for await (const { data } of messages(response.setEncoding('utf8'))) {
        const message: StreamedDelivery | StreamedNews = JSON.parse(data);
        if (!isNews(message)) await carry(message, secret.present());
        else await heed(cli, message, id, url, secret);
      }
    } catch (error) {
      // With --ephemeral, this process removes the endpoint that it listens to.
      if (!leaving.isLeaving() && (!begun || !isCut(error))) throw error;
    }
    if (leaving.isLeaving()) return;
    if (failures === 0) out.note('Lost the connection to the server. Missed events will be forwarded on reconnect.');
    await rest(WAITS_MS[Math.min(failures, WAITS_MS.length - 1)] as number);
    await client.findAgain();
  }
}

/** Ends the command with 0 on a signal or a closed pipe, after the work that `after` was given last. */
function leaveOnSignals() {
  const nothing = async (): Promise<unknown> => undefined;
  let leave = nothing;
  let isLeaving = false;
  const stop = () => {
    isLeaving = true;
    const left = leave();
    // A second signal does not wait for the server.
    leave = nothing;
    left.catch(() => undefined).finally(() => process.exit(EXIT.done));
  };
  onSignals(stop);
  closedPipe.end = stop;
  return {
    isLeaving: () => isLeaving,
    after(work: () => Promise<unknown>) {
      leave = work;
    },
  };
}

type KeptSecret = ReturnType<typeof keepSecret>;

/** The secret of the endpoint, and a note each time that it was changed. */
function keepSecret(note: (text: string) => void) {
  let secret = '';
  return {
    present: () => secret,
    learn({ id, secret: present }: Pick<Required<WebhookEndpoint>, 'id' | 'secret'>): string {
      if (secret !== '' && secret !== present) {
        note(
          `The secret of ${id} was changed. It is now ${present}. Use it in your store. After a rotation, the old secret also signs for another day.`,
        );
      }
      secret = present;
      return secret;
    },
  };
}

/** What signs; with a note if it is not `derived`, the secret that the store may have. */
const signedWith = (url: string, id: string, secret: string, derived: string | undefined): string[] => [
  `Forwarding events to ${url}, signed with ${secret}. Press Ctrl-C to stop.`,
  ...(derived === undefined || secret === derived
    ? []
    : [
        `That is not the LAYAWAY_WEBHOOK_SECRET that \`layaway serve\` prints: the secret of ${id} was changed. Use it in your store.`,
      ]),
];

const isNews = (message: StreamedDelivery | StreamedNews): message is StreamedNews =>
  ['superseded', 'removed', 'disabled', 'enabled', 'secret_changed'].some((kind) => kind in message);

/** @throws CommandError when nothing more comes from the endpoint */
async function heed(cli: Cli, news: StreamedNews, id: string, url: string, secret: KeptSecret) {
  const { out } = cli;
  if ('superseded' in news) throw failure(`Another \`layaway listen\` now forwards to ${url}. This one stops.`);
  if ('removed' in news) {
    throw failure(`The webhook endpoint ${id} was removed, so events are no longer forwarded to ${url}.`);
  }
  if ('disabled' in news) {
    out.note(`The webhook endpoint ${id} no longer gets events: ${news.disabled}.`);
    out.note(`To enable it again: layaway webhooks enable ${pasted(id)}`);
  } else if ('enabled' in news) out.note(`The webhook endpoint ${id} is enabled again.`);
  else {
    const present = listenerOf(await knownEndpoints(cli), url);
    if (present) secret.learn({ id: present.id, secret: await secretOf(cli, present) });
  }
}

/** The connection ended or could not be made. Any other error ends the command. */
function isCut(error: unknown): boolean {
  if (error instanceof CommandError) return error instanceof Unreachable;
  return error instanceof Error && 'code' in error;
}

/** Notes on the events that waited for this listener, and on others that send to its receiver. */
function whatIsThere(before: readonly WebhookEndpoint[], url: string, missed: number, { skipMissed }: Flags): string[] {
  const known = listenerOf(before, url);
  const twice = before.filter((each) => each !== known && each.enabled && isSameReceiver(each.url, url));
  return [
    ...(missed === 0
      ? []
      : [`${skipMissed ? 'Dropped' : 'Forwarding'} ${counted(missed, 'event')} that happened while nobody listened.`]),
    ...(known?.enabled === false
      ? [
          `The endpoint got no events for a while: ${known.disabled_reason}. It is enabled again. What happened meanwhile is not forwarded; \`layaway events resend <id>\` sends an event again.`,
        ]
      : []),
    ...twice.map(
      ({ id, url, transport }) =>
        `${transport === 'http' ? 'The server itself' : 'Another `layaway listen`'} sends to ${url} too: your receiver gets each event twice. To stop that, run \`layaway webhooks remove ${pasted(id)}\`.`,
    ),
  ];
}

/** The secret of the endpoint that forwards to that URL, which stays as it is; otherwise that of a temporary one. */
async function printSecret(cli: Cli, { forwardTo: url = 'http://localhost/', events }: Flags) {
  const { out } = cli;
  const listed = await knownEndpoints(cli);
  const known = listenerOf(listed, url);
  const secret = known ? await secretOf(cli, known) : await temporarySecret(cli, url, events);
  if (out.json) return out.document(JSON.stringify({ data: { secret } }));
  out.line(secret);
}

/** The secret of an endpoint that exists only for this. */
async function temporarySecret(cli: Cli, url: string, events: WebhookEndpoint['events'] | undefined) {
  const { id, secret } = await registerListener(cli, url, events);
  await cli.client.call(deleteWebhookEndpoint, { params: { id } });
  return secret;
}
