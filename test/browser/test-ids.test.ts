import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { inChromium, openPage, type Stage } from '../support/browser.ts';
import { everyCheckoutPage } from '../support/checkout-pages.ts';
import { newestId } from '../support/dashboard-views.ts';
import { needing } from '../support/programs.ts';
import { openReceiver } from '../support/receiver.ts';
import type { TestShop } from '../support/shop.ts';
import { sectionOf } from '../support/walk-through.ts';

const testing = readFileSync(join(import.meta.dirname, '../../docs/testing.md'), 'utf8');
const section = sectionOf(testing, 'The hosted page in browser tests');
const named = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name as string);

/** Test ids by where they stand: in the bar, or on the page that the `main` names. */
type Placed = Map<string, Set<string>>;
const note = (ids: Placed, place: string, id: string) => ids.set(place, (ids.get(place) ?? new Set()).add(id));
const sorted = (ids: Placed) => Object.fromEntries([...ids].map(([place, set]) => [place, [...set].sort()]).sort());

const ALL = `[...document.querySelectorAll('[data-testid]')].map((element) => [
  element.closest('[data-testid=simulator-bar]') ? 'simulator-bar' : document.querySelector('main').dataset.testid,
  element.dataset.testid,
])`;

describe('docs/testing.md lists the test ids', needing('chromium'), () => {
  let browser: Browser;
  let shop: TestShop;
  let visit: Stage['visit'];
  inChromium((stage) => {
    ({ browser, shop, visit } = stage);
  });

  test('of every checkout page, and no other', async () => {
    await using tab = await openPage(browser);
    const found: Placed = new Map();
    await everyCheckoutPage(tab.page, shop, async () => {
      for (const [place, id] of await tab.page.evaluate<[string, string][]>(ALL)) note(found, place, id);
    });
    const told: Placed = new Map();
    for (const [, places, ids] of section.matchAll(/^\| (`[^|]+) \| ([^|]+) \|$/gm)) {
      for (const place of named(places as string))
        for (const id of [place, ...named(ids as string)]) note(told, place, id);
    }
    expect(sorted(told)).toEqual(sorted(found));
  });

  test('that the dashboard has', async () => {
    await using receiver = await openReceiver();
    await shop.call('POST', '/_sim/webhook-endpoints', { url: receiver.url });
    await using tab = await visit();
    const { page } = tab;
    const found = new Set<string>();
    const look = async (view: string, last: string, work = async () => {}) => {
      await tab.go(view);
      await work();
      await page.getByTestId(last).first().waitFor();
      for (const [, id] of await page.evaluate<[string, string][]>(ALL)) found.add(id);
    };

    await look('/contracts', 'empty');
    const { reference } = await shop.complete();
    await look('/clock', 'next-due');
    await look('/clock', 'happened', () => page.getByRole('button', { name: '+1h' }).click());
    await look('/clock', 'forecast-axis');
    await look(`/contracts/${reference}`, 'contract-picture');
    await look('/webhooks', 'endpoint');
    await look(`/webhooks/${await newestId(shop, 'deliveries')}`, 'delivery');
    await look(`/inbox/${await newestId(shop, 'emails')}`, 'email');
    await look('/snapshots', 'snapshot', async () => {
      await page.getByLabel('Save everything as').fill('before');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByTestId('toast').waitFor();
    });
    await look('/settings', 'secret', async () => {
      await page.getByLabel('Name of a new key').fill('till');
      await page.getByRole('button', { name: 'Create key', exact: true }).click();
    });
    const [, told] = /but a test id: (.*?)\.$/ms.exec(section) as unknown as [string, string];
    expect(named(told).filter((id) => !found.has(id))).toEqual([]);
    expect(named(told).length).toBeGreaterThan(10);
  });
});
