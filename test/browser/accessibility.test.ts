import type { Browser } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { coverageHtml } from '../../src/cli/report/coverage-html.ts';
import type { Simulator } from '../../src/index.ts';
import { violations } from '../support/axe.ts';
import { inChromium, launch, openPage, openView } from '../support/browser.ts';
import { everyCheckoutPage } from '../support/checkout-pages.ts';
import { LISTS, story } from '../support/dashboard-views.ts';
import { needing } from '../support/programs.ts';
import type { TestShop } from '../support/shop.ts';

const SIDEWAYS = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
/** Ends when scripts have arranged what a change of size asks of them. */
const ARRANGED = 'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))';
/** The elements that would move or fade; none may for people who asked for less motion. */
const MOVING = `[...document.querySelectorAll('*')]
  .filter((element) => {
    const { transitionDuration, animationName } = getComputedStyle(element);
    return /[1-9]/.test(transitionDuration) || animationName !== 'none';
  })
  .map(({ outerHTML }) => outerHTML.slice(0, 80))`;

/** Words of drawings that are cut off, or that stand on other words or on a mark. */
const UNREADABLE = `[...document.querySelectorAll('main svg:has(text)')].flatMap((drawing) => {
  const edge = drawing.getBoundingClientRect();
  const boxes = [...drawing.querySelectorAll('text, .hit')].map((each) => [each, each.getBoundingClientRect()]);
  return boxes.flatMap(([one, box], index) => {
    if (one.localName !== 'text') return [];
    const isCut = box.left < edge.left - 1 || box.right > edge.right + 1 || box.top < edge.top - 1 || box.bottom > edge.bottom + 1;
    const under = boxes.filter(([other, { left, right, top, bottom }], place) =>
      (place > index || other.localName !== 'text') &&
      Math.min(box.right, right) - Math.max(box.left, left) > 1 && Math.min(box.bottom, bottom) - Math.max(box.top, top) > 3);
    return [...(isCut ? [one.textContent + ' is cut off'] : []), ...under.map(([other]) => one.textContent + ' on ' + (other.textContent || 'a mark'))];
  });
})`;

/** Whether the start of the clock is what is seen there. */
const ON_CLOCK = `(() => {
  const clock = document.querySelector('.clock-face');
  const { left, top, height } = clock.getBoundingClientRect();
  return clock.contains(document.elementFromPoint(left + 3, top + height / 2));
})()`;
/** How far the number of the first step is below the middle of its circle. */
const OFF_CENTER = `(() => {
  const circle = document.querySelector('.steps .place');
  const number = document.createRange();
  number.selectNodeContents(circle);
  const [around, within] = [circle, number].map((each) => each.getBoundingClientRect()).map(({ y, height }) => y + height / 2);
  return within - around;
})()`;

type Look = readonly [colorScheme: 'light' | 'dark', width: number];

describe('pages for everybody: axe finds nothing, nothing scrolls sideways or moves', needing('chromium'), () => {
  let sim: Simulator;
  let browser: Browser;
  let shop: TestShop;
  inChromium((stage) => {
    ({ sim, browser, shop } = stage);
  });

  /**
   * A tab whose pages are looked at one after the other, each in all of the looks: what is wrong with them, and how many
   * there were. They are used in the last of the looks.
   */
  async function inspect(...looks: readonly Look[]) {
    const tab = await openPage(browser, { reducedMotion: 'reduce' });
    const { page } = tab;
    const take = async ([colorScheme, width]: Look) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
    };
    const wrong: Record<string, unknown> = {};
    let count = 0;
    const look = async (name: string) => {
      for (const each of looks) {
        count += 1;
        await take(each);
        await page.evaluate(ARRANGED);
        await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
        const found = {
          axe: await violations(page),
          sideways: await page.evaluate(SIDEWAYS),
          moving: await page.evaluate<string[]>(MOVING),
        };
        if (found.axe.length > 0 || found.sideways !== 0 || found.moving.length > 0)
          wrong[`${name}, ${each.join(', ')} px`] = found;
      }
    };
    await take(looks.at(-1) as Look);
    return { ...tab, look, result: () => ({ wrong, faults: tab.faults, count }) };
  }

  test('the checkout, light and dark, from 1280 to 320 px', async () => {
    await using tab = await inspect(['light', 1280], ['dark', 1280], ['dark', 360], ['light', 320]);
    await everyCheckoutPage(tab.page, shop, tab.look);
    expect(tab.result()).toEqual({ wrong: {}, faults: [], count: 4 * 13 });
  });

  test.each([
    ['light', 1280],
    ['dark', 320],
  ] as const)('the page of a coverage report, %s, %i px', async (...of) => {
    await shop.open();
    await shop.call('GET', '/v1/ping');
    await using tab = await inspect(of);
    await tab.page.setContent(coverageHtml(await shop.shop.coverage()));
    await tab.look('report');
    expect(tab.result()).toEqual({ wrong: {}, faults: [], count: 1 });
    const regions = tab.page.getByRole('region');
    expect(await regions.count()).toBe(4);
    const wider = ({ scrollWidth, clientWidth }: { scrollWidth: number; clientWidth: number }) =>
      scrollWidth - clientWidth;
    for (const region of await regions.all()) expect(await region.evaluate(wider)).toBe(0);
  });

  test('the dashboard, light at 1280 px and dark at 360 px', { timeout: 180_000 }, async () => {
    await using tab = await inspect(['light', 1280], ['dark', 360]);
    const { page, look } = tab;
    const isThere = () => page.locator('main h1').first().waitFor();
    const open = (view: string) => openView(page, `${shop.shop.clientId}${view}`);
    const visit = async (view: string) => {
      await open(view);
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
    await open('/clock');
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
    // Rows from the visit before hold nothing back.
    await Promise.all([page.waitForResponse('**/_sim/browse/events*'), open('/events')]);
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
    await open('/sessions');
    await page.getByLabel('Total, in cents').fill('50');
    await page.keyboard.press('Enter');
    await page.locator('[aria-invalid=true]').waitFor();
    await look('a refused field');
    await open('/settings');
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
    expect(tab.result()).toEqual({ wrong: {}, faults: [], count: 2 * 46 });
  });

  /** A page for which the user asked for text twice as large. */
  const largeText = () => withText('defaultFontSize=32,defaultFixedFontSize=26', 320);

  async function withText(settings: string, width: number) {
    const large = await launch(`--blink-settings=${settings}`);
    const { page } = await openPage(large, { viewport: { width, height: 800 } });
    const settled = async () => {
      await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
      await page.evaluate(ARRANGED);
    };
    return { page, settled, [Symbol.asyncDispose]: () => large.close() };
  }

  test('text twice as large: no page scrolls sideways on a phone', { timeout: 120_000 }, async () => {
    await using tab = await largeText();
    const { page, settled } = tab;
    const wide: Record<string, number> = {};
    const look = async (name: string) => {
      await settled();
      const sideways = await page.evaluate<number>(SIDEWAYS);
      if (sideways !== 0) wide[name] = sideways;
    };
    await page.goto(sim.url);
    expect(await page.evaluate('getComputedStyle(document.documentElement).fontSize')).toBe('32px');
    await look('the front page');
    await page.goto(`${sim.url}/dashboard`);
    await look('who is not let in');
    await everyCheckoutPage(page, shop, look);
    await page.goto(sim.dashboardUrl);
    for (const view of [...LISTS, ...(await story(shop))]) {
      await openView(page, `${shop.shop.clientId}${view}`);
      await look(view);
    }
    expect(wide).toEqual({});
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    expect(await help.evaluate((at) => at.scrollWidth - at.clientWidth)).toBe(0);
  });

  test('no text smaller than 24 px: nothing covers the clock; what is in the menu or in a circle stays there', async () => {
    await using tab = await withText('minimumFontSize=24', 1280);
    const { page } = tab;
    await page.goto(sim.dashboardUrl);
    await page.locator('.clock-face').waitFor();
    expect(await page.evaluate(ON_CLOCK)).toBe(true);
    const menu = page.getByRole('navigation', { name: 'Views' });
    expect(await menu.evaluate((at) => at.scrollWidth - at.clientWidth)).toBe(0);
    await page.goto((await shop.open()).checkout_url);
    await page.locator('.steps').waitFor();
    expect(Math.abs(await page.evaluate<number>(OFF_CENTER))).toBeLessThan(2);
  });

  test('text twice as large: the words of a drawing are whole and stand alone', async () => {
    const { reference } = await shop.levers.contracts.create({ installment: { number: 2, status: 'delinquent' } });
    await using tab = await largeText();
    const { page, settled } = tab;
    await page.goto(sim.dashboardUrl);
    await openView(page, `${shop.shop.clientId}/contracts/${reference}`);
    await page.getByTestId('contract-plot').waitFor();
    for (const width of [320, 768, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      await settled();
      expect(await page.evaluate(UNREADABLE), `${width} px`).toEqual([]);
    }
  });
});
