import type { Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Simulator } from '../../../src/index.ts';
import { button, inChromium, NAMES, openView, type Stage } from '../../support/browser.ts';
import { newestId } from '../../support/dashboard-views.ts';
import { needing } from '../../support/programs.ts';
import { openReceiver } from '../../support/receiver.ts';
import { openShop, type TestShop } from '../../support/shop.ts';

let sim: Simulator;
let shop: TestShop;
let visit: Stage['visit'];

describe('the dashboard for everybody', needing('chromium'), () => {
  inChromium((stage) => {
    ({ sim, shop, visit } = stage);
  });

  test('on a phone: whatever names and texts there are, nothing scrolls sideways, and the menu shows where one is', async () => {
    shop = await openShop(sim, { dba: `${'Unbreakable'.repeat(15)} ${NAMES.join(' ')}` });
    const { id } = await shop.open({
      order_reference: 'W'.repeat(100),
      metadata: { note: 'm'.repeat(500), script: NAMES[0] },
    });
    const { reference } = await shop.step(id, 'complete', {
      customer_name: `${NAMES[1]} ${'Longname'.repeat(20)}`,
      customer_email: `${'a'.repeat(60)}@${'example'.repeat(8)}.com`,
    });
    await using receiver = await openReceiver([200, 500]);
    const url = `${receiver.url}/${'path'.repeat(60)}`;
    await shop.call('POST', '/_sim/webhook-endpoints', { url });
    await shop.call('PUT', `/_sim/contracts/${reference}/outcomes`, { outcomes: ['fail', 'fail'] });
    await shop.call('POST', '/_sim/clock/advance', { until: `${reference}#1=delinquent` });
    await using tab = await visit('/snapshots', { viewport: { width: 360, height: 740 } });
    for (const view of [
      '/snapshots',
      '',
      '/clock',
      '/sessions',
      `/sessions/${id}`,
      '/contracts',
      `/contracts/${reference}`,
      '/events',
      '/webhooks',
      `/webhooks/${await newestId(shop, 'deliveries')}`,
      '/faults',
      '/coverage',
      '/inbox',
      `/inbox/${await newestId(shop, 'emails')}`,
      '/requests',
      '/settings',
    ]) {
      await tab.go(view);
      await tab.page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
      const explain = button(tab.page, 'Explain');
      if (await explain.isVisible()) {
        await explain.click();
        await tab.page.locator('.chain').first().waitFor();
      }
      await expect.poll(async () => [view, await tab.page.evaluate(SIDEWAYS)]).toEqual([view, []]);
      await expect.poll(() => tab.page.evaluate(HERE_IN_MENU)).toBe(true);
    }
    expect(tab.faults).toEqual([]);
  });

  test('from 840 to 1280 px the header is one line, and the menu stays below it', async () => {
    const long = await openShop(sim, { dba: 'Harbour & Pine Furniture and Interiors of the Old Town' });
    await using tab = await visit('/settings', { account: long.shop.clientId });
    const { page } = tab;
    for (const width of [840, 1024, 1280]) {
      await page.setViewportSize({ width, height: 700 });
      for (const { clientId } of [long.shop, long.shop.live]) {
        const where = `${clientId} at ${width} px`;
        await openView(page, `${clientId}/settings`);
        await page.getByText(`Client id ${clientId}`).waitFor();
        await page.evaluate('scrollTo(0, 300)');
        const header = (await page.getByRole('banner').boundingBox()) ?? { y: 0, height: 0 };
        const first = page.getByRole('navigation', { name: 'Views' }).getByRole('link').first();
        expect((await first.boundingBox())?.y, where).toBeGreaterThanOrEqual(header.y + header.height);
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), where).toBeLessThanOrEqual(0);
        expect(await button(page, 'Search Ctrl K').evaluate((at) => at.scrollWidth - at.clientWidth), where).toBe(0);
      }
    }
  });

  test('on a phone, the account is chosen where its name has room', async () => {
    await using tab = await visit('', { viewport: { width: 390, height: 740 } });
    const { page } = tab;
    const chooser = page.getByLabel('Account', { exact: true });
    await chooser.waitFor();
    const [room, clock] = [await chooser.boundingBox(), await page.locator('.clock-face').boundingBox()];
    expect(room?.width).toBeGreaterThan(220);
    expect((clock?.y ?? 0) + (clock?.height ?? 0)).toBeLessThanOrEqual(room?.y ?? 0);
  });

  test('the amounts of a plan do not overlap on a phone, however long they are', async () => {
    await shop.shop.settings.set({ max_order_amount: 2_000_000_000 });
    const { reference } = await shop.shop.contracts.create({ total_amount: 1_999_999_999 });
    await using tab = await visit(`/contracts/${reference}`, { viewport: { width: 360, height: 740 } });
    const amounts = tab.page.locator('svg .amount');
    await amounts.first().waitFor();
    const boxes = await Promise.all((await amounts.all()).map((amount) => amount.boundingBox()));
    const picture = await tab.page.locator('.picture svg').first().boundingBox();
    let end = picture?.x ?? 0;
    for (const box of boxes) {
      expect(box?.x).toBeGreaterThanOrEqual(end);
      end = (box?.x ?? 0) + (box?.width ?? 0);
    }
    expect(end).toBeLessThanOrEqual((picture?.x ?? 0) + (picture?.width ?? 0));
  });

  test('a table becomes cards where it has no room, and a table again', async () => {
    await shop.complete();
    await using tab = await visit('/contracts');
    const { page } = tab;
    await page.evaluate(`globalThis.wrong = []; addEventListener('error', ({ message }) => wrong.push(message))`);
    const display = () => page.evaluate("getComputedStyle(document.querySelector('table')).display");
    for (const [width, shown] of [
      [1280, 'table'],
      [360, 'block'],
      [1280, 'table'],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await expect.poll(display).toBe(shown);
    }
    expect(await page.evaluate('wrong')).toEqual([]);
  });

  test('a lever and its copies are one control in a table, and the levers of a form stand in line', async () => {
    for (const fault of [
      { kind: 'lost_answer', operation: 'createSession' },
      { kind: 'slow', method: 'GET', path: '/v1/contracts/*', times: 3, skip: 4, every: 7 },
    ] as const) {
      await shop.shop.faults.add(fault);
    }
    await using tab = await visit('/faults', { viewport: { width: 1280, height: 900 } });
    const { page, go } = tab;
    const top = async (of: Locator) => (await of.boundingBox())?.y;
    const armed = page.getByTestId('fault').last();
    await armed.waitFor();
    expect(await top(button(armed, 'Copy as curl: Remove'))).toBe(await top(button(armed, 'Remove')));
    await go('/sessions');
    await button(page, 'Open preview').waitFor();
    for (const width of [1440, 1280, 1024]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await top(button(page, 'Open preview')), `${width} px`).toBe(await top(button(page, 'New session')));
    }
    await page.setViewportSize({ width: 360, height: 740 });
    await go('/faults');
    const count = armed.locator('td').nth(3);
    await count.waitFor();
    await expect.poll(() => count.getAttribute('data-head')).toBe('struck');
  });

  test('what a control opens moves neither the control nor what is beside it', async () => {
    const { reference } = await shop.complete();
    await shop.shop.webhooks.add('http://127.0.0.1:1/hook');
    await using tab = await visit();
    const { page, go } = tab;
    const endpoint = page.getByTestId('endpoint');
    const menu = endpoint.locator('summary');
    const places = () =>
      Promise.all(
        [menu, button(endpoint, 'Test')].map(async (of) => {
          const box = await of.boundingBox();
          return box && [Math.round(box.x), Math.round(box.y)];
        }),
      );
    for (const width of [1280, 390]) {
      await go('/clock');
      await page.setViewportSize({ width, height: 900 });
      await go('/webhooks');
      await menu.waitFor();
      const before = await places();
      await menu.click();
      await button(endpoint, 'Rotate secret').waitFor();
      expect(await places(), `${width} px`).toEqual(before);
    }
    await go(`/contracts/${reference}`);
    await button(page, 'Cancel contract').waitFor();
    const look = '[getComputedStyle(each).border, each.getBoundingClientRect().toJSON()]';
    const levers = () =>
      page.evaluate(`[...document.querySelectorAll('.page-head .lever > button')].map((each) => ${look})`);
    const before = await levers();
    await button(page, 'Cancel contract').click();
    await page.getByRole('dialog').waitFor();
    expect(await levers()).toEqual(before);
  });

  test('a panel keeps no room for what its filters might show', async () => {
    await shop.shop.webhooks.add(`http://127.0.0.1:1/${'path'.repeat(30)}`);
    await using tab = await visit('/webhooks', { viewport: { width: 1440, height: 900 } });
    const { page } = tab;
    await page.getByTestId('endpoint').waitFor();
    const rightOf = async (of: Locator) => {
      const box = await of.boundingBox();
      return (box?.x ?? 0) + (box?.width ?? 0);
    };
    const panel = page.locator('.panel', { has: page.getByRole('heading', { name: 'Deliveries' }) });
    expect((await rightOf(panel)) - (await rightOf(button(panel, 'Resend all failed')))).toBeLessThan(20);
  });

  test('by keyboard alone: skip to the content, open a view, answer a dialog', async () => {
    const { reference } = await shop.complete();
    await using tab = await visit(`/contracts/${reference}`);
    const { page } = tab;
    const focused = () => page.evaluate('document.activeElement.textContent.trim()');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await button(page, 'Cancel contract').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    expect(await focused()).toBe('Go back');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    expect(await focused()).toBe('Cancel contract');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    expect(await focused()).toBe('Cancel contract');
    await page.getByRole('link', { name: 'Snapshots' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Snapshots' }).waitFor();
    expect(await focused()).toBe('Snapshots');
  });
});

/** What is wider than its place: the page itself, and tables. */
const SIDEWAYS = `[document.documentElement, ...document.querySelectorAll('.fitting')]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  .map(({ outerHTML }) => outerHTML.slice(0, 200))`;

/** Whether the menu shows where one is: it scrolls sideways on a phone. */
const HERE_IN_MENU = `(() => {
  const { left, right } = document.querySelector('nav [aria-current]').getBoundingClientRect();
  return left >= 0 && right <= innerWidth;
})()`;
