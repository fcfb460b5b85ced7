import { merchantName } from '../../domain/merchant.ts';
import { bar } from './bar.ts';
import { type Html, html } from './html.ts';
import type { Visit } from './visit.ts';

export interface Page {
  /** Names the page in `data-testid`. */
  readonly name: string;
  readonly title: string;
  readonly body: Html;
}

/** A whole document. The visit is null if the page does not belong to a checkout. */
export function layout(page: Page, visit: Visit | null): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${page.title}</title>
<link rel="icon" href="/assets/checkout.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/checkout.css">
<script src="/assets/checkout.js" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the checkout</a>
${visit?.bar ? bar(visit) : null}
<div class="page">
${visit && masthead(visit)}
<main id="main" tabindex="-1" data-testid="checkout-${page.name}">
${page.body}
</main>
<footer class="footer">
<p>A simulated checkout: nothing is charged. Card details are checked and never stored.</p>
</footer>
</div>
</body>
</html>
`.markup;
}

function masthead({ account }: Visit): Html {
  const name = merchantName(account.merchant);
  return html`<header class="masthead">
<span class="monogram" aria-hidden="true">${[...name.trim()][0]?.toUpperCase() ?? null}</span>
<span class="merchant" dir="auto" data-testid="merchant-name">${name}</span>
</header>`;
}

const STEPS = ['Plan and details', 'Payment', 'Done'];

/** The customer's progress: `current` counts from 1. */
export const progress = (current: number): Html =>
  html`<nav class="steps" aria-label="Progress"><ol>
${STEPS.map((label, index) => {
  const place = index + 1;
  const mark = place < current ? 'done' : place === current ? 'current' : 'ahead';
  return html`<li class="${mark}"${place === current && html` aria-current="step"`}><span class="place" aria-hidden="true">${place < current ? '✓' : place}</span>${label}${place < current && html`<span class="unseen"> (done)</span>`}</li>
`;
})}</ol></nav>`;
