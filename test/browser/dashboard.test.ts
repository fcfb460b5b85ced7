import { connect, createServer, type Socket } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type * as library from '../../src/index.ts';
import type { Simulator } from '../../src/index.ts';
import { launch, openPage, whyNoBrowser } from '../support/browser.ts';
import { openReceiver } from '../support/receiver.ts';
import { caller, expectData, openShop, type TestShop } from '../support/shop.ts';

let createSimulator: typeof library.createSimulator;
let sim: Simulator;
let browser: Browser;
let shop: TestShop;

const NAMES = ['<script>document.title = "gone"</script>', 'مريم الفاسي', 'Zoë 🧵 Müller', "Robert'); DROP TABLE--"];

describe.skipIf(whyNoBrowser() !== null)('the dashboard in Chromium', () => {
  beforeAll(async () => {
    // As it is built: the pages come from the package, not from the sources.
    ({ createSimulator } = (await import(`${inject('layaway')}/dist/index.js`)) as typeof library);
    sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T09:30:00Z' } });
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    await sim?.close();
  });
  beforeEach(async () => {
    shop = await openShop(sim, { dba: 'Harbour & Pine' });
  });

  /** A browser that has been let in, at a view of the shop's sandbox. */
  async function visit(path = '', { house = sim, account = shop.shop.clientId, ...options }: Visit = {}) {
    const tab = await openPage(browser, { permissions: ['clipboard-read', 'clipboard-write'], ...options });
    await tab.page.goto(house.dashboardUrl);
    const go = async (view: string) => {
      await tab.page.goto(`${house.url}/dashboard/${account}${view}`);
      await tab.page.locator('main h1').first().waitFor();
    };
    await go(path);
    return { ...tab, go };
  }
  interface Visit {
    house?: Simulator;
    account?: string;
    viewport?: { width: number; height: number };
    colorScheme?: 'light' | 'dark';
  }
  const clipboard = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');
  const rows = (page: Page, table: string) => page.getByRole('table', { name: table }).locator('tbody tr');

  describe('coming in', () => {
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

    test('/dashboard/go/<id> finds the account that an id belongs to', async () => {
      const { reference } = await shop.complete();
      await using tab = await visit();
      await tab.page.goto(`${sim.url}/dashboard/go/${reference}`);
      await tab.page.waitForURL(`**/dashboard/${shop.shop.clientId}/contracts/${reference}`);
      await tab.page.goto(`${sim.url}/dashboard/go/LAY-NOBODY0000`);
      await tab.page.getByRole('heading', { name: 'Nothing has this id' }).waitFor();
    });

    test('a restart of the simulator signs out, and says so', async () => {
      const own = await createSimulator({ port: 0 });
      await using tab = await visit('', { house: own, account: own.default.clientId });
      const port = Number(new URL(own.url).port);
      await own.close();
      await tab.page.getByTestId('connection').getByText('connection to the simulator is lost').waitFor();
      await using again = await createSimulator({ port });
      await tab.page.getByRole('heading', { name: 'You have been signed out' }).waitFor();
      expect(again.url).toBe(own.url);
    });
  });

  describe('overview', () => {
    test('accounts, clock, counts by status, and events as they happen', async () => {
      await using tab = await visit();
      const { page } = tab;
      await expect.poll(() => page.getByTestId('empty').textContent()).toContain('layaway sessions create');
      const { reference } = await shop.complete();
      await rows(page, 'Recent events').filter({ hasText: 'contract.activated' }).waitFor();
      await expect.poll(() => rows(page, 'Recent events').count()).toBe(3);
      await page.getByRole('link', { name: '1 active', exact: true }).waitFor();
      await page.getByRole('link', { name: reference }).first().click();
      await page.getByRole('heading', { name: reference, level: 1 }).waitFor();
      await page.goBack();
      await page.getByRole('heading', { name: 'Harbour & Pine' }).waitFor();
      expect(tab.faults).toEqual([]);
      expect(tab.left).toEqual([]);
    });

    test('sandbox and live are unmistakable, and apart', async () => {
      await shop.complete();
      await using tab = await visit();
      const mode = () => tab.page.getByTestId('mode').textContent();
      expect(await mode()).toContain('Sandbox');
      const ground = () =>
        tab.page.evaluate<string>(`getComputedStyle(document.querySelector('[data-testid=mode]')).backgroundColor`);
      const sandbox = await ground();
      await tab.page.getByRole('combobox', { name: 'Account' }).selectOption(shop.shop.live.clientId);
      await tab.page.waitForURL(`**/${shop.shop.live.clientId}`);
      expect(await mode()).toContain('Live');
      expect(await ground()).not.toBe(sandbox);
      await tab.page.getByTestId('empty').waitFor();
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
      expect(await happened.textContent()).toContain('nothing');
      await page.getByRole('button', { name: 'To the next due thing' }).click();
      await happened.getByText('installment.paid').waitFor();
      await now.getByText('15 Jan 2026').waitFor();
      await page.getByLabel('To an instant').fill('2026-01-29T00:00:00');
      await page.getByRole('button', { name: 'Go there' }).click();
      await now.getByText('29 Jan 2026').waitFor();
      await page.getByLabel('Until something is so').fill(`${reference}=completed`);
      await page.getByLabel('Until something is so').press('Enter');
      await happened.getByText('contract.completed').waitFor();
      await now.getByText('26 Feb 2026').waitFor();
      await page.getByRole('button', { name: 'Copy as scenario step' }).click();
      expect(await clipboard(page)).toBe(`- advance: { until: "${reference}=completed" }`);
      await page.getByLabel('By a duration').fill('soon');
      await page.getByLabel('By a duration').press('Enter');
      await page.getByRole('alert').filter({ hasText: 'must be a duration' }).waitFor();
    });

    test('a dry run moves nothing; a stop on the forecast is travelled to', async () => {
      await shop.complete();
      await using tab = await visit('/clock');
      const { page } = tab;
      await page.getByLabel('Only show what would happen').check();
      await page.getByRole('button', { name: '+12mo' }).click();
      await page.getByRole('heading', { name: 'What would happen' }).waitFor();
      expect(await page.getByTestId('clock-now').textContent()).toContain('1 Jan 2026');
      const stops = page.getByTestId('forecast-axis').getByRole('button');
      await expect.poll(() => stops.count()).toBe(4);
      await stops.nth(1).click();
      await page.getByTestId('clock-now').getByText('29 Jan 2026').waitFor();
      await page.getByRole('heading', { name: 'What happened' }).waitFor();
      await expect.poll(() => stops.count()).toBe(2);
    });

    test('freeze and resume; a clock that another moved is seen', async () => {
      await using tab = await visit('/clock');
      const { page } = tab;
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.getByRole('button', { name: 'Freeze' }).waitFor();
      const before = await page.getByTestId('now').textContent();
      await expect.poll(() => page.getByTestId('now').textContent(), { timeout: 5_000 }).not.toBe(before);
      await page.getByRole('button', { name: 'Freeze' }).click();
      await page.getByRole('button', { name: 'Resume' }).waitFor();
      await shop.call('POST', '/_sim/clock/advance', { by: '12mo' });
      await page.getByTestId('clock-now').getByText('1 Jan 2027').waitFor();
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
      await page.getByRole('button', { name: 'Next' }).click();
      await page.waitForURL('**/contracts?page=2');
      await expect.poll(() => rows(page, 'Contracts').count()).toBe(5);
      await page.goBack();
      await expect.poll(() => rows(page, 'Contracts').count()).toBe(50);
      for (const name of NAMES) await expect.poll(() => page.getByText(name, { exact: true }).count()).toBe(1);
      expect(await page.title()).toContain('Contracts');

      await page.getByRole('searchbox', { name: 'Reference, order, customer' }).fill('odd-2');
      await page.waitForURL('**/contracts?search=odd-2');
      await expect.poll(() => rows(page, 'Contracts').count()).toBe(1);
      await page.reload();
      await page.getByText(NAMES[2] as string, { exact: true }).waitFor();
      await page.getByRole('combobox', { name: 'Status' }).selectOption('defaulted');
      await page.getByTestId('empty').getByText('Nothing matches').waitFor();

      await page.getByRole('link', { name: 'Sessions', exact: true }).click();
      await page.getByText('55 in all').waitFor();
      expect(tab.faults).toEqual([]);
    });

    test('a session is taken through its steps, a declined payment included', async () => {
      const { id } = await shop.open();
      await using tab = await visit(`/sessions/${id}`);
      const { page } = tab;
      await page.getByRole('button', { name: 'Accept the plan' }).click();
      await page.getByRole('button', { name: 'Decline the payment' }).click();
      await page.getByTestId('toast').filter({ hasText: 'declined' }).waitFor();
      await page.getByRole('button', { name: 'Complete checkout' }).click();
      await page.getByTestId('toast').filter({ hasText: 'is active' }).waitFor();
      await expect.poll(() => page.getByRole('button', { name: 'Complete checkout' }).count()).toBe(0);
      const [contract] = (await shop.call('GET', '/v1/contracts')).body.data;
      expect(contract.status).toBe('active');
      const { data } = (await shop.call('GET', `/_sim/contracts/${contract.reference}/attempts`)).body;
      expect(data.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['pay', 'fail']);
    });

    test('backing out asks first', async () => {
      const { id } = await shop.open();
      await using tab = await visit(`/sessions/${id}`);
      const { page } = tab;
      await page.getByRole('button', { name: 'Back out' }).click();
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect((await shop.call('GET', `/v1/checkout-sessions/${id}`)).body.data.status).toBe('pending');
      await page.getByRole('button', { name: 'Back out' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Back out' }).click();
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
      expect(await marks()).toEqual(['paid', 'upcoming', 'upcoming', 'upcoming', 'upcoming']);
      await page.getByRole('button', { name: 'Add fail' }).click();
      await page.getByRole('button', { name: 'Add fail' }).click();
      await page.getByRole('button', { name: 'Copy as scenario step' }).click();
      expect(await clipboard(page)).toMatch(
        /^- outcomes: { contract: "\${plan\.reference}", outcomes: \[fail, fail\] }$/,
      );
      await page.getByRole('button', { name: 'Save outcomes' }).click();
      await page.getByTestId('toast').filter({ hasText: 'next 2 attempts' }).waitFor();

      await shop.call('POST', '/_sim/clock/advance', { until: `${reference}#1=delinquent` });
      await expect.poll(marks).toEqual(['paid', 'delinquent', 'upcoming', 'upcoming', 'upcoming']);
      await expect.poll(() => picture.locator('.attempt.fail').count()).toBe(2);
      await expect.poll(() => picture.locator('.span.past_due').count()).toBe(1);
      await expect.poll(() => picture.locator('.notice').count()).toBe(3);
      await expect.poll(() => page.getByTestId('picture-now').count()).toBe(1);
      expect(await page.getByTestId('contract-plot').getAttribute('aria-label')).toContain(
        '$50.00 collected, $90.00 expected',
      );

      await page.getByRole('button', { name: 'Settle 1', exact: true }).click();
      await expect.poll(marks).toEqual(['paid', 'paid', 'upcoming', 'upcoming', 'upcoming']);
      await page.getByRole('button', { name: 'Copy cancel as curl' }).click();
      expect(await clipboard(page)).toContain(`curl -X POST "$LAYAWAY_BASE_URL/v1/contracts/${reference}/cancel"`);
      await page.getByRole('button', { name: 'Cancel contract' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel contract' }).click();
      await page.getByText('Collection is over').waitFor();
      expect((await shop.call('GET', `/v1/contracts/${reference}`)).body.data.status).toBe('cancelled');
      expect(tab.faults).toEqual([]);
    });

    test('from any id to everything related in one click', async () => {
      await using receiver = await openReceiver();
      await shop.call('POST', '/_sim/webhook-endpoints', { url: receiver.url });
      const { reference } = await shop.complete();
      await using tab = await visit(`/contracts/${reference}`);
      const { page } = tab;
      const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();
      await page.getByRole('link', { name: 'contract.activated' }).click();
      await heading('contract.activated');
      await page.getByTestId('delivery').getByText('200').first().waitFor();
      await page.getByRole('link', { name: /Your layaway plan/ }).click();
      await page.getByTestId('email').getByRole('link', { name: reference }).click();
      await heading(reference);
      await page.getByRole('link', { name: 'POST /v1/sessions' }).click();
      await heading('POST /v1/sessions');
      await page.getByRole('link', { name: /^cs_/ }).click();
      await heading(/^cs_/);
      await page.getByRole('link', { name: /^dlv_/ }).first().click();
      await heading('Delivery');
      await page.getByRole('searchbox', { name: 'Go to an id' }).fill(reference);
      await page.keyboard.press('Enter');
      await heading(reference);
    });
  });

  describe('webhooks', () => {
    test('an endpoint is added, tested, rotated, disabled; failures stand out and are sent again', async () => {
      await using receiver = await openReceiver();
      await using tab = await visit('/webhooks');
      const { page } = tab;
      await expect.poll(() => page.getByTestId('empty').first().textContent()).toContain('layaway listen');
      await page.getByLabel('Send events to').fill(receiver.url);
      await page.getByRole('button', { name: 'Add endpoint' }).click();
      const secret = page.getByTestId('secret');
      const first = await secret.locator('pre').textContent();
      expect(first).toMatch(/^whsec_/);
      await secret.getByRole('button', { name: 'Done' }).click();
      const endpoint = page.getByTestId('endpoint');
      await endpoint.getByRole('button', { name: 'Test', exact: true }).click();
      await page.getByTestId('toast').filter({ hasText: 'with 200' }).waitFor();
      await endpoint.getByRole('button', { name: 'Rotate secret' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
      await expect.poll(() => secret.locator('pre').textContent()).not.toBe(first);
      await page.reload();
      await endpoint.waitFor();
      await expect.poll(() => secret.count()).toBe(0);
      expect(await page.content()).not.toContain('whsec_');

      receiver.script(500);
      await shop.open().then(({ id }) => shop.step(id, 'cancel'));
      const troubled = page.locator('tr.troubled');
      await troubled.getByText('500').waitFor();
      await troubled.getByRole('link', { name: /^dlv_/ }).click();
      const delivery = page.getByTestId('delivery');
      await delivery.getByText('Attempt 1').waitFor();
      expect(await delivery.textContent()).toContain('webhook-signature');
      await delivery.getByRole('button', { name: 'Resend', exact: true }).click();
      await page.getByTestId('toast').filter({ hasText: 'Sent again' }).waitFor();
      expect(receiver.types()).toEqual(['webhook.test', 'session.cancelled', 'session.cancelled']);

      await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
      await endpoint.getByRole('button', { name: 'Disable' }).click();
      await endpoint.getByText('disabled', { exact: true }).waitFor();
      await endpoint.getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await expect.poll(() => endpoint.count()).toBe(0);
    });
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
      await page.getByRole('button', { name: 'Source' }).click();
      await page.getByText('<!doctype html>').waitFor();
      await page.getByRole('button', { name: 'Text' }).click();
      await page.getByText(`Agreement: ${reference}`).waitFor();
      const email = page.getByTestId('email');
      await email.getByRole('link', { name: reference }).waitFor();
      await email.getByRole('link', { name: 'contract.activated' }).click();
      await page.getByRole('heading', { level: 1, name: 'contract.activated' }).waitFor();
      expect(tab.faults).toEqual([]);
      expect(tab.left).toEqual([]);
    });
  });

  describe('requests', () => {
    test('the log with bodies, narrowed by path and status; one is copied as curl', async () => {
      await using tab = await visit('/requests');
      const { page } = tab;
      await page.getByTestId('empty').waitFor();
      await shop.call('POST', '/v1/sessions', { total_amount: 12.5 });
      await shop.call('GET', '/v1/ping');
      await page.getByRole('searchbox', { name: 'Path begins with' }).fill('/v1/sess');
      await page.getByRole('combobox', { name: 'Status' }).selectOption('4xx');
      await expect.poll(() => rows(page, 'Requests').count()).toBe(1);
      await page.getByRole('link', { name: '/v1/sessions' }).click();
      await page.getByText('"The total amount field must be an integer."').waitFor();
      await page.getByRole('button', { name: 'Copy as curl' }).click();
      const command = await clipboard(page);
      expect(command).toContain(`-d '{"total_amount":12.5}'`);
      expect(command).not.toContain(shop.shop.apiKey);
    });
  });

  describe('settings', () => {
    test('terms, switches and platform are set; a refusal is told and loses nothing', async () => {
      await using own = await createSimulator();
      await using tab = await visit('/settings', { house: own, account: own.default.clientId });
      const { page } = tab;
      await page.getByLabel('installment count').fill('99');
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.getByTestId('toast').filter({ hasText: 'installment count' }).waitFor();
      expect(await page.getByLabel('installment count').inputValue()).toBe('99');
      await page.getByLabel('installment count').fill('6');
      await page.getByLabel('excluded states').fill('ca, ny');
      await page.getByLabel('excluded states').blur();
      const saves = page.getByRole('button', { name: 'Save changes' });
      await saves.first().click();
      await expect.poll(() => saves.count()).toBe(1);
      await saves.click();
      await expect.poll(() => saves.count()).toBe(0);
      await page.getByLabel('disabled', { exact: true }).selectOption('true');
      await page.getByRole('button', { name: 'Save changes' }).click();
      await expect.poll(() => page.getByRole('button', { name: 'Save changes' }).count()).toBe(0);
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
      await page.getByRole('button', { name: 'Create key' }).click();
      const key = (await page.getByTestId('secret').locator('pre').textContent()) as string;
      const call = caller(sim, { 'x-client-id': shop.shop.clientId, 'x-api-key': key });
      expect(expectData(await call('GET', '/v1/ping')).scopes).toEqual(['checkout:read']);
      await page.reload();
      const row = rows(page, 'API keys').filter({ hasText: 'till' });
      await row.waitFor();
      expect(await page.content()).not.toContain(key);
      await row.getByRole('button', { name: 'Revoke' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
      await row.getByText('revoked').waitFor();
      expect((await call('GET', '/v1/ping')).status).toBe(401);
    });

    test('every assumption has its section', async () => {
      await using tab = await visit('/settings');
      await rows(tab.page, 'Assumptions').first().waitFor();
      const listed = await rows(tab.page, 'Assumptions').allTextContents();
      expect(listed.length).toBeGreaterThan(25);
      for (const text of listed) expect(text).toMatch(/§\d/);
    });
  });

  test('snapshots: save, restore, delete, and reset', async () => {
    await using own = await createSimulator({ clock: { frozenAt: '2026-01-01T00:00:00Z' } });
    await using tab = await visit('/snapshots', { house: own, account: own.default.clientId });
    const { page } = tab;
    await expect.poll(() => page.getByTestId('empty').textContent()).toContain('layaway snapshots save');
    await page.getByLabel('Save everything as').fill('before');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const kept = page.getByTestId('snapshot');
    await kept.getByText('before').waitFor();
    await own.default.clock.advance('12mo');
    await page.getByTestId('now').getByText('1 Jan 2027').waitFor();
    await kept.getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await page.getByTestId('now').getByText('1 Jan 2026').waitFor();
    await own.default.sessions.create({ order_reference: 'A', total_amount: 20_000 });
    await page.getByRole('button', { name: 'Reset workspace' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reset workspace' }).click();
    await page.getByTestId('toast').filter({ hasText: 'as it was at the start' }).waitFor();
    expect(await own.default.sessions.list()).toEqual([]);
    await kept.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => kept.count()).toBe(0);
  });

  describe('bad days', () => {
    test('a lost connection is told, and what happened meanwhile is caught up with', async () => {
      await using own = await createSimulator({ host: '127.0.0.2' });
      const port = Number(new URL(own.url).port);
      let line = await openLine(port);
      const house = {
        ...own,
        url: `http://127.0.0.1:${port}`,
        dashboardUrl: own.dashboardUrl.replace('127.0.0.2', '127.0.0.1'),
      };
      await using tab = await visit('', { house, account: own.default.clientId });
      const { page } = tab;
      const connection = page.getByTestId('connection');
      await expect.poll(() => connection.getAttribute('data-state')).toBe('live');
      await line.cut();
      await connection.getByText('connection to the simulator is lost').waitFor();
      const { id } = await own.default.sessions.create({ order_reference: 'A', total_amount: 20_000 });
      await own.default.sessions.complete(id);
      line = await openLine(port);
      await rows(page, 'Recent events').filter({ hasText: 'contract.activated' }).waitFor();
      await expect.poll(() => connection.getAttribute('data-state')).toBe('live');
      expect(await connection.textContent()).toBe('');
      await line.cut();
    });

    test('two tabs: what one does the other sees', async () => {
      const { reference } = await shop.complete();
      await using tab = await visit(`/contracts/${reference}`);
      const second = await tab.newPage();
      await second.goto(tab.page.url());
      await second.getByRole('button', { name: 'Cancel contract' }).click();
      await second.getByRole('dialog').getByRole('button', { name: 'Cancel contract' }).click();
      await tab.page.getByText('Collection is over').waitFor();
    });

    test('an advance of 10,000 events: the page stays responsive, and draws no more than it shows', async () => {
      await shop.set({ installment_count: 24, installment_cadence: 'weekly' });
      for (let n = 0; n < 400; n += 1) await shop.complete();
      await using tab = await visit('/clock');
      const { page } = tab;
      // Among so much, the look ahead ends early, and says so.
      await page.getByTestId('ahead-more').waitFor();
      await tab.go('/events');
      await page.evaluate(WATCH_FRAMES);
      let asked = 0;
      page.on('request', () => {
        asked += 1;
      });
      const advanced = expectData(await shop.call('POST', '/_sim/clock/advance', { by: '12mo' }));
      expect(advanced.happened_count).toBeGreaterThan(9_500);
      await rows(page, 'Events').filter({ hasText: 'contract.completed' }).first().waitFor();
      await expect.poll(() => rows(page, 'Events').count()).toBe(200);
      expect(await page.evaluate<number>('longestMs')).toBeLessThan(500);
      expect(asked).toBeLessThan(60);
    }, 60_000);
  });

  describe('for everybody', () => {
    test('by keyboard alone: skip to the content, open a view, answer a dialog', async () => {
      const { reference } = await shop.complete();
      await using tab = await visit(`/contracts/${reference}`);
      const { page } = tab;
      const focused = () => page.evaluate('document.activeElement.textContent.trim()');
      await page.keyboard.press('Tab');
      expect(await focused()).toBe('To the content');
      await page.keyboard.press('Enter');
      expect(await page.evaluate('document.activeElement.id')).toBe('main');
      await page.getByRole('button', { name: 'Cancel contract' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor();
      expect(await focused()).toBe('Cancel contract');
      await page.keyboard.press('Escape');
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
      expect(await focused()).toBe('Cancel contract');
      await page.getByRole('link', { name: 'Snapshots' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Snapshots' }).waitFor();
      expect(await focused()).toBe('Snapshots');
    });
  });
});

/** Notes the longest time between two frames. */
const WATCH_FRAMES = `{
  globalThis.longestMs = 0;
  let last = performance.now();
  const frame = () => {
    const now = performance.now();
    longestMs = Math.max(longestMs, now - last);
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}`;

/** A line to a simulator on another address of this machine, under the same port, that can be cut. */
async function openLine(port: number) {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.2');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    async cut() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
