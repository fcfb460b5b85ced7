import type { Browser } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Simulator } from '../../src/index.ts';
import { inChromium, openPage } from '../support/browser.ts';
import { LISTS, story } from '../support/dashboard-views.ts';
import { needing } from '../support/programs.ts';
import type { TestShop } from '../support/shop.ts';

/** Adds up how far things moved without being asked to, as the browser itself measures it. */
const NOTE_SHIFTS = `window.shifted = [];
new PerformanceObserver((list) => {
  for (const { value, sources } of list.getEntries()) {
    window.shifted.push([value, sources.map(({ node }) => node?.nodeName + '.' + node?.className)]);
  }
}).observe({ type: 'layout-shift', buffered: true });`;
/**
 * Waits until the view is complete and its account is followed, and two frames more: the shifts of what was painted so
 * far are reported by then. One script waits for all of it, because locators bring their own into every page.
 */
const LOADED = `new Promise((done) => {
  const look = () => {
    const title = document.querySelector('main h1')?.checkVisibility();
    const waiting = document.querySelector('p[aria-busy=true]');
    const followed = document.querySelector('[data-testid=connection][data-state=live]');
    if (!title || waiting || !followed) setTimeout(look, 20);
    else requestAnimationFrame(() => requestAnimationFrame(() => done()));
  };
  look();
})`;

const SHIFT_MAX = 0.01;

describe('a view of the dashboard loads', { timeout: 180_000, ...needing('chromium') }, () => {
  let sim: Simulator;
  let browser: Browser;
  let shop: TestShop;
  inChromium((stage) => {
    ({ sim, browser, shop } = stage);
  });

  /** Opens every view by its address, first in an empty account, then with something to see. */
  async function everyView(width: number, look: (view: string, asked: readonly string[], shifts: Shifts) => void) {
    await using tab = await openPage(browser, { viewport: { width, height: 900 } });
    const { page } = tab;
    await page.addInitScript(NOTE_SHIFTS);
    await page.goto(sim.dashboardUrl);
    await page.locator('main h1').waitFor();
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      if (pathname.startsWith('/_sim/')) asked.push(pathname + search);
    });
    const visit = async (view: string) => {
      await page.goto('about:blank');
      asked.length = 0;
      await page.goto(`${sim.url}/dashboard/${shop.shop.clientId}${view}`);
      await page.evaluate(LOADED);
      look(view, asked, await page.evaluate<Shifts>('window.shifted'));
    };
    for (const view of LISTS) await visit(view);
    for (const status of ['pending', 'active', 'cancelled'] as const) await shop.contractIn(status);
    for (const view of [...LISTS, ...(await story(shop))]) await visit(view);
    expect(tab.faults).toEqual([]);
  }
  type Shifts = readonly (readonly [value: number, moved: readonly string[]])[];

  test.each([1280, 768, 320])('without moving anything or asking for anything twice, %i px wide', async (width) => {
    const moved: Record<string, unknown> = {};
    const repeated: Record<string, unknown> = {};
    const reads = new Set<string>();
    let views = 0;
    await everyView(width, (view, asked, shifts) => {
      views += 1;
      if (shifts.reduce((sum, [value]) => sum + value, 0) > SHIFT_MAX) moved[view] = shifts;
      const twice = asked.filter((each, index) => asked.indexOf(each) !== index);
      if (twice.length > 0) repeated[view] = twice;
      for (const each of asked) reads.add(each);
    });
    expect({ moved, repeated }).toEqual({ moved: {}, repeated: {} });
    expect(views).toBe(32);
    expect(reads.size).toBeGreaterThan(20);
  });
});
