import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  ERROR_STATUSES,
  EVENT_PATTERNS,
  FAULT_BOUNDS,
  FAULT_KINDS,
  FAULT_METHODS,
  FAULTS,
  fieldsOf,
} from '../../domain/faults.ts';
import { given } from '../../domain/given.ts';
import { suggestion } from '../../nearest.ts';
import { addFault, clearFaults, listFaults, removeFault, STRUCK_OPERATION_IDS } from '../../operations/faults.ts';
import { WHOLE_LIST } from '../../operations/list-query.ts';
import type { Fault, FaultCreate } from '../../operations/wire.ts';
import { type Cli, run, verb } from '../command.ts';
import { describe } from '../describe.ts';
import { usage } from '../exit.ts';
import { duration, notEmpty, timeoutMs, wholeNumber } from '../input/arguments.ts';
import { chosen, chosenOf } from '../terminal/prompt.ts';

const SAMPLE = 'flt_01JGFJJZ00R8T4M2X7C9VQKD3N';

export default function faults(noun: Command) {
  describe(
    noun,
    'Make requests and webhooks of the account fail, as on a real network.',
    'layaway faults add lost_answer --operation createSession',
  );

  verb(noun, 'list', 'List the faults in the order in which they strike.', 'layaway faults list').action(
    run(async (cli) => {
      const answer = await cli.client.call(listFaults, WHOLE_LIST);
      await cli.show(answer, (data) => {
        if (data.length === 0) return cli.out.note('There are no faults. Add one with `layaway faults add <kind>`.');
        faultTable(cli, data);
      });
    }),
  );

  verb(
    noun,
    'add <kind>',
    'Add a fault.',
    'layaway faults add error --status 502 --operation createSession --times 3',
    { heading: 'Kinds:', items: FAULT_KINDS.map((kind) => [kind, FAULTS[kind].effect]) },
  )
    .addOption(new Option('--operation <id>', 'only requests to this operation').choices(STRUCK_OPERATION_IDS))
    .addOption(new Option('--method <name>', 'only requests with this method').choices(FAULT_METHODS))
    .option('--path <path>', 'only requests to this path; * matches one segment', notEmpty)
    .addOption(
      new Option('--event <type>', 'only deliveries of this event type, or of a pattern such as contract.*').choices(
        EVENT_PATTERNS,
      ),
    )
    .option('--endpoint <id>', 'only deliveries to this endpoint', notEmpty)
    .addOption(new Option('--times <n|always>', 'how often it strikes, or always').argParser(times).default(1))
    .option('--skip <n>', 'how many matches it lets pass first', wholeNumber(...FAULT_BOUNDS.skip))
    .option('--every <n>', 'strike every n-th match after the first strike', wholeNumber(...FAULT_BOUNDS.every))
    .option('--status <number>', 'error and late_error: 500, 502, 503 or 504 (default: 503)', errorStatus)
    .option(
      '--retry-after <seconds>',
      'error, late_error and throttled: Retry-After in seconds',
      wholeNumber(...FAULT_BOUNDS.retry_after),
    )
    .option('--delay <span>', 'slow: how much later the response comes, in real time (default: 1s)', delayMs)
    .option('--by <span>', 'delayed: how much later the webhook comes, in account time (default: 1h)', duration)
    .option(
      '--copies <n>',
      'duplicate: how many more times the event is sent (default: 1)',
      wholeNumber(...FAULT_BOUNDS.copies),
    )
    .action(run(addOne));

  verb(noun, 'remove <id>', 'Remove a fault.', `layaway faults remove ${SAMPLE}`).action(
    run(async (cli, given: string | undefined) => {
      const id = await chooseFault(cli, given);
      const answer = await cli.client.call(removeFault, { params: { id } });
      await cli.show(answer, () => cli.out.note(`Removed ${id}.`));
    }),
  );

  verb(noun, 'clear', 'Remove all faults of the account.', 'layaway faults clear').action(
    run(async (cli) => {
      const answer = await cli.client.call(clearFaults);
      await cli.show(answer, () => cli.out.note('Removed all faults.'));
    }),
  );
}

function errorStatus(text: string): number {
  const status = ERROR_STATUSES.find((known) => String(known) === text);
  if (status === undefined) {
    const hint = text === '429' ? ' For 429, use the kind throttled without --status.' : '';
    throw new InvalidArgumentError(`It must be 500, 502, 503 or 504.${hint}`);
  }
  return status;
}

/** Commander takes null for a value that was left out. */
function times(text: string): number | 'always' {
  if (text === 'always') return text;
  const [min, max] = FAULT_BOUNDS.times;
  try {
    return wholeNumber(min, max)(text);
  } catch {
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}, or always.`);
  }
}

/** Takes milliseconds too, which durations cannot express. */
function delayMs(text: string): number {
  const [, digits] = /^(\d{1,5})ms$/.exec(text) ?? [];
  const ms = digits === undefined ? timeoutMs(text) : Number(digits);
  if (ms <= FAULT_BOUNDS.delay_ms[1]) return ms;
  throw new InvalidArgumentError('It must be at most 60 seconds.');
}

interface AddFlags {
  readonly operation?: FaultCreate['operation'];
  readonly method?: FaultCreate['method'];
  readonly path?: string;
  readonly event?: FaultCreate['event'];
  readonly endpoint?: string;
  readonly times: number | 'always';
  readonly skip?: number;
  readonly every?: number;
  readonly status?: number;
  readonly retryAfter?: number;
  readonly delay?: number;
  readonly by?: string;
  readonly copies?: number;
}

async function addOne(cli: Cli, named: string | undefined, flags: AddFlags) {
  const wanted = await chosenOf(named, `Missing kind of fault. Kinds: ${FAULT_KINDS.join(', ')}.`, {
    message: 'Which kind?',
    choices: FAULT_KINDS.map((kind) => [kind, FAULTS[kind].effect]),
  });
  const kind = FAULT_KINDS.find((known) => known === wanted);
  if (kind === undefined) throw usage(`Unknown kind of fault "${wanted}". ${suggestion(wanted, FAULT_KINDS)}`);
  const {
    times: struck,
    skip,
    every,
    endpoint: endpoint_id,
    retryAfter: retry_after,
    delay: delay_ms,
    ...rest
  } = flags;
  const fields = given({ endpoint_id, retry_after, delay_ms, ...rest });
  const own = fieldsOf(kind);
  const foreign = Object.keys(fields).find((field) => !own.includes(field));
  if (foreign !== undefined) {
    const taken = [...own, 'times', 'skip', 'every'].map(flagOf);
    throw usage(`${flagOf(foreign)} does not belong to ${kind}, which takes ${taken.join(', ')}.`);
  }
  const answer = await cli.client.call(addFault, {
    body: { kind, times: struck === 'always' ? null : struck, ...given({ skip, every }), ...fields },
  });
  await cli.show(answer, (fault) =>
    cli.out.facts([
      ['id', fault.id],
      ['kind', fault.kind, cli.out.paint.bold],
      ['effect', FAULTS[kind].effect],
      ['strikes', whichOf(fault)],
      ['how often', howOften(fault)],
      ...(detailOf(fault) === '' ? [] : [['with', detailOf(fault)] as [string, string]]),
    ]),
  );
}

/** The flag that sets a field of the wire. */
const flagOf = (field: string) => `--${field.replace(/_(id|ms)$/, '').replaceAll('_', '-')}`;

function faultTable({ out }: Cli, faults: readonly Fault[]) {
  out.table(
    [
      { title: 'FAULT' },
      { title: 'KIND', paint: out.paint.bold },
      { title: 'STRIKES', shrinks: true },
      { title: 'HOW OFTEN', shrinks: true },
      { title: 'WITH', shrinks: true },
      { title: 'STRUCK', figures: true },
    ],
    faults.map((fault) => [
      fault.id,
      fault.kind,
      whichOf(fault),
      howOften(fault),
      detailOf(fault) || '—',
      String(fault.met),
    ]),
  );
}

/** Which requests or deliveries. */
function whichOf({ kind, operation, method, path, event, endpoint_id }: Fault): string {
  const filters = [operation, method, path, event, endpoint_id && `to ${endpoint_id}`].filter(Boolean).join(' ');
  if (filters !== '') return filters;
  // A newer server may know a kind that this command does not.
  if (!FAULT_KINDS.includes(kind)) return 'all';
  return FAULTS[kind].on === 'request' ? 'all requests' : 'all deliveries';
}

/** `once`, `3 times, one match in 2, after 4`, … */
function howOften({ times, skip, every }: Fault): string {
  const count = times === null ? 'always' : times === 1 ? 'once' : `${times} times`;
  const parts = [count, ...(every === 1 ? [] : [`one match in ${every}`]), ...(skip === 0 ? [] : [`after ${skip}`])];
  return parts.join(', ');
}

function detailOf({ status, retry_after, delay_ms, by, copies }: Fault): string {
  return [
    status === null ? '' : `status ${status}`,
    retry_after === null ? '' : `Retry-After ${retry_after}`,
    delay_ms === null ? '' : `${delay_ms} ms`,
    by === null ? '' : `by ${by}`,
    copies === null ? '' : `${copies} ${copies === 1 ? 'copy' : 'copies'}`,
  ]
    .filter((part) => part !== '')
    .join(', ');
}

const chooseFault = ({ client }: Cli, given: string | undefined) =>
  chosen(given, 'Missing fault id. List the faults with `layaway faults list`.', {
    message: 'Which fault?',
    none: 'There are no faults. Add one with `layaway faults add <kind>`.',
    choices: async () =>
      (await client.call(listFaults, WHOLE_LIST)).body.data.map((fault) => [fault.id, fault.kind, whichOf(fault)]),
  });
