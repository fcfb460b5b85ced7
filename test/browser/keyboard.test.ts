import { describe, expect, test } from 'vitest';
import { button, inChromium, type Stage } from '../support/browser.ts';
import { enter } from '../support/keyboard.ts';
import { needing } from '../support/programs.ts';
import { openReceiver } from '../support/receiver.ts';
import type { TestShop } from '../support/shop.ts';

describe('the dashboard by keyboard alone', needing('chromium'), () => {
  let shop: TestShop;
  let visit: Stage['visit'];
  inChromium((stage) => {
    ({ shop, visit } = stage);
  });

  test('from the first run to an active plan, to delinquent, and settled', async () => {
    await using tab = await visit();
    const { page } = tab;
    await enter(page, page.getByRole('button', { name: 'Create a test plan', exact: true }));
    await page.getByRole('heading', { level: 1, name: /^LAY-/ }).waitFor();
    await page.locator('.lead').getByText('active', { exact: true }).waitFor();

    const row = page.getByRole('table', { name: 'Schedule' }).locator('tbody tr').filter({ hasText: 'Installment 1' });
    await enter(page, row.locator('summary'));
    await enter(page, row.getByRole('button', { name: 'Fail it and travel to delinquent', exact: true }));
    await page.locator('.lead').getByText('delinquent', { exact: true }).waitFor();
    await enter(page, row.getByRole('button', { name: 'Settle 1', exact: true }));
    await expect.poll(() => row.locator('.badge').first().textContent()).toBe('paid');
    expect(tab.faults).toEqual([]);
  });

  test('a control that is gone after its work leaves the focus beside it; one that leads no further keeps it', async () => {
    const { reference } = await shop.shop.contracts.create({ installment: { number: 1, status: 'delinquent' } });
    for (const kind of ['lost_answer', 'slow', 'error'] as const) await shop.shop.faults.add({ kind });
    await using tab = await visit(`/contracts/${reference}`);
    const { page } = tab;
    const focused = () => page.evaluate<string>('document.activeElement.innerText');
    await enter(page, button(page, 'Settle 1'));
    await expect.poll(focused).toMatch(/^Installment 1\s+paid/);
    await enter(page, button(page, 'Add fail'));
    await enter(page, button(page, 'Discard'));
    await expect.poll(focused).toBe('Outcomes of the next attempts');
    await enter(page, button(page, 'Cancel contract'));
    await enter(page, button(page.getByRole('dialog'), 'Cancel contract'));
    await expect.poll(focused).toBe(reference);

    await tab.go('/faults');
    const faults = page.getByTestId('fault');
    const second = await faults.nth(1).locator('strong').innerText();
    await enter(page, button(faults.first(), 'Remove'));
    await expect.poll(focused).toMatch(new RegExp(`^${second}`));
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Remove');
    await button(page, 'Remove all').press('Enter');
    await enter(page, button(page.getByRole('dialog'), 'Remove all'));
    await faults.first().waitFor({ state: 'detached' });
    expect(await focused()).toBe('Remove all');

    for (let n = 0; n < 51; n += 1) await shop.open();
    await tab.go('/sessions');
    await button(page, 'Next').press('Enter');
    await page.getByText('Page 2 of 2').waitFor();
    expect(await focused()).toBe('Next');
    await button(page, 'First').press('Enter');
    await page.getByText('Page 1 of 2').waitFor();
    expect(await focused()).toBe('First');
    expect(tab.faults).toEqual([]);
  });

  test('a message that is dismissed gives the focus back to where it was', async () => {
    await using tab = await visit('/clock', { viewport: { width: 360, height: 640 } });
    const { page } = tab;
    const focused = () => page.evaluate<string>('document.activeElement.innerText');
    await enter(page, button(page, '+1d'));
    const undo = page.getByTestId('undo');
    await undo.waitFor();
    await page.keyboard.press('u');
    await expect.poll(focused).toBe('Undo');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('×');
    // It stands at the end of the first line, also where the button does not fit beside the text.
    const [box, cross] = [await undo.boundingBox(), await button(undo, 'Dismiss').boundingBox()];
    expect(cross?.y).toBeLessThan((box?.y ?? 0) + 12);
    expect((box?.x ?? 0) + (box?.width ?? 0) - (cross?.x ?? 0) - (cross?.width ?? 0)).toBeLessThan(12);
    await page.keyboard.press('Enter');
    await undo.waitFor({ state: 'detached' });
    await expect.poll(focused).toBe('+1d');
    expect(tab.faults).toEqual([]);
  });

  test('a filter that leaves nothing is announced', async () => {
    const { id } = await shop.shop.webhooks.add('http://127.0.0.1:9/');
    await shop.complete();
    await shop.call('GET', '/v1/ping');
    await using tab = await visit();
    const { page } = tab;
    const told = page.getByRole('status').getByText('None found.');
    for (const view of ['/events', '/inbox', '/requests', '/webhooks']) {
      await tab.go(`${view}${view === '/webhooks' ? `?endpoint_id=${id}` : ''}`);
      await page
        .locator('main')
        .getByRole('button', { name: 'Save as CSV' })
        .or(page.locator('.mail-list a'))
        .first()
        .waitFor();
      expect(await told.count()).toBe(0);
      if (view === '/webhooks') await page.getByLabel('Event type').selectOption('webhook.test');
      else await page.getByRole('searchbox').fill('/nobody');
      await told.waitFor({ state: 'attached' });
    }
    // As where so much happened that one look does not reach all of it.
    await page.route('**/_sim/browse/events?*', async (route) => {
      const response = await route.fetch();
      const { data, meta } = await response.json();
      await route.fulfill({ response, json: { data, meta: { ...meta, older: 'evt_1' } } });
    });
    await tab.go('/events?search=nobody');
    await page.getByRole('status').getByText('None found so far.').waitFor({ state: 'attached' });
    expect(tab.faults).toEqual([]);
  });

  test.each([
    [1280, '/settings'],
    [1280, '/clock'],
    [360, '/settings'],
  ])('on the way back at %i px, %s hides nothing that has the focus', async (width, view) => {
    await using tab = await visit(view, { viewport: { width, height: 560 } });
    const { page } = tab;
    const links = page.getByRole('navigation', { name: 'Views' }).getByRole('link');
    await page.locator('main').locator('a, button, input, select').last().focus();
    const covered: string[] = [];
    let isBack = false;
    while (!isBack) {
      await page.keyboard.press('Shift+Tab');
      const [found, isLast] = await links.last().evaluate((link) => {
        const { activeElement: at } = link.ownerDocument;
        const { left, top, height } = at.getBoundingClientRect();
        const above = link.ownerDocument.elementFromPoint(left + 4, top + height / 2);
        return [above && (at.contains(above) || above.contains(at)) ? null : at.outerHTML, at === link] as const;
      });
      if (found !== null) covered.push(found);
      isBack = isLast;
    }
    expect(covered).toEqual([]);
  });

  test('why a webhook failed is found, and it is sent again', async () => {
    await using receiver = await openReceiver([500, 200]);
    await shop.call('POST', '/_sim/webhook-endpoints', { url: receiver.url });
    await shop.open().then(({ id }) => shop.step(id, 'cancel'));
    await using tab = await visit();
    const { page } = tab;
    await enter(page, page.getByRole('link', { name: /^Failing deliveries/ }));
    const list = page.getByRole('table', { name: 'Deliveries' });
    await enter(page, list.getByRole('link', { name: /^dlv_/ }).first());
    await page.getByTestId('delivery').waitFor();
    await page.getByRole('main').getByText('500').first().waitFor();
    await enter(page, page.getByRole('button', { name: 'Resend', exact: true }));
    const told = page.getByTestId('toast').filter({ hasText: 'Resent. The receiver responded with 200.' });
    await enter(page, told.getByRole('link', { name: 'Open the new delivery' }));
    await page.getByTestId('delivery').getByText('delivered', { exact: true }).waitFor();
    expect(receiver.received).toHaveLength(2);
    expect(tab.faults).toEqual([]);
  });
});
