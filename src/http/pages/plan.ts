import type { Instant } from '../../domain/calendar.ts';
import { formatMoney } from '../../domain/money.ts';
import { type Cadence, quote } from '../../domain/quote.ts';
import { type PlannedCapture, schedule } from '../../domain/schedule.ts';
import { day, moment } from './dates.ts';
import { type Html, html } from './html.ts';
import type { Visit } from './visit.ts';

const EVERY: Record<Cadence, string> = { weekly: 'week', biweekly: 'two weeks', monthly: 'month' };

/**
 * The quote with its schedule. Dates count from today, as if the opening payment were made now (decisions §3).
 */
export function plan({ session, now, status, clockMode }: Visit): Html {
  const { terms } = session;
  const figures = quote(session.totalCents, terms);
  const captures = schedule(figures, terms.installmentCadence, now);
  const hasFee = figures.reservationFeeCents > 0;
  const dueToday = formatMoney(figures.cartCaptureCents);
  const [payments, every] = [terms.installmentCount, EVERY[terms.installmentCadence]];
  return html`<section class="plan" aria-labelledby="plan-title">
<h2 id="plan-title" class="due-label">Due today</h2>
<p class="due-today${dueToday.length > 12 && ' long'}" data-testid="due-today">${dueToday}</p>
<p class="lead">then ${payments} ${payments === 1 ? 'payment' : 'payments'}${payments > 1 && `, one every ${every}`}</p>
<dl class="figures">
${figure('Order', html`<bdi>${session.orderReference}</bdi>`, 'order-reference')}
${figure('Order total', formatMoney(figures.totalCents), 'order-total')}
${hasFee && figure(`Reservation fee (${terms.reservationFeePercentage}%)`, formatMoney(figures.reservationFeeCents), 'reservation-fee')}
${figure('Total you pay', formatMoney(figures.customerTotalCents), 'customer-total', 'total')}
${figure(`Down payment (${terms.downPaymentPercentage}%)`, formatMoney(figures.downPaymentCents), 'down-payment')}
</dl>
<p class="hint">Due today is the down payment${hasFee && ' and the reservation fee. The fee is not refunded if the plan ends because payments stop'}.</p>
<h3 id="schedule-title">Payment schedule</h3>
${picture(captures)}
<ol class="schedule" data-live="schedule" aria-labelledby="schedule-title" data-testid="schedule">
${captures.map(({ sequence, dueAt, amountCents }) => row(sequence === 1 ? html`Today` : day(dueAt), amountCents))}
</ol>
${
  status === 'pending' &&
  html`<p class="hint deadline" data-testid="expires-at">This offer is open until ${moment(session.expiresAt)}${countdown(session.expiresAt - now, clockMode)}.</p>`
}
</section>`;
}

const figure = (label: string, value: Html | string, testId: string, className: string | null = null) =>
  html`<div class="${className}"><dt>${label}</dt><dd data-testid="${testId}">${value}</dd></div>
`;

const row = (when: Html, amountCents: number) =>
  html`<li data-testid="schedule-payment"><span>${when}</span> <span class="amount">${formatMoney(amountCents)}</span></li>
`;

/** The script shows a countdown here, or the remaining time if the clock is frozen. */
const countdown = (leftMs: number, clockMode: Visit['clockMode']) =>
  html`<span data-live="countdown" data-left-ms="${leftMs}" data-clock="${clockMode}" data-testid="countdown"></span>`;

/** The schedule on a time axis. Hidden from screen readers, because the list has the same content. */
function picture(captures: readonly PlannedCapture[]): Html {
  const first = (captures[0] as PlannedCapture).dueAt;
  const last = (captures.at(-1) as PlannedCapture).dueAt;
  const place = (at: Instant) => `${(3 + (94 * (at - first)) / (last - first)).toFixed(2)}%`;
  return html`<svg class="timeline" data-live="timeline" width="100%" height="20" aria-hidden="true" focusable="false">
<line x1="3%" x2="97%" y1="10" y2="10"></line>
${captures.map(({ sequence, dueAt }) => html`<circle class="${sequence === 1 ? 'now' : 'later'}" cx="${place(dueAt)}" cy="10" r="${sequence === 1 ? 7 : 5}"></circle>`)}
</svg>`;
}
