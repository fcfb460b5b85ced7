import type { Browser } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { coverageHtml } from '../../src/cli/report/coverage-html.ts';
import type { Simulator } from '../../src/index.ts';
import { violations } from '../support/axe.ts';
import { inChromium, openPage, openView } from '../support/browser.ts';
import { everyCheckoutPage } from '../support/checkout-pages.ts';
import { LISTS, story } from '../support/dashboard-views.ts';
import { needing } from '../support/programs.ts';
import type { TestShop } from '../support/shop.ts';

const SIDEWAYS = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

describe('every page is for everybody: axe finds nothing, nothing scrolls sideways', needing('chromium'), () => {
  let sim: Simulator;
  let browser: Browser;
  let shop: TestShop;
  inChromium((stage) => {
    ({ sim, browser, shop } = stage);
  });

  /** A tab whose pages are looked at one after the other: what is wrong with them, and how many there were. */
  async function inspect(colorScheme: 'light' | 'dark', width: number) {
    const viewport = { width, height: 900 };
    // A color in transition has another contrast.
    const tab = await openPage(browser, { colorScheme, viewport, reducedMotion: 'reduce' });
    const { page } = tab;
    const wrong: Record<string, unknown> = {};
    let count = 0;
    const look = async (name: string) => {
      count += 1;
      await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
      const found = { axe: await violations(page), sideways: await page.evaluate(SIDEWAYS) };
      if (found.axe.length > 0 || found.sideways !== 0) wrong[name] = found;
    };
    return { ...tab, look, result: () => ({ wrong, faults: tab.faults, count }) };
  }

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['dark', 360],
    ['light', 320],
  ] as const)('the checkout, %s, %i px', async (colorScheme, width) => {
    await using tab = await inspect(colorScheme, width);
    await everyCheckoutPage(tab.page, shop, tab.look);
    expect(tab.result()).toEqual({ wrong: {}, faults: [], count: 13 });
  });

  test.each([
    ['light', 1280],
    ['dark', 320],
  ] as const)('the page of a coverage report, %s, %i px', async (colorScheme, width) => {
    await shop.open();
    await shop.call('GET', '/v1/ping');
    await using tab = await inspect(colorScheme, width);
    await tab.page.setContent(coverageHtml(await shop.shop.coverage()));
    await tab.look('report');
    expect(tab.result()).toEqual({ wrong: {}, faults: [], count: 1 });
    const regions = tab.page.getByRole('region');
    expect(await regions.count()).toBe(4);
    const wider = ({ scrollWidth, clientWidth }: { scrollWidth: number; clientWidth: number }) =>
      scrollWidth - clientWidth;
    for (const region of await regions.all()) expect(await region.evaluate(wider)).toBe(0);
  });

  test.each([
    ['light', 1280],
    ['dark', 360],
  ] as const)('the dashboard, %s, %i px', { timeout: 180_000 }, async (colorScheme, width) => {
    await using tab = await inspect(colorScheme, width);
    const { page, look } = tab;
    const isThere = () => page.locator('main h1').first().waitFor();
    const visit = async (view: string) => {
      await openView(page, `${shop.shop.clientId}${view}`);
      await look(view);
    };

    await page.goto(`${sim.url}/dashboard`);
    await isThere();
    await look('who is not let in');
    await page.goto(sim.dashboardUrl);
    await isThere();
    for (const view of LISTS) await visit(view);
    for (const view of [...LISTS, ...(await story(shop))]) await visit(view);

    await page.getByRole('button', { name: 'Cancel contract', exact: true }).click();
    await page.getByRole('dialog').waitFor();
    await look('a question');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await visit('/clock');
    await page.getByLabel('By a duration').fill('soon');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await look('a refusal');
    await page.getByLabel('Only show what would happen').check();
    await page.getByRole('button', { name: '+12mo', exact: true }).click();
    await page.getByRole('heading', { name: 'What would happen' }).waitFor();
    await look('a dry run');
    await page.getByLabel('Only show what would happen').uncheck();
    await page.getByRole('button', { name: '+1d', exact: true }).click();
    await page.getByTestId('undo').waitFor();
    await look('an undo');
    await visit('/events');
    await shop.open().then(({ id }) => shop.step(id, 'cancel'));
    await page.getByTestId('new-rows').waitFor();
    await look('new rows that wait');
    await page.keyboard.press('Control+K');
    await page.keyboard.type('maryam');
    await page.getByRole('option', { name: /^مريم/ }).waitFor();
    await look('a search');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await look('the shortcuts');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await visit('/sessions');
    await page.getByLabel('Total, in cents').fill('50');
    await page.keyboard.press('Enter');
    await page.locator('[aria-invalid=true]').waitFor();
    await look('a refused field');
    await visit('/settings');
    await page.getByLabel('Name of a new key').fill('till');
    await page.getByRole('button', { name: 'Create key', exact: true }).click();
    await page.getByTestId('secret').waitFor();
    await look('a new key');
    for (const address of [
      shop.shop.live.clientId,
      'go/LAY-NOBODY0000',
      'mch_test_nobody',
      `${shop.shop.clientId}/nowhere`,
    ]) {
      await openView(page, address);
      await look(address);
    }
    expect(tab.result()).toEqual({ wrong: {}, faults: [], count: 50 });
  });
});
