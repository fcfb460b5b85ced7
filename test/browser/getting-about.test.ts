import { readFile } from 'node:fs/promises';
import type { Locator, Page, Route } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Simulator } from '../../src/index.ts';
import { button, inChromium, openView, rows, type Stage } from '../support/browser.ts';
import { tabTo } from '../support/keyboard.ts';
import { needing } from '../support/programs.ts';
import { openReceiver } from '../support/receiver.ts';
import { expectData, openShop, type TestShop } from '../support/shop.ts';

let createSimulator: Stage['createSimulator'];
let sim: Simulator;
let shop: TestShop;
let visit: Stage['visit'];

/** The accessible name of what has the focus, roughly. */
const focused = (page: Page) =>
  page.evaluate<string>(`(() => {
    const { activeElement: at } = document;
    return at.getAttribute('aria-label') ?? at.labels?.[0]?.textContent.trim() ?? at.textContent.trim();
  })()`);

/** Resolves after what the next two frames set off. */
const AFTER_EFFECTS = `new Promise((done) => {
  requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(() => setTimeout(done))));
})`;

/** Closes the dialog that is open; keys pressed before it is gone are its own. */
async function leaveDialog(page: Page) {
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
}

/** Finds something with the search and opens it, by keyboard alone. */
async function search(page: Page, text: string, keys = 'Control+K') {
  await page.keyboard.press(keys);
  await page.getByRole('dialog', { name: 'Search' }).waitFor();
  await page.keyboard.type(text);
}
const option = (page: Page, name: string | RegExp) =>
  page.getByRole('dialog', { name: 'Search' }).getByRole('option', { name });

describe('getting about in the dashboard', needing('chromium'), () => {
  inChromium((stage) => {
    ({ createSimulator, sim, shop, visit } = stage);
  });

  async function customer(name: string, email: string, order: string) {
    const { id } = await shop.open({ order_reference: order });
    return (await shop.step(id, 'complete', { customer_name: name, customer_email: email })).reference as string;
  }

  describe('undo', () => {
    test('a travel is undone by keyboard alone, and all is as it was', async () => {
      await using own = await createSimulator({ clock: { frozenAt: '2026-01-01T00:00:00Z' } });
      const { id } = await own.default.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
      const { reference } = await own.default.sessions.complete(id);
      await own.default.contracts.outcomes(reference, ['fail', 'fail']);
      const state = () =>
        Promise.all([
          own.default.clock.show(),
          own.default.contracts.get(reference),
          own.default.events.list(),
          own.default.emails.list(),
        ]);
      const before = await state();
      await using tab = await visit('/clock', { house: own, account: own.default.clientId });
      const { page } = tab;
      const undo = page.getByTestId('undo');
      await tabTo(page, page.getByLabel('By a duration'));
      await page.keyboard.type('60d');
      await page.keyboard.press('Enter');
      await undo.getByText('It is 2 Mar 2026, 00:00:00.').waitFor();
      await page.getByTestId('happened').getByText('installment.past_due').first().waitFor();
      // In a field a letter is text; the next button is no field.
      await page.keyboard.press('Tab');
      await page.keyboard.press('u');
      await expect.poll(() => focused(page)).toBe('Undo');
      await page.keyboard.press('Enter');
      await undo.getByText('Undone.').waitFor();
      await page.getByTestId('clock-now').getByText('1 Jan 2026').waitFor();
      await page.getByTestId('happened').waitFor({ state: 'detached' });
      expect(await state()).toEqual(before);
      await page.keyboard.press('Enter');
      await undo.getByText('Done again.').waitFor();
      await page.getByTestId('clock-now').getByText('2 Mar 2026').waitFor();
      expect(tab.faults).toEqual([]);
    });

    test('a reset is undone even where it took the account that is shown; what is saved for it has a list of its own', async () => {
      await using own = await createSimulator({ clock: { frozenAt: '2026-01-01T00:00:00Z' } });
      const merchant = await own.merchant({ dba: 'Soon Gone' });
      await using tab = await visit('/snapshots', { house: own, account: merchant.clientId });
      const { page } = tab;
      await button(page, 'Reset workspace').click();
      await page.getByRole('dialog').getByText('It can be undone right after.').waitFor();
      await button(page.getByRole('dialog'), 'Reset workspace').click();
      await page.getByRole('heading', { name: 'This account does not exist' }).waitFor();
      await button(page.getByTestId('undo'), 'Undo').click();
      await page.getByRole('heading', { name: 'Snapshots', level: 1 }).waitFor();
      await expect.poll(() => rows(page, 'Automatic snapshots').count()).toBe(2);
      expect(await rows(page, 'Automatic snapshots').locator('td:first-child').allTextContents()).toEqual([
        'an undo',
        'a reset',
      ]);
      await page.getByText('There are no snapshots yet').waitFor();
      expect(await own.snapshots.list()).toEqual([]);
      expect(tab.faults).toEqual([]);
    });

    test('a clock move is no longer offered to undo where another window replaced the state that it was in', async () => {
      await using own = await createSimulator({ clock: { frozenAt: '2026-01-01T00:00:00Z' } });
      await using tab = await visit('/clock', { house: own, account: own.default.clientId });
      const { page } = tab;
      await button(page, '+1d').click();
      await page.getByTestId('undo').getByText('It is 2 Jan 2026').waitFor();
      await expect.poll(() => page.getByTestId('connection').getAttribute('data-state')).toBe('live');
      await own.reset();
      await page.getByTestId('clock-now').getByText('1 Jan 2026').waitFor();
      await page.getByTestId('undo').waitFor({ state: 'detached' });
      expect(tab.faults).toEqual([]);
    });

    test('what was refused leaves nothing to undo', async () => {
      await using tab = await visit('/clock');
      const { page } = tab;
      await page.getByLabel('By a duration').fill('soon');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').waitFor();
      expect(await page.getByTestId('undo').count()).toBe(0);
      await page.getByLabel('Only show what would happen').check();
      await button(page, '+1d').click();
      await page.getByTestId('happened').waitFor();
      expect(await page.getByTestId('undo').count()).toBe(0);
      await tab.go('/snapshots');
      await page.getByText('There are no snapshots yet').waitFor();
      expect(await page.getByText('Saved automatically').count()).toBe(0);
    });
  });

  describe('one search', () => {
    test('a customer is found by half a name, by keyboard alone', async () => {
      const grace = await customer('Grace Hopper', 'grace@navy.example', 'ORDER-77');
      await customer('مريم الفاسي', 'maryam@example.com', 'ORDER-78');
      await using tab = await visit();
      const { page } = tab;
      await search(page, 'ce hopp');
      await option(page, /^Grace Hopper active grace@navy\.example · ORDER-77/).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: grace }).waitFor();
      await expect.poll(() => focused(page)).toBe(grace);
      await search(page, 'maryam', '/');
      await option(page, /^مريم الفاسي/).waitFor();
      await option(page, /Your layaway plan/).waitFor();
      await leaveDialog(page);
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
      await expect.poll(() => focused(page)).toBe(grace);
      // Enter before the answer is there goes where it leads.
      await search(page, 'order-78');
      await page.keyboard.press('Enter');
      await page.getByText('maryam@example.com').first().waitFor();
      expect(tab.faults).toEqual([]);
    });

    test('views, levers, other accounts and ids of any account; a miss keeps the menu', async () => {
      const reference = await customer('Ada Byron', 'ada@example.com', 'A-1');
      const other = await openShop(sim, { dba: 'Lighthouse Supplies' });
      await using tab = await visit('', { account: other.shop.clientId });
      const { page } = tab;
      await search(page, 'inbo');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
      await search(page, 'duration');
      await page.keyboard.press('Enter');
      await expect.poll(() => focused(page)).toBe('By a duration');
      await search(page, reference);
      await option(page, /contract of another account/).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/${shop.shop.clientId}/contracts/${reference}`);
      await page.getByRole('heading', { level: 1, name: reference }).waitFor();
      await search(page, reference);
      await option(page, /^Ada Byron active/).waitFor();
      expect(await page.getByRole('group', { name: 'This id' }).count()).toBe(0);
      await leaveDialog(page);
      await search(page, 'lighthouse');
      await option(page, '\u2068Lighthouse Supplies\u2069 · live another account').waitFor();
      await search(page, '');
      await leaveDialog(page);
      await tab.go('/go/LAY-NOBODY0000');
      await page.getByRole('heading', { name: 'This id was not found' }).waitFor();
      await page.goto(`${sim.url}/dashboard/go/LAY-NOBODY0000`);
      await page.getByRole('heading', { name: 'This id was not found' }).waitFor();
      await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Contracts' }).click();
      await page.getByRole('heading', { level: 1, name: 'Contracts' }).waitFor();
      expect(tab.faults).toEqual([]);
    });

    test('going back closes the search', async () => {
      await using tab = await visit('/faults');
      const { page } = tab;
      await page.getByRole('link', { name: 'Inbox', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
      await page.keyboard.press('Control+K');
      await page.getByRole('dialog', { name: 'Search' }).waitFor();
      await page.goBack();
      await page.getByRole('dialog', { name: 'Search' }).waitFor({ state: 'detached' });
      await page.getByRole('heading', { level: 1, name: 'Faults' }).waitFor();
      expect(tab.faults).toEqual([]);
    });

    test('with Ctrl, a link and a row open in another tab, and the page stays', async () => {
      await shop.shop.contracts.create();
      await using tab = await visit('/contracts');
      const { page } = tab;
      const before = page.url();
      for (const [what, address] of [
        [page.getByRole('link', { name: 'Inbox', exact: true }), '**/inbox'],
        [rows(page, 'Contracts').first().locator('td').last(), '**/contracts/LAY-*'],
      ] as const) {
        const [other] = await Promise.all([
          page.context().waitForEvent('page'),
          what.click({ modifiers: ['Control'] }),
        ]);
        await other.waitForURL(address);
        await other.close();
        expect(page.url()).toBe(before);
      }
      expect(tab.faults).toEqual([]);
    });

    test('a view opens at its top, also one that was open before; a filter and going back keep the place', async () => {
      for (let n = 0; n < 60; n += 1) await shop.shop.contracts.create({ status: 'active' });
      await using tab = await visit('/contracts');
      const { page } = tab;
      const scrolledTo = (y: number) => expect.poll(() => page.evaluate('Math.round(scrollY)')).toBe(y);
      await rows(page, 'Contracts').first().waitFor();
      await page.keyboard.press('g');
      await page.keyboard.press('e');
      await rows(page, 'Events').first().waitFor();
      await page.evaluate('scrollTo(0, 900)');
      await scrolledTo(900);
      await page.keyboard.press('g');
      await page.keyboard.press('c');
      await page.getByRole('heading', { level: 1, name: 'Contracts' }).waitFor();
      await scrolledTo(0);
      await page.evaluate('scrollTo(0, 50)');
      await page.getByRole('combobox', { name: 'Status' }).selectOption('active');
      await page.waitForURL('**/contracts?status=active');
      await scrolledTo(50);
      await page.goBack();
      await page.goBack();
      await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
      await scrolledTo(900);
    });

    test('an installment, named as everywhere, leads to its contract', async () => {
      const reference = await customer('Ada Byron', 'ada@example.com', 'A-1');
      const other = await openShop(sim, { dba: 'Lighthouse Supplies' });
      await using tab = await visit();
      const { page } = tab;
      await search(page, `${reference}#2`);
      await option(page, /^Ada Byron active/).waitFor();
      await leaveDialog(page);
      await openView(page, other.shop.clientId);
      await search(page, `${reference}#2`);
      await option(page, /contract of another account/).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/${shop.shop.clientId}/contracts/${reference}`);
    });

    test('an account is found among all merchants, and so many matches say that there are more; a word is not looked up as an id', async () => {
      await using own = await createSimulator({ rateLimit: 'off' });
      const early = await own.merchant({ dba: 'Shop First' });
      for (let n = 0; n < 200; n += 1) await own.merchant({ dba: `Shop ${n}` });
      await using tab = await visit('', { house: own, account: own.default.clientId });
      const { page } = tab;
      await page
        .getByText('384 more accounts: the newest in the list at the top of the page, all with Search')
        .waitFor();
      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      await search(page, 'shop 19');
      const told = page.getByRole('dialog', { name: 'Search' }).getByRole('status');
      await told.getByText('There are more.').waitFor();
      await leaveDialog(page);
      await search(page, early.clientId);
      await option(page, '\u2068Shop First\u2069 · sandbox another account').waitFor();
      await told.getByText('1 found.').waitFor();
      await leaveDialog(page);
      asked.length = 0;
      await search(page, 'shop_first');
      await told.getByText('Nothing matches.').waitFor();
      expect(asked.filter((path) => path.includes('/find/'))).toEqual([]);
      await leaveDialog(page);
      await search(page, 'first live');
      await option(page, '\u2068Shop First\u2069 · live another account').waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/${early.live.clientId}`);
      await page.getByRole('heading', { level: 1, name: 'Shop First' }).waitFor();
      expect(tab.faults).toEqual([]);
    });

    test('levers are found by the words of the commands, too', async () => {
      await using tab = await visit();
      const { page } = tab;
      for (const [typed, lever] of [
        ['clock advance', 'Travel by a duration'],
        ['add fault', 'Arm a fault'],
        ['assumptions', 'Change settings'],
      ] as const) {
        await search(page, typed);
        await option(page, lever).waitFor();
        await leaveDialog(page);
      }
    });

    test('a lever of another view has the focus there, and the heading does not take it', async () => {
      await shop.open();
      await using tab = await visit();
      const { page } = tab;
      for (const [lever, at] of [
        ['Travel to the next due event', 'Next due event'],
        ['Travel by a duration', 'By a duration'],
        ['Open a new session', 'New session'],
        ['Create a contract in any state', 'Create contract'],
        ['Add a webhook endpoint', 'Send events to'],
        ['Arm a fault', 'Kind'],
        ['Save a snapshot', 'Save everything as'],
        ['Reset the workspace', 'Reset workspace'],
      ] as const) {
        await page.getByRole('link', { name: 'Overview', exact: true }).click();
        await page.locator('nav [aria-current]').getByText('Overview').waitFor();
        await search(page, lever);
        await option(page, lever).click();
        await expect.poll(() => focused(page)).toBe(at);
        await page.evaluate(AFTER_EFFECTS);
        expect(await focused(page)).toBe(at);
      }
      await page.getByRole('link', { name: 'Faults', exact: true }).click();
      await expect.poll(() => focused(page)).toBe('Faults');
      expect(tab.faults).toEqual([]);
    });

    test('what one account was told is not shown with another', async () => {
      await using tab = await visit('/settings');
      const { page } = tab;
      const account = page.getByRole('combobox', { name: 'Account', exact: true });
      // Both were here before, so neither has to be loaded.
      for (const { clientId } of [shop.shop.live, shop.shop]) {
        await account.selectOption(clientId);
        await page.getByText(`Client id ${clientId}`).waitFor();
      }
      await page.getByLabel('Name of a new key').fill('till');
      await button(page, 'Create key').click();
      await page.getByTestId('secret').waitFor();
      await account.selectOption(shop.shop.live.clientId);
      await page.getByText(`Client id ${shop.shop.live.clientId}`).waitFor();
      expect(await page.getByTestId('secret').count()).toBe(0);
      await tab.go('/clock');
      await button(page, '+1d').click();
      await page.getByTestId('happened').waitFor();
      await account.selectOption(shop.shop.live.clientId);
      await page.getByTestId('clock-now').getByText('1 Jan 2026').waitFor();
      expect(await page.getByTestId('happened').count()).toBe(0);
    });

    test('a clock move is that of the account where it was asked for, even if another is opened before it begins', async () => {
      await using tab = await visit('/clock');
      const { page } = tab;
      const { live } = shop.shop;
      const saving = page.waitForRequest('**/_sim/snapshots/automatic');
      let open = () => {};
      const opened = new Promise<void>((resolve) => {
        open = resolve;
      });
      // Of a large state, the snapshot before a move takes a while.
      await page.route('**/_sim/snapshots/automatic', async (route) => {
        await opened;
        await route.continue();
      });
      await button(page, '+1d').click();
      await saving;
      await page.getByRole('combobox', { name: 'Account', exact: true }).selectOption(live.clientId);
      await page.waitForURL(`**/${live.clientId}/clock`);
      await page.getByTestId('mode').getByText('Live').waitFor();
      open();
      await page.getByTestId('undo').getByText('It is 2 Jan 2026').waitFor();
      expect((await shop.shop.clock.show()).now).toBe('2026-01-02T09:30:00.000000Z');
      expect((await live.clock.show()).now).toBe('2026-01-01T09:30:00.000000Z');
    });

    test('a clock move that fails after its view was left says why', async () => {
      await using tab = await visit('/clock');
      const { page } = tab;
      await page.getByLabel('By a duration').fill('11y');
      const [held] = await Promise.all([
        new Promise<Route>((resolve) => page.route('**/_sim/clock/advance', resolve)),
        page.keyboard.press('Enter'),
      ]);
      await page.getByRole('link', { name: 'Inbox', exact: true }).click();
      await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor();
      await held.continue();
      await page.getByTestId('toast').filter({ hasText: 'The by field must' }).waitFor();
      expect(tab.faults).toEqual([]);
    });

    test('an account that is left and opened again at once shows its own data', async () => {
      const { live } = shop.shop;
      await live.settings.set({ grace_days: 7 });
      await using tab = await visit('/settings');
      const { page } = tab;
      const account = page.getByRole('combobox', { name: 'Account', exact: true });
      const grace = page.getByLabel('grace days');
      await expect.poll(() => grace.inputValue()).toBe('10');
      // An account reads nothing until its stream is open, and these two do not open.
      await page.route('**/_sim/browse/changes', () => undefined, { times: 2 });
      let answer = () => {};
      const answered = new Promise<void>((resolve) => {
        answer = resolve;
      });
      await page.route('**/_sim/settings', async (route) => {
        await answered;
        await route.continue();
      });
      for (const { clientId } of [live, shop.shop, live]) {
        await Promise.all([
          page.waitForRequest('**/_sim/browse/changes'),
          page.waitForURL(`**/${clientId}/settings`),
          account.selectOption(clientId),
        ]);
      }
      await page.locator('[data-testid=connection][data-state=live]').waitFor({ state: 'attached' });
      answer();
      await expect.poll(() => grace.inputValue()).toBe('7');
    });

    test('a slow lever leaves the user where they went, and links to what it made', async () => {
      await using tab = await visit('/sessions');
      const { page } = tab;
      const [held] = await Promise.all([
        new Promise<Route>((resolve) => page.route('**/_sim/sessions/open', resolve)),
        button(page, 'New session').click(),
      ]);
      await page.getByRole('link', { name: 'Inbox', exact: true }).click();
      await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor();
      await held.continue();
      const toast = page.getByTestId('toast').filter({ hasText: 'The session is open.' });
      await toast.waitFor();
      expect(new URL(page.url()).pathname).toMatch(/\/inbox$/);
      await toast.getByRole('link', { name: 'Show it' }).click();
      await page.waitForURL(/\/sessions\/\w+$/);
      expect(tab.faults).toEqual([]);
    });

    test('what is told about one account names it where another one is shown', async () => {
      await using tab = await visit('/sessions');
      const { page } = tab;
      const account = page.getByRole('combobox', { name: 'Account', exact: true });
      const [held] = await Promise.all([
        new Promise<Route>((resolve) => page.route('**/_sim/sessions/open', resolve)),
        button(page, 'New session').click(),
      ]);
      await account.selectOption(shop.shop.live.clientId);
      await page.getByTestId('mode').getByText('Live').waitFor();
      await held.fulfill({ status: 503, json: { message: 'There is no room on the disk.' } });
      const told = page.getByTestId('toast');
      const text = async () => (await told.locator('span').innerText()).replaceAll(/[\u2068\u2069]/g, '').trim();
      await told.waitFor();
      expect(await text()).toBe('Harbour & Pine · sandbox: There is no room on the disk.');
      await account.selectOption(shop.shop.clientId);
      await page.getByTestId('mode').getByText('Sandbox').waitFor();
      await expect.poll(text).toBe('There is no room on the disk.');

      await tab.go('/clock');
      await button(page, '+1d').click();
      const undo = page.getByTestId('undo').getByText('It is 2 Jan 2026');
      expect(await undo.innerText()).toMatch(/^It is 2 Jan 2026/);
      await account.selectOption(shop.shop.live.clientId);
      await page.getByTestId('clock-now').getByText('1 Jan 2026').waitFor();
      await expect.poll(() => undo.innerText()).toMatch(/^\u2068Harbour & Pine\u2069 · sandbox: It is 2 Jan 2026/);
      expect(tab.faults).toEqual([]);
    });

    test('another account shows the same view, and the focus stays where the account was chosen', async () => {
      await using tab = await visit('/webhooks?status=failed');
      const { page } = tab;
      const account = page.getByRole('combobox', { name: 'Account', exact: true });
      await account.focus();
      await account.selectOption(shop.shop.live.clientId);
      await page.waitForURL(`**/${shop.shop.live.clientId}/webhooks?status=failed`);
      await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
      await page.getByTestId('mode').getByText('Live').waitFor();
      expect(await focused(page)).toBe('Account');
      const { id } = await shop.open();
      await tab.go(`/sessions/${id}`);
      await page.getByRole('combobox', { name: 'Account', exact: true }).selectOption(shop.shop.live.clientId);
      await page.waitForURL(`**/${shop.shop.live.clientId}/sessions`);
    });
  });

  test('accounts of the same name are told apart where one is chosen', async () => {
    await using own = await createSimulator({ clock: { frozenAt: '2026-01-01T00:00:00Z' } });
    const twins = [await own.merchant({ dba: 'Twin' }), await own.merchant({ dba: 'Twin' })];
    await using tab = await visit('', { house: own, account: own.default.clientId });
    const chooser = tab.page.getByRole('combobox', { name: 'Account', exact: true });
    const labels = (await chooser.locator('option').allTextContents()).map((label) =>
      label.replace(/[\u2068\u2069]/g, ''),
    );
    const ends = twins.toReversed().flatMap(({ clientId, live }) => [clientId.slice(-8), live.clientId.slice(-8)]);
    expect(labels).toEqual([
      `Twin · mch_…${ends[0]} · sandbox`,
      `Twin · mch_…${ends[1]} · live`,
      `Twin · mch_…${ends[2]} · sandbox`,
      `Twin · mch_…${ends[3]} · live`,
      'Example Store · sandbox',
      'Example Store · live',
    ]);
  });

  test('keys: ? tells them, g and a letter opens a view, and they can be turned off', async () => {
    await using tab = await visit();
    const { page } = tab;
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.getByText('Go to Undo').waitFor();
    // The next one opens at once, and stays open.
    for (const key of ['?', '/', '?', '?', '/', '/']) {
      await page.keyboard.press('Escape');
      await page.keyboard.press(key);
    }
    await page.getByRole('dialog', { name: 'Search' }).waitFor();
    await page.evaluate('new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))');
    expect(await page.getByRole('dialog').count()).toBe(1);
    await leaveDialog(page);
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await page.getByRole('heading', { level: 1, name: 'Contracts' }).waitFor();
    // Typed into a field they are text.
    await page.getByRole('searchbox').fill('');
    await page.keyboard.type('g?/');
    await page.waitForURL('**/contracts?search=g%3F%2F');
    await page.getByRole('heading', { level: 1 }).focus();
    await page.keyboard.press('?');
    await help.getByLabel('Use single-key shortcuts').uncheck();
    await leaveDialog(page);
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Contracts' }).waitFor();
    await page.keyboard.press('?');
    await page.keyboard.press('Control+K');
    await page.getByRole('dialog', { name: 'Search' }).waitFor();
    expect(await help.count()).toBe(0);
  });

  test('the shortcuts begin at their title, even where they do not fit', async () => {
    // A laptop at a zoom of 200 %.
    await using tab = await visit('', { viewport: { width: 640, height: 400 } });
    const { page } = tab;
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.waitFor();
    expect(await help.evaluate('document.querySelector("dialog").scrollTop')).toBe(0);
    expect(await focused(page)).toBe('Keyboard shortcuts');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Use single-key shortcuts');
    const [keys, theme] = await Promise.all(
      ['Use single-key shortcuts', 'Theme'].map((text) => help.locator('label', { hasText: text }).boundingBox()),
    );
    expect(theme?.x).toBeGreaterThan((keys?.x ?? 0) + (keys?.width ?? 0) + 8);
  });

  test('the theme is the system’s, or the one that was chosen, and is remembered', async () => {
    await using tab = await visit('', { colorScheme: 'dark' });
    const { page } = tab;
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const [dark, light] = ['rgb(13, 19, 27)', 'rgb(244, 246, 249)'];
    expect(await ground()).toBe(dark);
    await page.getByRole('navigation', { name: 'Views' }).getByLabel('Theme').selectOption('light');
    expect(await ground()).toBe(light);
    await page.reload();
    await page.locator('main h1').waitFor();
    expect(await ground()).toBe(light);
    await search(page, 'system theme');
    await page.keyboard.press('Enter');
    await expect.poll(ground).toBe(dark);
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await ground()).toBe(light);
  });

  test('every field for the theme shows what was chosen last, wherever that was', async () => {
    await using tab = await visit('');
    const { page } = tab;
    const wide = page.getByRole('navigation', { name: 'Views' }).getByLabel('Theme');
    const narrow = page.getByRole('contentinfo').getByLabel('Theme');
    await wide.selectOption('light');
    await search(page, 'dark theme');
    await page.keyboard.press('Enter');
    await expect.poll(() => wide.inputValue()).toBe('dark');
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await narrow.inputValue()).toBe('dark');
    await narrow.selectOption('system');
    await page.setViewportSize({ width: 1280, height: 900 });
    expect(await wide.inputValue()).toBe('system');
  });

  describe('tables', () => {
    test('are sorted by each column, up, down and back; a click anywhere in a row opens it', async () => {
      for (const [name, order, total] of [
        ['Zoë Müller', 'B-10', 30_000],
        ['Ada Byron', 'B-9', 5_000],
        ['Grace Hopper', 'B-100', 120_000],
      ] as const) {
        const { id } = await shop.open({ order_reference: order, total_amount: total });
        await shop.step(id, 'complete', { customer_name: name, customer_email: 'a@example.com' });
      }
      await using tab = await visit('/contracts');
      const { page } = tab;
      const customers = () =>
        rows(page, 'Contracts').evaluateAll((all) => all.map((row) => row.querySelector('bdi')?.textContent));
      const asItCame = ['Grace Hopper', 'Ada Byron', 'Zoë Müller'];
      await expect.poll(customers).toEqual(asItCame);
      const head = (name: string) => page.getByRole('columnheader', { name });
      await tabTo(page, button(page, 'Customer'));
      await page.keyboard.press('Enter');
      expect(await customers()).toEqual(['Ada Byron', 'Grace Hopper', 'Zoë Müller']);
      expect(await head('Customer').getAttribute('aria-sort')).toBe('ascending');
      await button(page, 'Of').click();
      expect(await customers()).toEqual(['Ada Byron', 'Zoë Müller', 'Grace Hopper']);
      await button(page, 'Of').click();
      expect(await customers()).toEqual(['Grace Hopper', 'Zoë Müller', 'Ada Byron']);
      await button(page, 'Order').click();
      expect(await customers()).toEqual(['Ada Byron', 'Zoë Müller', 'Grace Hopper']);
      await button(page, 'Order').click();
      await button(page, 'Order').click();
      expect(await customers()).toEqual(asItCame);
      await rows(page, 'Contracts').filter({ hasText: 'Ada Byron' }).getByText('active').click();
      await page.waitForURL('**/contracts/LAY-*');
      await page.getByText('Ada Byron').first().waitFor();
      expect(tab.faults).toEqual([]);
    });

    test('sorted by a column with gaps, rows without a value come last in both directions', async () => {
      for (const name of ['A-1', 'A-2']) await shop.complete({ order_reference: name });
      await shop.open({ order_reference: 'A-3' });
      await shop.complete({ order_reference: 'A-4' });
      await using tab = await visit('/sessions');
      const { page } = tab;
      const orders = () =>
        rows(page, 'Checkout sessions').evaluateAll((all) => all.map((row) => row.querySelector('bdi')?.textContent));
      await expect.poll(orders).toEqual(['A-4', 'A-3', 'A-2', 'A-1']);
      for (const direction of ['ascending', 'descending']) {
        await button(page, 'Deadline').click();
        await expect.poll(() => page.locator('th[aria-sort]').getAttribute('aria-sort')).toBe(direction);
        expect(await orders()).toEqual(['A-3', 'A-4', 'A-2', 'A-1']);
      }
    });

    test('sorted by the status, deliveries that will be retried stand by it, not by the time of the retry', async () => {
      await using receiver = await openReceiver([500]);
      await shop.shop.webhooks.add(receiver.url, { events: ['session.cancelled'] });
      for (const _ of [1, 2]) await shop.open().then(({ id }) => shop.shop.sessions.cancel(id, { wait: true }));
      await using tab = await visit('/webhooks');
      const { page } = tab;
      const statuses = () => rows(page, 'Deliveries').locator('td:nth-child(2) .badge').allTextContents();
      await button(page, 'Status').click();
      await expect.poll(statuses).toEqual(['delivered', 'pending']);
      await button(page, 'Status').click();
      await expect.poll(statuses).toEqual(['pending', 'delivered']);
    });

    test('are saved as CSV as they are shown: quoted, instants and ids whole, and nothing that a spreadsheet runs', async () => {
      const names = ['=HYPERLINK("http://evil.example")', '+1', '-1', '@sum', 'Smith, "Jo"', 'مريم'];
      for (const name of names) await customer(name, 'a@example.com', `order of ${name}`);
      await using tab = await visit('/contracts');
      const { page } = tab;
      await expect.poll(() => rows(page, 'Contracts').count()).toBe(6);
      await button(page, 'Customer').click();
      const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Save as CSV').click()]);
      expect(download.suggestedFilename()).toBe('contracts.csv');
      const text = await readFile((await download.path()) as string, 'utf8');
      expect(text.charCodeAt(0)).toBe(0xfeff);
      const [head, ...lines] = text.slice(1).trimEnd().split('\r\n');
      expect(head).toBe('Reference,Status,Customer,Order,Paid,Of,Schedule,Since');
      expect(lines).toHaveLength(6);
      for (const line of lines) {
        expect(line).toMatch(/^LAY-\w{10},active,.*,"1 of 5 paid, 4 upcoming",2026-01-01T09:30:00\.000000Z$/);
        expect(line).not.toMatch(/(^|,)"?[=+@-]/);
      }
      expect(text).toContain(`,"'=HYPERLINK(""http://evil.example"") a@example.com",`);
      expect(text).toContain(`,'@sum a@example.com,order of @sum,`);
      expect(text).toContain(`,"Smith, ""Jo"" a@example.com",`);
      await tab.go('/sessions');
      await expect.poll(() => rows(page, 'Checkout sessions').count()).toBe(6);
      const [sessions] = await Promise.all([page.waitForEvent('download'), button(page, 'Save as CSV').click()]);
      expect(await readFile((await sessions.path()) as string, 'utf8')).toMatch(
        /^cs_\w{32},completed,.*,2026-01-01T09:30:00\.000000Z,\r$/m,
      );
    });
  });

  describe('what is new waits', () => {
    test('behind a button, and pushes nothing; what it shows has the focus', async () => {
      await shop.complete();
      await using tab = await visit('/events');
      const { page } = tab;
      await expect.poll(() => rows(page, 'Events').count()).toBe(3);
      const top = async () => (await rows(page, 'Events').first().boundingBox())?.y;
      const first = await rows(page, 'Events').first().textContent();
      const before = await top();
      await shop.complete();
      const wait = page.getByTestId('new-rows');
      await expect.poll(() => wait.textContent()).toBe('3 new events');
      expect([
        await rows(page, 'Events').count(),
        await rows(page, 'Events').first().textContent(),
        await top(),
      ]).toEqual([3, first, before]);
      await page.keyboard.press('n');
      await expect.poll(() => focused(page)).toBe('3 new events');
      await page.keyboard.press('Enter');
      await expect.poll(() => rows(page, 'Events').count()).toBe(6);
      await expect.poll(() => focused(page)).toBe('session.completed');
      expect(await wait.count()).toBe(0);
      // Coming back shows everything at once.
      await page.keyboard.press('g');
      await page.keyboard.press('s');
      await page.getByRole('heading', { level: 1, name: 'Checkout sessions' }).waitFor();
      await shop.complete();
      await page.goBack();
      await expect.poll(() => rows(page, 'Events').count()).toBe(9);
      expect(await wait.count()).toBe(0);
      expect(tab.faults).toEqual([]);
    });

    test('on every list; rows that are shown follow what they say now', async () => {
      const { id } = await shop.open();
      await using tab = await visit();
      for (const [view, table, one] of [
        ['/contracts', 'Contracts', 'contract'],
        ['/sessions', 'Checkout sessions', 'session'],
        ['/requests', 'Requests', 'request'],
      ] as const) {
        await shop.complete();
        await tab.go(view);
        await rows(tab.page, table).first().waitFor();
        const count = await rows(tab.page, table).count();
        if (one === 'session') await shop.step(id, 'cancel');
        else await shop.complete();
        if (one === 'session') {
          await rows(tab.page, table).getByText('cancelled', { exact: true }).waitFor();
          await shop.open();
        }
        await expect
          .poll(() => tab.page.getByTestId('new-rows').textContent())
          .toMatch(new RegExp(`^\\d new ${one}s?$`));
        expect(await rows(tab.page, table).count()).toBe(count);
      }
    });

    test('about one checkout, too; what this page itself does is shown at once', async () => {
      const { reference } = await shop.complete();
      await using tab = await visit(`/contracts/${reference}`);
      const { page } = tab;
      const shown = async () => [
        await rows(page, 'Events of this checkout').count(),
        await rows(page, 'Emails of this contract').count(),
      ];
      await expect.poll(shown).toEqual([3, 1]);
      const wait = page.getByTestId('new-rows');
      expectData(await shop.call('POST', '/_sim/clock/advance', { by: '14d' }));
      await expect.poll(() => wait.allTextContents()).toEqual(['1 new event', '1 new attempt', '1 new email']);
      expect(await shown()).toEqual([3, 1]);
      await button(page, 'Cancel contract').click();
      await button(page.getByRole('dialog'), 'Cancel contract').click();
      await expect.poll(shown).toEqual([5, 4]);
      expect(await wait.count()).toBe(0);
      expect(tab.faults).toEqual([]);
    });
  });

  describe('forms', () => {
    test('a refusal appears at its field, in people’s words, until the field is changed', async () => {
      await using tab = await visit('/sessions');
      const { page } = tab;
      const total = page.getByLabel('Total, in cents');
      await page.getByLabel('Order', { exact: true }).fill('');
      await total.fill('50');
      await page.getByLabel('Customer’s email, if known').fill('ada');
      await page.keyboard.press('Enter');
      const wrong = page.locator('[aria-invalid=true]');
      await expect.poll(() => wrong.count()).toBe(3);
      await expect.poll(() => focused(page)).toBe('Order');
      const told = async (field: Locator) => {
        const [first = ''] = ((await field.getAttribute('aria-describedby')) ?? '').split(' ');
        return page.locator(`[id="${first}"]`).textContent();
      };
      expect(await told(page.getByLabel('Order', { exact: true }))).toBe('This is required.');
      expect(await told(total)).toBe('Must be at least $50.00.');
      expect(await told(page.getByLabel('Customer’s email, if known'))).toBe(
        'Enter an email address, such as ada@example.com.',
      );
      expect(await page.getByTestId('toast').count()).toBe(0);
      await total.fill('5000');
      expect(await wrong.count()).toBe(2);
      await page.getByLabel('Order', { exact: true }).fill('A-1');
      await page.getByLabel('Customer’s email, if known').fill('');
      for (const [text, message] of [
        ['$200', 'Enter a whole number.'],
        ['200.5', 'Enter a whole number.'],
        ['', 'This is required.'],
      ] as const) {
        await total.fill(text);
        await page.keyboard.press('Enter');
        await expect.poll(() => told(total), { message: text }).toBe(message);
      }
      await tab.go('/clock');
      await page.getByLabel('Until a condition holds').fill('LAY-NOBODY0000=defaulted');
      await page.keyboard.press('Enter');
      await page.getByText('This account has no such contract.').waitFor();
      await expect.poll(() => focused(page)).toBe('Until a condition holds');
      await tab.go('/webhooks');
      await page.getByLabel('Send events to').fill('nowhere');
      await page.keyboard.press('Enter');
      await expect.poll(() => wrong.count()).toBe(1);
      await tab.go('/settings');
      await page.getByLabel('min order amount').fill('100000000');
      await button(page, 'Save changes').click();
      await page.locator('[aria-invalid=true]:focus').waitFor();
      // What is not a number in a list of numbers stays there to be corrected.
      const seconds = page.getByLabel('webhook retry seconds');
      await seconds.fill('0, soon');
      await page.keyboard.press('Tab');
      expect(await seconds.inputValue()).toBe('0, soon');
      const webhooks = page.getByRole('region', { name: 'Webhooks and keys', exact: true });
      await button(webhooks, 'Save changes').click();
      await expect.poll(() => seconds.getAttribute('aria-invalid')).toBe('true');
      expect(tab.faults).toEqual([]);
    });

    test('of several refused fields, the first keeps the focus while it is typed into, and gets it again at the next refusal', async () => {
      await using tab = await visit('/sessions');
      const { page } = tab;
      const order = page.getByLabel('Order', { exact: true });
      const total = page.getByLabel('Total, in cents');
      await order.fill('');
      await total.fill('12');
      await page.keyboard.press('Enter');
      await expect.poll(() => focused(page)).toBe('Order');
      await page.keyboard.type('A-1', { delay: 30 });
      expect([await order.inputValue(), await total.inputValue()]).toEqual(['A-1', '12']);
      for (const _ of [1, 2]) {
        await button(page, 'New session').focus();
        await page.keyboard.press('Enter');
        await expect.poll(() => focused(page)).toBe('Total, in cents');
      }
      expect(tab.faults).toEqual([]);
    });

    test('a refusal is gone once it is cured, wherever that was; another name that is typed stays', async () => {
      const { reference } = await shop.complete();
      await using tab = await visit('/settings');
      const { page } = tab;
      const wrong = page.locator('[aria-invalid=true]');
      await page.getByLabel('max order amount').fill('4000');
      await page.keyboard.press('Enter');
      await wrong.waitFor();
      await page.getByLabel('min order amount').fill('3000');
      await page.keyboard.press('Enter');
      await page.getByText('Saved.').waitFor();
      await expect.poll(() => wrong.count()).toBe(0);
      await tab.go('/clock');
      await page.getByLabel('Until a condition holds').fill(`${reference}#1=past_due`);
      await page.keyboard.press('Enter');
      await wrong.waitFor();
      await shop.shop.contracts.outcomes(reference, ['fail', 'fail']);
      await page.keyboard.press('Enter');
      await page.getByTestId('happened').waitFor();
      expect(await wrong.count()).toBe(0);
      await tab.go('/snapshots');
      const name = page.getByLabel('Save everything as');
      const row = page.getByTestId('snapshot').filter({ hasText: 'cured' });
      const overwrite = async () => {
        await button(row, 'Overwrite').click();
        await Promise.all([
          page.waitForResponse('**/_sim/snapshots'),
          button(page.getByRole('dialog'), 'Overwrite').click(),
        ]);
        await row.locator('[aria-busy=true]').waitFor({ state: 'detached' });
      };
      await name.fill('cured');
      await page.keyboard.press('Enter');
      await row.waitFor();
      await name.fill('cured');
      await page.keyboard.press('Enter');
      await page.getByText('There is already a snapshot named cured.').waitFor();
      await overwrite();
      await expect.poll(() => wrong.count()).toBe(0);
      expect(await name.inputValue()).toBe('');
      await name.fill('another');
      await overwrite();
      expect(await name.inputValue()).toBe('another');
      expect(tab.faults).toEqual([]);
    });

    test('drafts of settings and of outcomes survive other views and a reload, and are their account’s own', async () => {
      const { reference } = await shop.complete();
      await using tab = await visit('/settings');
      const { page } = tab;
      await page.getByLabel('grace days').fill('3');
      await page.getByLabel('excluded states').fill('CA, NY');
      await page.keyboard.press('Tab');
      await tab.go(`/contracts/${reference}`);
      await button(page, 'Add fail').click();
      await page.getByRole('link', { name: 'Inbox' }).click();
      await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
      await page.goBack();
      await button(page, 'Save outcomes').waitFor();
      expect(await page.getByTestId('outcomes').getByRole('button').allTextContents()).toEqual(['fail']);
      await page.getByRole('link', { name: 'Settings' }).click();
      await expect.poll(() => page.getByLabel('grace days').inputValue()).toBe('3');
      expect(await page.getByLabel('excluded states').inputValue()).toBe('CA, NY');
      await page.getByRole('combobox', { name: 'Account', exact: true }).selectOption(shop.shop.live.clientId);
      await expect.poll(() => page.getByLabel('grace days').inputValue()).not.toBe('3');
      await page.goto(`${sim.url}/dashboard/${shop.shop.clientId}/settings`);
      await page.getByText('Not saved yet').first().waitFor();
      const save = page.getByRole('region', { name: 'Collection', exact: true });
      await button(save, 'Save changes').click();
      await expect.poll(() => button(save, 'Save changes').count()).toBe(0);
      await page.reload();
      await expect.poll(() => page.getByLabel('grace days').inputValue()).toBe('3');
      expect(await button(save, 'Save changes').count()).toBe(0);
      expect(expectData(await shop.call('GET', '/_sim/settings')).grace_days).toBe(3);
      expect(tab.faults).toEqual([]);
    });

    test('what is edited while a draft is being saved stays a draft', async () => {
      const { reference } = await shop.complete();
      await using tab = await visit('/settings');
      const { page } = tab;
      /** Clicks, and works on while the answer is under way. */
      const whileSaving = async (url: string, save: Locator, work: () => Promise<void>) => {
        const held = new Promise<Route>((resolve) => page.route(url, resolve, { times: 1 }));
        await save.click();
        const route = await held;
        await work();
        await route.continue();
        await page.getByTestId('toast').last().waitFor();
      };
      const collection = page.getByRole('region', { name: 'Collection', exact: true });
      await page.getByLabel('grace days').fill('3');
      await whileSaving('**/_sim/settings', button(collection, 'Save changes'), async () => {
        await page.getByLabel('default days').fill('21');
      });
      expect(await page.getByLabel('default days').inputValue()).toBe('21');
      await button(collection, 'Save changes').click();
      await expect.poll(async () => shop.shop.settings.get()).toMatchObject({ grace_days: 3, default_days: 21 });
      await expect.poll(() => button(collection, 'Save changes').count()).toBe(0);
      await tab.go(`/contracts/${reference}`);
      await button(page, 'Add fail').click();
      await whileSaving('**/outcomes', button(page, 'Save outcomes'), () => button(page, 'Add fail').click());
      const shown = () => page.getByTestId('outcomes').getByRole('button').allTextContents();
      expect(await shown()).toEqual(['fail', 'fail']);
      await button(page, 'Save outcomes').click();
      await expect.poll(() => button(page, 'Save outcomes').count()).toBe(0);
      await expect.poll(shown).toEqual(['fail', 'fail']);
      expect(tab.faults).toEqual([]);
    });
  });
});
