import type { IncomingMessage } from 'node:http';
import { type Command, Option } from 'commander';
import {
  type Concern,
  concerning,
  EVENT_TYPES,
  type EventType,
  mayComeLater,
  narrowing,
  unmetFilter,
} from '../../domain/event.ts';
import { LIST_MAX } from '../../domain/limits.ts';
import { counted } from '../../domain/text.ts';
import { getEvent, listEvents, resendEvent, streamEvents } from '../../operations/events.ts';
import type { LayawayEvent } from '../../operations/wire.ts';
import { type Cli, run, runUntilStopped, verb } from '../command.ts';
import { describe } from '../describe.ts';
import { Refused, unmet, usage } from '../exit.ts';
import { follow } from '../follow.ts';
import {
  contractReference,
  LIMIT,
  notEmpty,
  receiverUrl,
  timeoutOption,
  unknownEventType,
} from '../input/arguments.ts';
import type { Client } from '../server/client.ts';
import { messages } from '../server/event-stream.ts';
import { deliveryTable, NOT_ATTEMPTED } from '../show/delivery.ts';
import { eventTable, happeningOf, subjectOf } from '../show/event.ts';
import { typePaint } from '../show/happened.ts';
import { showList } from '../show/list.ts';
import { instant, when } from '../terminal/format.ts';
import { withProgress } from '../terminal/progress.ts';
import { chosen, chosenOf, wordChoices } from '../terminal/prompt.ts';
import { until } from '../wait.ts';

interface ListFlags {
  readonly limit?: number;
  readonly after?: string;
  readonly type?: EventType;
  readonly contract?: string;
  readonly session?: string;
}

const SAMPLE = 'evt_01JGFJJZ00R8T4M2X7C9VQKD3N';

export default function events(noun: Command) {
  describe(noun, 'Read, follow and wait for events.', 'layaway events list --limit 20');

  verb(noun, 'list', 'List events, newest first.', `layaway events list --after ${SAMPLE}`)
    .option(...LIMIT)
    .addOption(new Option('--type <type>', 'only events of this type').choices(EVENT_TYPES))
    .option('--contract <ref>', 'only events of this contract', contractReference)
    .option('--session <id>', 'only events of this session and of its contract', notEmpty)
    .option('--after <id>', 'only events newer than this one, oldest first', notEmpty)
    .action(
      run(async (cli, { limit, after, type, contract, session }: ListFlags) => {
        const answer = await cli.client.call(listEvents, { query: { limit, after, type, contract, session } });
        const filters = { after, type, contract, session };
        await showList(cli, answer, { items: 'events', filters, limit }, (data) => eventTable(cli.out, data));
      }),
    );

  verb(noun, 'get <id>', 'Read an event.', `layaway events get ${SAMPLE}`).action(
    run(async (cli, id: string | undefined) => {
      const answer = await cli.client.call(getEvent, { params: { id: await chooseEvent(cli, id) } });
      await cli.show(answer, async (event) => {
        const { out } = cli;
        out.facts([
          ['event', event.id, out.paint.bold],
          ['type', event.type],
          ['subject', subjectOf(event)],
          ['created', when(event.created_at, await cli.client.now(answer))],
          ['livemode', String(event.livemode)],
        ]);
        out.line();
        out.document(JSON.stringify(event.data, null, 2));
      });
    }),
  );

  verb(
    noun,
    'resend <id>',
    'Send an event again, with the same id and body and a new timestamp.',
    `layaway events resend ${SAMPLE} --to http://localhost:3000/webhooks`,
  )
    .option('--endpoint <id>', 'only to this webhook endpoint (default: all endpoints that subscribe to it)')
    .option('--to <url>', 'only to this URL, which need not be an endpoint; a port alone means localhost', receiverUrl)
    .action(run(resend));

  verb(noun, 'tail', 'Print events as they happen, until stopped.', 'layaway events tail --json').action(
    runUntilStopped(tail),
  );

  verb(
    noun,
    'wait <type>',
    'Wait for an event; the last 1000 events of its type count.',
    'layaway events wait contract.cancelled --contract LAY-7K3M9QXAHD --timeout 10s',
  )
    .option('--contract <ref>', 'of this contract', contractReference)
    .option('--session <id>', 'of this session or its contract', notEmpty)
    .option('--after <id>', 'only events newer than this one', notEmpty)
    .addOption(timeoutOption())
    .action(run(wait));
}

const chooseEvent = ({ client }: Cli, given: string | undefined) =>
  chosen(given, 'Missing event id, evt_….', {
    message: 'Which event?',
    none: 'There are no events.',
    choices: async () =>
      (await client.call(listEvents)).body.data.map((event) => [
        event.id,
        instant(event.created_at),
        event.type,
        subjectOf(event),
      ]),
  });

async function resend(cli: Cli, given: string | undefined, { endpoint, to }: { endpoint?: string; to?: string }) {
  if (endpoint !== undefined && to !== undefined) throw usage('Use only one of --endpoint and --to.');
  const id = await chooseEvent(cli, given);
  const answer = await cli.client.call(resendEvent, {
    params: { id },
    body: { endpoint_id: endpoint, url: to },
  });
  await cli.show(answer, async (data) => {
    if (data.length === 0)
      return cli.out.note('No enabled webhook endpoint subscribes to this event. Name a URL with --to.');
    deliveryTable(cli.out, data, await cli.client.now(answer));
    if (data.some(({ attempts }) => attempts.length === 0)) cli.out.note(NOT_ATTEMPTED);
  });
}

const RESUME_MS = 1000;

/** Prints events until stopped. After a lost connection it asks for the events that it missed, the latest 1,000 at most. */
async function tail(cli: Cli) {
  let lastId: string | undefined;
  await follow(cli, {
    name: 'events',
    restMs: RESUME_MS,
    async begin() {
      lastId = resumable((await newest(cli, 1))[0]?.id);
    },
    async round(connected) {
      if (await cli.client.findAgain()) lastId = undefined;
      const headers = lastId === undefined ? {} : { 'last-event-id': lastId };
      const response = await cli.client.stream(streamEvents, { headers });
      connected();
      // Without an id to resume from, the stream begins now. Reading the list afterwards leaves no gap between the two.
      const isPrinted = new Set<string>();
      for (const event of lastId === undefined ? await listed(cli, response) : []) {
        lastId = resumable(event.id);
        isPrinted.add(event.id);
        print(cli, JSON.stringify(event));
      }
      for await (const { id = '', data } of messages(response.setEncoding('utf8'))) {
        if (isPrinted.has(id)) continue;
        lastId = resumable(id) ?? lastId;
        print(cli, data);
      }
    },
    forget() {
      const isKnown = lastId !== undefined;
      lastId = undefined;
      return isKnown;
    },
  });
}

/** The latest events. If they cannot be read, the stream that was to follow them is closed. */
const listed = (cli: Cli, stream: IncomingMessage) =>
  newest(cli, LIST_MAX).catch((error: unknown) => {
    stream.destroy();
    throw error;
  });

/** An id that a header can carry, or nothing. A server that is not ours may send others. */
const resumable = (id = '') => (/^[\w-]+$/.test(id) ? id : undefined);

/** The latest events, oldest first. */
const newest = async ({ client }: Cli, limit: number) =>
  (await client.call(listEvents, { query: { limit } })).body.data.toReversed();

function print({ out }: Cli, data: string) {
  const event: LayawayEvent = JSON.parse(data);
  // One document per line, even if the server sends several lines.
  if (out.json) return out.document(data.includes('\n') ? JSON.stringify(event) : data);
  const { at, type, subject, id } = happeningOf(event);
  const { dim, bold } = out.paint;
  out.line(`${dim(instant(at))}  ${typePaint(out.paint)(type.padEnd(26))}  ${bold(subject)}  ${dim(id)}`);
}

interface WaitFlags {
  readonly contract?: string;
  readonly session?: string;
  readonly after?: string;
  readonly timeout: number;
}

async function wait(cli: Cli, type: string | undefined, flags: WaitFlags) {
  const named = await chosenOf(type, 'Missing event type, such as contract.cancelled.', {
    message: 'Which type of event?',
    choices: wordChoices(EVENT_TYPES),
  });
  const wanted = EVENT_TYPES.find((known) => known === named);
  if (wanted === undefined) throw usage(unknownEventType(named));
  refuseUnmet({ type: wanted, ...flags });
  const look = seeker(cli.client, flags.after, {
    type: wanted,
    contract: flags.contract,
    session: flags.session,
  });
  const found = await withProgress('Waiting', until(look, flags.timeout));
  const sought = [wanted, flags.contract, flags.session].filter((part) => part !== undefined).join(' of ');
  if (!found) throw unmet(`No ${sought} occurred within ${counted(flags.timeout / 1000, 'second')}.`);
  if (cli.out.json) return cli.out.document(JSON.stringify({ data: found }));
  eventTable(cli.out, [found]);
}

function refuseUnmet(wanted: Concern) {
  const unmet = unmetFilter(wanted);
  if (unmet === null) return;
  const { type } = wanted;
  const { filter, instead } = unmet;
  throw usage(
    instead === null
      ? `${type} events have no ${filter}. Leave out --${filter}.`
      : `${type} names its ${instead}, not a ${filter}. Use --${instead} instead of --${filter}.`,
  );
}

interface Sought extends Concern {
  readonly type: EventType;
}

/**
 * The first event after `after`, otherwise the latest one. Each call looks at all of them again: after a reset, the last
 * event that was seen may not exist, or be another one.
 */
function seeker(client: Client, after: string | undefined, sought: Sought) {
  const query = { limit: LIST_MAX, type: sought.type, ...narrowing(sought) };
  const matches = concerning(sought);
  const read = (cursor: string | undefined) =>
    client.call(listEvents, { query: { ...query, after: cursor } }).then(
      ({ body }) => body.data,
      (error: unknown) => {
        if (error instanceof Refused && error.status === 404 && mayComeLater(sought)) return [];
        throw error;
      },
    );
  return async (): Promise<LayawayEvent | null> => {
    for (let cursor = after; ; ) {
      const data = await read(cursor);
      const found = data.find(matches);
      if (found) return found;
      if (cursor === undefined || data.length < LIST_MAX) return null;
      cursor = data.at(-1)?.id;
    }
  };
}
