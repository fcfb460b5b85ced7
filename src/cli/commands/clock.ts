import { type Command, Option } from 'commander';
import { LIST_MAX } from '../../domain/limits.ts';
import { counted } from '../../domain/text.ts';
import {
  advanceClock,
  freezeClock,
  getAdvance,
  getClock,
  getForecast,
  LEFT_MAX,
  resumeClock,
  stopAdvance,
} from '../../operations/clock.ts';
import type { Advanced, AdvanceProgress, ClockState } from '../../operations/wire.ts';
import { type Cli, type OneShot, run, verb } from '../command.ts';
import { describe } from '../describe.ts';
import { EXIT, Refused, usage } from '../exit.ts';
import { condition, duration, instant, parsed } from '../input/arguments.ts';
import { pasted } from '../input/shell-quoted.ts';
import type { Answer } from '../server/client.ts';
import { timeline } from '../show/happened.ts';
import { instant as shownInstant, when } from '../terminal/format.ts';
import { printable } from '../terminal/printable.ts';
import { asked } from '../terminal/prompt.ts';

export default function clock(noun: Command) {
  describe(noun, 'Read and move the account clock.', 'layaway clock advance 14d');

  verb(noun, 'show', 'Show the time and what falls due next.', 'layaway clock show').action(
    run(async (cli) => showClock(cli, await cli.client.call(getClock))),
  );

  verb(
    noun,
    'advance <duration>',
    'Move the clock forward and process everything that falls due.',
    'layaway clock advance --until LAY-7K3M9QXAHD#2=past_due',
  )
    .usage('(<duration> | --to <instant> | --next | --until <condition>) [options]')
    .option('--to <instant>', 'to this instant', instant)
    .option('--next', 'to the next item that falls due')
    .option('--until <condition>', 'until LAY-…=defaulted, LAY-…#2=past_due or cs_…=expired', condition)
    .option('--dry-run', 'show what would happen without changing anything')
    .option('--no-wait', 'do not wait for the webhook attempts that fall due')
    .action(run(advance));

  verb(noun, 'progress', 'Show the progress of the advance under way.', 'layaway clock progress').action(
    run(async (cli) => showProgress(cli, await cli.client.call(getAdvance))),
  );

  verb(noun, 'stop', 'Stop the advance under way. Completed steps are not undone.', 'layaway clock stop').action(
    run(async (cli) => showProgress(cli, await cli.client.call(stopAdvance))),
  );

  verb(noun, 'freeze', 'Stop the clock where it is.', 'layaway clock freeze').action(
    run(async (cli) => showClock(cli, await cli.client.call(freezeClock))),
  );

  verb(noun, 'resume', 'Let the clock run again from where it is.', 'layaway clock resume').action(
    run(async (cli) => showClock(cli, await cli.client.call(resumeClock))),
  );

  verb(noun, 'forecast', 'List what will happen if nobody acts.', 'layaway clock forecast --until 2027-01-01')
    .addOption(
      new Option('--until <instant>', 'look ahead to this instant (default: as far as anything is due)').argParser(
        instant,
      ),
    )
    .action(
      run(async (cli, { until }: { until?: string }) => {
        const answer = await cli.client.call(getForecast, { query: { until } });
        await cli.show(answer, ({ now, happened }) => {
          if (happened.length === 0) return cli.out.note('Nothing is due.');
          timeline(cli.out, happened, Date.parse(now));
          if (happened.length < LIST_MAX) return;
          cli.out.note(
            `The list ends after ${LIST_MAX} events. \`layaway clock advance <duration> --dry-run\` counts all of them.`,
          );
        });
      }),
    );
}

const showClock = (cli: Cli, answer: Answer<ClockState>) =>
  cli.show(answer, ({ now, mode, next_due: next }) => {
    const due = next ? `${next.type} of ${next.subject}, ${when(next.at, Date.parse(now))}` : 'nothing';
    cli.out.facts([
      ['now', shownInstant(now), cli.out.paint.bold],
      ['clock', mode],
      ['next due', due],
    ]);
  });

const showProgress = (cli: Cli, answer: Answer<AdvanceProgress | null>) =>
  cli.show(answer, (progress) => {
    if (!progress) return cli.out.note('No advance is under way.');
    const {
      dry_run: dryRun,
      from,
      to,
      now,
      happened_count: count,
      happened_by_type: byType,
      left_count: left,
    } = progress;
    cli.out.facts([
      [dryRun ? 'dry run' : 'advance', `${shownInstant(from)} to ${shownInstant(to)}`],
      ['now', shownInstant(now), cli.out.paint.bold],
      ['events', String(count)],
      ...Object.entries(byType).map(([type, n]) => [`  ${type}`, String(n)] as const),
      ...(left === null ? [] : [['still due', left < LEFT_MAX ? String(left) : `${left} or more`] as const]),
    ]);
  });

interface AdvanceFlags {
  readonly to?: string;
  readonly next?: true;
  readonly until?: string;
  readonly dryRun?: true;
  readonly wait: boolean;
}

const GOES_ON = 'The server continues the advance. To stop it, run `layaway clock stop`.';

async function advance(cli: OneShot, by: string | undefined, flags: AdvanceFlags) {
  const { to, next, until, dryRun, wait } = flags;
  const destinations = [by, to, next, until].filter((value) => value !== undefined).length;
  if (destinations > 1) throw usage('Use only one of: a duration, --to, --next, --until.');
  const span = destinations === 0 ? await askDuration() : by;
  const body = {
    by: span === undefined ? undefined : parsed(duration, span),
    to,
    next,
    until,
    dry_run: dryRun,
    wait: wait ? undefined : false,
  };
  const before = cli.out.json ? null : await cli.client.call(getClock);
  // The signal ends this command only.
  if (!dryRun) cli.beforeSignal(async () => cli.out.note(GOES_ON));
  const answer = await reach(cli.client.call(advanceClock, { body }), until);
  await cli.show(answer, ({ now, happened, happened_count: count, webhooks }) => {
    // What happened lies before the new time. What a dry run shows lies after the old one.
    if (count > 0) timeline(cli.out, happened, Date.parse((dryRun && before?.body.data.now) || now));
    if (count > happened.length) {
      const last = happened.at(-1)?.event_id;
      const listing = last ? ` List them with \`layaway events list --after ${pasted(last)}\`.` : '';
      cli.out.note(`… and ${count - happened.length} more.${listing}`);
    }
    const due = before?.body.data.next_due;
    const isAttemptDue = due?.type === 'webhook.attempt' && due.at <= now;
    const sent = webhooks ? webhooksLine(webhooks) : null;
    if (sent !== null) cli.out.note(sent);
    else if (isAttemptDue) cli.out.note(`A webhook attempt ${dryRun ? 'would fall' : 'fell'} due (${due.subject}).`);
    else if (count === 0) cli.out.note(dryRun ? 'Nothing would happen.' : 'Nothing fell due.');
    cli.out.note(`The clock ${dryRun ? 'would read' : 'reads'} ${shownInstant(now)}.`);
  });
}

/** Null when no attempt was made. */
function webhooksLine({ delivered, failed, given_up: givenUp }: NonNullable<Advanced['webhooks']>): string | null {
  if (delivered + failed + givenUp === 0) return null;
  const counts = [
    `${delivered} delivered`,
    ...(failed === 0 ? [] : [`${counted(failed, 'attempt')} failed`]),
    ...(givenUp === 0 ? [] : [`${givenUp} given up`]),
  ];
  return `Webhooks: ${counts.join(', ')}.${failed === 0 ? '' : ' See `layaway webhooks deliveries`.'}`;
}

const askDuration = () =>
  asked(undefined, 'Missing destination: a duration such as 14d, or --to, --next or --until.', {
    message: 'How far? (36h, 14d, 1d12h, 3mo)',
    check: duration,
  });

/** An `--until` that cannot be reached is an expectation that failed, not a mistake in the request (interface §1). */
async function reach<T>(advancing: Promise<T>, until: string | undefined): Promise<T> {
  try {
    return await advancing;
  } catch (error) {
    if (until === undefined || !(error instanceof Refused) || error.status !== 422) throw error;
    const { errors } = JSON.parse(error.body) as { errors?: { until?: string[] } };
    if (!errors?.until) throw error;
    throw new Refused(error.status, error.body, printable(errors.until.join(' ')), { code: EXIT.expectation });
  }
}
