import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const require = createRequire(import.meta.url);
/** The small form, because every page parses it again. */
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** WCAG 2.2 AA, whose newest rules run only when named, and the best practices of axe-core. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** Only violations are read, so axe-core does not have to collect the elements that pass. */
const OPTIONS = { iframes: false, runOnly: TAGS, resultTypes: ['violations'] };

/** The violations that axe-core finds on a page, with the elements. It does not look into frames. */
export async function violations(page: Page): Promise<string[]> {
  // An element can be visible before the stylesheet has loaded.
  await page.waitForLoadState('load');
  // Evaluated, because the page's policy blocks an injected script element. Views of one page share it.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  const found = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
    `axe.run(document, ${JSON.stringify(OPTIONS)}).then(({ violations }) => violations)`,
  );
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
}
