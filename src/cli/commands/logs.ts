import { type Command, InvalidArgumentError, Option } from 'commander';
import { listRequests } from '../../operations/requests.ts';
import type { RequestRecord } from '../../operations/wire.ts';
import { type Cli, run, runUntilStopped, verb } from '../command.ts';
import { describe } from '../describe.ts';
import { CommandError, EXIT } from '../exit.ts';
import { wholeNumber } from '../input/arguments.ts';
import { httpPaint } from '../show/http-status.ts';
import { instant } from '../terminal/format.ts';
import { closedPipe } from '../terminal/pipes.ts';
import { rest } from '../wait.ts';

interface Filter {
  readonly status?: string;
  readonly path?: string;
}

export default function logs(noun: Command) {
  describe(noun, 'Show requests to the service.', 'layaway logs tail --status 4xx');

  verb(
    noun,
    'list',
    'List the latest requests to /v1 with their bodies, newest first.',
    'layaway logs list --status 422 --limit 5',
  )
    .option('--status <status>', 'only this status, such as 404, or class, such as 4xx', statusFilter)
    .option('--path <prefix>', 'only paths that start with this prefix')
    .addOption(new Option('--limit <n>', 'maximum number of results').argParser(wholeNumber(1, 1000)).default(20))
    .option('--after <id>', 'only requests newer than this one, oldest first')
    .action(run(list));

  verb(
    noun,
    'tail',
    'Print requests to /v1 as they are answered, until stopped.',
    'layaway logs tail --status 4xx --path /v1/sessions --json',
  )
    .option('--status <status>', 'only this status, such as 404, or class, such as 4xx', statusFilter)
    .option('--path <prefix>', 'only paths that start with this prefix')
    .action(runUntilStopped(tail));
}

async function list(cli: Cli, { status, path, limit, after }: Filter & { limit: number; after?: string }) {
  const answer = await cli.client.call(listRequests, { query: { status, path, limit, after } });
  await cli.show(answer, (requests) => {
    if (requests.length === 0) return cli.out.note('No matching requests.');
    for (const request of requests) {
      cli.out.line(lineOf(cli, request));
      if (request.request_body !== null) cli.out.line(`  sent      ${JSON.stringify(request.request_body)}`);
      if (request.response_body !== null) cli.out.line(`  answered  ${JSON.stringify(request.response_body)}`);
    }
  });
}

function statusFilter(text: string): string {
  if (/^[1-5](\d\d|xx)$/i.test(text)) return text;
  throw new InvalidArgumentError('It must be a status such as 404, or a class such as 4xx.');
}

const POLL_MS = 250;
const RECONNECTS = 5;
const RECONNECT_MS = 1000;

async function tail(cli: Cli, { status, path }: Filter) {
  const stop = () => process.exit(EXIT.done);
  process.on('SIGINT', stop).on('SIGTERM', stop);
  closedPipe.end = stop;

  const page = async (query: { limit: number; after?: string }) =>
    (await cli.client.call(listRequests, { query: { ...query, status, path } })).body.data;
  let lastId = (await page({ limit: 1 }))[0]?.id;
  cli.out.note('Listening for requests. Press Ctrl-C to stop.');
  for (let failures = 0; ; ) {
    try {
      const found = await page(lastId === undefined ? { limit: 1000 } : { limit: 1000, after: lastId });
      failures = 0;
      for (const request of lastId === undefined ? found.toReversed() : found) {
        lastId = request.id;
        print(cli, request);
      }
      await rest(POLL_MS);
    } catch (error) {
      const code = error instanceof CommandError ? error.code : undefined;
      // A restarted server may number its requests from 1 again and not know the last one that was seen.
      const isUnknown = code === EXIT.refused && lastId !== undefined;
      failures += 1;
      if ((code !== EXIT.unreachable && !isUnknown) || failures > RECONNECTS) throw error;
      if (isUnknown) lastId = undefined;
      else await rest(RECONNECT_MS);
    }
  }
}

function print(cli: Cli, request: RequestRecord) {
  if (cli.out.json) return cli.out.document(JSON.stringify(request));
  cli.out.line(lineOf(cli, request));
}

function lineOf({ out }: Cli, request: RequestRecord): string {
  const { id, at, method, path, status, duration_ms, fault } = request;
  const { dim, yellow } = out.paint;
  const end = dim(`${Math.round(duration_ms * 10) / 10} ms  ${id}`);
  return `${dim(instant(at))}  ${httpPaint(out.paint)(status)}  ${method.padEnd(6)} ${path}  ${end}${fault ? `  ${yellow(`fault: ${fault.kind}`)}` : ''}`;
}
