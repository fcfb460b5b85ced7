import { type Command, Option } from 'commander';
import { CONTRACT_STATUSES, type ContractStatus, type Outcome } from '../../domain/contract.ts';
import { WANTED_INSTALLMENT_STATUSES, type WantedInstallmentStatus } from '../../domain/history.ts';
import { earliestOverdue } from '../../domain/installment.ts';
import { LIST_MAX } from '../../domain/limits.ts';
import { formatMoney } from '../../domain/money.ts';
import {
  arrangeOutcomes as arrange,
  createContract,
  findContracts,
  settleInstallment,
} from '../../operations/contracts.ts';
import {
  cancelContract,
  updateContract as changeContract,
  getContract,
  listContracts as readContracts,
} from '../../operations/service.ts';
import type { Contract } from '../../operations/wire.ts';
import { type Cli, run, verb } from '../command.ts';
import { describe } from '../describe.ts';
import { Refused, usage } from '../exit.ts';
import { cents, contractReference, metadataPair, notEmpty, parsed, wholeNumber } from '../input/arguments.ts';
import { WAIT, waitQuery } from '../input/wait.ts';
import type { Client } from '../server/client.ts';
import { allContracts, contractsToOffer } from '../server/contracts.ts';
import { contractTable, paymentOf, showContract, showPayments } from '../show/contract.ts';
import { asked, canAsk, chosen, confirmed } from '../terminal/prompt.ts';

const SAMPLE = 'LAY-7K3M9QXAHD';

export default function contracts(noun: Command) {
  describe(
    noun,
    'Create contracts in any state; read, update and cancel them; arrange and settle payments.',
    'layaway contracts list --overdue',
  );

  verb(
    noun,
    'create',
    'Create a contract in any state, with the history that leads to it.',
    'layaway contracts create --status delinquent --installment 2 --order-reference A-1003',
  )
    .addOption(
      new Option(
        '--status <status>',
        'the status of the contract, or of an installment of an active contract (default: active)',
      ).choices([...CONTRACT_STATUSES, ...WANTED_INSTALLMENT_STATUSES]),
    )
    .option('--installment <n>', 'the installment with that status, or the one that defaults', wholeNumber(1))
    .option('--days-ago <n>', 'days since the last thing happened (default: 1)', wholeNumber(0))
    .option('--no-webhooks', 'record the events without sending them')
    .option('--order-reference <text>', 'your order ID')
    .option('--total-amount <cents>', 'order total in cents', cents)
    .option('--customer-name <name>', 'the customer’s name (default: Test Customer)')
    .option('--customer-email <email>', 'the customer’s email address (default: customer@example.com)')
    .option('--customer-state <code>', 'two-letter code of the state the order ships to')
    .option('--metadata <key=value>', 'metadata of the session and its contract; repeatable', metadataPair)
    .action(run(create));

  verb(noun, 'list', 'List contracts, newest first.', 'layaway contracts list --status active --page 2')
    .addOption(new Option('--status <status>', 'only contracts with this status').choices(CONTRACT_STATUSES))
    .addOption(new Option('--page <n>', 'page number').argParser(wholeNumber(1)).conflicts('all'))
    .option('--all', 'all pages')
    .addOption(
      new Option('--order-reference <text>', 'only contracts with exactly this order reference (simulator only)')
        .argParser(notEmpty)
        .conflicts('page'),
    )
    .addOption(
      new Option('--overdue', 'only active contracts with an overdue installment (simulator only)').conflicts('page'),
    )
    .action(run(listContracts));

  verb(noun, 'get <ref>', 'Read a contract with its schedule.', `layaway contracts get ${SAMPLE}`).action(
    run(async (cli, ref: string | undefined) => {
      const reference = await chooseWhole(cli, ref, 'Which contract?');
      const answer = await cli.client.call(getContract, { params: { reference } });
      await showContract(cli, answer);
      if (!cli.out.json) await showPayments(cli, answer.body.data);
    }),
  );

  verb(
    noun,
    'update <ref>',
    'Update the order reference or the metadata.',
    `layaway contracts update ${SAMPLE} --order-reference A-1002`,
  )
    .option('--order-reference <text>', 'your order ID')
    .addOption(
      new Option('--metadata <key=value>', 'metadata, replacing all of it; repeatable')
        .argParser(metadataPair)
        .conflicts('clearMetadata'),
    )
    .option('--clear-metadata', 'remove all metadata')
    .action(run(updateContract));

  verb(
    noun,
    'cancel <ref>',
    'Cancel an active contract; nothing more is collected, and nothing is refunded.',
    `layaway contracts cancel ${SAMPLE} --yes`,
  )
    .option('--yes', 'do not ask')
    .action(
      run(async (cli, ref: string | undefined, flags: { yes?: boolean }) => {
        const reference = await chooseWhole(cli, ref, 'Which contract do you want to cancel?', 'active');
        await confirmed(`Cancel ${reference}? This cannot be undone.`, flags);
        await showContract(cli, await cli.client.call(cancelContract, { params: { reference } }));
      }),
    );

  verb(
    noun,
    'outcomes <ref> <outcome...>',
    'Set the outcomes of the next collection attempts, one each; later attempts succeed.',
    `layaway contracts outcomes ${SAMPLE} fail fail pay`,
  )
    .usage('<ref> <pay|fail>... [options]')
    .action(run(arrangeOutcomes));

  verb(
    noun,
    'settle <ref> <n>',
    'Settle an overdue installment as the customer; by default the earliest one.',
    `layaway contracts settle ${SAMPLE} 2`,
  )
    .usage('<ref> [n] [options]')
    .option(...WAIT)
    .action(run(settle));
}

interface CreateFlags {
  readonly status?: ContractStatus | WantedInstallmentStatus;
  readonly installment?: number;
  readonly daysAgo?: number;
  readonly webhooks: boolean;
  readonly orderReference?: string;
  readonly totalAmount?: number;
  readonly customerName?: string;
  readonly customerEmail?: string;
  readonly customerState?: string;
  readonly metadata?: Record<string, string>;
}

async function create(cli: Cli, flags: CreateFlags) {
  const body = {
    ...stateOf(flags),
    days_ago: flags.daysAgo,
    webhooks: flags.webhooks ? undefined : false,
    order_reference: flags.orderReference,
    total_amount: flags.totalAmount,
    customer_name: flags.customerName,
    customer_email: flags.customerEmail,
    customer_state: flags.customerState,
    metadata: flags.metadata,
  };
  await showContract(cli, await cli.client.call(createContract, { body }));
}

/** The status of an installment means an active contract, and its first installment unless another is named. */
function stateOf({ status, installment: number }: CreateFlags) {
  const installmentStatus = WANTED_INSTALLMENT_STATUSES.find((each) => each === status);
  if (installmentStatus) return { installment: { number: number ?? 1, status: installmentStatus } };
  return { status: status as ContractStatus | undefined, installment: number === undefined ? undefined : { number } };
}

interface ListFlags {
  readonly status?: ContractStatus;
  readonly page?: number;
  readonly all?: true;
  readonly orderReference?: string;
  readonly overdue?: true;
}

async function listContracts(cli: Cli, flags: ListFlags) {
  const { status, page, all, orderReference: order_reference, overdue } = flags;
  const { client, out } = cli;
  if (order_reference !== undefined || overdue) {
    const query = { status, order_reference, overdue: overdue && ('true' as const), limit: LIST_MAX };
    const answer = await client.call(findContracts, { query });
    return cli.show(answer, (data) => {
      if (data.length === 0) return out.note('No matching contracts.');
      contractTable(cli, data);
    });
  }
  if (all) {
    const every = await allContracts(client, status);
    if (out.json) return out.document(JSON.stringify({ data: every }));
    return printContracts(cli, every, status);
  }
  const answer = await client.call(readContracts, { query: { status, page } });
  await cli.show(answer, (data) => {
    // Comes first: an answer without it is from another program, and nothing of it is printed.
    const { current_page, last_page, total } = answer.body.meta;
    printContracts(cli, data, status, page);
    if (last_page > 1)
      out.note(`Page ${current_page} of ${last_page}, ${total} contracts. Use --all to list all of them.`);
  });
}

function printContracts(cli: Cli, contracts: readonly Contract[], status: string | undefined, page = 1) {
  if (contracts.length !== 0) return contractTable(cli, contracts);
  cli.out.note(`There are no ${status ? `${status} ` : ''}contracts${page > 1 ? ' on this page' : ''}.`);
}

async function updateContract(
  cli: Cli,
  ref: string | undefined,
  flags: { orderReference?: string; metadata?: Record<string, string>; clearMetadata?: true },
) {
  const metadata = flags.clearMetadata ? {} : flags.metadata;
  const isUnsaid = flags.orderReference === undefined && metadata === undefined;
  const unsaid = 'Nothing to change. Use --order-reference, --metadata or --clear-metadata.';
  if (isUnsaid && !canAsk()) throw usage(unsaid);
  const reference = await chooseWhole(cli, ref, 'Which contract do you want to update?');
  const orderReference = isUnsaid
    ? await asked(undefined, unsaid, { message: 'New order reference' })
    : flags.orderReference;
  const body = { order_reference: orderReference, metadata };
  await showContract(cli, await cli.client.call(changeContract, { params: { reference }, body }));
}

async function arrangeOutcomes(cli: Cli, ref: string | undefined, given: readonly string[] | undefined) {
  const reference = await chooseWhole(cli, ref, 'Which contract’s payments do you want to arrange?', 'active');
  const outcomes = given?.length
    ? given.map(outcomeOf)
    : outcomesOf(
        await asked(undefined, 'Missing outcomes: pay or fail, one per attempt.', {
          message: 'Outcomes of the next attempts (pay or fail, separated by spaces)',
          check: outcomesOf,
        }),
      );
  const answer = await cli.client.call(arrange, { params: { reference }, body: { outcomes } });
  await cli.show(answer, (data) =>
    cli.out.line(`${reference}: outcomes of the next attempts: ${data.outcomes.join(', ')}; later attempts succeed.`),
  );
}

function outcomesOf(text: string): Outcome[] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) throw usage('Enter at least one outcome.');
  return words.map(outcomeOf);
}

function outcomeOf(word: string): Outcome {
  if (word === 'pay' || word === 'fail') return word;
  throw usage(`"${word}" is not an outcome. Use pay or fail.`);
}

/** `LAY-…#2` names an installment as events do. */
async function settle(cli: Cli, ref: string | undefined, n: string | undefined, flags: { wait?: true }) {
  const chosenRef = await chooseContract(cli, ref, 'Which contract?', 'overdue');
  const [reference = '', fromRef] = chosenRef.split(/#(.*)/s);
  if (n !== undefined && fromRef !== undefined && n !== fromRef) {
    throw usage(`${chosenRef} and ${n} name two installments. Name one.`);
  }
  const text = n ?? fromRef;
  if (text !== undefined && !/^[1-9]\d{0,8}$/.test(text)) throw usage(`"${text}" is not an installment number.`);
  const number = text ?? String(await numberToSettle(cli.client, reference));
  const settling = cli.client.call(settleInstallment, { params: { reference, number }, query: waitQuery(flags) });
  await showContract(
    cli,
    await settling.catch(async (error) => {
      throw await whyNot(cli, error, reference, number);
    }),
  );
}

/** Which installment is meant, and why it cannot be settled. */
async function whyNot({ client }: Cli, error: unknown, reference: string, number: string): Promise<unknown> {
  if (!(error instanceof Refused) || error.status !== 422) return error;
  const { installments, status } = (await client.call(getContract, { params: { reference } })).body.data;
  const numbered = installments.filter(({ installment_number }) => installment_number !== null);
  const meant = numbered.find(({ installment_number }) => installment_number === Number(number));
  const hint =
    meant === undefined
      ? `${reference} has ${numbered.length} installments, numbered 1 to ${numbered.length}; there is no installment ${number}.`
      : `${reference}#${number} (${paymentOf(meant, numbered.length)}) is ${meant.status}; the contract is ${status}.`;
  return new Refused(error.status, error.body, error.message, { hint });
}

/**
 * Asks the control plane first: a read of `/v1` would use up a fault that waits for the store. If none is overdue, takes
 * the first unpaid one, so that the service says why it cannot be settled.
 */
async function numberToSettle(client: Client, reference: string): Promise<number> {
  const overdue = await choosable(client, 'overdue');
  const contract =
    overdue.find((each) => each.reference === reference) ??
    (await client.call(getContract, { params: { reference } })).body.data;
  const installments = contract.installments.filter(({ installment_number }) => installment_number !== null);
  return (
    (earliestOverdue(installments) ?? installments.find(({ status }) => status !== 'paid') ?? installments[0])
      ?.installment_number ?? 1
  );
}

/** Enough to choose from. The reference of an older contract can be typed. */
const CHOICE_PAGES = 20;

/** Contracts to choose from; `overdue` are those with an installment to settle. */
async function choosable(client: Client, which?: ContractStatus | 'overdue'): Promise<readonly Contract[]> {
  if (which !== 'overdue') return contractsToOffer(client, { status: which, limit: LIST_MAX, pages: CHOICE_PAGES });
  return (await client.call(findContracts, { query: { overdue: 'true', limit: LIST_MAX } })).body.data;
}

/** For what concerns more than one of its installments. */
const chooseWhole = async (...asked: Parameters<typeof chooseContract>) =>
  parsed(contractReference, await chooseContract(...asked));

const chooseContract = (
  { client }: Cli,
  ref: string | undefined,
  message: string,
  which?: ContractStatus | 'overdue',
) =>
  chosen(ref, 'Missing contract reference, LAY-….', {
    message,
    none: `There are no ${which === undefined ? '' : `${which} `}contracts. Create one with \`layaway contracts create${
      which === 'overdue' ? ' --status past_due' : ''
    }\`.`,
    choices: async () =>
      (await choosable(client, which)).map((contract) => [
        contract.reference,
        contract.order_reference ?? '—',
        contract.customer_name,
        contract.status,
        formatMoney(contract.customer_total),
      ]),
  });
