import { describe, expect, test } from 'vitest';
import type { Simulator } from '../../../src/index.ts';
import { button, copied, inChromium, openView, rows, type Stage, showNew } from '../../support/browser.ts';
import { needing } from '../../support/programs.ts';
import { breaksOff, openReceiver } from '../../support/receiver.ts';
import { openShop, type TestShop } from '../../support/shop.ts';

let sim: Simulator;
let shop: TestShop;
let visit: Stage['visit'];

describe('events, faults, coverage and webhooks in the dashboard', needing('chromium'), () => {
  inChromium((stage) => {
    ({ sim, shop, visit } = stage);
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
      await armed.last().getByText('used up').waitFor();
      expect(await armed.first().textContent()).not.toContain('used up');
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
      await ping.getByText('Have the store send GET /v1/ping.').waitFor();
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
      await endpoint.locator('summary').click();
      await button(endpoint, 'Disable').click();
      await endpoint.getByText('disabled', { exact: true }).waitFor();
      expect(tab.faults).toEqual([]);
    });

    test('an endpoint is added, tested, rotated, disabled; its secret is shown again; failures stand out and are sent again', async () => {
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
      await levers.click();
      await button(endpoint, 'Show secret').click();
      const [made] = await shop.levers.webhooks.list();
      const { secret: current } = await shop.levers.webhooks.secret(made?.id as string);
      await expect.poll(() => secret.locator('pre').textContent()).toBe(current);
      await button(secret, 'Done').click();

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

  test('a test that reaches nobody says so, and so does one whose response breaks off', async () => {
    await using receiver = await openReceiver([breaksOff]);
    const { id } = await shop.shop.webhooks.add('http://127.0.0.1:1/nobody');
    await using tab = await visit('/webhooks');
    const told = tab.page.getByTestId('toast');
    await button(tab.page.getByTestId('endpoint'), 'Test').click();
    await told.filter({ hasText: 'The receiver did not respond: ' }).waitFor();
    await shop.call('PATCH', `/_sim/webhook-endpoints/${id}`, { url: receiver.url });
    await button(tab.page.getByTestId('endpoint'), 'Test').click();
    const broken = told.filter({
      hasText: 'The receiver responded with 200, but the attempt failed: the response broke off',
    });
    expect(await broken.getAttribute('class')).toBe('toast bad');
  });

  test('a test of a disabled endpoint is refused, with the command that enables it as code', async () => {
    const { id } = await shop.shop.webhooks.add('http://127.0.0.1:1/disabled');
    await shop.shop.webhooks.disable(id);
    await using tab = await visit('/webhooks');
    await button(tab.page.getByTestId('endpoint').filter({ hasText: '/disabled' }), 'Test').click();
    const told = tab.page.getByTestId('toast').filter({ hasText: 'This webhook endpoint is disabled.' });
    await told.locator('code').getByText(`layaway webhooks enable ${id}`, { exact: true }).waitFor();
  });
});
