import { chromium, type Page, type Route } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Simulator } from '../../src/index.ts';
import { button, copied, inChromium, launchOptions, openPage, openView, rows, type Stage } from '../support/browser.ts';
import { enter } from '../support/keyboard.ts';
import { needing } from '../support/programs.ts';
import { openReceiver } from '../support/receiver.ts';
import { expectData, type TestShop } from '../support/shop.ts';

/** The next request to a URL, which waits until it is continued. */
const heldOnce = (page: Page, url: string) => new Promise<Route>((held) => page.route(url, held, { times: 1 }));

let createSimulator: Stage['createSimulator'];
let sim: Simulator;
let shop: TestShop;
let visit: Stage['visit'];

describe('the dashboard tells what is wrong and what to do', needing('chromium'), () => {
  inChromium((stage) => {
    ({ createSimulator, sim, shop, visit } = stage);
  });

  test('a resend reports how the receiver responded, and leads to the new delivery', async () => {
    await using receiver = await openReceiver([500, 503, 200]);
    await shop.call('POST', '/_sim/webhook-endpoints', { url: receiver.url });
    await shop.open().then(({ id }) => shop.step(id, 'cancel'));
    const [{ id }] = expectData(await shop.call('GET', '/_sim/deliveries'));
    await using tab = await visit(`/webhooks/${id}`);
    const { page } = tab;
    const told = page.getByTestId('toast');
    await page.clock.install();
    await button(page, 'Resend').click();
    await told.filter({ hasText: 'The receiver responded with 503.' }).waitFor();
    expect(await told.first().getAttribute('class')).toContain('bad');
    await button(page, 'Resend').click();
    const good = told.filter({ hasText: 'Resent. The receiver responded with 200.' });
    const lead = good.getByRole('link', { name: 'Open the new delivery' });
    await lead.waitFor();
    // There is time to reach the link by keyboard.
    await page.clock.fastForward('00:15');
    await lead.focus({ timeout: 1_000 });
    // It does not disappear under the focus.
    await page.clock.fastForward('01:00');
    await lead.click();
    await page.getByTestId('delivery').getByText('delivered', { exact: true }).waitFor();
    expect(page.url()).not.toContain(id);
    await page.mouse.move(0, 0);
    await page.locator('main').focus();
    await expect
      .poll(async () => {
        await page.clock.fastForward('00:10');
        return good.count();
      })
      .toBe(0);
    expect(tab.faults).toEqual([]);
  });

  test('a delivery that was given up says why and since when; enabling and resending catch up', async () => {
    await using receiver = await openReceiver(Array(4).fill(500));
    const { id } = expectData(await shop.call('POST', '/_sim/webhook-endpoints', { url: receiver.url }), 201);
    for (const _ of [1, 2]) await shop.open().then((session) => shop.step(session.id, 'cancel'));
    await shop.call('POST', '/_sim/clock/advance', { by: '1m' });
    await shop.call('PATCH', `/_sim/webhook-endpoints/${id}`, { enabled: false });
    await using tab = await visit('/webhooks?status=failed');
    const { page } = tab;
    await expect.poll(() => rows(page, 'Deliveries').count()).toBe(2);
    const row = rows(page, 'Deliveries').first();
    await row.getByText('session.cancelled').waitFor();
    await row.getByText('1 Jan 2026,').waitFor();
    await row.getByRole('link', { name: /^dlv_/ }).click();
    const why = page.getByTestId('why');
    await expect
      .poll(() => why.textContent())
      .toContain('Given up 1 Jan 2026, 09:31:00: the endpoint was disabled by hand.');
    await button(why, 'Enable endpoint').click();
    await button(why, 'Enable endpoint').waitFor({ state: 'detached' });

    await tab.go('/webhooks');
    const health = page.getByTestId('endpoint').getByTestId('health');
    await expect.poll(() => health.textContent()).toMatch(/^0% of 4 attempts/);
    const told = page.getByTestId('toast');
    await page.getByRole('combobox', { name: 'Event type' }).selectOption('session.expired');
    await page.getByText('Nothing matches.').waitFor();
    await button(page, 'Resend all failed').click();
    await told.filter({ hasText: 'Nothing to resend' }).waitFor();
    await page.getByRole('combobox', { name: 'Event type' }).selectOption('session.cancelled');
    await button(page, 'Resend all failed').click();
    await told.filter({ hasText: 'Resent 2 events: 2 delivered, 0 not.' }).waitFor();
    expect(receiver.types().length).toBe(6);
    await expect.poll(() => health.textContent()).toMatch(/^33% of 6 attempts/);
    // What was caught up with is not resent again.
    await button(told.filter({ hasText: 'Nothing to resend' }), 'Dismiss').click();
    await button(page, 'Resend all failed').click();
    await told.filter({ hasText: 'Nothing to resend' }).waitFor();
    expect(receiver.types().length).toBe(6);
    expect(tab.faults).toEqual([]);
  });

  test('a delivery whose endpoint was removed is not resent there, and says what to do', async () => {
    await using receiver = await openReceiver([500]);
    const { webhooks, sessions } = shop.shop;
    const { id: endpoint } = await webhooks.add(receiver.url);
    await sessions.cancel((await shop.open()).id, { wait: true });
    await webhooks.remove(endpoint);
    await using tab = await visit('/webhooks?status=failed');
    const { page } = tab;
    await rows(page, 'Deliveries').first().getByRole('link', { name: /^dlv_/ }).click();
    await expect
      .poll(() => page.getByTestId('why').textContent())
      .toContain('Its endpoint no longer exists. To send it to another one, resend the event.');
    expect(await button(page, 'Resend').count()).toBe(0);
    await page.getByTestId('delivery').getByRole('link', { name: /^evt_/ }).click();
    await button(page.locator('.page-head'), 'Resend').waitFor();
    expect(tab.faults).toEqual([]);
  });

  test('resending reaches an enabled endpoint behind 1,000 failures of a disabled one; a lost server is the only message', async () => {
    await using own = await createSimulator({ rateLimit: 'off' });
    await using receiver = await openReceiver([500]);
    const { webhooks, contracts, settings, clientId } = own.default;
    await settings.set({ installment_count: 24 });
    const missed = await webhooks.add(receiver.url, { events: ['contract.activated'] });
    await contracts.create({ total_amount: 20_000 });
    await expect.poll(() => receiver.received.length).toBe(1);
    await webhooks.disable(missed.id);
    const gone = await webhooks.add('http://127.0.0.1:9/', { events: ['installment.paid'] });
    for (let n = 0; n < 43; n += 1) await contracts.create({ total_amount: 200_000, status: 'completed' });
    await webhooks.disable(gone.id);
    await webhooks.enable(missed.id);
    await using tab = await visit('/webhooks', { house: own, account: clientId });
    const { page } = tab;
    const told = page.getByTestId('toast');
    await button(page, 'Resend all failed').click();
    await told.filter({ hasText: 'Resent 1 event: 1 delivered, 0 not.' }).waitFor();
    await button(told, 'Dismiss').click();
    await own.close();
    await button(page, 'Resend all failed').click();
    await told.filter({ hasText: 'The simulator does not answer.' }).waitFor();
    await expect.poll(() => button(page, 'Resend all failed').isEnabled()).toBe(true);
    expect(await told.count()).toBe(1);
  });

  test('“Resend all failed” says nothing in an account that is opened while it looks', async () => {
    for (const port of [8, 9]) {
      await shop.call('POST', '/_sim/webhook-endpoints', {
        url: `http://127.0.0.1:${port}/`,
        events: ['webhook.test'],
      });
    }
    const { live } = shop.shop;
    await using tab = await visit('/webhooks');
    const { page } = tab;
    await expect.poll(() => page.getByTestId('endpoint').count()).toBe(2);
    const [held] = await Promise.all([
      heldOnce(page, '**/_sim/browse/deliveries?*status=failed*'),
      button(page, 'Resend all failed').click(),
    ]);
    await page.getByRole('combobox', { name: 'Account', exact: true }).selectOption(live.clientId);
    await page.getByText('No endpoints yet.').waitFor();
    // At its end, every view reads again.
    const ended = page.waitForRequest('**/_sim/webhook-endpoints?*');
    await held.continue();
    await ended;
    expect(await page.getByTestId('toast').count()).toBe(0);
    expect(tab.faults).toEqual([]);
  });

  test('“Resend all failed” shows its progress, and can be stopped, also after another view was open', async () => {
    await using receiver = await openReceiver([500, 500]);
    const { id } = expectData(await shop.call('POST', '/_sim/webhook-endpoints', { url: receiver.url }), 201);
    for (const _ of [1, 2]) await shop.open().then((session) => shop.step(session.id, 'cancel'));
    await expect.poll(() => receiver.received.length).toBe(2);
    await shop.call('PATCH', `/_sim/webhook-endpoints/${id}`, { enabled: false });
    await shop.call('PATCH', `/_sim/webhook-endpoints/${id}`, { enabled: true });
    await using tab = await visit('/webhooks');
    const { page } = tab;
    const [held] = await Promise.all([
      heldOnce(page, '**/_sim/events/*/resend'),
      enter(page, button(page, 'Resend all failed')),
    ]);
    const focused = () => page.evaluate<string>('document.activeElement.innerText');
    await expect.poll(focused).toBe('Stop');
    await page.getByRole('link', { name: 'Events', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
    await page.goBack();
    await page.getByText('Resending 1 of 2…').waitFor();
    await enter(page, button(page, 'Stop'));
    await held.continue();
    const told = page.getByTestId('toast');
    await told.filter({ hasText: 'Resent 1 event: 1 delivered, 0 not.' }).waitFor();
    await expect.poll(focused).toBe('Resend all failed');

    // What it resent, it also says where another account is shown, and of which one.
    const [other] = await Promise.all([
      heldOnce(page, '**/_sim/events/*/resend'),
      button(page, 'Resend all failed').click(),
    ]);
    const account = page.getByRole('combobox', { name: 'Account', exact: true });
    await account.selectOption(shop.shop.live.clientId);
    await page.getByText('No endpoints yet.').waitFor();
    await other.continue();
    await told.filter({ hasText: /· sandbox: Resent 1 event: 1 delivered, 0 not\./ }).waitFor();
    expect(tab.faults).toEqual([]);
  });

  test('overdue plans, disabled endpoints and failing deliveries are at the top, each a link to its list', async () => {
    const { reference } = await shop.complete();
    await shop.call('PUT', `/_sim/contracts/${reference}/outcomes`, { outcomes: ['fail', 'fail'] });
    await shop.call('POST', '/_sim/clock/advance', { until: `${reference}#1=past_due` });
    const { reference: worse } = expectData(
      await shop.call('POST', '/_sim/contracts', { installment: { number: 1, status: 'delinquent' } }),
      201,
    );
    await shop.complete();
    await using receiver = await openReceiver([500]);
    const { id } = expectData(await shop.call('POST', '/_sim/webhook-endpoints', { url: receiver.url }), 201);
    await shop.open().then((session) => shop.step(session.id, 'cancel'));
    await shop.call('PATCH', `/_sim/webhook-endpoints/${id}`, { enabled: false });
    await using tab = await visit();
    const { page } = tab;
    const triage = page.getByTestId('triage');
    const tiles = () => triage.locator('.tile').evaluateAll((all) => all.map((tile) => tile.textContent?.trim()));
    await triage.waitFor();
    expect(await tiles()).toEqual([
      'Overdue 2 $82.00 owed',
      'Delinquent 1 past the grace period',
      'Disabled endpoints 1 they get no events',
      'Failing deliveries 1 1 given up',
      'Collected of expected $150.00 of $230.00 due by now',
    ]);
    await page.getByRole('table', { name: 'Due next' }).waitFor();
    await triage.getByRole('link', { name: /^Overdue/ }).click();
    await expect.poll(() => rows(page, 'Contracts').count()).toBe(2);
    const row = rows(page, 'Contracts').filter({ hasText: worse });
    await row.getByText('active', { exact: true }).waitFor();
    await row.getByText('delinquent', { exact: true }).waitFor();
    expect(await row.locator('.beads').getAttribute('aria-label')).toBe('1 of 5 paid, 1 delinquent, 3 upcoming');
    await page.getByRole('combobox', { name: 'Status' }).selectOption('delinquent');
    await expect.poll(() => rows(page, 'Contracts').count()).toBe(1);
    await page.getByText('1 in all').waitFor();
    expect(tab.faults).toEqual([]);
  });

  test('a question focuses the answer that changes nothing', async () => {
    const { reference } = await shop.complete();
    await using tab = await visit(`/contracts/${reference}`);
    const { page } = tab;
    await button(page, 'Cancel contract').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    expect(expectData(await shop.call('GET', `/v1/contracts/${reference}`)).status).toBe('active');
    // Its buttons look like any other, not like those of the lever that opened it.
    await button(page, 'Cancel contract').click();
    const radii = await page.evaluate(
      "[...document.querySelectorAll('dialog button')].map((each) => getComputedStyle(each).borderRadius)",
    );
    expect(radii).toEqual(['7px', '7px']);
  });

  test('a double click on a lever does not use the one that takes its place', async () => {
    await using tab = await visit('/clock');
    const { page } = tab;
    const { x = 0, y = 0, width = 0, height = 0 } = (await button(page, 'Resume').boundingBox()) ?? {};
    await page.mouse.click(x + width / 2, y + height / 2);
    await button(page, 'Freeze').waitFor();
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    await button(page, '+1h').click();
    await page.getByTestId('undo').waitFor();
    expect((await shop.levers.clock.show()).mode).toBe('running');
    expect(tab.faults).toEqual([]);
  });

  test('a double click on a lever does not answer its question', async () => {
    for (let n = 0; n < 6; n += 1) await shop.levers.faults.add({ kind: 'slow' });
    await using tab = await visit('/faults', { viewport: { width: 360, height: 640 } });
    const { page } = tab;
    const [ask, dialog] = [button(page, 'Remove all').first(), page.getByRole('dialog')];
    const answer = button(dialog, 'Remove all');
    // Scrolled so that the answer comes to lie over the lever.
    await ask.click();
    const [over, under] = [await answer.boundingBox(), await ask.boundingBox()];
    const middle = (under?.x ?? 0) + (under?.width ?? 0) / 2;
    expect([over?.x, (over?.x ?? 0) + (over?.width ?? 0), middle].toSorted((a = 0, b = 0) => a - b)[1]).toBe(middle);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.evaluate(`scrollBy(0, ${(under?.y ?? 0) - (over?.y ?? 0)})`);
    await ask.dblclick();
    await dialog.waitFor();
    expect(await shop.levers.faults.list()).toHaveLength(6);
    await answer.click();
    await page.getByTestId('fault').first().waitFor({ state: 'detached' });
    expect(tab.faults).toEqual([]);
  });

  test('from nothing to an active plan in one click', async () => {
    await using receiver = await openReceiver();
    await shop.call('POST', '/_sim/webhook-endpoints', { url: receiver.url });
    await using tab = await visit();
    await button(tab.page, 'Create a test plan').click();
    await tab.page.getByRole('heading', { level: 1, name: /^LAY-/ }).waitFor();
    await tab.page.locator('.lead').getByText('active', { exact: true }).waitFor();
    expect(receiver.types()).toEqual(['session.decision_made', 'contract.activated', 'session.completed']);
    expect(tab.faults).toEqual([]);
  });

  test('an installment is taken to due, to past due and to delinquent from its row, and settled', async () => {
    const { reference } = await shop.complete();
    await using tab = await visit(`/contracts/${reference}`);
    const { page } = tab;
    const row = (number: number) => rows(page, 'Schedule').filter({ hasText: `Installment ${number}` });
    const status = (number: number) => row(number).locator('.badge').first();
    const lever = async (number: number, name: string) => {
      const closed = row(number).locator('details:not([open]) summary');
      if ((await closed.count()) > 0) await closed.click();
      await button(row(number), name).click();
    };
    await lever(1, 'Travel to due');
    await expect.poll(() => status(1).textContent()).toBe('paid');
    // The installments before it are paid on the way.
    await lever(3, 'Fail it and travel to past due');
    await expect.poll(() => status(3).textContent()).toBe('past due');
    expect(await status(2).textContent()).toBe('paid');
    await page.locator('.lead').getByText('past due', { exact: true }).waitFor();
    await lever(3, 'Travel to delinquent');
    await expect.poll(() => status(3).textContent()).toBe('delinquent');
    await button(row(3), 'Settle 3').click();
    await expect.poll(() => status(3).textContent()).toBe('paid');
    expect(tab.faults).toEqual([]);
  });

  test('an installment that cannot be taken there keeps the outcomes that were arranged', async () => {
    const { contracts, settings } = shop.shop;
    await settings.set({ grace_days: 40 });
    const { reference } = await shop.complete();
    await contracts.outcomes(reference, ['pay', 'fail']);
    await using tab = await visit(`/contracts/${reference}`);
    const { page } = tab;
    const row = rows(page, 'Schedule').filter({ hasText: 'Installment 1' });
    await row.locator('summary').click();
    await button(row, 'Fail it and travel to delinquent').click();
    await page.getByTestId('toast').filter({ hasText: 'never reached' }).waitFor();
    const { outcomes } = expectData(await shop.call('GET', `/_sim/browse/related/${reference}`));
    expect(outcomes).toEqual(['pay', 'fail']);
    await button(row, 'Fail it and travel to past due').click();
    await expect.poll(() => row.locator('.badge').first().textContent()).toBe('past due');
    expect(tab.faults).toEqual([]);
  });

  test('a contract prints on one page: its axis, plot and schedule, and no control', async () => {
    const { reference } = await shop.complete();
    await using tab = await visit(`/contracts/${reference}`);
    const { page } = tab;
    await page.getByTestId('contract-plot').waitFor();
    const printed = await page.pdf({ format: 'A4', margin: { top: '1cm', bottom: '1cm', left: '1cm', right: '1cm' } });
    expect(printed.toString('latin1').match(/\/Type \/Page\b/g)?.length).toBe(1);
    await page.emulateMedia({ media: 'print' });
    await page.getByRole('table', { name: 'Schedule' }).waitFor();
    // The sheet is narrower than most screens.
    for (const width of [718, 1280]) {
      await page.setViewportSize({ width, height: 1000 });
      for (const control of ['button', 'combobox', 'textbox'] as const) {
        expect(await page.getByRole(control).count(), `${control} at ${width} px`).toBe(0);
      }
    }
  });

  test('a long list begins on the page with its title', async () => {
    for (let count = 0; count < 40; count += 1) await shop.complete();
    await using tab = await visit('/contracts');
    await tab.page.getByText('40 in all').waitFor();
    await rows(tab.page, 'Contracts').nth(39).waitFor();
    const printed = await tab.page.pdf({ format: 'A4' });
    expect(printed.toString('latin1').match(/\/Type \/Page\b/g)?.length).toBe(2);
  });

  test('what is printed is dark on light, also in the dark theme', async () => {
    await using tab = await visit('');
    const { page } = tab;
    const ink = () => page.evaluate<string>('getComputedStyle(document.body).color');
    const light = await ink();
    await page.getByRole('navigation', { name: 'Views' }).getByLabel('Theme').selectOption('dark');
    expect(await ink()).not.toBe(light);
    await page.emulateMedia({ media: 'print' });
    expect(await ink()).toBe(light);
  });

  test('what is copied names this address and this account’s own key, and contains nothing that a shell trips over', async () => {
    const { reference } = await shop.complete();
    await using tab = await visit(`/contracts/${reference}`);
    const { page } = tab;
    const { clientId } = shop.shop;
    expect(await copied(page, 'Copy as curl: Cancel contract')).toBe(
      [
        `curl -X POST ${sim.url}/v1/contracts/${reference}/cancel`,
        `-H 'X-Client-Id: ${clientId}'`,
        `-H "X-Api-Key: $API_KEY_OF_${clientId}"`,
      ].join(' \\\n  '),
    );
    await tab.go('/contracts');
    expect(await copied(page, 'Copy as command: Create contract')).toBe(
      `npx layaway contracts create --status delinquent --base-url ${sim.url} --client-id ${clientId} --api-key "$API_KEY_OF_${clientId}"`,
    );
    await openView(page, `${sim.default.clientId}/contracts`);
    expect(await page.getByTestId('empty').locator('pre').textContent()).toBe(
      `npx layaway contracts create --order-reference A-1001 --total-amount 20000 --base-url ${sim.url}`,
    );
    await openView(page, `${sim.default.live.clientId}/sessions`);
    expect(await page.getByTestId('empty').locator('pre').textContent()).toContain(
      `--client-id ${sim.default.live.clientId} --api-key "$LAYAWAY_LIVE_API_KEY"`,
    );
    // Another folder may have a server of its own, whose workspace these must not touch.
    await tab.go('/snapshots');
    expect(await copied(page, 'Copy as command: Save')).toBe(
      `npx layaway snapshots save my-snapshot --base-url ${sim.url}`,
    );
    expect(await copied(page, 'Copy as command: Reset workspace')).toBe(
      `npx layaway reset --yes --base-url ${sim.url}`,
    );
    for (const view of ['', '/contracts', '/events', '/inbox', '/sessions', '/webhooks', '/requests', '/snapshots']) {
      await openView(page, `${sim.default.clientId}${view}`);
      const block = page.locator('.command pre').first();
      await block.waitFor();
      expect(await block.textContent()).not.toMatch(/<|^layaway/m);
    }
    expect(tab.faults).toEqual([]);
  });

  test('a command of coverage is copied without a placeholder, or not at all', async () => {
    await using tab = await visit('/coverage');
    const { page } = tab;
    const of = `--base-url ${sim.url} --client-id ${shop.shop.clientId} --api-key "$API_KEY_OF_${shop.shop.clientId}"`;
    await page.getByTestId('sessions.expired').getByText('layaway clock advance --until <id>=expired').waitFor();
    expect(await button(page, 'Copy layaway clock advance --until <id>=expired').count()).toBe(0);
    const accept = page.getByTestId('sessions.decision_made');
    const customer = '--customer-name "Ada Byron" --customer-email ada@example.com';
    await accept.getByText(`layaway sessions accept <id> ${customer}`).waitFor();
    const copies = page.locator('.runnable button');
    const texts = await copies.evaluateAll((all) => all.map((each) => each.getAttribute('title') ?? ''));
    expect(texts).toContain(`npx layaway sessions accept ${customer} ${of}`);
    expect(texts.filter((text) => /[<>]/.test(text))).toEqual([]);
    expect(tab.faults).toEqual([]);
  });

  test('an email is called so in every view, in the explanation and beside the settings, too', async () => {
    const { reference } = await shop.complete();
    await using tab = await visit(`/contracts/${reference}`);
    const { page } = tab;
    await button(page, 'Explain').click();
    await page.getByText('Email plan_confirmation was written to').waitFor();
    const words = () => page.locator('body').innerText();
    expect(await words()).not.toMatch(/e-mail/i);
    await tab.go('/settings');
    await page.getByText('where the merchant’s emails go').first().waitFor();
    expect(await words()).not.toMatch(/e-mail/i);
    for (const view of ['', '/inbox', '/clock', '/sessions', '/contracts', '/coverage', '/requests']) {
      await tab.go(view);
      await page.locator('main .panel').first().waitFor();
      expect(await words()).not.toMatch(/e-mail/i);
    }
    expect(tab.faults).toEqual([]);
  });

  test('payment attempts are listed newest first, like the events beside them', async () => {
    const { reference } = await shop.complete();
    await shop.shop.contracts.outcomes(reference, ['fail', 'fail']);
    await shop.shop.clock.advance({ until: `${reference}#1=past_due` });
    await using tab = await visit(`/contracts/${reference}`);
    const { page } = tab;
    const captures = rows(page, 'Payment attempts').locator('td:nth-child(4)');
    await expect
      .poll(() => captures.allTextContents())
      .toEqual(['Installment 1, attempt 2', 'Installment 1, attempt 1', 'Cart Capture']);
    expect(tab.faults).toEqual([]);
  });

  test('on another machine, the text to copy is shown, selected, and a live command has --live', async () => {
    await using own = await createSimulator({ allowHosts: ['box.example'] });
    // Browsers offer the clipboard only over https and on loopback addresses.
    const args = [...launchOptions.args, '--host-resolver-rules=MAP box.example 127.0.0.1'];
    await using browser = await chromium.launch({ ...launchOptions, args });
    await using tab = await openPage(browser);
    const { page } = tab;
    await page.goto(own.dashboardUrl.replace('127.0.0.1', 'box.example'));
    await page.getByRole('link', { name: 'Snapshots', exact: true }).click();
    await button(page, 'Copy as command: Reset workspace').click();
    const dialog = page.getByRole('dialog', { name: 'Copy it from here' });
    await dialog.waitFor();
    const command = `npx layaway reset --yes --base-url ${own.url.replace('127.0.0.1', 'box.example')}`;
    expect(await dialog.locator('pre').textContent()).toBe(command);
    await expect.poll(() => page.evaluate('String(getSelection())')).toBe(command);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await page.locator('[aria-label="Copy as command: Reset workspace"]:focus').waitFor();
    // Only a live key needs a word to leave the machine.
    for (const [{ clientId }, ending] of [
      [own.default, / --base-url \S+$/],
      [own.default.live, / --api-key "\$LAYAWAY_LIVE_API_KEY" --live$/],
    ] as const) {
      await openView(page, `${clientId}/sessions`);
      const block = page.locator('.command pre').first();
      await block.waitFor();
      expect(await block.textContent()).toMatch(ending);
    }
    expect(tab.faults).toEqual([]);
  });
});
