import type { Command } from 'commander';
import { LIST_MAX } from '../../domain/limits.ts';
import { getRequest, listRequests } from '../../operations/requests.ts';
import type { RequestRecord } from '../../operations/wire.ts';
import { type Cli, run, runUntilStopped, verb } from '../command.ts';
import { describe } from '../describe.ts';
import { follow } from '../follow.ts';
import { formed, notEmpty, wholeNumber } from '../input/arguments.ts';
import { httpPaint } from '../show/http-status.ts';
import { showList } from '../show/list.ts';
import { struckBy } from '../show/struck-by.ts';
import { instant } from '../terminal/format.ts';

interface Filter {
  readonly status?: string;
  readonly path?: string;
}

/** Shorter than other lists: each request has its bodies. */
const LENGTH = 20;

export default function logs(noun: Command) {
  describe(noun, 'Show requests to the service.', 'layaway logs tail --status 4xx');

  verb(
    noun,
    'list',
    'List the latest requests to /v1 with their bodies, newest first.',
    'layaway logs list --status 422 --limit 5',
  )
    .option('--status <status>', 'only this status, such as 404, or class, such as 4xx', statusFilter)
    .option('--path <prefix>', 'only paths that start with this prefix', notEmpty)
    .option(
      '--limit <n>',
      `maximum number of results, up to ${LIST_MAX} (default: ${LENGTH})`,
      wholeNumber(1, LIST_MAX),
    )
    .option('--after <id>', 'only requests newer than this one, oldest first', notEmpty)
    .action(run(list));

  verb(
    noun,
    'tail',
    'Print requests to /v1 as they are answered, until stopped.',
    'layaway logs tail --status 4xx --path /v1/sessions --json',
  )
    .option('--status <status>', 'only this status, such as 404, or class, such as 4xx', statusFilter)
    .option('--path <prefix>', 'only paths that start with this prefix', notEmpty)
    .action(runUntilStopped(tail));
}

async function list(cli: Cli, { status, path, limit, after }: Filter & { limit?: number; after?: string }) {
  const answer = await cli.client.call(listRequests, { query: { status, path, limit: limit ?? LENGTH, after } });
  const how = 'They appear as they arrive, unless the server was started with --no-request-log.';
  const listing = { items: 'requests', filters: { status, path, after }, limit, lengthByDefault: LENGTH, how };
  await showList(cli, answer, listing, (requests) => {
    for (const request of requests) {
      cli.out.line(lineOf(cli, request));
      if (request.request_body !== null) cli.out.line(`  sent      ${JSON.stringify(request.request_body)}`);
      if (request.response_body !== null) cli.out.line(`  answered  ${JSON.stringify(request.response_body)}`);
    }
  });
}

const statusFilter = formed(
  (text) => /^[1-5](\d\d|xx)$/i.test(text),
  'It must be a status such as 404, or a class such as 4xx.',
);

const POLL_MS = 250;

/** Prints requests until stopped. After a lost connection it asks for those that it missed, the latest 1,000 at most. */
async function tail(cli: Cli, { status, path }: Filter) {
  const page = async (query: { limit: number; after?: string }) =>
    (await cli.client.call(listRequests, { query: { ...query, status, path } })).body.data;
  let last: RequestRecord | undefined;
  /** The time of the latest request that is not new, kept for when the server no longer knows `last`. */
  let toldUpTo = '';
  await follow(cli, {
    name: 'requests',
    restMs: POLL_MS,
    async begin() {
      [last] = await page({ limit: 1 });
      toldUpTo = last?.at ?? '';
    },
    async round(connected, isAgain) {
      // Another server may answer now, whose requests have the same numbers.
      if (isAgain && last && !(await isKept(cli, last))) last = undefined;
      const found = last
        ? await page({ limit: LIST_MAX, after: last.id })
        : (await page({ limit: LIST_MAX })).toReversed();
      connected();
      // A server that was killed has lost its last requests, and still has those before.
      const knownUpTo = last ? '' : toldUpTo;
      for (const request of found) {
        last = request;
        if (request.at <= knownUpTo) continue;
        if (request.at > toldUpTo) toldUpTo = request.at;
        print(cli, request);
      }
    },
    forget() {
      const isKnown = last !== undefined;
      last = undefined;
      return isKnown;
    },
  });
}

/** Whether the server has this request, and not another one with its number. */
async function isKept({ client }: Cli, { id, at }: RequestRecord): Promise<boolean> {
  const { data } = (await client.call(getRequest, { params: { id } })).body;
  return data.at === at;
}

function print(cli: Cli, request: RequestRecord) {
  if (cli.out.json) return cli.out.document(JSON.stringify(request));
  cli.out.line(lineOf(cli, request));
}

function lineOf({ out }: Cli, request: RequestRecord): string {
  const { id, at, method, path, status, duration_ms, fault } = request;
  const { dim } = out.paint;
  const end = dim(`${Math.round(duration_ms * 10) / 10} ms  ${id}`);
  const answer = httpPaint(out.paint)(status);
  return [dim(instant(at)), answer, `${method.padEnd(6)} ${path}`, end, ...struckBy(out.paint, fault)].join('  ');
}
