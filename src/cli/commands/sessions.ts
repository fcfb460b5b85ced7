import { type Command, Option } from 'commander';
import { LIST_MAX } from '../../domain/limits.ts';
import { formatMoney } from '../../domain/money.ts';
import { SESSION_STATUSES, type SessionStatus } from '../../domain/session.ts';
import { EXAMPLE_URLS } from '../../operations/schemas.ts';
import { createSession, getCheckoutSession } from '../../operations/service.ts';
import {
  acceptPlan,
  cancelCheckout,
  completeCheckout,
  listSessions,
  payCartCapture,
} from '../../operations/sessions.ts';
import { type Cli, run, verb } from '../command.ts';
import { describe } from '../describe.ts';
import { Refused } from '../exit.ts';
import { cents, emailAddress, LIMIT, metadataPair, notEmpty, stateCode } from '../input/arguments.ts';
import { WAIT, waitQuery } from '../input/wait.ts';
import { isLoopback } from '../server/url.ts';
import { showContract, showPayment } from '../show/contract.ts';
import { showList } from '../show/list.ts';
import { sessionTable, showSession } from '../show/session.ts';
import { openInBrowser } from '../terminal/browser.ts';
import { asked, askedOptional, canAsk, chosen, requireAll } from '../terminal/prompt.ts';

const SAMPLE = 'cs_Xk29BfQ7mZ81LwYc0RtEa5GhNp3JvUs4';

export default function sessions(noun: Command) {
  describe(
    noun,
    'Create checkout sessions and go through checkout as the customer.',
    'layaway sessions create --order-reference A-1001 --total-amount 20000',
  );

  verb(
    noun,
    'create',
    'Create a checkout session.',
    'layaway sessions create --order-reference A-1001 --total-amount 20000 --customer-state TX --metadata cart=77',
  )
    .option('--order-reference <text>', 'your order ID (required)')
    .option('--total-amount <cents>', 'order total in cents (required)', cents)
    .option('--return-url <url>', 'where the customer returns after checkout', EXAMPLE_URLS.return_url)
    .option('--cancel-url <url>', 'where the customer returns after cancelling', EXAMPLE_URLS.cancel_url)
    .option('--customer-email <email>', 'the customer’s email address')
    .option('--customer-state <code>', 'two-letter code of the state the order ships to')
    .option('--metadata <key=value>', 'metadata of the session and its contract; repeatable', metadataPair)
    .option('--idempotency-key <key>', 'idempotency key: the same key returns the same session')
    .action(run(create));

  verb(noun, 'get <id>', 'Read a session.', `layaway sessions get ${SAMPLE}`).action(
    run(async (cli, id: string | undefined) => {
      const params = { id: await sessionId(cli, id) };
      await showSession(cli, await cli.client.call(getCheckoutSession, { params }));
    }),
  );

  verb(noun, 'list', 'List sessions, newest first.', 'layaway sessions list --limit 10')
    .option(...LIMIT)
    .addOption(new Option('--status <status>', 'only sessions with this status').choices(SESSION_STATUSES))
    .option('--order-reference <text>', 'only sessions with exactly this order reference', notEmpty)
    .option('--after <id>', 'only sessions newer than this one, oldest first', notEmpty)
    .action(
      run(async (cli, flags: ListFlags) => {
        const { limit, after, status, orderReference: order_reference } = flags;
        const answer = await cli.client.call(listSessions, { query: { limit, after, status, order_reference } });
        const filters = { status, order_reference, after };
        await showList(cli, answer, { items: 'sessions', filters, limit, how: HOW_TO_OPEN }, async (data) =>
          sessionTable(cli.out, data, await cli.client.now(answer)),
        );
      }),
    );

  verb(
    noun,
    'accept <id>',
    'Accept the plan as the customer; this creates a pending contract.',
    `layaway sessions accept ${SAMPLE} --customer-name "Ada Byron" --customer-email ada@example.com`,
  )
    .option('--customer-name <name>', 'the customer’s name (required)')
    .option('--customer-email <email>', 'the customer’s email address (default: that of the session)')
    .option(...WAIT)
    .action(run(accept));

  verb(
    noun,
    'pay <id>',
    'Pay the amount due at checkout as the customer.',
    `layaway sessions pay ${SAMPLE} --outcome fail`,
  )
    .addOption(outcomeOption())
    .option(...WAIT)
    .action(
      run(async (cli, id: string | undefined, { outcome, ...flags }: CustomerFlags) => {
        const params = { id: await sessionId(cli, id, ['decision_made']) };
        await showPayment(
          cli,
          await cli.client.call(payCartCapture, { params, query: waitQuery(flags), body: { outcome } }),
        );
      }),
    );

  verb(
    noun,
    'complete <id>',
    'Accept the plan, unless already accepted, and pay.',
    `layaway sessions complete ${SAMPLE}`,
  )
    .option('--customer-name <name>', 'the customer’s name (default: Test Customer)')
    .option(
      '--customer-email <email>',
      'the customer’s email address (default: that of the session, or customer@example.com)',
    )
    .addOption(outcomeOption())
    .option(...WAIT)
    .action(
      run(async (cli, id: string | undefined, flags: CustomerFlags) => {
        const params = { id: await sessionId(cli, id, OPEN) };
        const body = {
          customer_name: flags.customerName,
          customer_email: flags.customerEmail,
          outcome: flags.outcome,
        };
        await showPayment(cli, await cli.client.call(completeCheckout, { params, query: waitQuery(flags), body }));
      }),
    );

  verb(noun, 'cancel <id>', 'Cancel the checkout as the customer.', `layaway sessions cancel ${SAMPLE}`)
    .option(...WAIT)
    .action(
      run(async (cli, id: string | undefined, flags: CustomerFlags) => {
        const params = { id: await sessionId(cli, id, OPEN) };
        await showSession(cli, await cli.client.call(cancelCheckout, { params, query: waitQuery(flags) }));
      }),
    );

  verb(noun, 'open <id>', 'Open the checkout page in a browser.', `layaway sessions open ${SAMPLE}`).action(
    run(async (cli, id: string | undefined) => {
      const params = { id: await sessionId(cli, id) };
      const answer = await cli.client.call(getCheckoutSession, { params });
      await cli.show(answer, ({ checkout_url }) => cli.out.line(checkout_url));
      await openInBrowser(answer.body.data.checkout_url);
    }),
  );
}

async function accept(cli: Cli, id: string | undefined, flags: CustomerFlags) {
  requireAll({ 'session id, cs_…': id, '--customer-name, the customer’s name': flags.customerName });
  const params = { id: await sessionId(cli, id, ['pending']) };
  const query = waitQuery(flags);
  const name = await asked(flags.customerName, 'Missing --customer-name, the customer’s name.', {
    message: 'Name of the customer',
  });
  const send = (email: string | undefined) =>
    cli.client.call(acceptPlan, { params, query, body: { customer_name: name, customer_email: email } });
  const answer = await send(flags.customerEmail).catch(async (error) => {
    if (!lacksEmail(error) || flags.customerEmail !== undefined || !canAsk()) throw error;
    return send(await asked(undefined, '', { message: 'Email of the customer', check: emailAddress }));
  });
  await showContract(cli, answer);
}

/** Neither the command nor the session names an address. */
const lacksEmail = (error: unknown) =>
  error instanceof Refused && error.status === 422 && 'customer_email' in (JSON.parse(error.body).errors ?? {});

interface ListFlags {
  readonly limit?: number;
  readonly after?: string;
  readonly status?: SessionStatus;
  readonly orderReference?: string;
}

interface CustomerFlags {
  readonly customerName?: string;
  readonly customerEmail?: string;
  readonly outcome?: 'pay' | 'fail';
  readonly wait?: true;
}

const outcomeOption = () =>
  new Option('--outcome <outcome>', 'outcome of the payment (default: pay)').choices(['pay', 'fail']);

interface CreateFlags {
  readonly orderReference?: string;
  readonly totalAmount?: number;
  readonly returnUrl: string;
  readonly cancelUrl: string;
  readonly customerEmail?: string;
  readonly customerState?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly idempotencyKey?: string;
}

async function create(cli: Cli, flags: CreateFlags) {
  requireAll({
    '--order-reference, your order ID': flags.orderReference,
    '--total-amount, the order total in cents': flags.totalAmount,
  });
  const orderReference = await asked(flags.orderReference, 'Missing --order-reference, your order ID.', {
    message: 'Order reference',
  });
  const totalAmount = await asked(
    flags.totalAmount === undefined ? undefined : String(flags.totalAmount),
    'Missing --total-amount, the order total in cents.',
    { message: 'Order total in cents', check: cents },
  );
  // A person who answers questions about the order is asked for the rest too.
  const isGuided = flags.orderReference === undefined;
  const askedIfGuided: typeof askedOptional = async (...question) =>
    isGuided ? askedOptional(...question) : undefined;
  const customerEmail = flags.customerEmail ?? (await askedIfGuided('Email of the customer', emailAddress));
  const customerState = flags.customerState ?? (await askedIfGuided('State it ships to', stateCode));

  const { returnUrl, cancelUrl, metadata, idempotencyKey } = flags;
  const sent = cli.client.call(createSession, {
    ...(idempotencyKey === undefined ? {} : { headers: { 'idempotency-key': idempotencyKey } }),
    body: {
      order_reference: orderReference,
      total_amount: Number(totalAmount),
      return_url: returnUrl,
      cancel_url: cancelUrl,
      customer_email: customerEmail,
      customer_state: customerState,
      metadata,
    },
  });
  const answer = await sent.catch((error) => {
    if (isRefusedAsHttp(error, [returnUrl, cancelUrl])) cli.out.note(HOW_TO_ALLOW_HTTP);
    throw error;
  });
  await showSession(cli, answer);
  if (answer.headers['idempotent-replayed'] !== undefined) {
    cli.out.note(
      `Replayed: the idempotency key ${idempotencyKey} has already opened this session; nothing was created.`,
    );
  }
}

const HOW_TO_OPEN = 'Open one with `layaway sessions create`.';

const HOW_TO_ALLOW_HTTP =
  'The service takes https URLs only. For a store on http during development, run `layaway assumptions set allow_http_localhost true`.';

const isRefusedAsHttp = (error: unknown, urls: readonly string[]) =>
  error instanceof Refused &&
  error.status === 422 &&
  error.body.includes('https://') &&
  urls.some((url) => /^http:/i.test(url) && URL.canParse(url) && isLoopback(url));

/** The statuses in which the customer can continue. */
const OPEN = ['pending', 'decision_made'];

const sessionId = ({ client }: Cli, id: string | undefined, statuses?: readonly string[]) =>
  chosen(id, 'Missing session id, cs_….', {
    message: 'Which session?',
    none: `There are no ${statuses ? `${statuses.join(' or ')} sessions` : 'sessions'}. ${
      statuses?.includes('pending') === false
        ? 'Accept the plan of one with `layaway sessions accept`.'
        : 'Create one with `layaway sessions create`.'
    }`,
    choices: async () =>
      (await client.call(listSessions, { query: { limit: LIST_MAX } })).body.data
        .filter(({ status }) => statuses?.includes(status) ?? true)
        .map(({ id, status, order_reference, total_amount }) => [
          id,
          order_reference,
          status,
          formatMoney(total_amount),
        ]),
  });
