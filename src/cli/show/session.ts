import { formatMoney } from '../../domain/money.ts';
import type { CheckoutSession } from '../../operations/wire.ts';
import type { Cli } from '../command.ts';
import type { Answer } from '../server/client.ts';
import { instant, when } from '../terminal/format.ts';
import { type Output, statusPaint } from '../terminal/output.ts';

export const showSession = (cli: Cli, answer: Answer<CheckoutSession>) =>
  cli.show(answer, async (session) => {
    const { out } = cli;
    const now = await cli.client.now(answer);
    out.facts([
      ['session', session.id, out.paint.bold],
      ['status', session.status, statusPaint(out.paint)],
      ['order reference', session.order_reference],
      ['total', formatMoney(session.total_amount)],
      ['down payment', `${formatMoney(session.down_payment_amount)} (${session.down_payment_percentage}%)`],
      ['checkout', session.checkout_url, out.paint.cyan],
      ['return to', session.return_url],
      ['cancel to', session.cancel_url],
      ['expires', session.status === 'pending' ? when(session.expires_at, now) : instant(session.expires_at)],
      ['created', when(session.created_at, now)],
      ...metadataFacts(session.metadata),
    ]);
  });

export function sessionTable(out: Output, sessions: readonly CheckoutSession[], now: number) {
  out.table(
    [
      { title: 'SESSION' },
      { title: 'STATUS', paint: statusPaint(out.paint) },
      { title: 'ORDER', shrinks: true },
      { title: 'TOTAL', figures: true },
      { title: 'EXPIRES', shrinks: true },
    ],
    sessions.map((session) => [
      session.id,
      session.status,
      session.order_reference,
      formatMoney(session.total_amount),
      session.status === 'pending' ? when(session.expires_at, now) : '—',
    ]),
  );
}

export const metadataFacts = (metadata: Readonly<Record<string, string>>) =>
  Object.entries(metadata).map(([key, value]) => [`metadata ${key}`, value] as const);
