import { expect, test } from 'vitest';
import { fillIn, sectionsOf } from '../../bench/markdown.ts';
import { resultOf } from '../../bench/result.ts';
import { header, textOf } from '../../bench/table.ts';
import { aLine, aRun } from './result.ts';

const absolute = (ms: number) =>
  resultOf('start', { name: 'start', unit: 'ms', ours: [ms], reference: null, target: { atMost: 25 } });

const cells = (text: string) => text.trim().split(/ {2,}/);

test('a line has the ratio of the medians, the noise and whether the target is reached', () => {
  expect(cells(textOf(resultOf('create', aLine('create', 0.72, 0.04))))).toEqual([
    'create',
    '/s',
    '72.0',
    '100 (100 to 104)',
    '0.72',
    '4.0 %',
    '>= 0.7',
    'reached',
  ]);
  expect(cells(textOf(resultOf('create', aLine('create', 0.69)))).at(-1)).toBe('missed');
});

test('a line that never became steady says so', () => {
  expect(cells(textOf(resultOf('create', aLine('create', 0.9, 0.1)))).slice(-3)).toEqual([
    '10 %',
    '>= 0.7',
    'reached (noisy)',
  ]);
});

test('without a reference the target is about the value itself', () => {
  expect(cells(textOf(absolute(25)))).toEqual(['start', 'ms', '25.0', '-', '-', '-', '<= 25', 'reached']);
  expect(cells(textOf(absolute(26))).at(-1)).toBe('missed');
});

test('every line stands below the header', () => {
  const line = textOf(resultOf('create', aLine('create', 0.72, 0.04)));
  expect(line.indexOf('>= 0.7')).toBe(header().indexOf('target'));
});

test('the document gets the tables of what was measured, and keeps the others', () => {
  const { figures, peers, scale } = sectionsOf(
    aRun([resultOf('create', aLine('create', 0.72, 0.04))], {
      skipped: [{ figure: 'checkout-page', reason: 'No Chromium.\nInstall one.' }],
    }),
  );
  expect([peers, scale]).toEqual([null, null]);
  const document = '# Figures\n<!-- figures -->\nold\n<!-- /figures -->\n<!-- peers -->\nkept\n<!-- /peers -->\n';
  expect(fillIn(document, { figures: figures ?? null, peers: null })).toBe(`\
# Figures
<!-- figures -->

2026-01-02, commit 0123456789ab, Node v20.19.0, Processor, 4 cores, 16 GB, Linux 6.1.
Load average 0.0 before the run, 1.3 after it.

| figure | unit | median (min to max) | reference | ratio | noise | target |  |
| --- | --- | --- | --- | --- | --- | --- | --- |
| create | /s | 72.0 | 100 (100 to 104) | 0.72 | 4.0 % | >= 0.7 | reached |

- \`checkout-page\` was not measured: No Chromium.

<!-- /figures -->
<!-- peers -->
kept
<!-- /peers -->
`);
});

test('a document without the markers is refused', () => {
  expect(() => fillIn('# Figures\n', { figures: 'new' })).toThrow('<!-- figures -->');
});

test('the scale table has a row for the work and a column for each number of contracts', () => {
  const cell = (contracts: number, ms: number) =>
    resultOf('scale', {
      name: `read, ${contracts}`,
      unit: 'ms',
      ours: [ms],
      reference: contracts === 100 ? null : [[1], [1]],
      target: contracts === 100 ? null : { atMost: 1.2 },
      cell: { row: 'read', contracts },
    });
  const { scale } = sectionsOf(aRun([cell(1_000_000, 1.5), cell(100, 1)]));
  expect(scale?.split('\n').slice(-3)).toEqual([
    '|  | 100 | 1,000,000 |',
    '| --- | --- | --- |',
    '| read | 1.00 ms | 1.50 ms (missed) |',
  ]);
});
