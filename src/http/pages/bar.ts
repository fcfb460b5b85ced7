import { formatMoment } from '../../domain/calendar.ts';
import { moment } from './dates.ts';
import { form } from './form.ts';
import { type Html, html } from './html.ts';
import { addressOf, type Visit } from './visit.ts';

/** The simulator's own controls, styled differently from the page; `?bar=off` hides them. */
export function bar(visit: Visit): Html {
  const { account, session, now, clockMode, status } = visit;
  const hasForm = status === 'pending' || status === 'decision_made';
  return html`<aside class="bar bar-${account.mode}" aria-label="Simulator" data-testid="simulator-bar">
<p><strong class="mode" data-testid="simulator-mode">${account.mode === 'sandbox' ? 'Sandbox' : 'Live account'}</strong>
<span>${more('Local simulator: ')}${rest('nothing is charged.')}</span></p>
<p data-live="clock" data-testid="simulator-clock">${more('Simulated time ')}${moment(now)}${clockMode === 'frozen' && ' (frozen)'}</p>
<div class="bar-controls">
${
  status === 'decision_made' &&
  html`<label class="bar-check"><input type="checkbox" name="outcome" value="fail" form="payment-form"${visit.decline && html` checked`} data-testid="decline-payment"> <span>Decline${less(' this payment')}</span></label>`
}
${hasForm && html`<a href="${withQuery(visit, 'fill=1')}" data-testid="fill-test-data">Fill in${less(' test data')}</a>`}
${status === 'pending' && form(visit, 'expire', html`<button class="bar-button" type="submit" title="${expiring(visit)}" data-testid="expire-session">Advance clock${less(' to the deadline')}</button>`)}
<a href="/dashboard/go/${session.token}" data-testid="open-in-dashboard">${more('Open in ')}${rest('dashboard')}</a>
<a href="${withQuery(visit, 'bar=off')}" data-testid="hide-bar">Hide${more(' this bar')}</a>
</div>
</aside>`;
}

/** The whole account has one clock, so the button affects its other customers too. */
const expiring = ({ session }: Visit) =>
  `Expires this session: moves the clock of the whole account to ${formatMoment(session.expiresAt)} and does everything that falls due until then.`;

/** Words that are visible only if the bar has room for them. `less` needs less room than `more`. */
const more = (words: string) => html`<span class="more">${words}</span>`;
/** Follows `more`, and begins with a capital letter while `more` is hidden. */
const rest = (words: string) => html`<span class="rest">${words}</span>`;
const less = (words: string) => html`<span class="less">${words}</span>`;

const withQuery = (visit: Visit, query: string) => `${addressOf(visit)}?${query}`;
