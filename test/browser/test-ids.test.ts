import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSimulator } from '../../src/index.ts';
import { launch, openPage, whyNoBrowser } from '../support/browser.ts';
import { everyCheckoutPage } from '../support/checkout-pages.ts';
import { openShop } from '../support/shop.ts';

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
const section = readme.split(/^## /m).find((text) => text.startsWith('The hosted page in browser tests')) as string;

/** Ids by where they stand: the bar, or the page that the `main` around them names. */
type Placed = Record<string, string[]>;
const sorted = (ids: ReadonlyMap<string, ReadonlySet<string>>): Placed =>
  Object.fromEntries([...ids].map(([place, set]): [string, string[]] => [place, [...set].sort()]).sort());

function documented(): Placed {
  const ids = new Map<string, Set<string>>();
  for (const [, places, listed] of section.matchAll(/^\| (`[^|]+) \| ([^|]+) \|$/gm)) {
    for (const [, place] of (places as string).matchAll(/`([^`]+)`/g)) {
      const set = ids.get(place as string) ?? new Set();
      for (const [, id] of (listed as string).matchAll(/`([^`]+)`/g)) set.add(id as string);
      ids.set(place as string, set);
    }
  }
  return sorted(ids);
}

/** Inside the page: what stands in the bar, and what stands elsewhere. */
const ALL = `[...document.querySelectorAll('[data-testid]')].map((element) => [
  element.closest('[data-testid=simulator-bar]') ? 'simulator-bar' : document.querySelector('main').dataset.testid,
  element.dataset.testid,
])`;

test.skipIf(whyNoBrowser() !== null)('the README lists the test ids of every checkout page, and no other', async () => {
  await using sim = await createSimulator({ seed: 1 });
  await using browser = await launch();
  await using tab = await openPage(browser);
  const ids = new Map<string, Set<string>>();
  await everyCheckoutPage(tab.page, await openShop(sim), async () => {
    for (const [place, id] of await tab.page.evaluate<[string, string][]>(ALL)) {
      const set = ids.get(place) ?? new Set();
      ids.set(place, id === place ? set : set.add(id));
    }
  });
  expect(documented()).toEqual(sorted(ids));
});
