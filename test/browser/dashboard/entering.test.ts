import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Simulator } from '../../../src/index.ts';
import { button, inChromium, openPage, openView, type Stage } from '../../support/browser.ts';
import { openProxy } from '../../support/mapped-port.ts';
import { needing } from '../../support/programs.ts';
import { openShop, type TestShop } from '../../support/shop.ts';

let createSimulator: Stage['createSimulator'];
let sim: Simulator;
let browser: Browser;
let shop: TestShop;
let visit: Stage['visit'];

describe('coming into the dashboard', needing('chromium'), () => {
  inChromium((stage) => {
    ({ createSimulator, sim, browser, shop, visit } = stage);
  });

  /** Signs in with the link, as a person does, and opens a view of an account. */
  async function enter(path = '', house: Pick<Simulator, 'dashboardUrl'> = sim, account = shop.shop.clientId) {
    const tab = await openPage(browser);
    await tab.page.goto(house.dashboardUrl);
    await openView(tab.page, `${account}${path}`);
    return tab;
  }

  test('interface §3: the link opens once; then and without it, the page says what to run', async () => {
    const link = sim.dashboardUrl;
    await using first = await openPage(browser);
    await first.page.goto(link);
    await first.page.getByRole('heading', { level: 1 }).waitFor();
    expect(first.page.url()).toMatch(/\/dashboard\/mch_test_\w+$/);
    expect(await first.page.evaluate('document.cookie')).toBe('');
    await using second = await openPage(browser);
    await second.page.goto(link);
    expect(await second.page.getByRole('main').textContent()).toContain('layaway dashboard');
    await second.page.goto(`${sim.url}/dashboard`);
    expect(await second.page.getByRole('main').textContent()).toContain('layaway dashboard');
    // A browser that blocks cookies comes here from every link.
    expect(await second.page.getByRole('main').textContent()).toContain('blocks the cookies of this address');
    expect(first.faults).toEqual([]);
  });

  test('the key stays with the origin: reloads and further tabs work, the address does not show it', async () => {
    await using tab = await enter();
    const { page } = tab;
    const title = { name: 'Harbour & Pine', level: 1 } as const;
    await page.reload();
    await page.getByRole('heading', title).waitFor();
    const second = await tab.newPage();
    await second.goto(`${sim.url}/dashboard/${shop.shop.clientId}`);
    await second.getByRole('heading', title).waitFor();
    // A link used while tabs are open takes nothing from them.
    await second.goto(sim.dashboardUrl);
    await second.getByRole('heading', { level: 1 }).waitFor();
    expect(second.url()).not.toContain('#');
    await page.reload();
    await page.getByRole('heading', title).waitFor();
    // Nor does a link of somebody else's making.
    await second.goto(`${sim.url}/dashboard/${shop.shop.clientId}#key=guessed`);
    await second.reload();
    await second.getByRole('heading', title).waitFor();
    await page.getByRole('link', { name: 'Contracts', exact: true }).first().click();
    await page.getByRole('heading', { name: 'Contracts', level: 1 }).waitFor();
    expect(tab.faults).toEqual([]);
  });

  test('another port of this host gets the cookie from the browser, but not the key', async () => {
    await using tab = await enter();
    const sent: (string | undefined)[] = [];
    const other = createHttpServer(({ headers }, answer) => {
      sent.push(headers.cookie);
      answer.end('<!doctype html><link rel=icon href=data:,><title>Another program</title>');
    });
    const url = await new Promise<string>((resolve) => {
      other.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`));
    });
    await tab.page.goto(url);
    const cookie = sent[0] as string;
    expect(cookie).toContain('layaway_dashboard_');
    expect(await tab.page.evaluate('JSON.stringify([localStorage.length, sessionStorage.length])')).toBe('[0,0]');
    for (const path of ['/_sim/merchants', '/_sim/keys', '/_sim/browse/accounts']) {
      const headers = { cookie, 'x-layaway-account': shop.shop.clientId, 'sec-fetch-site': 'same-origin' };
      expect([path, (await fetch(`${sim.url}${path}`, { headers })).status]).toEqual([path, 401]);
    }
    other.closeAllConnections();
    await new Promise((resolve) => other.close(resolve));
  });

  test('under a mapped port the cookie alone says what to run, and a link of that address lets in', async () => {
    await using proxy = await openProxy();
    proxy.leadTo(sim.url);
    const mapped = `http://localhost:${proxy.port}`;
    await using tab = await openPage(browser);
    await tab.page.goto(sim.dashboardUrl.replace('127.0.0.1', 'localhost'));
    await tab.page.getByRole('heading', { level: 1 }).waitFor();
    await tab.page.goto(`${mapped}/dashboard`);
    await tab.page.getByRole('heading', { name: 'The dashboard opens with a link' }).waitFor();
    expect(await tab.page.getByRole('main').textContent()).toContain('layaway dashboard');
    await tab.page.goto(sim.dashboardUrl.replace(sim.url, mapped));
    await tab.page.waitForURL('**/dashboard/mch_test_*');
    await tab.page.getByRole('heading', { level: 1 }).waitFor();
    expect(tab.faults).toEqual([]);
  });

  test('interface §6: behind another port and name, --public-url is where it all is', async () => {
    await using proxy = await openProxy();
    const publicUrl = `http://shop.localhost:${proxy.port}`;
    await using own = await createSimulator({ publicUrl, clock: { frozenAt: '2026-01-01T09:30:00Z' } });
    proxy.leadTo(own.listening);
    const { checkout_url } = await own.default.sessions.create({ order_reference: 'A', total_amount: 20_000 });
    await using tab = await enter('/clock', own, own.default.clientId);
    const { page } = tab;
    await button(page, 'Resume').click();
    await button(page, 'Freeze').waitFor();
    await page.goto(checkout_url);
    await page.getByLabel('Full name').fill('Ada Byron');
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByRole('button', { name: /continue/i }).click();
    await page.getByLabel('Card number').waitFor();
    expect(page.url().startsWith(`${publicUrl}/checkout/`)).toBe(true);
    await page.getByTestId('open-in-dashboard').click();
    await page.waitForURL(`${publicUrl}/dashboard/${own.default.clientId}/sessions/*`);
    await page.goto(publicUrl);
    await page.getByRole('link', { name: /dashboard/i }).click();
    await page.waitForURL(`${publicUrl}/dashboard/mch_test_*`);
    expect(tab.faults).toEqual([]);
  });

  test('without the key of this origin the page says what to run', async () => {
    await using tab = await enter();
    await tab.page.evaluate('localStorage.clear()');
    await tab.page.reload();
    await tab.page.getByRole('heading', { name: 'The dashboard opens with a link' }).waitFor();
    expect(await tab.page.getByRole('main').textContent()).toContain('layaway dashboard');
    await tab.page.goto(sim.dashboardUrl);
    await tab.page.waitForURL('**/dashboard/mch_test_*');
  });

  test('/dashboard/go/<id> finds the account that an id belongs to', async () => {
    const { reference } = await shop.complete();
    await using tab = await visit();
    await tab.page.goto(`${sim.url}/dashboard/go/${reference}`);
    await tab.page.waitForURL(`**/dashboard/${shop.shop.clientId}/contracts/${reference}`);
    await tab.page.goto(`${sim.url}/dashboard/go/LAY-NOBODY0000`);
    await tab.page.getByRole('heading', { name: 'This id was not found' }).waitFor();
  });

  test('an address without an account opens in the account shown last', async () => {
    const other = await openShop(sim);
    await using tab = await visit('', { account: other.shop.clientId });
    const { page } = tab;
    await page.getByRole('heading', { level: 1 }).waitFor();
    for (const [address, heading] of [
      ['contracts?status=active', 'Contracts'],
      ['sessions/cs_none', 'This id was not found'],
      ['contract', 'This page does not exist'],
    ] as const) {
      await page.goto(`${sim.url}/dashboard/${address}`);
      await page.waitForURL(`**/dashboard/${other.shop.clientId}/${address}`);
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      await page.getByRole('navigation', { name: 'Views' }).waitFor();
    }
    expect(tab.faults).toEqual([]);
  });

  test('an address that names nothing here says so, and leads to where it is', async () => {
    const { reference } = await shop.complete();
    const other = await openShop(sim);
    await using tab = await visit('', { account: other.shop.clientId });
    const { page } = tab;
    for (const view of ['sessions/cs_none', 'events/evt_none', 'webhooks/dlv_none', 'requests/req_none']) {
      await page.goto(`${sim.url}/dashboard/${other.shop.clientId}/${view}`);
      await page.getByRole('heading', { name: 'This id was not found' }).waitFor();
    }
    const [email] = await shop.shop.emails.list();
    const [request] = await shop.shop.logs.list();
    for (const [view, heading] of [
      [`inbox/${email?.id}`, /Your layaway plan/],
      [`requests/${request?.id}`, /^(GET|POST) /],
      [`contracts/${reference}`, reference],
    ] as const) {
      await tab.go(`/${view}`);
      await page.getByRole('heading', { name: 'This id was not found' }).waitFor();
      await page.getByRole('link', { name: 'Look for it in every account' }).click();
      await page.waitForURL(`**/dashboard/${shop.shop.clientId}/${view}`);
      await page.getByRole('heading', { name: heading }).waitFor();
    }
  });

  test('a restart signs out, and says so, until a sign-in in another tab, which reaches every tab', async () => {
    const own = await createSimulator({ port: 0, seed: 7 });
    await using tab = await enter('', own, own.default.clientId);
    const port = Number(new URL(own.url).port);
    await own.close();
    await tab.page.getByTestId('connection').getByText('connection to the simulator is lost').waitFor();
    await using again = await createSimulator({ port, seed: 7 });
    await tab.page.getByRole('heading', { name: 'You have been signed out' }).waitFor();
    expect(again.url).toBe(own.url);
    const other = await tab.newPage();
    await other.goto(again.dashboardUrl);
    await tab.page.locator('main h1').filter({ hasNotText: 'signed out' }).waitFor();
    expect(new URL(tab.page.url()).pathname).toBe(`/dashboard/${own.default.clientId}`);
    await tab.page.getByTestId('mode').getByText('Sandbox').waitFor();
  });

  test('a page that takes the place of a view takes its title and the focus, too', async () => {
    await using own = await createSimulator();
    const merchant = await own.merchant({ dba: 'Soon Gone' });
    await using tab = await visit('/settings', { house: own, account: merchant.clientId });
    const { page } = tab;
    await expect.poll(() => page.getByTestId('connection').getAttribute('data-state')).toBe('live');
    await own.reset();
    const gone = page.getByRole('heading', { name: 'This account does not exist' });
    await gone.waitFor();
    expect(await page.title()).toBe('This account does not exist · Layaway');
    expect(await gone.evaluate((heading) => heading.ownerDocument.activeElement === heading)).toBe(true);
    await page.reload();
    await gone.waitFor();
    expect(await page.evaluate("getComputedStyle(document.querySelector('h1')).outlineStyle")).toBe('none');
  });

  test('a lever that is refused because the sign-in is gone says so; after a new one, the draft is still there', async () => {
    await using tab = await enter('/settings');
    const { page } = tab;
    const grace = page.getByLabel('grace days');
    await grace.fill('3');
    await page.context().clearCookies();
    await button(page, 'Save changes').click();
    await page.getByRole('heading', { name: 'You have been signed out' }).waitFor();
    await (await tab.newPage()).goto(sim.dashboardUrl);
    await button(page, 'Save changes').waitFor();
    expect(await grace.inputValue()).toBe('3');
    expect(tab.faults).toEqual([]);
  });
});
