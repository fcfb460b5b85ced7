import { LIST_MAX } from '../../domain/limits.ts';
import { formatMoney } from '../../domain/money.ts';
import { getOutcomes, listAttempts } from '../../operations/contracts.ts';
import type { Contract } from '../../operations/wire.ts';
import type { Cli } from '../command.ts';
import { CommandError, EXIT } from '../exit.ts';
import type { Answer } from '../server/client.ts';
import { day, instant, when } from '../terminal/format.ts';
import { statusPaint } from '../terminal/output.ts';
import type { Fact } from '../terminal/table.ts';
import { metadataFacts } from './session.ts';

export const showContract = (cli: Cli, answer: Answer<Contract>) =>
  cli.show(answer, async (contract) => {
    const { out } = cli;
    const now = await cli.client.now(answer);
    const reached = (label: string, at: string | null): Fact[] => (at === null ? [] : [[label, when(at, now)]]);
    out.facts([
      ['contract', contract.reference, out.paint.bold],
      ['status', contract.status, statusPaint(out.paint)],
      ['order reference', contract.order_reference ?? '—'],
      ['customer', `${contract.customer_name} <${contract.customer_email}>`],
      ['state', contract.customer_state ?? '—'],
      ['total', formatMoney(contract.total_amount)],
      ['reservation fee', formatMoney(contract.reservation_fee_amount)],
      ['customer total', formatMoney(contract.customer_total)],
      ['down payment', formatMoney(contract.down_payment_amount)],
      ['paid', formatMoney(contract.paid_amount)],
      ['remaining', formatMoney(contract.remaining_amount)],
      ['created', when(contract.created_at, now)],
      ...reached('started', contract.started_at),
      ...reached('completed', contract.completed_at),
      ...reached('defaulted', contract.defaulted_at),
      ...reached('cancelled', contract.cancelled_at),
      ...metadataFacts(contract.metadata),
    ]);
    out.line();
    out.table(
      [
        { title: 'NO.', figures: true },
        { title: 'PAYMENT', shrinks: true },
        { title: 'AMOUNT', figures: true },
        { title: 'DUE' },
        { title: 'STATUS', paint: statusPaint(out.paint) },
        { title: 'PAID', shrinks: true },
      ],
      contract.installments.map((installment) => [
        installment.installment_number === null ? '' : String(installment.installment_number),
        paymentOf(installment, contract.installments.length - 1),
        formatMoney(installment.amount),
        day(installment.due_date, now),
        installment.status,
        when(installment.paid_at, now),
      ]),
    );
  });

/** Both numbers of a payment: `payment 2 of 4, sequence 3`; the one at checkout has no installment number. */
export const paymentOf = (
  { sequence, installment_number: number }: Contract['installments'][number],
  count: number,
): string => `${number === null ? 'at checkout' : `payment ${number} of ${count}`}, sequence ${sequence}`;

/** Shows what only a simulator has: the collection attempts, and the arranged outcomes of the next ones. */
export async function showPayments(cli: Cli, { reference, installments }: Contract) {
  const { client, out } = cli;
  const told = await Promise.all([
    client.call(listAttempts, { params: { reference }, query: { limit: LIST_MAX } }),
    client.call(getOutcomes, { params: { reference } }),
  ]).catch((error) => {
    if (error instanceof CommandError && error.code !== EXIT.usage) return null;
    throw error;
  });
  if (!told) return;
  const [{ body: listed }, { body: known }] = told;
  const [attempts, arranged] = [listed.data, known.data];
  const numberOf = (sequence: number) =>
    installments.find((installment) => installment.sequence === sequence)?.installment_number;
  if (attempts.length > 0) {
    out.line();
    out.table(
      [
        { title: 'ATTEMPT AT', paint: out.paint.dim },
        { title: 'NO.', figures: true },
        { title: 'ATTEMPT', figures: true },
        { title: 'OUTCOME', paint: (text) => (text.trim() === 'fail' ? out.paint.red(text) : out.paint.green(text)) },
        { title: 'AMOUNT', figures: true },
        { title: 'REFERENCE', shrinks: true },
      ],
      attempts
        .toReversed()
        .map((attempt) => [
          instant(attempt.at),
          String(numberOf(attempt.sequence) ?? ''),
          String(attempt.number),
          attempt.outcome,
          formatMoney(attempt.amount + attempt.late_charge_amount),
          attempt.reference,
        ]),
    );
  }
  if (arranged.outcomes.length > 0) {
    out.line();
    out.line(`Arranged outcomes of the next attempts: ${arranged.outcomes.join(', ')}; later attempts succeed.`);
  }
}

/** Shows the contract after the Cart Capture. A declined one leaves it pending, and the customer may try again. */
export async function showPayment(cli: Cli, answer: Answer<Contract>) {
  await showContract(cli, answer);
  const isDeclined = answer.body.data.status === 'pending';
  if (isDeclined && !cli.out.json) cli.out.note('The payment was declined; the customer may try again.');
}

export function contractTable({ out }: Cli, contracts: readonly Contract[]) {
  out.table(
    [
      { title: 'CONTRACT' },
      { title: 'STATUS', paint: statusPaint(out.paint) },
      { title: 'ORDER', shrinks: true },
      { title: 'CUSTOMER', shrinks: true },
      { title: 'PAID', figures: true },
      { title: 'REMAINING', figures: true },
    ],
    contracts.map((contract) => [
      contract.reference,
      contract.status,
      contract.order_reference ?? '—',
      contract.customer_name,
      formatMoney(contract.paid_amount),
      formatMoney(contract.remaining_amount),
    ]),
  );
}
