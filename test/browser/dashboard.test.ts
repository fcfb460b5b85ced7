import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import type { Browser, Locator, Page, Route } from 'playwright-core';
import { describe, expect, inject, test } from 'vitest';
import { ASSUMPTIONS, type Assumption } from '../../src/domain/assumptions.ts';
import type { Simulator } from '../../src/index.ts';
import { button, copied, inChromium, openPage, openView, rows, type Stage } from '../support/browser.ts';
import { openProxy } from '../support/mapped-port.ts';
import { programWith } from '../support/program-with.ts';
import { needing } from '../support/programs.ts';
import { breaksOff, openReceiver } from '../support/receiver.ts';
import { caller, expectData, openShop, type TestShop } from '../support/shop.ts';

let createSimulator: Stage['createSimulator'];
let sim: Simulator;
let browser: Browser;
let shop: TestShop;
let visit: Stage['visit'];

const NAMES = ['<script>document.title = "gone"</script>', 'مريم الفاسي', 'Zoë 🧵 Müller', "Robert'); DROP TABLE--"];

describe('the dashboard in Chromium', needing('chromium', 'sh'), () => {
  inChromium((stage) => {
    ({ createSimulator, sim, browser, shop, visit } = stage);
  });

  /** Shows what waits behind "3 new events", again and again until what is looked for is there. */
  const showNew = (page: Page, wanted: Locator) =>
    expect
      .poll(async () => {
        const wait = page.getByTestId('new-rows');
        if ((await wait.count()) > 0) await wait.click({ timeout: 1_000 }).catch(() => undefined);
        return wanted.count();
      })
      .toBeGreaterThan(0);

  describe('coming in', () => {
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

  describe('overview', () => {
    test('accounts, clock, counts by status, and events as they happen', async () => {
      await using tab = await visit();
      const { page } = tab;
      await expect.poll(() => page.getByTestId('empty').textContent()).toContain('layaway contracts create');
      const { reference } = await shop.complete();
      await showNew(page, rows(page, 'Recent events').nth(2));
      await rows(page, 'Recent events').filter({ hasText: 'contract.activated' }).waitFor();
      await page.getByRole('link', { name: '1 active', exact: true }).waitFor();
      await page.getByRole('link', { name: reference }).first().click();
      await page.getByRole('heading', { name: reference, level: 1 }).waitFor();
      await page.goBack();
      await page.getByRole('heading', { name: 'Harbour & Pine' }).waitFor();
      expect(tab.faults).toEqual([]);
      expect(tab.left).toEqual([]);
    });

    test('in the list of accounts, running clocks run, too', async () => {
      await using own = await createSimulator({ clock: { runningFrom: '2026-01-01T12:00:00Z' } });
      await own.default.live.clock.freeze();
      await using tab = await visit('', { house: own, account: own.default.clientId });
      const { page } = tab;
      const line = (mode: string) => rows(page, 'Accounts').filter({ hasText: mode });
      await line('frozen').waitFor();
      const times = async () =>
        Promise.all(['running', 'frozen'].map((mode) => line(mode).locator('time').textContent()));
      const [running, frozen] = await times();
      await expect.poll(async () => (await times())[0]).not.toBe(running);
      expect((await times())[1]).toBe(frozen);
      expect(tab.faults).toEqual([]);
    });

    test('the list of accounts follows the names and frozen clocks of other merchants', async () => {
      await using own = await createSimulator({ clock: { frozenAt: '2026-01-01T12:00:00Z' } });
      const other = await own.merchant({ dba: 'Before' });
      await using tab = await visit('', { house: own, account: own.default.clientId });
      const line = rows(tab.page, 'Accounts').filter({ hasText: other.clientId });
      await line.filter({ hasText: 'Before' }).waitFor();
      await other.clock.advance('14d');
      await line.locator('time[datetime^="2026-01-15"]').waitFor();
      expect(tab.faults).toEqual([]);
    });

    test('sandbox and live are unmistakable, and apart', async () => {
      await shop.complete();
      await using tab = await visit();
      const { page } = tab;
      await page.getByTestId('mode').getByText('Sandbox').waitFor();
      const grounds = () =>
        page.evaluate<string[]>(`['[data-testid=mode]', 'header'].map((part) =>
          getComputedStyle(document.querySelector(part)).backgroundColor)`);
      const sandbox = await grounds();
      await page.getByRole('combobox', { name: 'Account' }).selectOption(shop.shop.live.clientId);
      await page.waitForURL(`**/${shop.shop.live.clientId}`);
      await page.getByTestId('mode').getByText('Live').waitFor();
      // The title follows what is drawn.
      await expect.poll(() => page.title()).toContain('(live)');
      const live = await grounds();
      for (const [index, ground] of sandbox.entries()) expect(live[index]).not.toBe(ground);
      // What is pasted speaks for the account that is looked at, or is refused.
      const asWhom = `--base-url ${sim.url} --client-id ${shop.shop.live.clientId} --api-key "$API_KEY_OF_${shop.shop.live.clientId}"`;
      await page.getByTestId('empty').getByText(`layaway clock advance 14d ${asWhom}`).waitFor();
      await openView(page, `${shop.shop.live.clientId}/clock`);
      const command = await copied(page, 'Copy as curl: Resume');
      expect(command).toContain(`X-Client-Id: ${shop.shop.live.clientId}'`);
      expect(command).toContain(`X-Api-Key: $API_KEY_OF_${shop.shop.live.clientId}"`);
    });
  });

  describe('clock', () => {
    test('advance by, to, next and until; what happened is listed', async () => {
      const { reference } = await shop.complete();
      await using tab = await visit('/clock');
      const { page } = tab;
      const now = page.getByTestId('clock-now');
      const happened = page.getByTestId('happened');
      await page.getByLabel('By a duration').fill('13d');
      await page.getByLabel('By a duration').press('Enter');
      await now.getByText('14 Jan 2026').waitFor();
      await happened.getByText('nothing').waitFor();
      await button(page, 'Next due event').click();
      await happened.getByRole('table').getByText('installment.paid').waitFor();
      await now.getByText('15 Jan 2026').waitFor();
      await page.getByLabel('To an instant').fill('2026-01-29T00:00:00');
      await button(page, 'Go there').click();
      await now.getByText('29 Jan 2026').waitFor();
      await page.getByLabel('Until a condition holds').fill(`${reference}=completed`);
      await page.getByLabel('Until a condition holds').press('Enter');
      await happened.getByRole('table').getByText('contract.completed').waitFor();
      await now.getByText('26 Feb 2026').waitFor();
      expect(await copied(page, 'Copy as scenario step: this advance')).toBe(
        `- advance: { until: "${reference}=completed" }`,
      );
      await page.getByLabel('By a duration').fill('soon');
      await page.getByLabel('By a duration').press('Enter');
      await page.getByRole('alert').filter({ hasText: 'must be a duration' }).waitFor();
    });

    test('a dry run moves nothing; a stop on the forecast is travelled to', async () => {
      await shop.complete();
      await using tab = await visit('/clock');
      const { page } = tab;
      await page.getByLabel('Only show what would happen').check();
      await button(page, '+12mo').click();
      await page.getByRole('heading', { name: 'What would happen' }).waitFor();
      await page.getByTestId('clock-now').getByText('1 Jan 2026').waitFor();
      const stops = page.getByTestId('forecast-axis').getByRole('button');
      await expect.poll(() => stops.count()).toBe(4);
      await stops.nth(1).click();
      await page.getByTestId('clock-now').getByText('29 Jan 2026').waitFor();
      await page.getByRole('heading', { name: 'What happened' }).waitFor();
      await expect.poll(() => stops.count()).toBe(2);
    });

    test('freeze and resume; a clock that another moved is seen; the end of time is refused', async () => {
      await using tab = await visit('/clock');
      const { page } = tab;
      await button(page, 'Resume').click();
      await button(page, 'Freeze').waitFor();
      const before = await page.getByTestId('now').textContent();
      await expect.poll(() => page.getByTestId('now').textContent()).not.toBe(before);
      await button(page, 'Freeze').click();
      await button(page, 'Resume').waitFor();
      await shop.call('POST', '/_sim/clock/advance', { by: '12mo' });
      await page.getByTestId('clock-now').getByText('1 Jan 2027').waitFor();
      const late = await openShop(sim, { clock: { frozenAt: '9979-01-01T00:00:00Z' } });
      await openView(page, `${late.shop.clientId}/clock`);
      await button(page, '+12mo').click();
      await page.getByRole('alert').filter({ hasText: '9979-12-31' }).waitFor();
      expect(tab.faults).toEqual([]);
    });
  });

  describe('sessions and contracts', () => {
    test('tables are searched, filtered and paged, and the address keeps it', async () => {
      for (let n = 0; n < 51; n += 1) await shop.complete({ order_reference: `A-${n}` });
      for (const [n, name] of NAMES.entries()) {
        const { id } = await shop.open({ order_reference: `ODD-${n}` });
        await shop.step(id, 'complete', { customer_name: name, customer_email: 'ada@example.com' });
      }
      await using tab = await visit('/contracts');
      const { page } = tab;
      await page.getByText('55 in all').waitFor();
      await expect.poll(() => rows(page, 'Contracts').count()).toBe(50);
      await button(page, 'Next').click();
      await page.waitForURL('**/contracts?page=2');
      await expect.poll(() => rows(page, 'Contracts').count()).toBe(5);
      // What this page would show is not new: it was on the page before.
      await shop.complete();
      await button(page, 'The list has moved. Show it as it is now').click();
      await expect.poll(() => rows(page, 'Contracts').count()).toBe(6);
      await page.goBack();
      await expect.poll(() => rows(page, 'Contracts').count()).toBe(50);
      const status = button(page.getByRole('table', { name: 'Contracts' }), 'Status');
      expect(await status.getAttribute('title')).toBe('Sorts the rows of this page');
      for (const name of NAMES) await expect.poll(() => page.getByText(name, { exact: true }).count()).toBe(1);
      expect(await page.title()).toContain('Contracts');

      await page.getByRole('searchbox', { name: 'Search reference, order, name, email' }).fill('odd-');
      await page.waitForURL('**/contracts?search=odd-');
      await expect.poll(() => rows(page, 'Contracts').count()).toBe(4);
      expect(await status.getAttribute('title')).toBeFalsy();
      await page.getByRole('searchbox', { name: 'Search reference, order, name, email' }).fill('odd-2');
      await page.waitForURL('**/contracts?search=odd-2');
      await expect.poll(() => rows(page, 'Contracts').count()).toBe(1);
      await page.reload();
      await page.getByText(NAMES[2] as string, { exact: true }).waitFor();
      await page.getByRole('combobox', { name: 'Status' }).selectOption('defaulted');
      await page.getByTestId('empty').getByText('Nothing matches').waitFor();

      await page.getByRole('link', { name: 'Sessions', exact: true }).click();
      await page.getByText('56 in all').waitFor();
      expect(tab.faults).toEqual([]);
    });

    test('a search keeps what is typed: a pause after a space does not join two words', async () => {
      const { id } = await shop.open();
      await shop.step(id, 'complete', { customer_name: 'Ada Byron', customer_email: 'ada@example.com' });
      await using tab = await visit('/contracts');
      const { page } = tab;
      const box = page.getByRole('searchbox', { name: 'Search reference, order, name, email' });
      await box.pressSequentially('Ada ');
      await page.waitForURL('**/contracts?search=Ada');
      await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
      await box.pressSequentially('Byron');
      await page.waitForURL('**/contracts?search=Ada*Byron');
      expect(await box.inputValue()).toBe('Ada Byron');
      await page.getByText('1 in all').waitFor();
      await page.getByRole('link', { name: 'Events', exact: true }).click();
      await page.goBack();
      await expect.poll(() => box.inputValue()).toBe('Ada Byron');
    });

    test('a session is taken through its steps, a declined payment included', async () => {
      const { id } = await shop.open();
      await using tab = await visit(`/sessions/${id}`);
      const { page } = tab;
      await button(page, 'Accept the plan').click();
      await button(page, 'Decline the payment').click();
      await page.getByTestId('toast').filter({ hasText: 'declined' }).waitFor();
      await button(page, 'Complete checkout').click();
      await page.getByTestId('toast').filter({ hasText: 'is active' }).waitFor();
      await expect.poll(() => button(page, 'Complete checkout').count()).toBe(0);
      const [contract] = (await shop.call('GET', '/v1/contracts')).body.data;
      expect(contract.status).toBe('active');
      const { data } = (await shop.call('GET', `/_sim/contracts/${contract.reference}/attempts`)).body;
      expect(data.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['pay', 'fail']);
    });

    test('backing out asks first', async () => {
      const { id } = await shop.open();
      await using tab = await visit(`/sessions/${id}`);
      const { page } = tab;
      await button(page, 'Back out').click();
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect((await shop.call('GET', `/v1/checkout-sessions/${id}`)).body.data.status).toBe('pending');
      await button(page, 'Back out').click();
      await button(page.getByRole('dialog'), 'Back out').click();
      await page.getByText('cancelled', { exact: true }).first().waitFor();
      expect((await shop.call('GET', `/v1/checkout-sessions/${id}`)).body.data.status).toBe('cancelled');
    });

    test('a contract is a picture of its schedule; its levers move it', async () => {
      const { reference } = await shop.complete();
      await using tab = await visit(`/contracts/${reference}`);
      const { page } = tab;
      const picture = page.getByTestId('contract-picture');
      const marks = () =>
        picture.locator('[data-status]').evaluateAll((all) => all.map((e) => e.getAttribute('data-status')));
      await expect.poll(marks).toEqual(['paid', 'upcoming', 'upcoming', 'upcoming', 'upcoming']);
      await button(page, 'Add fail').click();
      await button(page, 'Add fail').click();
      expect(await copied(page, 'Copy as scenario step: outcomes')).toMatch(
        /^- outcomes: { contract: "\${plan\.reference}", outcomes: \[fail, fail\] }$/,
      );
      await button(page, 'Save outcomes').click();
      await page.getByTestId('toast').filter({ hasText: 'next 2 attempts' }).waitFor();

      await shop.call('POST', '/_sim/clock/advance', { until: `${reference}#1=delinquent` });
      await expect.poll(marks).toEqual(['paid', 'delinquent', 'upcoming', 'upcoming', 'upcoming']);
      await expect.poll(() => picture.locator('.attempt.fail').count()).toBe(2);
      await expect.poll(() => picture.locator('.span.past_due:not(.foreseen)').count()).toBe(1);
      await expect.poll(() => picture.locator('.notice').count()).toBe(3);
      await expect.poll(() => page.getByTestId('picture-now').count()).toBe(1);
      await page.getByRole('img', { name: '$50.00 collected, $90.00 expected' }).waitFor();

      await button(page, 'Settle 1').click();
      await expect.poll(marks).toEqual(['paid', 'paid', 'upcoming', 'upcoming', 'upcoming']);
      expect(await copied(page, 'Copy as curl: Cancel contract')).toContain(
        `curl -X POST ${sim.url}/v1/contracts/${reference}/cancel`,
      );
      await button(page, 'Cancel contract').click();
      await button(page.getByRole('dialog'), 'Cancel contract').click();
      await page.getByText('Collection has ended').waitFor();
      await shop.call('POST', '/_sim/clock/advance', { by: '24mo' });
      await page.getByTestId('picture-now').getByText('now, 27 Jan 2028').waitFor();
      expect((await shop.call('GET', `/v1/contracts/${reference}`)).body.data.status).toBe('cancelled');
      expect(tab.faults).toEqual([]);
    });

    test('from any id to everything related in one click', async () => {
      await using receiver = await openReceiver();
      await shop.call('POST', '/_sim/webhook-endpoints', { url: receiver.url });
      const { id } = await shop.open({ order_reference: 'A-77' });
      const { reference } = await shop.step(id, 'complete');
      const first = async (path: string) => expectData(await shop.call('GET', path)).at(-1).id as string;
      const request = await first('/_sim/requests?path=/v1/sessions');
      const places = [
        `/sessions/${id}`,
        `/contracts/${reference}`,
        `/events/${await first('/_sim/events')}`,
        `/webhooks/${await first('/_sim/deliveries')}`,
        `/inbox/${await first('/_sim/emails')}`,
        `/requests/${request}`,
      ];
      await using tab = await visit();
      const { page } = tab;
      for (const place of places) {
        await tab.go(place);
        // Each page shows, as links, every other thing that came of the checkout.
        await rows(page, 'Events of this checkout').getByRole('link', { name: 'contract.activated' }).waitFor();
        await rows(page, 'Payment attempts').getByText(/^sim_/).waitFor();
        await rows(page, 'Deliveries of this checkout').getByRole('link', { name: /^dlv_/ }).first().waitFor();
        await rows(page, 'Emails of this contract')
          .getByRole('link', { name: /Your layaway plan/ })
          .waitFor();
        await rows(page, 'Requests about this checkout').getByRole('link', { name: 'POST /v1/sessions' }).waitFor();
        await page.getByText('A-77').first().waitFor();
      }
      const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();
      await page.getByRole('link', { name: 'contract.activated' }).click();
      await heading('contract.activated');
      await page.getByTestId('delivery').getByText('200').first().waitFor();
      await page.getByRole('link', { name: /Your layaway plan.*\(to/ }).click();
      await page.getByTestId('email').getByRole('link', { name: reference }).click();
      await heading(reference);
      for (const [wanted, found] of [
        [request, 'POST /v1/sessions'],
        [shop.shop.clientId, 'Harbour & Pine'],
        [reference, reference],
        [`${sim.url}/v1/contracts/${reference}?page=1`, reference],
        [`${sim.url}/checkout/${id}`, id],
      ] as const) {
        await page.keyboard.press('Control+K');
        await page.getByRole('combobox', { name: 'Search everything' }).fill(wanted);
        await page.keyboard.press('Enter');
        await page.getByRole('dialog').waitFor({ state: 'hidden' });
        await heading(found);
      }
      expect(tab.faults).toEqual([]);
    });

    test('a checkout is previewed without the store; nothing lists it', async () => {
      await using tab = await visit('/sessions');
      const { page } = tab;
      await page.getByLabel('Total, in cents').fill('50');
      await page.getByLabel('Total, in cents').press('Enter');
      await page.getByRole('alert').filter({ hasText: 'Must be at least $50.00.' }).waitFor();
      await page.getByLabel('Total, in cents').fill('12345');
      await page.getByText('$123.45', { exact: true }).waitFor();
      await page.getByLabel('Order', { exact: true }).fill('LOOK-1');
      await button(page, 'Open preview').click();
      await page.waitForURL('**/sessions/cs_*');
      await page.getByText('a preview, not shown in lists').waitFor();
      const [checkout] = await Promise.all([
        page.waitForEvent('popup'),
        page.getByRole('link', { name: 'Open checkout page' }).click(),
      ]);
      await checkout.getByTestId('order-total').getByText('$123.45').waitFor();
      await checkout.close();
      await button(page, 'Complete checkout').click();
      await page.getByTestId('toast').filter({ hasText: 'is active' }).waitFor();
      expect((await shop.call('GET', '/v1/contracts')).body.data).toEqual([]);
      // What a store would be refused is not offered.
      expect(await button(page, 'Copy as curl: this session').count()).toBe(0);
      await page.getByRole('link', { name: /^LAY-/ }).first().click();
      await button(page, 'Save as scenario').waitFor();
      for (const name of ['Copy as curl: this contract', 'Cancel contract']) {
        expect(await button(page, name).count()).toBe(0);
      }
    });

    test('a session is opened in the store’s place, and listed', async () => {
      await using tab = await visit('/sessions');
      const { page } = tab;
      await page.getByLabel('Order', { exact: true }).fill('DESK-1');
      await page.getByLabel('Total, in cents').fill('12345');
      await button(page, 'New session').click();
      await page.waitForURL('**/sessions/cs_*');
      await page.getByText('$123.45 for').waitFor();
      expect(await page.getByText('a preview').count()).toBe(0);
      expect(await shop.shop.sessions.list()).toMatchObject([{ order_reference: 'DESK-1', total_amount: 12_345 }]);
      expect(tab.faults).toEqual([]);
    });

    test('a contract is created in a state; what is impossible is reported; the copies do the same', async () => {
      await using tab = await visit('/contracts');
      const { page } = tab;
      await page.getByLabel('State', { exact: true }).selectOption('pending');
      await page.getByLabel('Installment number').fill('2');
      await button(page, 'Create contract').click();
      await page.locator('.field').getByRole('alert').filter({ hasText: 'Leave this empty: nothing is' }).waitFor();
      await page.getByLabel('State', { exact: true }).selectOption('past_due');
      await page.getByLabel('Installment number').fill('9');
      await button(page, 'Create contract').click();
      await page.getByRole('alert').filter({ hasText: 'Must not be more than 4.' }).waitFor();
      await page.getByLabel('Installment number').fill('2');
      const days = page.getByLabel('Days ago');
      await days.fill('');
      for (const form of ['curl', 'command', 'scenario step']) {
        expect(await copied(page, `Copy as ${form}: Create contract`)).not.toMatch(/days[-_]ago/);
      }
      await days.fill('3');
      await page.getByLabel('Order', { exact: true }).fill('DESK 2');
      await page.getByLabel('Send its webhooks').uncheck();
      expect(await copied(page, 'Copy as command: Create contract')).toBe(
        `npx layaway contracts create --status past_due --installment 2 --days-ago 3 --order-reference 'DESK 2' --no-webhooks --base-url ${sim.url} --client-id ${shop.shop.clientId} --api-key "$API_KEY_OF_${shop.shop.clientId}"`,
      );
      expect(await copied(page, 'Copy as scenario step: Create contract')).toBe(
        '- create-contract: { installment: { number: 2, status: past_due }, days_ago: 3, webhooks: false, order_reference: "DESK 2" }\n  as: plan',
      );
      await button(page, 'Create contract').click();
      await page.waitForURL('**/contracts/LAY-*');
      const marks = () =>
        page
          .getByTestId('contract-picture')
          .locator('[data-status]')
          .evaluateAll((all) => all.map((e) => e.getAttribute('data-status')));
      await expect.poll(marks).toEqual(['paid', 'paid', 'past_due', 'upcoming', 'upcoming']);
      await tab.go('/contracts');
      await page.getByLabel('State', { exact: true }).selectOption('completed');
      await button(page, 'Create contract').click();
      await page.waitForURL('**/contracts/LAY-*');
      expect((await shop.shop.contracts.listAll()).map(({ status }) => status).sort()).toEqual(['active', 'completed']);
      expect(tab.faults).toEqual([]);
    });

    test('the levers, copied as scenario steps, are a scenario that runs', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'layaway-steps-'));
      await using tab = await visit('/sessions');
      const { page } = tab;
      const step = async (path: string, name: string) => {
        await tab.go(path);
        return copied(page, `Copy as scenario step: ${name}`);
      };
      const steps = [await step('/sessions', 'a session of the store')];
      const { id } = await shop.open();
      steps.push(await step(`/sessions/${id}`, 'Complete checkout'));
      const { reference } = await shop.step(id, 'complete');
      await shop.call('PUT', `/_sim/contracts/${reference}/outcomes`, { outcomes: ['fail', 'fail'] });
      steps.push(await step(`/contracts/${reference}`, 'outcomes'));
      await tab.go('/clock');
      await page.getByLabel('By a duration').fill('20d');
      await page.getByLabel('By a duration').press('Enter');
      steps.push(await copied(page, 'Copy as scenario step: this advance'));
      steps.push(await step(`/contracts/${reference}`, 'Settle 1'));
      steps.push(await step(`/contracts/${reference}`, 'Cancel contract'));
      await tab.go('/settings');
      await page.getByLabel('grace days').fill('3');
      steps.push(await copied(page, 'Copy as scenario step: Save changes'));

      const file = join(folder, 'steps.yaml');
      const read = [
        `- request: { method: GET, path: "/v1/contracts/$\{plan.reference}" }`,
        '  expect: { status: 200, body: { data: { status: cancelled, paid_amount: 9000 } } }',
      ];
      const lines = [...steps, ...read].join('\n').replaceAll(/^/gm, '  ');
      await writeFile(file, `name: copied\nclock: 2026-01-01T09:30:00Z\nsteps:\n${lines}\n`);
      const bin = join(inject('layaway'), 'bin/layaway.js');
      const run = await execa(process.execPath, [bin, 'run', file, '--json'], { reject: false });
      expect([run.exitCode, run.stderr]).toEqual([0, '']);
      await rm(folder, { recursive: true });
    });
  });

  describe('events', () => {
    test('one without a delivery says why, also if its endpoint was disabled', async () => {
      const { reference } = await shop.complete();
      const [event] = await shop.levers.events.list();
      await using tab = await visit(`/events/${event?.id}`);
      const { page } = tab;
      await page.getByText('No endpoint subscribed to this event when it happened. Add one').waitFor();
      const { id } = await shop.levers.webhooks.add('http://127.0.0.1:1/hook');
      await shop.levers.webhooks.disable(id);
      await shop.levers.contracts.cancel(reference);
      const [cancelled] = await shop.levers.events.list();
      await openView(page, `${shop.shop.clientId}/events/${cancelled?.id}`);
      const why = page.getByTestId('empty').filter({ hasText: 'No enabled endpoint subscribed to this event' });
      await why.getByRole('link', { name: 'endpoint' }).click();
      await page.getByText('disabled by hand').waitFor();
      expect(tab.faults).toEqual([]);
    });

    test('a search reaches all there are; older ones are a page away; back and reload keep the place', async () => {
      const { reference } = await shop.complete();
      for (let n = 0; n < 30; n += 1) await shop.complete();
      await using tab = await visit('/events');
      const { page } = tab;
      const first = rows(page, 'Events').first();
      await expect.poll(() => rows(page, 'Events').count()).toBe(50);
      expect(await page.getByText(reference).count()).toBe(0);
      await button(page, 'Older').click();
      await page.waitForURL('**/events?before=evt_*');
      await expect.poll(() => rows(page, 'Events').count()).toBe(43);
      const shown = await first.textContent();
      await shop.complete();
      await page.reload();
      await expect.poll(() => first.textContent()).toBe(shown);
      await page.goBack();
      await page.waitForURL('**/events');
      await page.getByRole('searchbox', { name: 'Search type, subject, id' }).fill(reference);
      await page.waitForURL(`**/events?search=${reference}`);
      await expect.poll(() => rows(page, 'Events').count()).toBe(1);
      await page.reload();
      await first.getByRole('link', { name: reference }).waitFor();
      await page.getByRole('searchbox', { name: 'Search type, subject, id' }).fill('nothing of the kind');
      await page.getByTestId('empty').getByText('Nothing matches.').waitFor();
    });
  });

  describe('faults', () => {
    test('one is armed, strikes, is marked where it struck, and is removed', async () => {
      await using receiver = await openReceiver();
      await using tab = await visit('/faults');
      const { page, go } = tab;
      await expect.poll(() => page.getByTestId('empty').textContent()).toContain('layaway faults add');
      await page.getByLabel('Kind').selectOption('error');
      await page.getByLabel('Requests').selectOption('ping');
      const times = page.getByLabel('Times');
      for (const text of ['3x', 'Infinity']) {
        await times.fill(text);
        await button(page, 'Arm').click();
        await expect.poll(() => times.getAttribute('aria-invalid')).toBe('true');
        await page.getByText('Enter a whole number.').waitFor();
        await page.getByText('A whole number, or always.').waitFor();
      }
      expect(await shop.shop.faults.list()).toEqual([]);
      await times.fill('Always');
      expect(await copied(page, 'Copy as scenario step: Arm')).toBe(
        '- fault: { kind: error, operation: ping, times: null }',
      );
      await button(page, 'Arm').click();
      const armed = page.getByTestId('fault');
      await armed.getByText('always').waitFor();
      await shop.shop.v1.ping().catch(() => null);
      await armed.getByRole('cell', { name: '1', exact: true }).waitFor();

      await go('/requests');
      await page.locator('tr', { hasText: '/v1/ping' }).getByTestId('struck').getByText('error').waitFor();

      await go('/faults');
      await page.getByLabel('Kind').selectOption('lost_ack');
      await page.getByLabel('Deliveries').selectOption('webhook.test');
      await button(page, 'Arm').click();
      await expect.poll(() => armed.count()).toBe(2);
      const { id } = await shop.shop.webhooks.add(receiver.url);
      const delivery = await shop.shop.webhooks.test(id);
      await go(`/webhooks/${delivery.id}`);
      await page.getByTestId('struck').getByText('lost ack').waitFor();

      await go('/faults');
      await button(armed.first(), 'Remove').click();
      await expect.poll(() => armed.count()).toBe(1);
      await button(page, 'Remove all').click();
      await button(page.getByRole('dialog'), 'Remove all').click();
      await page.getByTestId('empty').waitFor();
      expect(await shop.shop.faults.list()).toEqual([]);
    });
  });

  describe('coverage', () => {
    test('what the store meets shows at once, findings with their request; it is filtered and cleared', async () => {
      await using tab = await visit('/coverage');
      const { page } = tab;
      const ping = page.getByTestId('operations.ping');
      await ping.getByText('Let the store send GET /v1/ping.').waitFor();
      await page.getByTestId('empty').getByText('No findings').waitFor();
      await page.getByLabel('Situations', { exact: true }).selectOption('met');
      await page.getByTestId('empty').getByText('No situation was met yet.').waitFor();
      await page.getByLabel('Situations', { exact: true }).selectOption('');
      await shop.call('GET', '/v1/ping');
      await ping.getByRole('link', { name: /^req_/ }).waitFor();
      await shop.call('GET', '/v1/ping');
      await ping.getByRole('cell', { name: '2', exact: true }).waitFor();
      await page
        .getByTestId('coverage')
        .getByText(/1 of \d+ situations met/)
        .waitFor();

      await page.getByLabel('Situations', { exact: true }).selectOption('missing');
      await expect.poll(() => ping.count()).toBe(0);
      await page.getByTestId('operations.getConfig').waitFor();
      await page.getByLabel('Situations', { exact: true }).selectOption('met');
      await ping.waitFor();
      expect(await page.getByTestId('operations.getConfig').count()).toBe(0);

      await shop.open();
      const finding = page.getByTestId('finding');
      await finding.getByText('A session was opened without an Idempotency-Key').waitFor();
      await finding.getByText('must', { exact: true }).waitFor();
      // On a phone, where each row is a card, a number stands beside the name of its column.
      expect(await finding.locator('.figure').getAttribute('data-head')).toBe('times');
      expect(await ping.locator('.figure').getAttribute('data-head')).toBe('met');
      await finding.getByRole('link', { name: /^req_/ }).click();
      await page.getByText('/v1/sessions').first().waitFor();
      await page.goBack();
      await button(page, 'Clear').click();
      await button(page.getByRole('dialog'), 'Clear').click();
      await page.getByTestId('empty').getByText('No findings').waitFor();
      expect(await shop.shop.coverage()).toMatchObject({ met: 0 });

      for (let round = 0; round < 50; round += 1) {
        await Promise.all(Array.from({ length: 20 }, () => shop.call('GET', '/v1/ping')));
      }
      await ping.getByRole('cell', { name: '1,000', exact: true }).waitFor();
      expect(tab.faults).toEqual([]);
    });
  });

  describe('webhooks', () => {
    test('interface §2: the endpoint of a listen that is away is shown as disconnected, with what waits for it', async () => {
      const own = await openShop(sim);
      await own.call('POST', '/_sim/webhook-endpoints', { url: 'http://localhost:3100/hooks', transport: 'listener' });
      await using tab = await visit('/webhooks', { account: own.shop.clientId });
      const endpoint = tab.page.getByTestId('endpoint');
      await endpoint.getByText('disconnected', { exact: true }).waitFor();
      expect(await endpoint.getByText('enabled', { exact: true }).count()).toBe(0);
      const { id } = await own.open();
      await own.step(id, 'cancel');
      await endpoint.getByText('1 waiting', { exact: true }).waitFor();
      expect(tab.faults).toEqual([]);
    });

    test('an endpoint is added, tested, rotated, disabled; failures stand out and are sent again', async () => {
      await using receiver = await openReceiver();
      await using tab = await visit('/webhooks');
      const { page } = tab;
      await expect.poll(() => page.getByTestId('empty').first().textContent()).toContain('layaway listen');
      await page.getByLabel('Send events to').fill(receiver.url);
      await button(page, 'Add endpoint').click();
      const secret = page.getByTestId('secret');
      const first = await secret.locator('pre').textContent();
      expect(first).toMatch(/^whsec_/);
      await button(secret, 'Done').click();
      const endpoint = page.getByTestId('endpoint');
      await button(endpoint, 'Test').click();
      await page.getByTestId('toast').filter({ hasText: 'with 200' }).waitFor();
      const levers = endpoint.locator('summary');
      await levers.click();
      await button(endpoint, 'Rotate secret').click();
      await button(page.getByRole('dialog'), 'Rotate secret').click();
      await expect.poll(() => secret.locator('pre').textContent()).not.toBe(first);
      await page.reload();
      await endpoint.waitFor();
      await expect.poll(() => secret.count()).toBe(0);
      expect(await page.content()).not.toContain('whsec_');

      receiver.script(500);
      await shop.open().then(({ id }) => shop.step(id, 'cancel'));
      const troubled = page.locator('tr.troubled');
      await showNew(page, troubled.getByText('500'));
      await troubled.getByRole('link', { name: /^dlv_/ }).click();
      const delivery = page.getByTestId('delivery');
      await delivery.getByText('Attempt 1').waitFor();
      await delivery.getByText('webhook-signature').first().waitFor();
      await button(delivery, 'Resend').click();
      await page.getByTestId('toast').filter({ hasText: 'Resent. The receiver responded with 200.' }).waitFor();
      expect(receiver.types()).toEqual(['webhook.test', 'session.cancelled', 'session.cancelled']);

      await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
      await levers.click();
      await button(endpoint, 'Disable').click();
      await endpoint.getByText('disabled', { exact: true }).waitFor();
      await button(endpoint, 'Remove').click();
      await button(page.getByRole('dialog'), 'Remove').click();
      await expect.poll(() => endpoint.count()).toBe(0);
    });
  });

  test('the endpoint that the deliveries are narrowed to is removed: the page says so, and shows the others', async () => {
    await using receiver = await openReceiver();
    const gone = await shop.shop.webhooks.add(`${receiver.url}/gone`);
    await shop.shop.webhooks.add(`${receiver.url}/other`);
    await shop.complete();
    await using tab = await visit(`/webhooks?endpoint_id=${gone.id}`);
    const { page } = tab;
    const endpoints = page.getByTestId('endpoint');
    await page.getByText(`Levers`).first().waitFor();
    await endpoints.filter({ hasText: '/gone' }).getByText('Levers').click();
    await button(endpoints.filter({ hasText: '/gone' }), 'Remove').click();
    await button(page.getByRole('dialog'), 'Remove').click();
    await page.getByTestId('empty').getByText('This endpoint does not exist').waitFor();
    await expect.poll(() => endpoints.count()).toBe(1);
    await endpoints.filter({ hasText: '/other' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByRole('combobox', { name: 'Endpoint' }).selectOption('every endpoint');
    await rows(page, 'Deliveries').first().waitFor();
    expect(tab.faults).toEqual([]);
  });

  test('decisions §6: a redirect is shown as the failure that it is, and what is sent once had no retries', async () => {
    await using receiver = await openReceiver([302, 302]);
    const { id } = await shop.shop.webhooks.add(receiver.url);
    await shop.shop.webhooks.test(id, { forged: true });
    await using tab = await visit('/webhooks');
    const { page, go } = tab;
    const badges = page.getByText('302', { exact: true });
    await expect.poll(() => badges.count()).toBe(2);
    for (const badge of await badges.all()) expect(await badge.getAttribute('class')).toBe('badge bad');
    const [delivery] = await shop.shop.webhooks.deliveries();
    await go(`/webhooks/${delivery?.id}`);
    await page.getByTestId('why').getByText('Sent once, without retries, on 1 Jan 2026, 09:30:00.').waitFor();
    expect(await badges.getAttribute('class')).toBe('badge bad');
  });

  test('a test that reaches nobody says so, and so does one whose answer breaks off', async () => {
    await using receiver = await openReceiver([breaksOff]);
    const { id } = await shop.shop.webhooks.add('http://127.0.0.1:1/nobody');
    await using tab = await visit('/webhooks');
    const told = tab.page.getByTestId('toast');
    await button(tab.page.getByTestId('endpoint'), 'Test').click();
    await told.filter({ hasText: 'The receiver did not respond: ' }).waitFor();
    await shop.call('PATCH', `/_sim/webhook-endpoints/${id}`, { url: receiver.url });
    await button(tab.page.getByTestId('endpoint'), 'Test').click();
    const broken = told.filter({
      hasText: 'The receiver responded with 200, but the attempt failed: the answer broke off',
    });
    expect(await broken.getAttribute('class')).toBe('toast bad');
  });

  describe('inbox', () => {
    test('an e-mail as it looks, its text and source, its contract and cause; nothing in it runs', async () => {
      const { id } = await shop.open();
      const { reference } = await shop.step(id, 'complete', {
        customer_name: NAMES[0] as string,
        customer_email: 'ada@example.com',
      });
      await using tab = await visit('/inbox');
      const { page } = tab;
      await page.getByRole('link', { name: /Your layaway plan with Harbour & Pine/ }).click();
      const frame = page.locator('iframe');
      expect(await frame.getAttribute('sandbox')).toBe('');
      const body = page.frameLocator('iframe').locator('body');
      await body.getByText(`Hello ${NAMES[0]},`).waitFor();
      expect(await body.getAttribute('style')).toContain('background:#f4f6f8');
      await button(page, 'Source').click();
      await page.getByText('<!doctype html>').waitFor();
      await page.waitForURL('**?as=source');
      await page.reload();
      await page.getByText('<!doctype html>').waitFor();
      await button(page, 'Text').click();
      await page.getByText(`Agreement: ${reference}`).waitFor();
      const email = page.getByTestId('email');
      await email.getByRole('link', { name: reference }).waitFor();
      await page.getByRole('searchbox', { name: 'Search address, contract, template' }).fill('nobody@');
      await page.waitForURL('**search=nobody**');
      await email.getByRole('link', { name: 'contract.activated' }).click();
      await page.getByRole('heading', { level: 1, name: 'contract.activated' }).waitFor();
      expect(tab.faults).toEqual([]);
      expect(tab.left).toEqual([]);
    });

    test('a search that finds nothing says so beside the e-mail that is open', async () => {
      await shop.complete();
      const [email] = await shop.shop.emails.list();
      await using tab = await visit(`/inbox/${email?.id}?search=nobody`);
      const list = tab.page.getByRole('navigation', { name: 'Emails' });
      await list.getByText('Nothing matches.').waitFor();
      await tab.page.getByTestId('email').waitFor();
      await tab.page.getByRole('searchbox').fill('');
      await list.getByRole('link').waitFor();
      expect(await list.getByText('Nothing matches.').count()).toBe(0);
      expect(tab.faults).toEqual([]);
    });

    test('the cause of an e-mail is the event that triggered it, however much happened at that instant', async () => {
      const { contracts, clock, emails, events } = shop.shop;
      const { reference } = await shop.complete();
      await contracts.outcomes(reference, ['fail', 'fail', 'fail', 'fail']);
      await clock.advance({ until: `${reference}#2=past_due` });
      for (const number of [1, 2]) await contracts.settle(reference, number);
      await contracts.cancel(reference);
      await using tab = await visit('/inbox');
      const { page } = tab;
      const cause = page.getByTestId('email').locator('dl > div', { hasText: 'Caused by' }).getByRole('link');
      const causeOf = async ({ id, template }: { readonly id: string; readonly template: string }) => {
        await tab.go(`/inbox/${id}`);
        await page.getByText(template, { exact: true }).waitFor();
        const event = await events.get((await cause.getAttribute('href'))?.split('/').at(-1) ?? '');
        return [template, event.type, 'installment' in event.data ? event.data.installment.installment_number : null];
      };
      const told = [];
      for (const email of await emails.list({ reference, limit: 6 })) told.push(await causeOf(email));
      expect(told).toEqual([
        ['plan_cancelled_customer', 'contract.cancelled', null],
        ['plan_cancelled_merchant', 'contract.cancelled', null],
        ['installment_receipt', 'installment.paid', 2],
        ['installment_receipt', 'installment.paid', 1],
        ['past_due_notice', 'installment.past_due', 2],
        ['delinquent_notice', 'installment.delinquent', 1],
      ]);
    });

    test('an e-mail on a laptop, a tablet and a phone shows everything, however long the words are', async () => {
      const name = 'W'.repeat(255);
      const { id } = await shop.open({ order_reference: 'W'.repeat(100) });
      await shop.step(id, 'complete', { customer_name: name, customer_email: 'long@example.com' });
      await using tab = await visit('/clock');
      const { page } = tab;
      const letter = page.frameLocator('iframe');
      const sideways = ({ scrollWidth, clientWidth }: { scrollWidth: number; clientWidth: number }) =>
        scrollWidth - clientWidth;
      for (const width of [1280, 840, 360]) {
        await tab.go('/clock');
        await page.setViewportSize({ width, height: 800 });
        await tab.go('/inbox?search=long@example.com');
        await page.getByRole('link', { name: /Your layaway plan/ }).click();
        await letter.getByText(`Hello ${name},`).waitFor();
        expect(await letter.locator('html').evaluate(sideways), `${width} px`).toBe(0);
        expect(await page.evaluate<string[]>(BEYOND_FACTS), `${width} px`).toEqual([]);
      }
    });

    test.each([
      ['laptop', 1280],
      ['phone', 320],
    ])('on a %s, an e-mail that is chosen by keyboard has the focus, and is in view', async (_device, width) => {
      for (let n = 0; n < 30; n += 1) await shop.shop.contracts.create({ status: 'active' });
      await using tab = await visit('/inbox', { viewport: { width, height: 640 } });
      const { page } = tab;
      const chosen = page.getByRole('navigation', { name: 'Emails' }).getByRole('link').nth(20);
      await chosen.focus();
      await page.keyboard.press('Enter');
      const heading = page.getByTestId('email').getByRole('heading', { level: 2 });
      await page.getByTestId('email').locator('h2:focus').waitFor();
      expect(await heading.textContent()).toContain('Your layaway plan');
      const top = await heading.evaluate((of) => of.getBoundingClientRect().top);
      expect(top).toBeGreaterThanOrEqual(0);
      expect(top).toBeLessThan(width === 320 ? 320 : 640);
      await page.keyboard.press('Tab');
      await page.getByTestId('email').locator('a:focus').waitFor();
    });

    test('the e-mail that is open is marked in the list without the page’s colours, too', async () => {
      await shop.complete();
      await shop.complete();
      const [email] = await shop.shop.emails.list();
      await using tab = await visit(`/inbox/${email?.id}`, { forcedColors: 'active' });
      const edge = (link: string) =>
        tab.page.evaluate<string>(
          `getComputedStyle(document.querySelector('.mail-list ${link}')).borderInlineStartWidth`,
        );
      await tab.page.getByTestId('email').waitFor();
      expect(await edge('a:not([aria-current])')).toBe('0px');
      expect(await edge('a[aria-current]')).toBe('6px');
    });

    test('the sender reads from left to right, even if its name does not', async () => {
      const other = await openShop(sim, { dba: 'متجر Shop' });
      await other.step((await other.open()).id, 'complete');
      await using tab = await visit('/inbox', { account: other.shop.clientId });
      await tab.page.getByRole('link', { name: /Your layaway plan/ }).click();
      const sender = tab.page.getByText('"متجر Shop" <layaway@sandbox.example>', { exact: true });
      expect(await sender.evaluate((from) => from.matches(':dir(ltr)'))).toBe(true);
    });
  });

  describe('requests', () => {
    test('the log with bodies, narrowed by path and status; one is copied as curl', async () => {
      await using tab = await visit('/requests');
      const { page } = tab;
      await page.getByRole('heading', { name: 'Requests', level: 1 }).waitFor();
      await shop.call('GET', '/v1/ping');
      await showNew(page, rows(page, 'Requests').filter({ hasText: '/v1/ping' }));
      await shop.call('POST', '/v1/sessions', { total_amount: 12.5 });
      await page.getByRole('searchbox', { name: 'Path begins with' }).fill('/v1/sess');
      await page.getByRole('combobox', { name: 'Status' }).selectOption('4xx');
      await expect.poll(() => rows(page, 'Requests').count()).toBe(1);
      await page.getByRole('link', { name: '/v1/sessions' }).click();
      await page.getByText('"The total amount field must be an integer."').waitFor();
      const command = await copied(page, 'Copy as curl');
      expect(command).toContain(`-d '{"total_amount":12.5}'`);
      expect(command).not.toContain(shop.shop.apiKey);
      // After -d, curl would send the content of that file.
      await shop.call('POST', '/v1/sessions', '@order.json');
      const [named] = await shop.levers.logs.list();
      await openView(page, `${shop.shop.clientId}/requests/${named?.id}`);
      expect(await copied(page, 'Copy as curl')).toContain('--data-raw @order.json');
      // With -X HEAD, curl would wait for a body.
      await shop.call('HEAD', '/v1/ping');
      await page.getByRole('link', { name: 'All requests' }).click();
      await rows(page, 'Requests').filter({ hasText: 'HEAD' }).getByRole('link').click();
      await page.getByRole('heading', { name: 'HEAD /v1/ping' }).waitFor();
      expect(await copied(page, 'Copy as curl')).toContain(`curl --head ${sim.url}/v1/ping `);
    });

    test.each([
      [415, 'a body that is not JSON', { 'content-type': 'text/plain' }, '{"a":1}'],
      [422, 'a body that is not text', {}, new Uint8Array([0x7b, 0xff, 0x7d])],
    ] as const)(
      'decisions §5: after %i, %s is missed, and the copy gets the same answer',
      needing('curl'),
      async (...of) => {
        const [status, , headers, sent] = of;
        const { text } = await shop.call('POST', '/v1/sessions', sent, headers);
        const [logged] = await shop.levers.logs.list();
        await using tab = await visit(`/requests/${logged?.id}`);
        await tab.page.getByText('The log does not have the body of this request.').waitFor();
        const command = await copied(tab.page, 'Copy as curl');
        const env = { [`API_KEY_OF_${shop.shop.clientId}`]: shop.shop.apiKey };
        const { stdout } = await execa('sh', ['-c', `${command} -sS -w '%{http_code}'`], { env });
        expect(stdout).toBe(`${text}${status}`);
        expect(tab.faults).toEqual([]);
      },
    );

    test('a long path leaves room for its request, and is shown whole below', async () => {
      const path = `/v1/${'abcdefghi/'.repeat(200)}`;
      await shop.call('GET', path);
      const [logged] = await shop.levers.logs.list();
      await using tab = await visit(`/requests/${logged?.id}`, { viewport: { width: 640, height: 800 } });
      const facts = tab.page.getByRole('heading', { name: 'Facts' });
      expect((await facts.boundingBox())?.y).toBeLessThan(600);
      expect(await tab.page.getByRole('figure', { name: 'Path' }).innerText()).toBe(path);
      expect(tab.faults).toEqual([]);
    });

    test('interface §2: of a server that keeps no request log, it says so', async () => {
      await using house = await createSimulator({ requestLog: false });
      await fetch(`${house.url}/v1/ping`, { headers: house.default.headers });
      await using tab = await visit('/requests', { house, account: house.default.clientId });
      await tab.page.getByText('This server keeps no request log').waitFor();
      expect(await tab.page.getByText('No request yet').count()).toBe(0);
      await tab.page.goto(`${house.url}/dashboard/${house.default.clientId}/requests/req_000000000001`);
      await tab.page.getByText('This server keeps no request log').waitFor();
      expect(tab.faults).toEqual([]);
    });

    test('what any page can put into the log runs nothing when it is copied and pasted', async () => {
      const path = `/v1/contracts/../ping?'$(touch\${IFS}a)'"\`touch\${IFS}b\`";touch\${IFS}c;[1-9]{x,y}\\';touch\${IFS}d;'!!`;
      await new Promise<void>((resolve, reject) => {
        const { hostname, port } = new URL(sim.url);
        const headers = { 'x-client-id': shop.shop.clientId };
        request({ hostname, port, path, headers, insecureHTTPParser: true }, (response) =>
          response.resume().on('end', resolve),
        )
          .on('error', reject)
          .end();
      });
      await using tab = await visit('/requests');
      await tab.page.getByRole('link', { name: '$(touch' }).first().click();
      const command = await copied(tab.page, 'Copy as curl');

      const folder = await mkdtemp(join(tmpdir(), 'layaway-pasted-'));
      await writeFile(join(folder, 'curl'), `#!/bin/sh\nprintf '%s\\n' "$@" >sent\n`, { mode: 0o755 });
      const env = { PATH: `${folder}:${process.env.PATH}`, LAYAWAY_BASE_URL: sim.url, LAYAWAY_API_KEY: 'key' };
      await execa('sh', ['-c', command], { cwd: folder, env, extendEnv: false });
      expect((await readdir(folder)).sort()).toEqual(['curl', 'sent']);
      const sent = (await readFile(join(folder, 'sent'), 'utf8')).split('\n');
      expect(sent.slice(0, 5)).toEqual(['-g', '--path-as-is', '-X', 'GET', `${sim.url}${path}`]);
    });
  });

  describe('settings', () => {
    test('terms, switches and platform are set; a refusal is shown and loses nothing', async () => {
      await using own = await createSimulator();
      await using tab = await visit('/settings', { house: own, account: own.default.clientId });
      const { page } = tab;
      await page.getByLabel('installment count').fill('99');
      await button(page, 'Save changes').click();
      await page.getByRole('alert').filter({ hasText: 'Must not be more than' }).waitFor();
      expect(await page.getByLabel('installment count').inputValue()).toBe('99');
      await button(page, 'Discard').click();
      expect(await page.getByLabel('installment count').inputValue()).toBe('4');
      expect(await page.getByRole('alert').count()).toBe(0);
      // The page shows what the save gave, and does not wait for its next read.
      await page.route('**/_sim/settings', (route) =>
        route.request().method() === 'GET' ? undefined : route.continue(),
      );
      await page.getByLabel('installment count').fill('5');
      await page.getByLabel('installment count').press('Enter');
      await expect.poll(() => button(page, 'Save changes').count()).toBe(0);
      expect(await page.getByLabel('installment count').inputValue()).toBe('5');
      expect((await own.default.settings.get()).installment_count).toBe(5);
      await page.getByLabel('installment count').fill('6');
      await page.getByLabel('excluded states').fill('ca, ny');
      await page.getByLabel('excluded states').blur();
      const saves = button(page, 'Save changes');
      await saves.first().click();
      await expect.poll(() => saves.count()).toBe(1);
      await saves.click();
      await expect.poll(() => saves.count()).toBe(0);
      await page.getByLabel('disabled', { exact: true }).selectOption('true');
      await button(page, 'Save changes').click();
      await expect.poll(() => button(page, 'Save changes').count()).toBe(0);
      const settings = await own.default.settings.get();
      expect(settings).toMatchObject({ installment_count: 6, excluded_states: ['CA', 'NY'] });
      const bearer = caller(own, { authorization: `Bearer ${own.controlToken}` });
      expect(expectData(await bearer('GET', '/_sim/platform')).disabled).toBe(true);
    });

    test('§5: a key is shown once, works with its scopes, and is revoked', async () => {
      await using tab = await visit('/settings');
      const { page } = tab;
      await page.getByLabel('Name of a new key').fill('till');
      for (const scope of ['checkout:write', 'contracts:read', 'contracts:write'])
        await page.getByLabel(scope).uncheck();
      await button(page, 'Create key').click();
      const key = (await page.getByTestId('secret').locator('pre').textContent()) as string;
      const call = caller(sim, { 'x-client-id': shop.shop.clientId, 'x-api-key': key });
      expect(expectData(await call('GET', '/v1/ping')).scopes).toEqual(['checkout:read']);
      await page.reload();
      const row = rows(page, 'API keys').filter({ hasText: 'till' });
      await row.waitFor();
      expect(await page.content()).not.toContain(key);
      await button(row, 'Revoke').click();
      await button(page.getByRole('dialog'), 'Revoke').click();
      await row.getByText('revoked').waitFor();
      expect((await call('GET', '/v1/ping')).status).toBe(401);
    });

    test('a new key stays until it is dismissed, also while another view is open, unless another window resets it away', async () => {
      await using own = await createSimulator();
      await using tab = await visit('/settings', { house: own, account: own.default.clientId });
      const { page } = tab;
      const secret = page.getByTestId('secret');
      const held = new Promise<Route>((hold) => {
        void page.route('**/_sim/keys', (route) =>
          route.request().method() === 'POST' ? hold(route) : route.fallback(),
        );
      });
      await button(page, 'Create key').click();
      const made = await held;
      // Its answer comes when another view is open.
      await tab.go('/clock');
      await made.continue();
      await page.unroute('**/_sim/keys');
      await expect.poll(async () => (await own.default.keys.list()).length).toBe(2);
      await button(page, '+1d').click();
      await button(page.getByTestId('undo'), 'Undo').click();
      await page.getByTestId('undo').getByText('Undone.').waitFor();
      await tab.go('/settings');
      await secret.waitFor();
      await button(secret, 'Done').click();
      await tab.go('/clock');
      await tab.go('/settings');
      await button(page, 'Create key').waitFor();
      expect(await secret.count()).toBe(0);

      await button(page, 'Create key').click();
      await secret.waitFor();
      await own.reset();
      await secret.waitFor({ state: 'detached' });
      expect(tab.faults).toEqual([]);
    });

    test('a rotated secret is not shown of an endpoint that another window restored from before the rotation', async () => {
      await using own = await createSimulator();
      await own.default.webhooks.add('http://127.0.0.1:9/', { events: ['webhook.test'] });
      await own.snapshots.save('before');
      await using tab = await visit('/webhooks', { house: own, account: own.default.clientId });
      const { page } = tab;
      await expect.poll(() => page.getByTestId('connection').getAttribute('data-state')).toBe('live');
      const endpoint = page.getByTestId('endpoint');
      await endpoint.locator('summary').click();
      await button(endpoint, 'Rotate secret').click();
      await button(page.getByRole('dialog'), 'Rotate secret').click();
      const secret = page.getByTestId('secret');
      await secret.waitFor();
      await own.snapshots.restore('before');
      await secret.waitFor({ state: 'detached' });
      await endpoint.waitFor();
      expect(tab.faults).toEqual([]);
    });

    test('the name of a key has as much room as its scopes', async () => {
      await shop.shop.keys.create({ name: 'checkout of the shop front' });
      await using tab = await visit('/settings', { viewport: { width: 1280, height: 900 } });
      const name = tab.page.locator('td bdi').getByText('checkout of the shop front');
      await name.waitFor();
      expect(await name.evaluate((text) => text.getClientRects().length)).toBe(1);
    });

    test('a new key is in view, also on a phone, where the form is far below it', async () => {
      for (let made = 0; made < 8; made += 1) await shop.shop.keys.create();
      await using tab = await visit('/settings', { viewport: { width: 360, height: 640 } });
      const { page } = tab;
      await page.getByLabel('Name of a new key').fill('till');
      await button(page, 'Create key').click();
      const secret = page.getByTestId('secret');
      await secret.waitFor();
      const { y = 0, height = 0 } = (await secret.boundingBox()) ?? {};
      const menu = (await page.getByRole('navigation', { name: 'Views' }).boundingBox()) ?? { y: 0, height: 0 };
      expect(y).toBeGreaterThanOrEqual(menu.y + menu.height);
      expect(y + height).toBeLessThanOrEqual(640);
    });

    const RENAMED: Readonly<Record<string, string>> = {
      dba: 'Store name',
      session_ttl_minutes: 'Session lifetime (minutes)',
    };
    const labelOf = (name: string) => RENAMED[name] ?? name.replaceAll('_', ' ');

    test('every assumption has its section; one that an account, a merchant or the platform decides has a field in its group', async () => {
      await using tab = await visit('/settings');
      const { page } = tab;
      const fields = Object.entries<Assumption>(ASSUMPTIONS).filter(([, { scope }]) => scope !== 'server');
      expect(fields.length).toBeGreaterThan(20);
      for (const [name, { group = '' }] of fields) {
        const label = page.getByRole('region', { name: group, exact: true }).getByText(labelOf(name), { exact: true });
        await label.first().waitFor();
      }
      const all = await page.locator('.settings label').allTextContents();
      expect(all.sort()).toEqual(fields.map(([name]) => labelOf(name)).sort());
      await rows(page, 'Assumptions').first().waitFor();
      const listed = await rows(page, 'Assumptions').allTextContents();
      expect(listed.length).toBeGreaterThan(25);
      for (const text of listed) expect(text).toMatch(/§\d/);
    });

    test('an assumption that was added has its field, its bounds and its row, and can be changed', async () => {
      const added = `reminder_days: { ...integer(3, 1, 60), ...collection('§3.3', 'a reminder before the due date') },`;
      await using program = await programWith(added, { index: 'src/index.ts' });
      const pages = join('dist', 'web', 'dashboard');
      await cp(join(inject('layaway'), pages), join(program.folder, pages), { recursive: true });
      const library = (await import(pathToFileURL(program.fileOf('index')).href)) as Pick<Stage, 'createSimulator'>;
      await using house = await library.createSimulator();
      await using tab = await visit('/settings', { house, account: house.default.clientId });
      const { page } = tab;
      const field = page.getByRole('region', { name: 'Collection', exact: true }).getByLabel('reminder days');
      expect(await field.inputValue()).toBe('3');
      await rows(page, 'Assumptions').filter({ hasText: 'reminder_days' }).getByText('§3.3').waitFor();
      await field.fill('61');
      await button(page, 'Save changes').click();
      await page.getByRole('alert').filter({ hasText: 'Must not be more than 60.' }).waitFor();
      await field.fill('7');
      await button(page, 'Save changes').click();
      await expect
        .poll(async () => (await house.default.assumptions.get()) as object)
        .toMatchObject({ reminder_days: 7 });
      expect(tab.faults).toEqual([]);
    });
  });

  test('every snapshot, key and endpoint is listed, also the oldest of more than a hundred', async () => {
    await using own = await createSimulator();
    const merchant = own.default;
    for (let n = 0; n <= 100; n += 1) {
      await own.snapshots.save(`state-${n}`);
      await merchant.keys.create({ name: `key-${n}` });
      await merchant.webhooks.add(`http://127.0.0.1:9/${n}`);
    }
    await using tab = await visit('/snapshots', { house: own, account: merchant.clientId });
    await expect.poll(() => tab.page.getByTestId('snapshot').count()).toBe(101);
    await tab.go('/settings');
    await expect.poll(() => rows(tab.page, 'API keys').count()).toBe(102);
    await tab.go('/webhooks');
    await expect.poll(() => tab.page.getByTestId('endpoint').count()).toBe(101);
  });

  test('an endpoint that a full list leaves out is not taken for removed', async () => {
    await using own = await createSimulator();
    const { webhooks, sessions, clientId } = own.default;
    const { id } = await webhooks.add('http://127.0.0.1:9/oldest', { events: ['session.cancelled'] });
    for (let n = 0; n < 1_000; n += 1)
      await webhooks.add(`http://127.0.0.1:9/${n}`, { events: ['contract.cancelled'] });
    const { id: session } = await sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
    await sessions.cancel(session, { wait: true });
    const [delivery] = await webhooks.deliveries();
    await using tab = await visit(`/webhooks/${delivery?.id}`, { house: own, account: clientId });
    await button(tab.page.getByTestId('delivery'), 'Resend').waitFor();
    await tab.go(`/webhooks?endpoint_id=${id}`);
    const endpoint = tab.page.getByRole('combobox', { name: 'Endpoint' });
    await expect.poll(() => rows(tab.page, 'Deliveries').count()).toBe(1);
    expect(await endpoint.inputValue()).toBe(id);
  });

  test('snapshots: save, restore, delete, and reset', async () => {
    await using own = await createSimulator({ clock: { frozenAt: '2026-01-01T00:00:00Z' } });
    await using tab = await visit('/snapshots', { house: own, account: own.default.clientId });
    const { page } = tab;
    await expect.poll(() => page.getByTestId('empty').textContent()).toContain('layaway snapshots save');
    const name = page.getByLabel('Save everything as');
    await name.fill('Before noon');
    await button(page, 'Save').click();
    await page.getByText('Must be 1 to 64 characters, each a lowercase letter').waitFor();
    await name.fill('before');
    await button(page, 'Save').click();
    const kept = page.getByTestId('snapshot');
    await kept.getByText('before', { exact: true }).waitFor();
    await own.snapshots.save('elsewhere');
    await expect.poll(() => page.getByTestId('snapshot').count()).toBe(2);
    await own.snapshots.delete('elsewhere');
    await expect.poll(() => page.getByTestId('snapshot').count()).toBe(1);
    await own.default.clock.advance('12mo');
    await page.getByTestId('now').getByText('1 Jan 2027').waitFor();
    await button(kept, 'Restore').click();
    await button(page.getByRole('dialog'), 'Restore').click();
    await page.getByTestId('now').getByText('1 Jan 2026').waitFor();
    await own.default.sessions.create({ order_reference: 'A', total_amount: 20_000 });
    await button(page, 'Reset workspace').click();
    await button(page.getByRole('dialog'), 'Reset workspace').click();
    await page.getByTestId('undo').filter({ hasText: 'The workspace is reset' }).waitFor();
    expect(await own.default.sessions.list()).toEqual([]);
    await button(kept, 'Delete').click();
    await button(page.getByRole('dialog'), 'Delete').click();
    await expect.poll(() => kept.count()).toBe(0);
  });

  describe('bad days', () => {
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

  describe('for everybody', () => {
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
      const newest = async (list: string) => expectData(await shop.call('GET', `/_sim/${list}`))[0].id;
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
        `/webhooks/${await newest('deliveries')}`,
        '/faults',
        '/coverage',
        '/inbox',
        `/inbox/${await newest('emails')}`,
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
          expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), where).toBeLessThanOrEqual(
            0,
          );
          expect(await button(page, 'Search Ctrl K').evaluate((at) => at.scrollWidth - at.clientWidth), where).toBe(0);
        }
      }
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
});

/** What is wider than its place: the page itself, and tables. */
const SIDEWAYS = `[document.documentElement, ...document.querySelectorAll('.fitting')]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  .map(({ outerHTML }) => outerHTML.slice(0, 200))`;

/** What an email's panel shows further to the right than its facts. */
const BEYOND_FACTS = `(() => {
  const panel = document.querySelector('[data-testid=email]');
  const { right } = panel.querySelector('.facts').getBoundingClientRect();
  return [...panel.querySelectorAll('.panel-body *')]
    .filter((each) => each.getBoundingClientRect().right > right + 1)
    .map(({ outerHTML }) => outerHTML.slice(0, 200));
})()`;

/** Whether the menu shows where one is: it scrolls sideways on a phone. */
const HERE_IN_MENU = `(() => {
  const { left, right } = document.querySelector('nav [aria-current]').getBoundingClientRect();
  return left >= 0 && right <= innerWidth;
})()`;

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
