import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Route } from 'playwright-core';
import { describe, expect, inject, test } from 'vitest';
import { ASSUMPTIONS, type Assumption } from '../../../src/domain/assumptions.ts';
import { LIST_MAX } from '../../../src/domain/limits.ts';
import type { Simulator } from '../../../src/index.ts';
import { button, inChromium, rows, type Stage } from '../../support/browser.ts';
import { programWith } from '../../support/program-with.ts';
import { needing } from '../../support/programs.ts';
import { caller, expectData, type TestShop } from '../../support/shop.ts';

let createSimulator: Stage['createSimulator'];
let sim: Simulator;
let shop: TestShop;
let visit: Stage['visit'];

describe('settings and snapshots in the dashboard', needing('chromium'), () => {
  inChromium((stage) => {
    ({ createSimulator, sim, shop, visit } = stage);
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
    const oldest = { url: 'http://127.0.0.1:9/oldest', events: ['session.cancelled'] } as const;
    const newer = Array.from({ length: LIST_MAX }, (_, n) => ({
      url: `http://127.0.0.1:9/${n}`,
      events: ['contract.cancelled'] as const,
    }));
    await using own = await createSimulator({ fixture: { webhooks: [oldest, ...newer] } });
    const { webhooks, sessions, clientId } = own.default;
    const { id: session } = await sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
    await sessions.cancel(session, { wait: true });
    const [delivery] = await webhooks.deliveries();
    await using tab = await visit(`/webhooks/${delivery?.id}`, { house: own, account: clientId });
    await button(tab.page.getByTestId('delivery'), 'Resend').waitFor();
    const id = delivery?.endpoint_id as string;
    expect((await webhooks.list({ limit: LIST_MAX })).map((endpoint) => endpoint.id)).not.toContain(id);
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
});
