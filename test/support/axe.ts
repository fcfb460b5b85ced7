import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** WCAG 2.2 AA, whose newest rules run only when they are named, and what axe-core thinks good besides. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** Nothing reads what is right, so axe-core need not gather its elements. */
const OPTIONS = { iframes: false, runOnly: TAGS, resultTypes: ['violations'] };

/** What axe-core finds wrong on a page, with the elements; what is in a frame is not the page's own. */
export async function violations(page: Page): Promise<string[]> {
  // As an expression: the page's own policy lets no foreign script in.
  await page.evaluate(axe.source);
  const found = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
    `axe.run(document, ${JSON.stringify(OPTIONS)}).then(({ violations }) => violations)`,
  );
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
}
