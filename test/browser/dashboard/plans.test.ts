import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, inject, test } from 'vitest';
import type { Simulator } from '../../../src/index.ts';
import { button, copied, inChromium, NAMES, openView, rows, type Stage, showNew } from '../../support/browser.ts';
import { needing } from '../../support/programs.ts';
import { openReceiver } from '../../support/receiver.ts';
import { expectData, openShop, type TestShop } from '../../support/shop.ts';

let createSimulator: Stage['createSimulator'];
let sim: Simulator;
let shop: TestShop;
let visit: Stage['visit'];

describe('overview, clock, sessions and contracts of the dashboard', needing('chromium'), () => {
  inChromium((stage) => {
    ({ createSimulator, sim, shop, visit } = stage);
  });

  describe('overview', () => {
    test('accounts, clock, counts by status, and events as they happen', async () => {
      await using tab = await visit();
      const { page } = tab;
      await expect.poll(() => page.getByTestId('empty').textContent()).toContain('layaway contracts create');
      const { reference } = await shop.complete();
      await showNew(page, rows(page, 'Recent events').nth(2));
      const activated = rows(page, 'Recent events').filter({ hasText: 'contract.activated' });
      // As it is read aloud and copied.
      expect(await activated.textContent()).toMatch(/\d\d:\d\d:\d\d (now|.* ago)/);
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
      // A filter begins on the first page.
      await tab.go('/contracts?page=2');
      await expect.poll(() => rows(page, 'Contracts').count()).toBe(6);
      await page.getByRole('combobox', { name: 'Status' }).selectOption('active');
      await page.waitForURL('**/contracts?status=active');

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
      await page.getByText('none yet', { exact: true }).waitFor();
      await button(page, 'Back out').click();
      await button(page.getByRole('dialog'), 'Back out').click();
      await page.getByText('cancelled', { exact: true }).first().waitFor();
      await page.getByText('none', { exact: true }).first().waitFor();
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
});
