import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Simulator } from '../../../src/index.ts';
import { button, inChromium, openView, rows, type Stage, showNew } from '../../support/browser.ts';
import { openProxy } from '../../support/mapped-port.ts';
import { needing } from '../../support/programs.ts';
import { expectData, type TestShop } from '../../support/shop.ts';

let createSimulator: Stage['createSimulator'];
let sim: Simulator;
let shop: TestShop;
let visit: Stage['visit'];

describe('the dashboard on bad days', needing('chromium'), () => {
  inChromium((stage) => {
    ({ createSimulator, sim, shop, visit } = stage);
  });

  test('a lost connection is shown, and what happened meanwhile is caught up with', async () => {
    await using own = await createSimulator();
    await using proxy = await openProxy();
    proxy.leadTo(own.url);
    const url = `http://127.0.0.1:${proxy.port}`;
    const house = { ...own, url, dashboardUrl: own.dashboardUrl.replace(own.url, url) };
    await using tab = await visit('', { house, account: own.default.clientId });
    const { page } = tab;
    const connection = page.getByTestId('connection');
    await expect.poll(() => connection.getAttribute('data-state')).toBe('live');
    proxy.cut();
    await connection.getByText('connection to the simulator is lost').waitFor();
    const { id } = await own.default.sessions.create({ order_reference: 'A', total_amount: 20_000 });
    await own.default.sessions.complete(id);
    proxy.leadTo(own.url);
    await showNew(page, rows(page, 'Recent events').filter({ hasText: 'contract.activated' }));
    await expect.poll(() => connection.getAttribute('data-state')).toBe('live');
    await expect.poll(() => connection.textContent()).toBe('');
  });

  test('a reset while the connection was lost leaves no row from before it', async () => {
    await using own = await createSimulator({ clock: { frozenAt: '2026-01-01T00:00:00Z' } });
    await using proxy = await openProxy();
    proxy.leadTo(own.url);
    const url = `http://127.0.0.1:${proxy.port}`;
    const house = { ...own, url, dashboardUrl: own.dashboardUrl.replace(own.url, url) };
    for (let n = 0; n < 20; n += 1) await own.default.contracts.create({ status: 'active' });
    await using tab = await visit('/events', { house, account: own.default.clientId });
    const { page } = tab;
    await expect.poll(() => rows(page, 'Events').count()).toBe(50);
    proxy.cut();
    await page.getByTestId('connection').getByText('connection to the simulator is lost').waitFor();
    await own.reset();
    await own.default.contracts.create({ status: 'active' });
    proxy.leadTo(own.url);
    await expect.poll(() => rows(page, 'Events').count()).toBe(3);
    expect(await page.getByTestId('new-rows').count()).toBe(0);
    // Nor does one that the page hears of together with what came after it.
    await own.reset();
    const { reference } = await own.default.contracts.create({ status: 'active' });
    await rows(page, 'Events').getByRole('link', { name: reference }).waitFor();
    expect(await rows(page, 'Events').count()).toBe(3);
  });

  test('"Try again" reads what the page still lacks', async () => {
    await using tab = await visit('/contracts');
    const { page } = tab;
    await page.route('**/_sim/browse/endpoints', (route) => route.abort(), { times: 1 });
    await openView(page, `${shop.shop.clientId}/webhooks`);
    await button(page, 'Try again').first().click();
    await page.getByText('No endpoints yet').waitFor();
    await page.getByText('Nothing has been sent yet').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('a view that was opened without a network is read once there is one again', async () => {
    await using tab = await visit('/contracts');
    const { page } = tab;
    await page.context().setOffline(true);
    await openView(page, `${shop.shop.clientId}/faults`);
    await page.getByRole('alert').getByText('The simulator does not answer.').waitFor();
    await page.context().setOffline(false);
    // On a machine without a network, a browser stays offline and has nothing to tell the page.
    await page.evaluate("navigator.onLine || dispatchEvent(new Event('online'))");
    await page.getByText('No fault is armed').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('two tabs: what one does the other sees', async () => {
    const { reference } = await shop.complete();
    await using tab = await visit(`/contracts/${reference}`);
    const second = await tab.newPage();
    await second.goto(tab.page.url());
    await button(second, 'Cancel contract').click();
    await button(second.getByRole('dialog'), 'Cancel contract').click();
    await tab.page.getByText('Collection has ended').waitFor();
  });

  test('what another window resets away is no longer shown as if it were there', async () => {
    await using own = await createSimulator({ clock: { frozenAt: '2026-01-01T00:00:00Z' } });
    const { id } = await own.default.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
    const { reference } = await own.default.sessions.complete(id);
    const [email] = await own.default.emails.list();
    await using tab = await visit(`/contracts/${reference}`, { house: own, account: own.default.clientId });
    const { page } = tab;
    await page.getByRole('button', { name: 'Cancel contract', exact: true }).waitFor();
    const inbox = await tab.newPage();
    await inbox.goto(`${own.url}/dashboard/${own.default.clientId}/inbox/${email?.id}`);
    await inbox.getByTestId('email').waitFor();
    await own.reset();
    await page.getByRole('heading', { name: 'This id was not found' }).waitFor();
    expect(await page.getByRole('button', { name: 'Cancel contract' }).count()).toBe(0);
    await inbox.getByRole('heading', { name: 'This id was not found' }).waitFor();
    expect(await inbox.getByTestId('email').count()).toBe(0);
    expect(tab.faults).toEqual([]);
  });

  test('older entries that a restore removed are no longer shown, and the newest are one click away', async () => {
    await using own = await createSimulator({ clock: { frozenAt: '2026-01-01T00:00:00Z' } });
    const { id } = await own.default.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
    await own.default.sessions.complete(id);
    await own.snapshots.save('early');
    for (let n = 0; n < 60; n += 1) await own.default.contracts.create({ status: 'active' });
    await using tab = await visit('/events', { house: own, account: own.default.clientId });
    const inbox = await tab.newPage();
    await inbox.goto(`${own.url}/dashboard/${own.default.clientId}/inbox`);
    const pages = [tab.page, inbox];
    for (const page of pages) {
      await button(page, 'Older').click();
      await page.waitForURL('**?before=*');
    }
    await own.snapshots.restore('early');
    for (const page of pages) {
      await page.getByText('These entries no longer exist').waitFor();
      await button(page, 'Newest').click();
      await page
        .getByRole('main')
        .getByRole('link', { name: /contract\.activated|Your layaway plan/ })
        .waitFor();
    }
    expect(tab.faults).toEqual([]);
  });

  test('an account that is back after a restore is shown again, and followed', async () => {
    await using own = await createSimulator({ clock: { frozenAt: '2026-01-01T00:00:00Z' } });
    const merchant = await own.merchant({ dba: 'Soon Back' });
    await own.snapshots.save('with-it');
    await own.reset();
    await using tab = await visit('', { house: own, account: merchant.clientId });
    const { page } = tab;
    await page.getByRole('heading', { name: 'This account does not exist' }).waitFor();
    await own.snapshots.restore('with-it');
    await page.getByRole('heading', { level: 1, name: 'Soon Back' }).waitFor();
    await merchant.contracts.create({ status: 'active' });
    await rows(page, 'Recent events').filter({ hasText: 'contract.activated' }).waitFor();
    await expect.poll(() => page.getByTestId('connection').getAttribute('data-state')).toBe('live');
    expect(await page.getByTestId('connection').textContent()).toBe('');
    expect(tab.faults).toEqual([]);
  });

  test('an advance of 10,000 events: the page stays responsive, and draws no more than it shows', async () => {
    await shop.set({ installment_count: 24, installment_cadence: 'weekly' });
    for (let n = 0; n < 400; n += 1) await shop.shop.contracts.create({ status: 'active' });
    await using tab = await visit('/clock');
    const { page } = tab;
    // Among so much, the look ahead ends early, says so, and goes further when asked.
    const ends = page.getByTestId('ahead-more');
    await ends.waitFor();
    await page.getByText('× 400 or more', { exact: true }).waitFor();
    const early = await ends.textContent();
    for (let looks = 0; looks < 3; looks += 1) await button(ends, 'Look further ahead').click();
    await expect.poll(() => button(ends, 'Look further ahead').count()).toBe(0);
    expect(await ends.textContent()).not.toBe(early);
    await page.goto(`${sim.url}/dashboard/${shop.shop.clientId}/events`);
    await expect.poll(() => rows(page, 'Events').count()).toBe(50);
    const cpuMs = await watchCpu(page);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const began = performance.now();
    const advancing = shop.call('POST', '/_sim/clock/advance', { by: '12mo' });
    // Meanwhile it is used.
    await page.getByRole('link', { name: 'Sessions', exact: true }).click();
    await page.getByRole('heading', { name: 'Checkout sessions', level: 1 }).waitFor();
    await page.goBack();
    expect(expectData(await advancing).happened_count).toBeGreaterThan(9_500);
    await showNew(page, rows(page, 'Events').filter({ hasText: 'contract.completed' }));
    const tookMs = performance.now() - began;
    expect(await rows(page, 'Events').count()).toBe(50);
    // Three reads at each of its turns, which are 600 ms apart, one each second, and those of coming to a view.
    expect(asked.length).toBeLessThan((tookMs / 600 + 3) * 3 + tookMs / 1_000 + 7);
    // What its thread worked, however busy the machine is otherwise: at every turn less than a blink.
    expect(await cpuMs()).toBeLessThan((tookMs / 600 + 3) * 100);
  }, 120_000);
});

/** The time that the page's main thread worked from now on. */
async function watchCpu(page: Page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const read = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000;
  };
  const before = await read();
  return async () => (await read()) - before;
}
