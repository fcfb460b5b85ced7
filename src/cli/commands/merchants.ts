import type { Command } from 'commander';
import { stateCode } from '../../domain/availability.ts';
import { WHOLE_LIST } from '../../operations/list-query.ts';
import { updateSettings } from '../../operations/settings.ts';
import type { MerchantAccount, MerchantRecord } from '../../operations/wire.ts';
import { createMerchant as create, listMerchants } from '../../operations/workspace.ts';
import { type Cli, run, verb } from '../command.ts';
import { describe } from '../describe.ts';
import { Refused, usage } from '../exit.ts';
import { instant } from '../input/arguments.ts';
import { assignment } from '../input/assign.ts';

const SAMPLE = 'layaway merchants create --legal-name "Second Store LLC" --state NY';

interface ProfileFlags {
  readonly legalName?: string;
  readonly dba?: string;
  readonly state?: string;
  readonly email?: string;
}

export default function merchants(noun: Command) {
  describe(noun, 'Create, list and update merchants.', SAMPLE);

  withProfile(
    verb(noun, 'create', 'Create a merchant with a sandbox and a live account; its keys are shown only once.', SAMPLE),
  )
    .option('--frozen-at <instant>', 'freeze the merchant’s clocks at this instant', instant)
    .option(
      '--set <name=value>',
      'set a value of the account, by its name in `assumptions list`; repeatable',
      assignment,
    )
    .action(run(createMerchant));

  verb(noun, 'list', 'List the merchants, newest first.', 'layaway merchants list').action(
    run(async (cli) => {
      const answer = await cli.client.call(listMerchants, WHOLE_LIST);
      await cli.show(answer, (data) =>
        cli.out.table(
          [
            { title: 'MERCHANT' },
            { title: 'LEGAL NAME', shrinks: true },
            { title: 'DBA', shrinks: true },
            { title: 'STATE' },
            { title: 'SANDBOX CLIENT ID' },
          ],
          data.map(({ id, legal_name, dba, state, sandbox }) => [id, legal_name, dba ?? '—', state, sandbox.client_id]),
        ),
      );
    }),
  );

  verb(noun, 'get [id]', 'Show a merchant; by default the one whose account you use.', 'layaway merchants get').action(
    run(getMerchant),
  );

  withProfile(
    verb(
      noun,
      'set',
      'Update the merchant whose account you use, for both its accounts.',
      'layaway merchants set --state CA --email shop@example.com',
    ),
  ).action(
    run(async (cli, flags: ProfileFlags) => {
      const body = profileOf(flags);
      if (Object.values(body).every((value) => value === undefined)) {
        throw usage('Nothing to change. Use --legal-name, --dba, --state or --email.');
      }
      const answer = await cli.client.call(updateSettings, { body });
      await cli.show(answer, ({ legal_name, dba, state, email }) =>
        cli.out.facts([
          ['legal name', legal_name],
          ['dba', dba ?? '—'],
          ['state', state],
          ['email', email],
        ]),
      );
    }),
  );
}

const withProfile = (command: Command) =>
  command
    .option('--legal-name <text>', 'legal name of the company')
    .option('--dba <text>', 'name of the store; empty to remove it')
    .option('--state <code>', 'two-letter state code', stateCode)
    .option('--email <address>', 'the merchant’s email address');

const profileOf = ({ legalName, dba, state, email }: ProfileFlags) => ({
  legal_name: legalName,
  dba: dba === '' ? null : dba,
  state,
  email,
});

async function createMerchant(
  cli: Cli,
  { frozenAt, set, ...profile }: ProfileFlags & { frozenAt?: string; set?: Record<string, unknown> },
) {
  const body = {
    ...profileOf(profile),
    ...(frozenAt === undefined ? {} : { clock: { frozen_at: frozenAt } }),
    ...(set === undefined ? {} : { settings: set }),
  };
  const answer = await cli.client.call(create, { body });
  await cli.show(answer, (merchant) => {
    showMerchant(cli, merchant);
    cli.out.note('Store the keys now. They are not shown again.');
  });
}

async function getMerchant(cli: Cli, id: string | undefined) {
  const answer = await cli.client.call(listMerchants, WHOLE_LIST);
  const { clientId } = await cli.client.address();
  const merchant = answer.body.data.find((one) =>
    id === undefined ? one.sandbox.client_id === clientId || one.live.client_id === clientId : one.id === id,
  );
  if (!merchant) {
    const message = 'Merchant not found.';
    throw new Refused(404, JSON.stringify({ message }), message);
  }
  if (cli.out.json) return cli.out.document(JSON.stringify({ data: merchant }));
  showMerchant(cli, merchant);
}

function showMerchant({ out }: Cli, { id, legal_name, dba, state, email, sandbox, live }: MerchantRecord) {
  const key = (label: string, account: MerchantAccount) =>
    account.api_key === undefined ? [] : [[label, account.api_key, out.paint.bold] as const];
  out.facts([
    ['merchant', id, out.paint.bold],
    ['legal name', legal_name],
    ['dba', dba ?? '—'],
    ['state', state],
    ['email', email],
    ['sandbox client id', sandbox.client_id],
    ...key('sandbox api key', sandbox),
    ['sandbox webhook secret', sandbox.webhook_secret],
    ['live client id', live.client_id],
    ...key('live api key', live),
    ['live webhook secret', live.webhook_secret],
  ]);
}
