/** The pages' style. No font, image or colour comes from elsewhere. */
export const checkoutStyle = /* css */ `
:root {
  color-scheme: light dark;
  --ground: #f5f6f8;
  --panel: #ffffff;
  --ink: #16202e;
  --muted: #4d5a6b;
  --line: #d9dee6;
  --edge: #7b8797;
  --accent: #1d4ed8;
  --accent-strong: #173ea8;
  --on-accent: #ffffff;
  --bad: #b3261e;
  --bad-ground: #fdf0ef;
  --good: #1a6b45;
  --shadow: 0 1px 2px rgb(22 32 46 / 6%), 0 12px 32px -16px rgb(22 32 46 / 22%);
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0e141c;
    --panel: #18212c;
    --ink: #e9eef5;
    --muted: #a9b6c6;
    --line: #2c3847;
    --edge: #77869a;
    --accent: #8fb4ff;
    --accent-strong: #b3cbff;
    --on-accent: #0b1526;
    --bad: #ffaca5;
    --bad-ground: #35201f;
    --good: #7fd6a8;
    --shadow: none;
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0;
  background: var(--ground);
  color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif;
  overflow-wrap: anywhere;
}
h1, h2, h3, p, dl, dd, ol, ul { margin: 0; padding: 0; }
ol, ul { list-style: none; }
h1 { font-size: 1.625rem; line-height: 1.25; letter-spacing: -0.015em; text-wrap: balance; }
h2 { font-size: 1.125rem; line-height: 1.35; }
h3 { font-size: 1rem; line-height: 1.4; }
a { color: var(--accent); text-underline-offset: 0.18em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
main:focus { outline: none; }
.unseen { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: 1rem; top: -4rem; z-index: 1; padding: 0.5rem 1rem; background: var(--panel); border-radius: 0 0 6px 6px; }
.skip:focus { top: 0; }

/* The simulator's own strip: another typeface, a dashed edge, never the page's colours. */
.bar {
  display: flex; flex-wrap: wrap; align-items: center; gap: 0 1.5rem;
  padding: 0.25rem 1rem;
  color-scheme: light; background: #fff4cc; color: #3d2f00; border-bottom: 2px dashed #a37b00;
  font: 0.8125rem/1.5 ui-monospace, 'SF Mono', Menlo, Consolas, 'Liberation Mono', monospace;
}
.bar .mode { padding: 0.125rem 0.5rem; margin-inline-end: 0.375rem; border-radius: 3px; background: #3d2f00; color: #fff4cc; text-transform: uppercase; }
.bar-live { background: #ffe0ea; color: #5c0624; border-color: #b80f4a; }
.bar-live .mode { background: #5c0624; color: #ffe0ea; }
.bar a { color: inherit; padding: 0.25rem 0; }
.bar :focus-visible { outline-color: currentColor; }
.bar-controls { display: flex; flex-wrap: wrap; align-items: center; gap: 0 1.25rem; margin-inline-start: auto; }
.bar-check { font: inherit; display: inline-flex; align-items: center; gap: 0.4rem; padding: 0.25rem 0; cursor: pointer; }
.bar-controls form { margin: 0; }
.bar .bar-button { display: inline; width: auto; min-height: 0; font: inherit; color: inherit; padding: 0.25rem 0; border: 0; background: none; font-weight: inherit; border-radius: 0; text-decoration: underline; cursor: pointer; }
.bar-check input { width: 1.125rem; height: 1.125rem; margin: 0; accent-color: #3d2f00; }

.page { max-width: 62rem; margin: 0 auto; padding: 1.5rem 1rem 2rem; }
.masthead { display: flex; align-items: center; gap: 0.75rem; margin-bottom: 1.5rem; }
.monogram {
  flex: none; display: grid; place-items: center; width: 2.5rem; height: 2.5rem; border-radius: 10px;
  background: var(--accent); color: var(--on-accent); font-weight: 650; font-size: 1.125rem; overflow: hidden;
}
.merchant { flex: 1; min-width: 0; font-weight: 650; font-size: 1.0625rem; line-height: 1.3; }
.steps ol { display: flex; flex-wrap: wrap; gap: 0.375rem 1.25rem; margin-bottom: 1rem; font-size: 0.875rem; color: var(--muted); }
.steps li { display: flex; align-items: center; gap: 0.5rem; }
.steps .place { display: grid; place-items: center; width: 1.375rem; height: 1.375rem; border: 1px solid var(--edge); border-radius: 50%; font-size: 0.75rem; font-weight: 600; }
.steps .current { color: var(--ink); font-weight: 600; }
.steps .current .place { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
.steps .done .place { border-color: var(--good); color: var(--good); }
main h1 { margin-bottom: 1.25rem; }
.columns { display: grid; gap: 1.75rem; align-items: start; }
.columns > * { min-width: 0; }

.due-label { font-size: 0.9375rem; font-weight: 500; color: var(--muted); }
.due-today { font-size: 2.5rem; font-weight: 680; line-height: 1.15; letter-spacing: -0.025em; font-variant-numeric: tabular-nums; }
.lead { color: var(--muted); }
.figures { margin: 1.25rem 0 0.75rem; border-top: 1px solid var(--line); }
.figures > div { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1.5rem; padding: 0.5rem 0; border-bottom: 1px solid var(--line); }
.figures dt { color: var(--muted); }
.figures dd { min-width: 0; margin-inline-start: auto; text-align: end; font-variant-numeric: tabular-nums; }
.figures .total { font-weight: 650; }
.figures .total dt { color: inherit; }
.plan h3 { margin-top: 1.5rem; }
.timeline { display: block; margin: 0.5rem 0 0.25rem; overflow: visible; }
.timeline line { stroke: var(--edge); stroke-width: 2; }
.timeline circle { stroke: var(--accent); stroke-width: 2; fill: var(--ground); }
.timeline .now { fill: var(--accent); }
.schedule li { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1.5rem; padding: 0.375rem 0; }
.schedule li + li { border-top: 1px solid var(--line); }
.schedule li:first-child { font-weight: 650; }
.schedule .amount { margin-inline-start: auto; font-variant-numeric: tabular-nums; }
.hint { color: var(--muted); font-size: 0.875rem; }
.deadline { margin-top: 1rem; }
.deadline span { white-space: nowrap; font-variant-numeric: tabular-nums; }

.card { padding: 1.25rem; background: var(--panel); border: 1px solid var(--line); border-radius: 14px; box-shadow: var(--shadow); }
.card > h2 { margin-bottom: 1rem; }
.fields { display: grid; grid-template-columns: 1fr 1fr; gap: 0 1rem; }
.field { grid-column: 1 / -1; min-width: 0; margin-bottom: 1rem; }
.field.half { grid-column: auto; }
label { display: block; font-weight: 600; font-size: 0.9375rem; }
.field .hint { margin-bottom: 0.125rem; }
.field input {
  display: block; width: 100%; min-height: 2.875rem; margin-top: 0.25rem; padding: 0.5rem 0.75rem;
  background: var(--panel); color: inherit; font: inherit;
  border: 1px solid var(--edge); border-radius: 8px;
}
.field input::placeholder { color: var(--muted); opacity: 1; }
.field input:focus-visible { outline-offset: 0; border-radius: 8px; }
.field input[aria-invalid='true'] { border-color: var(--bad); border-width: 2px; }
.error { color: var(--bad); font-size: 0.875rem; font-weight: 500; }
.error:not(:empty) { margin-top: 0.25rem; }
.customer { margin-bottom: 1rem; padding-bottom: 1rem; border-bottom: 1px solid var(--line); font-size: 0.9375rem; }
.customer div { display: flex; gap: 1rem; }
.customer dt { flex: 0 0 3.5rem; color: var(--muted); }
.customer dd { min-width: 0; }
button, a.primary {
  display: block; width: 100%; min-height: 3rem; padding: 0.625rem 1rem; border-radius: 8px;
  font: inherit; font-weight: 620; text-align: center; cursor: pointer;
}
.primary { margin-top: 1rem; border: 1px solid transparent; background: var(--accent); color: var(--on-accent); text-decoration: none; transition: background 120ms; }
.primary:hover { background: var(--accent-strong); }
.primary[aria-disabled='true'] { opacity: 0.75; cursor: progress; }
button:focus-visible, a.primary:focus-visible { border-radius: 8px; }
.quiet { margin-top: 0.625rem; border: 1px solid transparent; background: transparent; color: var(--muted); font-weight: 500; text-decoration: underline; text-underline-offset: 0.18em; }
.quiet:hover { color: var(--ink); }
.notice { margin-bottom: 1.25rem; padding: 0.875rem 1rem; border-radius: 8px; border-inline-start: 4px solid; }
.notice h2 { font-size: 1rem; margin-bottom: 0.25rem; }
.notice-bad { background: var(--bad-ground); border-color: var(--bad); }
.notice-bad h2, .notice-bad a { color: var(--bad); }
.notice a { display: inline-block; padding: 0.125rem 0; }
.told { max-width: 34rem; padding: 2rem 1.5rem; }
.told p + p { margin-top: 0.75rem; }
.told h1 { margin-bottom: 0.75rem; }
.footer { margin-top: 2rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--muted); font-size: 0.8125rem; }

@media (min-width: 48rem) {
  .page { padding: 2.5rem 2rem 3rem; }
  .columns { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 3.5rem; }
  /* On a phone the card comes first; its plan holds nothing to focus, so the order of focus stays. */
  .form-first .plan { order: -1; }
  .card { padding: 1.75rem; }
  .told { padding: 2.5rem; }
}
@media (max-width: 48rem) {
  .bar-controls { margin-inline-start: 0; }
}
@media (max-width: 24rem) {
  .steps ol { gap: 0.375rem 0.75rem; font-size: 0.8125rem; }
  .steps li { gap: 0.375rem; }
}
@media (max-width: 22rem) {
  .fields { grid-template-columns: 1fr; }
}
@media (prefers-reduced-motion: reduce) {
  * { transition: none; scroll-behavior: auto; }
}
@media (forced-colors: active) {
  button, a.primary { border-color: ButtonText; }
}
@media print {
  :root {
    --ground: #fff; --panel: #fff; --ink: #000; --muted: #333; --line: #bbb; --edge: #666; --accent: #000; --on-accent: #fff; --good: #000;
  }
  .bar, .skip, form, .footer, a.primary { display: none; }
  .card { border: 0; padding: 0; box-shadow: none; }
  .page { max-width: none; padding: 0; }
}
`;

export const checkoutIcon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1d4ed8"/><g fill="#fff"><circle cx="8" cy="16" r="4"/><circle cx="17" cy="16" r="2.5"/><circle cx="25" cy="16" r="2.5"/></g></svg>';
