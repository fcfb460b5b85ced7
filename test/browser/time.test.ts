import { describe, expect, test } from 'vitest';
import type { Simulator } from '../../src/index.ts';
import { violations } from '../support/axe.ts';
import { button, inChromium, openView, type Stage } from '../support/browser.ts';
import { needing } from '../support/programs.ts';
import { breaksOff, openReceiver } from '../support/receiver.ts';
import { expectData, openShop, type TestShop } from '../support/shop.ts';

let sim: Simulator;
let shop: TestShop;
let visit: Stage['visit'];

/** Pairs of marks, or of spans, that cover one another. */
const COVERED = `(() => {
  const picture = document.querySelector('[data-testid=contract-picture]');
  const boxes = [...picture.querySelectorAll('.hit, .span')].map((each) => [each.closest('[aria-label]'), each.getBoundingClientRect()]);
  return boxes.flatMap(([a, one], index) => boxes.slice(index + 1).flatMap(([b, other]) => {
    const [wide, high] = [
      Math.min(one.right, other.right) - Math.max(one.left, other.left),
      Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top),
    ];
    return a !== b && wide > 1 && high > 1 ? [a.getAttribute('aria-label') + ' / ' + b.getAttribute('aria-label')] : [];
  }));
})()`;

describe('time on the contract, and travel', needing('chromium'), () => {
  inChromium((stage) => {
    ({ sim, shop, visit } = stage);
  });

  /** A contract whose first two installments failed, told to three endpoints of which one fails at first. */
  async function troubled() {
    const receivers = await Promise.all([openReceiver([500, 500]), openReceiver(), openReceiver()]);
    for (const { url } of receivers) await shop.call('POST', '/_sim/webhook-endpoints', { url });
    const { reference } = await shop.complete();
    const script = { outcomes: ['fail', 'fail', 'fail', 'fail', 'pay', 'fail'] };
    await shop.call('PUT', `/_sim/contracts/${reference}/outcomes`, script);
    await shop.call('POST', '/_sim/clock/advance', { until: `${reference}#2=past_due` });
    for (const receiver of receivers) await receiver.close();
    return reference;
  }

  test('what lies ahead stands on the axis of what happened, hollow and dashed, and is told apart in words', async () => {
    const reference = await troubled();
    await using tab = await visit(`/contracts/${reference}`);
    const { page } = tab;
    const picture = page.getByTestId('contract-picture');
    await picture.waitFor();
    const named = (list: string) =>
      picture
        .getByRole('list', { name: list, exact: true })
        .locator('[aria-label]')
        .evaluateAll((all) => all.map((each) => each.getAttribute('aria-label')));
    expect(await named('Events ahead, if nobody acts')).toEqual([
      'Ahead: installment.delinquent of installment 2, 10 Feb 2026, 00:00:00',
      'Ahead: installment.paid of installment 3, 12 Feb 2026, 00:00:00',
      'Ahead: contract.defaulted, 16 Feb 2026, 00:00:00',
    ]);
    expect(await named('Payments ahead, if nobody acts')).toEqual([
      'Ahead: payment of installment 3, $40.00: paid, 12 Feb 2026, 00:00:00',
    ]);
    expect(await named('Past due')).toEqual([
      'Installment 1, past due, 17 Jan 2026 to 16 Feb 2026, partly ahead',
      'Installment 2, past due, 31 Jan 2026 to 16 Feb 2026, partly ahead',
    ]);
    expect(await named('Grace')).toEqual([
      'Installment 1, grace, 17 Jan 2026 to 27 Jan 2026',
      'Installment 2, grace, 31 Jan 2026 to 10 Feb 2026, partly ahead',
    ]);
    expect(await named('Delinquent')).toEqual([
      'Installment 1, delinquent, 27 Jan 2026 to 16 Feb 2026, partly ahead',
      'Ahead: installment 2, delinquent, 10 Feb 2026 to 16 Feb 2026',
    ]);

    const looks = (selector: string) =>
      page.evaluate<[fill: string, dashes: string, left: number][]>(
        `[...document.querySelectorAll('[data-testid=contract-picture] ${selector}')].map((each) => {
          const { fill, strokeDasharray } = getComputedStyle(each);
          return [fill, strokeDasharray, each.getBoundingClientRect().left];
        })`,
      );
    for (const forcedColors of ['none', 'active'] as const) {
      await page.emulateMedia({ forcedColors });
      const [[, , nowX] = []] = await looks('line.now');
      for (const [mark, body] of [
        ['.span', ''],
        ['.happening', ' .body'],
        ['.attempt', ' circle'],
      ] as const) {
        const ahead = await looks(`${mark}.foreseen${body}`);
        const done = await looks(`${mark}:not(.foreseen)${body}`);
        expect(ahead.length).toBeGreaterThan(0);
        expect(done.length).toBeGreaterThan(0);
        for (const [fill, dashes, left] of ahead) {
          expect([fill, dashes === 'none', left > (nowX as number) - 2]).toEqual(['none', false, true]);
        }
        for (const [fill, dashes, left] of done) {
          expect([fill === 'none', dashes, left < (nowX as number) + 1]).toEqual([false, 'none', true]);
        }
      }
    }
    expect(tab.faults).toEqual([]);
  });

  test('a delivery whose response broke off is marked as a failure', async () => {
    await using receiver = await openReceiver([breaksOff]);
    await shop.shop.webhooks.add(receiver.url, { events: ['contract.activated'] });
    const { reference } = await shop.complete();
    await using tab = await visit(`/contracts/${reference}`);
    const mark = tab.page.getByRole('link', { name: 'Delivery attempt 1 of contract.activated to ' });
    expect(await mark.getAttribute('aria-label')).toContain(': 200, the response broke off');
    expect(await mark.getAttribute('class')).toBe('delivery bad');
  });

  test('by keyboard alone: each mark is a link to its event, delivery, email or payment, and none covers another', async () => {
    const reference = await troubled();
    await using tab = await visit(`/contracts/${reference}`);
    const { page } = tab;
    const picture = page.getByTestId('contract-picture');
    await picture.waitFor();
    expect(await page.evaluate(COVERED)).toEqual([]);
    const links = await picture
      .getByRole('link')
      .evaluateAll((all) => all.map((each) => [each.getAttribute('href'), each.getAttribute('aria-label')]));
    const leadTo = (place: RegExp) => links.filter(([href]) => place.test(href as string)).length;
    const related = expectData(await shop.call('GET', `/_sim/browse/related/${reference}`));
    expect(leadTo(/\/events\/evt_/)).toBe(related.events.length);
    expect(leadTo(/\/inbox\/eml_/)).toBe(related.emails.length);
    expect(leadTo(/^#(sim|pay)_/)).toBe(related.attempts.length);
    const tries = related.deliveries.reduce((sum: number, { attempts }: { attempts: [] }) => sum + attempts.length, 0);
    expect(leadTo(/\/webhooks\/dlv_/)).toBe(tries);
    expect(tries).toBe(3 * related.events.length + 2);

    // The first Tab offers to skip all of it.
    await page.getByRole('link', { name: 'Skip the time axis' }).focus();
    for (const [, name] of links) {
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe(name);
      expect(await page.getByTestId('picture-pointed').textContent()).toBe(name);
    }
    for (const [name, heading] of [
      [/^installment\.past_due of installment 1, 17 Jan 2026/, /^installment\.past_due/],
      [/^Delivery attempt 1 of installment\.past_due to .*: 200, 17 Jan/, /./],
      [/^Email: .*, 17 Jan 2026/, /./],
    ] as const) {
      await picture.getByRole('link', { name }).first().focus();
      const href = await page.evaluate<string>('document.activeElement.getAttribute("href")');
      await page.keyboard.press('Enter');
      await page.waitForURL(`**${href}`);
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      await page.goBack();
      await picture.waitFor();
    }
    const payment = picture.getByRole('link', { name: /^Attempt 2 on installment 1, \$40\.00: failed, 17 Jan/ });
    await payment.focus();
    await page.keyboard.press('Enter');
    const target = page.locator('tr:target');
    await target.getByText('Installment 1, attempt 2').waitFor();
    expect(tab.faults).toEqual([]);
  });

  test('the axis of a finished, a cancelled, a far future and a long past contract: nothing covers, axe finds nothing', async () => {
    const finished = await shop.contractIn('completed');
    const cancelled = await shop.contractIn('cancelled');
    const long = await openShop(sim);
    await long.set({ installment_count: 24, installment_cadence: 'monthly' });
    const far = await long.complete({ total_amount: 500_000 });
    await long.call('PUT', `/_sim/contracts/${far.reference}/outcomes`, { outcomes: ['pay', 'fail', 'fail'] });
    const past = await openShop(sim);
    const { reference } = await past.complete();
    await past.call('POST', '/_sim/clock/advance', { by: '10mo' });
    const failing = await openShop(sim);
    for (let n = 0; n < 2; n += 1)
      await failing.call('POST', '/_sim/webhook-endpoints', { url: 'http://127.0.0.1:9/' });
    const { reference: unheard } = await failing.complete();
    await failing.call('POST', '/_sim/clock/advance', { by: '4w' });
    for (const [width, colorScheme, forcedColors] of [
      [1280, 'light', 'none'],
      [320, 'dark', 'active'],
    ] as const) {
      const viewport = { width, height: 900 };
      await using tab = await visit('', { viewport, colorScheme, forcedColors });
      const { page } = tab;
      for (const [account, contract, ahead] of [
        [shop, finished.reference, 0],
        [shop, cancelled.reference, 0],
        [long, far.reference, 7],
        [past, reference, 0],
        [failing, unheard, 3],
      ] as const) {
        await openView(page, `${account.shop.clientId}/contracts/${contract}`);
        await page.getByRole('heading', { level: 1, name: contract }).waitFor();
        await page.getByTestId('contract-picture').waitFor();
        const events = page.getByRole('list', { name: 'Events ahead, if nobody acts' }).getByRole('listitem');
        await expect.poll(() => events.count()).toBe(ahead);
        expect(await page.evaluate(COVERED)).toEqual([]);
        await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
        expect(await violations(page)).toEqual([]);
      }
      // The marks of a receiver that never answers do not fill the page.
      const picture = page.getByTestId('contract-picture');
      await picture.getByRole('img', { name: /^Deliveries: \d+ more, from 1 Jan 2026, .* to / }).waitFor();
      expect((await picture.boundingBox())?.height).toBeLessThan(700);
      expect(tab.faults).toEqual([]);
    }
  });

  test('a contract that has ended expects nothing further', async () => {
    const cancelled = await shop.complete();
    await shop.call('POST', `/v1/contracts/${cancelled.reference}/cancel`);
    const { reference: defaulted } = await shop.contractIn('defaulted');
    await shop.call('POST', '/_sim/clock/advance', { by: '10mo' });
    await using tab = await visit(`/contracts/${cancelled.reference}`);
    const plot = tab.page.getByRole('img', { name: /^By .* collected, .* expected/ });
    expect(await plot.getAttribute('aria-label')).toMatch(/, (\$[\d.]+) collected, \1 expected, /);
    const isShorter = `(() => {
      const lengthOf = (name) => document.querySelector('[data-testid=contract-plot] path.' + name).getTotalLength();
      return lengthOf('expected') < lengthOf('collected');
    })()`;
    expect(await tab.page.evaluate(isShorter)).toBe(true);
    // What was overdue at the default stays expected.
    await tab.go(`/contracts/${defaulted}`);
    await tab.page.getByRole('heading', { level: 1, name: defaulted }).waitFor();
    expect(await plot.getAttribute('aria-label')).toMatch(/, \$130\.00 collected, \$170\.00 expected, /);
    expect(tab.faults).toEqual([]);
  });

  test('by keyboard alone: the button that moved the clock keeps the focus, and moves it again', async () => {
    await using tab = await visit('/clock');
    const { page } = tab;
    const day = button(page, '+1d');
    await day.focus();
    for (const date of ['2 Jan 2026', '3 Jan 2026', '4 Jan 2026']) {
      await page.keyboard.press('Enter');
      await page.getByTestId('happened').getByText(`It is ${date}, 09:30:00: nothing.`).waitFor();
      await expect.poll(() => day.evaluate((it) => it === it.ownerDocument.activeElement)).toBe(true);
    }
    expect(tab.faults).toEqual([]);
  });

  test('a double click on “Travel here” travels no further', async () => {
    await shop.complete();
    await using tab = await visit('/clock', { viewport: { width: 1280, height: 2000 } });
    const { page } = tab;
    const stops = page.getByRole('button', { name: /^Travel here/ });
    const middle = async () => {
      const { x = 0, y = 0, width = 0, height = 0 } = (await stops.first().boundingBox()) ?? {};
      return [x + width / 2, y + height / 2] as const;
    };
    await stops.first().waitFor();
    await page.mouse.click(...(await middle()));
    await page.getByTestId('happened').getByText('It is 15 Jan 2026').waitFor();
    await stops
      .first()
      .and(page.getByRole('button', { name: /29 Jan 2026/ }))
      .waitFor();
    await page.mouse.move(...(await middle()));
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    await button(page, '+1h').click();
    await page.getByTestId('undo').getByText('It is 15 Jan 2026, 01:00:00.').waitFor();
    expect(tab.faults).toEqual([]);
  });

  test('an instant can be typed while the clock runs', async () => {
    await shop.call('POST', '/_sim/clock/resume');
    await using tab = await visit('/clock');
    const { page } = tab;
    const instant = page.getByLabel('To an instant');
    const now = page.getByTestId('now');
    await instant.focus();
    for (const part of ['03', '15', '2026']) {
      await page.keyboard.type(part);
      const before = await now.textContent();
      await expect.poll(() => now.textContent()).not.toBe(before);
    }
    await page.keyboard.press('Tab');
    await page.keyboard.type('103000AM');
    expect(await instant.inputValue()).toBe('2026-03-15T10:30');
    await page.keyboard.press('Enter');
    await page.getByTestId('happened').getByText('It is 15 Mar 2026, 10:30:00').waitFor();
    expect(tab.faults).toEqual([]);
  });

  test.each([360, 1280])(
    'at %i px, what can be undone does not cover the lever that stops an advance',
    async (width) => {
      await using receiver = await openReceiver();
      await shop.complete();
      await shop.call('POST', '/_sim/webhook-endpoints', { url: receiver.url, events: ['installment.paid'] });
      await using tab = await visit('/clock', { viewport: { width, height: 160 } });
      const { page } = tab;
      await button(page, '+1h').click();
      await page.getByTestId('undo').waitFor();
      await tab.go('/events');
      const held: (() => void)[] = [];
      receiver.script((response) => held.push(() => response.end()));
      const advancing = shop.call('POST', '/_sim/clock/advance', { by: '1mo' });
      await button(page.getByTestId('travelling'), 'Stop').click();
      await page.getByTestId('toast').filter({ hasText: 'Stopped at 15 Jan 2026, 00:00:00.' }).waitFor();
      expect((await advancing).status).toBe(409);
      for (const answer of held) answer();
    },
  );

  test('by keyboard alone: travel over many contracts shows how far it got, is stopped, and tells what happened by type', async () => {
    const held: (() => void)[] = [];
    await using receiver = await openReceiver();
    for (let plan = 0; plan < 32; plan += 1) await shop.complete();
    expectData(await shop.call('POST', '/_sim/clock/advance', { by: '1d' }));
    for (let plan = 0; plan < 18; plan += 1) await shop.complete();
    await shop.call('POST', '/_sim/webhook-endpoints', { url: receiver.url, events: ['installment.paid'] });
    const silence = () => receiver.script((response) => held.push(() => response.end()));
    silence();
    await using tab = await visit('/clock');
    const { page } = tab;
    const passing = page.getByTestId('travelling');
    await button(page, '+1mo').focus();
    await page.keyboard.press('Enter');
    // The receiver does not answer, so it stays with the first of the fifty.
    await passing.getByText('32 events, it is 15 Jan 2026').waitFor();
    await passing.getByText('32%').waitFor();
    expect(await passing.getByRole('progressbar').getAttribute('value')).toBe('32');
    expect(await violations(page)).toEqual([]);
    await button(passing, 'Stop').focus();
    await page.keyboard.press('Enter');
    const happened = page.getByTestId('happened');
    await page.getByRole('heading', { name: 'What happened until the stop' }).waitFor();
    await happened.getByText('It is 15 Jan 2026, 00:00:00: 32 events.').waitFor();
    expect(await page.getByTestId('tallied').textContent()).toBe('installment.paid × 32');
    await passing.waitFor({ state: 'detached' });
    expect(await page.getByRole('alert').count()).toBe(0);
    for (const answer of held.splice(0)) answer();

    // It goes on where it stopped, and from any view it can be seen and stopped.
    await tab.go('/events');
    await expect.poll(() => receiver.received.length).toBeGreaterThanOrEqual(32);
    silence();
    const advancing = shop.call('POST', '/_sim/clock/advance', { by: '1mo' });
    await passing.waitFor();
    await button(passing, 'Stop').focus();
    await page.keyboard.press('Enter');
    await page.getByTestId('toast').filter({ hasText: 'Stopped at 16 Jan 2026, 00:00:00.' }).waitFor();
    await passing.waitFor({ state: 'detached' });
    expect((await advancing).status).toBe(409);
    for (const answer of held.splice(0)) answer();

    await tab.go('/clock');
    await button(page, '+12mo').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'What happened', exact: true }).waitFor();
    await page.getByTestId('tallied').getByText('× 50').last().waitFor();
    const counts = expectData(await shop.call('GET', '/_sim/browse/counts'));
    expect(counts.contracts).toEqual({ completed: 50 });
    await page.getByTestId('tallied').getByRole('link', { name: 'contract.completed' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/events?search=contract.completed');
    expect(tab.faults).toEqual([]);
  });
});
