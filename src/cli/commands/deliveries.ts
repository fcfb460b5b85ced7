import type { Command } from 'commander';
import { getDelivery, listDeliveries } from '../../operations/webhooks.ts';
import { type Cli, run, verb } from '../command.ts';
import { describe } from '../describe.ts';
import { usage } from '../exit.ts';
import { LIMIT, notEmpty } from '../input/arguments.ts';
import { deliveryTable, showDelivery } from '../show/delivery.ts';
import { showList } from '../show/list.ts';
import { chosen } from '../terminal/prompt.ts';

const SAMPLE = 'dlv_01JGFJJZ00R8T4M2X7C9VQKD3N';

export default function deliveries(noun: Command) {
  describe(noun, 'Inspect deliveries and their attempts.', 'layaway deliveries list --failed');
  listing(noun, 'list', 'layaway deliveries list --failed');

  verb(
    noun,
    'get <id>',
    'Read a delivery with each attempt: what was sent and what the receiver returned.',
    `layaway deliveries get ${SAMPLE}`,
  ).action(
    run(async (cli, given: string | undefined) => {
      const id = await chooseDelivery(cli, given);
      const answer = await cli.client.call(getDelivery, { params: { id } });
      await cli.show(answer, async (delivery) => showDelivery(cli.out, delivery, await cli.client.now(answer)));
    }),
  );
}

/** The verb that lists deliveries, here and as `webhooks deliveries`. */
export const listing = (noun: Command, name: string, example: string) =>
  verb(noun, name, 'List deliveries, newest first.', example)
    .option('--failed', 'only failed deliveries')
    .option('--pending', 'only pending deliveries')
    .option('--event <id>', 'only deliveries of this event', notEmpty)
    .option('--endpoint <id>', 'only deliveries to this endpoint', notEmpty)
    .option(...LIMIT)
    .option('--after <id>', 'only deliveries newer than this one, oldest first', notEmpty)
    .action(run(list));

interface DeliveryFlags {
  readonly failed?: true;
  readonly pending?: true;
  readonly event?: string;
  readonly endpoint?: string;
  readonly limit?: number;
  readonly after?: string;
}

async function list(cli: Cli, { failed, pending, event, endpoint, limit, after }: DeliveryFlags) {
  if (failed && pending) throw usage('Use only one of --failed and --pending.');
  const status = failed ? ('failed' as const) : pending ? ('pending' as const) : undefined;
  const query = { status, event_id: event, endpoint_id: endpoint, limit, after };
  const answer = await cli.client.call(listDeliveries, { query });
  const filters = { status, event, endpoint, after };
  await showList(cli, answer, { items: 'deliveries', filters, limit }, async (data) =>
    deliveryTable(cli.out, data, await cli.client.now(answer)),
  );
}

const chooseDelivery = ({ client }: Cli, given: string | undefined) =>
  chosen(given, 'Missing delivery id, dlv_…. List the deliveries with `layaway deliveries list`.', {
    message: 'Which delivery?',
    none: 'There are no deliveries.',
    choices: async () =>
      (await client.call(listDeliveries)).body.data.map(({ id, event_type, status, url }) => [
        id,
        event_type,
        status,
        url,
      ]),
  });
