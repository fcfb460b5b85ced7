import type { Command } from 'commander';
import { latestEmailNote } from '../../domain/latest-email.ts';
import { counted } from '../../domain/text.ts';
import { getEmail, listEmails } from '../../operations/emails.ts';
import type { Email } from '../../operations/wire.ts';
import { type Cli, run, verb } from '../command.ts';
import { describe } from '../describe.ts';
import { unmet } from '../exit.ts';
import { contractReference, LIMIT, notEmpty, timeoutOption } from '../input/arguments.ts';
import { showList } from '../show/list.ts';
import { instant, when } from '../terminal/format.ts';
import { withProgress } from '../terminal/progress.ts';
import { asked, chosen } from '../terminal/prompt.ts';
import { until } from '../wait.ts';

const SAMPLE = 'eml_01JGFJJZ00R8T4M2X7C9VQKD3N';

export default function emails(noun: Command) {
  describe(
    noun,
    'Read and wait for the emails that the service would send.',
    'layaway emails list --to ada@example.com',
  );

  verb(noun, 'list', 'List emails, newest first.', 'layaway emails list --reference LAY-7K3M9QXAHD')
    .option('--to <address>', 'only to this address', notEmpty)
    .option('--reference <ref>', 'only about this contract', contractReference)
    .option(...LIMIT)
    .option('--after <id>', 'only emails newer than this one, oldest first', notEmpty)
    .action(
      run(async (cli, query: { to?: string; reference?: string; limit?: number; after?: string }) => {
        const { to, reference, limit, after } = query;
        const answer = await cli.client.call(listEmails, { query: { to, reference, limit, after } });
        await showList(cli, answer, { items: 'emails', filters: { to, reference, after }, limit }, (data) =>
          emailTable(cli, data),
        );
      }),
    );

  verb(noun, 'get <id>', 'Read an email.', `layaway emails get ${SAMPLE}`).action(
    run(async (cli, id: string | undefined) => {
      const chosenId = await chosen(id, 'Missing email id, eml_….', {
        message: 'Which email?',
        none: 'There are no emails.',
        choices: async () =>
          (await cli.client.call(listEmails)).body.data.map(({ id, to, subject, created_at }) => [
            id,
            subject,
            to,
            instant(created_at),
          ]),
      });
      const answer = await cli.client.call(getEmail, { params: { id: chosenId } });
      await cli.show(answer, async (email) => {
        cli.out.facts([
          ['email', email.id, cli.out.paint.bold],
          ['from', email.from],
          ['to', email.to],
          ['subject', email.subject, cli.out.paint.bold],
          ['about', email.reference ?? '—'],
          ['written', when(email.created_at, await cli.client.now(answer))],
        ]);
        cli.out.line();
        for (const line of email.text.trimEnd().split(/\r?\n/)) cli.out.line(line);
      });
    }),
  );

  verb(
    noun,
    'wait',
    'Wait for an email; emails that already exist count.',
    'layaway emails wait --to ada@example.com --timeout 10s',
  )
    .usage('(--to <address> | --reference <ref>) [options]')
    .option('--to <address>', 'to this address (required without --reference)', notEmpty)
    .option('--reference <ref>', 'about this contract', contractReference)
    .option('--after <id>', 'only emails newer than this one', notEmpty)
    .addOption(timeoutOption())
    .action(run(wait));
}

async function wait(cli: Cli, flags: { to?: string; reference?: string; after?: string; timeout: number }) {
  const { reference, after, timeout } = flags;
  const to =
    flags.to === undefined && reference !== undefined
      ? undefined
      : await asked(flags.to, 'Missing --to, the recipient’s address, or --reference, the contract.', {
          message: 'Address of the recipient',
        });
  const look = async () => {
    const { body } = await cli.client.call(listEmails, { query: { to, reference, after, limit: 1 } });
    return body.data[0] ?? null;
  };
  const found = await withProgress('Waiting', until(look, timeout));
  if (!found) {
    const sought = `${to === undefined ? '' : ` to ${to}`}${reference === undefined ? '' : ` about ${reference}`}`;
    const { body } = await cli.client.call(listEmails, { query: { limit: 1 } });
    const latest = latestEmailNote(body.data[0]);
    throw unmet(`No email${sought} arrived within ${counted(timeout / 1000, 'second')}. ${latest}`);
  }
  if (cli.out.json) return cli.out.document(JSON.stringify({ data: found }));
  emailTable(cli, [found]);
}

function emailTable({ out }: Cli, emails: readonly Email[]) {
  out.table(
    [
      { title: 'EMAIL' },
      { title: 'WRITTEN', paint: out.paint.dim },
      { title: 'TO', shrinks: true },
      { title: 'SUBJECT', shrinks: true },
      { title: 'ABOUT' },
    ],
    emails.map((email) => [email.id, instant(email.created_at), email.to, email.subject, email.reference ?? '—']),
  );
}
