import type { CoverageReport, First } from '../../domain/coverage.ts';
import { escaped } from '../../domain/text.ts';
import { summaryOf } from './coverage.ts';

type Situation = CoverageReport['situations'][number];
type Finding = CoverageReport['findings'][number];

const STYLE = `
:root { color-scheme: light dark; --ink: #1c1b19; --paper: #fff; --soft: #5c5a55; --line: #d9d6cf; --met: #17663a; --unmet: #8a4b00; --must: #a3171c; }
@media (prefers-color-scheme: dark) { :root { --ink: #f1efea; --paper: #191816; --soft: #b4b0a7; --line: #45423c; --met: #7fd6a2; --unmet: #f0b55f; --must: #ff9d9a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 68rem; padding: 2rem 1.25rem 4rem; font: 1rem/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
h1 { font-size: 1.75rem; margin: 0 0 .25rem; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .5rem; }
p { max-width: 44rem; margin: .25rem 0; }
.soft { color: var(--soft); }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; color: var(--soft); padding: .25rem 0; }
th, td { text-align: left; vertical-align: top; padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--line); }
th:last-child, td:last-child { padding-right: 0; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
code { font: .875em/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
.id { display: block; color: var(--soft); }
.instant { white-space: nowrap; }
.met { color: var(--met); } .unmet { color: var(--unmet); } .must { color: var(--must); font-weight: 600; }
progress { width: 100%; max-width: 24rem; height: .75rem; accent-color: var(--met); }
.scroll { overflow-x: auto; }
@media screen and (max-width: 44rem) {
  .list, .list caption, .list tbody, .list tr, .list td { display: block; }
  .list thead { position: absolute; display: block; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .list tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  .list td { padding: 0 0 .25rem; border: 0; text-align: left; }
  .list .number::before { content: 'Times: '; }
}
@media print { body { max-width: none; padding: 0; } tr, h2 { break-inside: avoid; } h2 { break-after: avoid; } }
`;

/** One page without other files, to be read, printed and kept with a build. */
export function coverageHtml(report: CoverageReport): string {
  const { groups, situations, findings, met, total } = report;
  const missing = situations.filter((situation) => situation.met === 0);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Layaway coverage: ${escaped(summaryOf(report))}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Layaway coverage</h1>
<p>${escaped(summaryOf(report))}</p>
<p><progress value="${text(met)}" max="${text(total)}" aria-label="Situations met">${text(met)} of ${text(total)}</progress></p>
${table(
  'Situations met, by group',
  ['Group', 'Met', 'Of'],
  groups.map(({ title, met, total }) => [escaped(title), number(met), number(total)]),
)}
<h2>Findings</h2>
${findings.length === 0 ? '<p>No findings: nothing that the store did would fail in production.</p>' : list('What the store does wrong', ['Rule', 'Why it matters', 'Times', 'First'], findings.map(findingRow))}
<h2>Not met</h2>
${missing.length === 0 ? '<p>Every situation was met.</p>' : list('What the store has not met yet, and how to reach it', ['Situation', 'How to reach it', 'Section'], missing.map(missingRow))}
<h2>Met</h2>
${missing.length === situations.length ? '<p>No situation was met yet.</p>' : list('What the store has met', ['Situation', 'Times', 'First'], situations.filter((situation) => situation.met > 0).map(metRow))}
</main>
</body>
</html>
`;
}

type Cell = string;

/** A table whose rows are one below the other where the screen is narrow. */
const list = (...of: [string, readonly string[], readonly (readonly Cell[])[]]) =>
  table(...of).replace('<table>', '<table class="list">');

const table = (
  caption: string,
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
) => `<div class="scroll" role="region" aria-label="${escaped(caption)}" tabindex="0"><table>
<caption>${escaped(caption)}</caption>
<thead><tr>${head.map((title, at) => `<th scope="col"${rows[0]?.[at]?.startsWith(NUMBER) ? ' class="number"' : ''}>${title}</th>`).join('')}</tr></thead>
<tbody>
${rows.map((row) => `<tr>${row.map((cell) => (cell.startsWith('<td') ? cell : `<td>${cell}</td>`)).join('')}</tr>`).join('\n')}
</tbody>
</table></div>`;

const NUMBER = '<td class="number">';
/** Any program may have sent what should be a number. */
const text = (value: number) => escaped(String(value));
const number = (value: number): Cell => `${NUMBER}${text(value)}</td>`;
const named = (title: string, id: string, kind: string): Cell =>
  `<td><span class="${escaped(kind)}">${escaped(title)}</span> <code class="id">${escaped(id)}</code></td>`;
const first = ({ at, id, client_id }: First): Cell => {
  const whose = client_id ? ` <code class="id">${escaped(client_id)}</code>` : '';
  return `<td>${id === null ? 'not logged' : `<code>${escaped(id)}</code>`}${whose} <span class="id instant">${escaped(at.slice(0, 19))}Z</span></td>`;
};

const findingRow = ({ rule, severity, title, why, count, first: shown }: Finding) => [
  named(`${severity}: ${title}`, rule, severity),
  escaped(why),
  number(count),
  first(shown),
];
const missingRow = ({ id, title, how, section }: Situation) => [
  named(title, id, 'unmet'),
  commands(how),
  escaped(section),
];
const metRow = ({ id, title, met, first: shown }: Situation) => [
  named(title, id, 'met'),
  number(met),
  shown ? first(shown) : '',
];

/** Shows what is between backticks as code. */
const commands = (text: string) => escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>');
