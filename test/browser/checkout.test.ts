import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { checkCard } from '../../src/domain/card.ts';
import type { Simulator } from '../../src/index.ts';
import { inChromium, openPage, type Stage } from '../support/browser.ts';
import { needing } from '../support/programs.ts';
import { CUSTOMER, manualTime, openShop, type TestShop } from '../support/shop.ts';

const RETURN_URL = 'https://shop.example/thanks?order=A-1&x=%2F#paid';
const CANCEL_URL = 'https://shop.example/cart?keep=1';

let createSimulator: Stage['createSimulator'];
let sim: Simulator;
let browser: Browser;
let shop: TestShop;

describe('the hosted checkout in Chromium', needing('chromium'), () => {
  inChromium((stage) => {
    ({ createSimulator, sim, browser, shop } = stage);
  });

  const open = (changes: object = {}) => shop.open({ return_url: RETURN_URL, cancel_url: CANCEL_URL, ...changes });
  /** Opens the payment step of a new session. */
  async function openPayment(page: Page, changes: object = {}, customer: object = CUSTOMER) {
    const session = await open(changes);
    await shop.step(session.id, 'accept', customer);
    await page.goto(session.checkout_url);
    return session;
  }
  const sessionOf = async (id: string) => (await shop.call('GET', `/v1/checkout-sessions/${id}`)).body.data;
  async function attempts(): Promise<string[]> {
    const [contract] = (await shop.call('GET', '/v1/contracts')).body.data;
    const { data } = (await shop.call('GET', `/_sim/contracts/${contract.reference}/attempts`)).body;
    return data.map(({ outcome }: { outcome: string }) => outcome).reverse();
  }

  describe.each([
    ['scripts on', true],
    ['scripts off', false],
  ])('%s', (_, javaScriptEnabled) => {
    test('§1 from the quote to the store: accept, a declined card, a good one, return_url', async () => {
      await using tab = await openPage(browser, { javaScriptEnabled });
      const { page } = tab;
      const session = await open({ customer_email: 'ada@example.com' });
      await page.goto(session.checkout_url);
      expect(await page.getByRole('textbox', { name: 'Email' }).inputValue()).toBe('ada@example.com');
      await accept(page);

      await fillCard(page);
      await page.getByLabel('Decline this payment').check();
      await page.getByRole('button', { name: 'Pay $50.00' }).click();
      await page.getByRole('alert').filter({ hasText: 'Your card was declined' }).waitFor();
      expect(await page.getByLabel('Card number').inputValue()).toBe('');
      expect(await page.getByTestId('accepted-email').textContent()).toBe('ada@example.com');
      expect(await page.getByLabel('Decline this payment').isChecked()).toBe(false);

      await fillCard(page);
      await page.getByRole('button', { name: 'Pay $50.00' }).click();
      await page.waitForURL(RETURN_URL);
      expect(await page.getByRole('heading').textContent()).toBe('The store');
      expect((await sessionOf(session.id)).status).toBe('completed');
      expect(await attempts()).toEqual(['fail', 'pay']);
      expect(new Set(tab.left)).toEqual(new Set([RETURN_URL.split('#')[0]]));
      expect(tab.faults).toEqual([]);
    });

    test('the back button after paying shows that it is done', async () => {
      await using tab = await openPage(browser, { javaScriptEnabled });
      const { page } = tab;
      const session = await open();
      await page.goto(session.checkout_url);
      await accept(page);
      await pay(page);
      await page.waitForURL(RETURN_URL);
      await page.goBack();
      await page.getByTestId('checkout-completed').waitFor();
      expect(await page.locator('form').count()).toBe(0);
      await page.getByRole('link', { name: 'Continue to the store' }).click();
      await page.waitForURL(RETURN_URL);
      expect(await attempts()).toEqual(['pay']);
    });

    test.each(['the first step', 'the payment step'])('backing out at %s leads to cancel_url', async (step) => {
      await using tab = await openPage(browser, { javaScriptEnabled });
      const { page } = tab;
      const session = step === 'the payment step' ? await openPayment(page) : await open();
      if (step === 'the first step') await page.goto(session.checkout_url);
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.waitForURL(CANCEL_URL);
      expect((await sessionOf(session.id)).status).toBe('cancelled');
      expect(tab.faults).toEqual([]);
    });

    test('a store that sends the customer on to another site is followed: no policy of ours strands who has paid', async () => {
      const thanks = 'https://www.other.example/thanks';
      const moved = (url: string) => (url.startsWith('https://shop.example/') ? { location: thanks } : undefined);
      await using tab = await openPage(browser, { javaScriptEnabled }, moved);
      const { page } = tab;
      await openPayment(page);
      await pay(page);
      await page.waitForURL(/^https:\/\/www\.other\.example\/thanks/);
      expect(tab.faults).toEqual([]);
    });

    test('a double click on pay makes one payment and ends at the store', async () => {
      await using tab = await openPage(browser, { javaScriptEnabled });
      const { page } = tab;
      await openPayment(page);
      await fillCard(page);
      await page.getByTestId('pay-button').dblclick({ noWaitAfter: true });
      await page.waitForURL(RETURN_URL);
      expect(await attempts()).toEqual(['pay']);
    });

    test('two tabs: what one did, the other tells when it is used', async () => {
      await using tabs = await openPage(browser, { javaScriptEnabled });
      const [first, second, third] = [tabs.page, await tabs.newPage(), await tabs.newPage()] as const;
      // However long this takes: the two have not looked since, and are used as they were left.
      for (const stale of [second, third]) await stale.route('**/now', (route) => route.abort());
      const session = await openPayment(first);
      await second.goto(session.checkout_url);
      await third.goto(session.checkout_url);
      await pay(first);
      await first.waitForURL(RETURN_URL);
      await pay(second);
      await second.waitForURL(RETURN_URL);
      await third.getByRole('button', { name: 'Cancel' }).click();
      await third.getByRole('heading', { name: 'This checkout is complete' }).waitFor();
      expect(await attempts()).toEqual(['pay']);
    });

    test('a refused card keeps the tick of “Decline this payment”', async () => {
      await using tab = await openPage(browser, { javaScriptEnabled });
      const { page } = tab;
      await openPayment(page);
      await fillCard(page);
      await page.getByLabel('Expiry date').fill('01 / 20');
      await page.getByLabel('Decline this payment').check();
      await page.getByTestId('pay-button').click();
      await page.getByTestId('error-summary').waitFor();
      expect(await page.getByLabel('Decline this payment').isChecked()).toBe(true);
      await pay(page);
      await page.getByTestId('payment-declined').waitFor();
      expect(await page.getByLabel('Decline this payment').isChecked()).toBe(false);
      expect(await attempts()).toEqual(['fail']);
    });

    test('a mistyped email address is corrected on the payment step', async () => {
      await using tab = await openPage(browser, { javaScriptEnabled });
      const { page } = tab;
      await openPayment(page, {}, { ...CUSTOMER, customer_email: 'ada@exampel.com' });
      await page.getByText('Edit email').click();
      await page.getByLabel('Email').fill('ada@');
      await page.getByRole('button', { name: 'Save email' }).click();
      await page
        .getByTestId('error-summary')
        .getByRole('link', { name: /^Enter an email address/ })
        .click();
      await page.locator('#customer_email:focus').waitFor();
      await page.getByLabel('Email').fill('ada@example.com');
      await page.getByLabel('Email').press('Enter');
      await page.getByTestId('accepted-email').getByText('ada@example.com').waitFor();
      expect(await page.getByLabel('Email').isVisible()).toBe(false);
      await pay(page);
      await page.waitForURL(RETURN_URL);
      const [contract] = (await shop.call('GET', '/v1/contracts')).body.data;
      expect(contract.customer_email).toBe('ada@example.com');
      expect(tab.faults).toEqual([]);
    });

    test('§3.3 overdue payments are paid on the page of the completed checkout, each by its own button', async () => {
      await using tab = await openPage(browser, { javaScriptEnabled });
      const { page } = tab;
      const session = await open();
      const { reference } = await shop.step(session.id, 'complete');
      await shop.levers.contracts.outcomes(reference, ['fail', 'fail', 'fail', 'fail']);
      await shop.levers.clock.advance({ until: `${reference}#2=past_due` });
      await page.goto(session.checkout_url);
      const overdue = page.getByRole('list', { name: 'Overdue payments' }).getByRole('listitem');
      expect(await overdue.count()).toBe(2);
      expect(await overdue.first().innerText()).toMatch(
        /^Overdue: \$40\.00 since January 15, 2026\s+With the late charge of \$2\.00, it comes to \$42\.00\.\s+Pay \$42\.00/,
      );
      const statuses = async () =>
        (await shop.levers.contracts.get(reference)).installments.map(({ status }: { status: string }) => status);
      await page.getByRole('button', { name: 'Pay $40.00 for January 29, 2026' }).dblclick({ noWaitAfter: true });
      await overdue.nth(1).waitFor({ state: 'detached' });
      await expect.poll(statuses).toEqual(['paid', 'delinquent', 'paid', 'upcoming', 'upcoming']);
      expect(page.url()).toBe(session.checkout_url);
      await page.getByRole('button', { name: 'Pay $42.00' }).press('Enter');
      await page.getByText('Thank you. Your plan is active.').waitFor();
      expect(await statuses()).toEqual(['paid', 'paid', 'paid', 'upcoming', 'upcoming']);
      expect(await page.locator('form').count()).toBe(0);
      expect(await attempts()).toEqual(['pay', 'fail', 'fail', 'fail', 'fail', 'pay', 'pay']);
      expect(tab.faults).toEqual([]);
    });

    test('test data fills the forms without a keystroke', async () => {
      await using tab = await openPage(browser, { javaScriptEnabled });
      const { page } = tab;
      await page.goto((await open()).checkout_url);
      await page.getByRole('link', { name: 'Fill in test data' }).click();
      await page.waitForURL('**fill=1');
      await page.getByRole('button', { name: 'Accept plan' }).click();
      await page.getByTestId('checkout-payment').waitFor();
      await page.getByRole('link', { name: 'Fill in test data' }).click();
      await page.waitForURL('**fill=1');
      await page.getByTestId('pay-button').click();
      await page.waitForURL(RETURN_URL);
    });

    test('the keyboard alone is enough', async () => {
      await using tab = await openPage(browser, { javaScriptEnabled });
      const { page } = tab;
      await page.goto(`${(await open()).checkout_url}?bar=off`);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Tab');
      await page.keyboard.type('Ada Byron');
      await page.keyboard.press('Tab');
      await page.keyboard.type('ada@example.com');
      await page.keyboard.press('Enter');
      await page.getByTestId('checkout-payment').waitFor();
      await page.getByLabel('Card number').focus();
      for (const text of ['5555555555554444', '12/30', '987']) {
        await page.keyboard.type(text);
        await page.keyboard.press('Tab');
      }
      await page.keyboard.press('Enter');
      await page.waitForURL(RETURN_URL);
    });
  });

  describe('for everybody', () => {
    test('names of any script and length neither run nor break the page at 320 px', async () => {
      shop = await openShop(sim, { dba: `${'Unbreakable'.repeat(18)} <script>document.title='x'</script> שלום 🛍️` });
      await using tab = await openPage(browser, { viewport: { width: 320, height: 640 } });
      const { page } = tab;
      await page.goto((await open({ order_reference: 'W'.repeat(100) })).checkout_url);
      const overflow = () =>
        page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
      expect(await overflow()).toBe(0);
      await accept(page, '<img src=x onerror=alert(1)> علي');
      expect(await overflow()).toBe(0);
      expect(await page.getByTestId('accepted-name').textContent()).toBe('<img src=x onerror=alert(1)> علي');
      expect(await page.getByTestId('merchant-name').textContent()).toContain("<script>document.title='x'</script>");
      expect(tab.faults).toEqual([]);
    });

    test('the largest amounts stand on one line at 320 px', async () => {
      shop = await openShop(sim, { max_order_amount: 1e12 });
      await using tab = await openPage(browser, { viewport: { width: 320, height: 640 } });
      await tab.page.goto((await open({ total_amount: 1e12 })).checkout_url);
      const lines = await tab.page.evaluate<[text: string, lines: number][]>(`
        [...document.querySelectorAll('.due-today, .figures dd, .amount')].map((of) => {
          const text = document.createRange();
          text.selectNodeContents(of);
          return [of.textContent, new Set([...text.getClientRects()].map((line) => line.top)).size];
        })`);
      expect(lines).toContainEqual(['$2,500,000,000.00', 1]);
      expect(lines.filter(([, count]) => count !== 1)).toEqual([]);
    });

    test('names from right to left stay beside what they belong to', async () => {
      shop = await openShop(sim, { dba: 'متجر النور' });
      await using tab = await openPage(browser);
      const { page } = tab;
      /** Where the drawn text begins, counted from the left of its box. */
      const inset = (testId: string) =>
        page.evaluate<number>(`(() => {
          const of = document.querySelector('[data-testid=${testId}]');
          const text = document.createRange();
          text.selectNodeContents(of);
          return text.getBoundingClientRect().left - of.getBoundingClientRect().left;
        })()`);
      await page.goto((await open()).checkout_url);
      expect(await inset('merchant-name')).toBeLessThan(1);
      await accept(page, 'مريم الفاسي');
      await page.getByTestId('accepted-name').waitFor();
      expect(await inset('accepted-name')).toBeLessThan(1);
    });

    test.each([
      [1280, 1],
      [320, 3],
    ])('at %i px the simulator bar has at most as many lines as it needs: %i', async (width, most) => {
      // A long month, and a mode that is written longer than the other.
      await shop.live.call('POST', '/_sim/clock/advance', { to: '2026-09-30T09:30:00Z' });
      await using tab = await openPage(browser, { viewport: { width, height: 640 } });
      const { page } = tab;
      const lines = () =>
        page.evaluate<number>(`(() => {
          const bar = document.querySelector('[data-testid=simulator-bar]');
          const style = getComputedStyle(bar);
          const height = bar.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom);
          return height / parseFloat(getComputedStyle(bar.querySelector('.bar-controls a')).height);
        })()`);
      await page.goto((await shop.live.open()).checkout_url);
      expect(Math.round(await lines())).toBeLessThanOrEqual(most);
      await accept(page);
      await page.getByLabel('Decline this payment').waitFor();
      expect(Math.round(await lines())).toBeLessThanOrEqual(most);
    });

    test('an error takes the focus, names its field, and leads to it', async () => {
      await using tab = await openPage(browser, { javaScriptEnabled: false });
      const { page } = tab;
      await page.goto((await open()).checkout_url);
      await page.getByTestId('accept-button').click();
      const summary = page.getByTestId('error-summary');
      await summary.waitFor();
      expect(await page.title()).toMatch(/^Error: /);
      await page.locator('[data-testid=error-summary]:focus').waitFor();
      await summary.getByRole('link', { name: 'Enter your full name.' }).click();
      await page.locator('#customer_name:focus').waitFor();
      const name = page.getByRole('textbox', { name: 'Full name' });
      expect(await name.getAttribute('aria-invalid')).toBe('true');
      expect(await name.getAttribute('aria-describedby')).toContain('customer_name-error');
    });

    test('printed, the page leaves out the simulator bar and the forms', async () => {
      await using tab = await openPage(browser);
      const { page } = tab;
      await page.goto((await open()).checkout_url);
      await page.emulateMedia({ media: 'print' });
      expect(await page.getByTestId('simulator-bar').isVisible()).toBe(false);
      expect(await page.getByTestId('details-form').isVisible()).toBe(false);
      expect(await page.getByTestId('schedule').isVisible()).toBe(true);
    });
  });

  describe('what scripts add', () => {
    test('the card is put in groups while typing, and the caret stays where it was', async () => {
      await using tab = await openPage(browser);
      const { page } = tab;
      await openPayment(page);
      const number = page.getByLabel('Card number');
      await number.pressSequentially('5555555555554444');
      expect(await number.inputValue()).toBe('5555 5555 5555 4444');
      for (let back = 0; back < 5; back += 1) await number.press('ArrowLeft');
      await number.press('Backspace');
      await number.pressSequentially('1');
      expect(await number.inputValue()).toBe('5555 5555 5551 4444');
      const expiry = page.getByLabel('Expiry date');
      for (const [typed, shown] of [
        ['1230', '12 / 30'],
        ['830', '08 / 30'],
        ['12/2030', '12 / 2030'],
        ['1/30', '01 / 30'],
        ['1 - 2030', '01 / 2030'],
      ] as const) {
        await expiry.fill('');
        await expiry.pressSequentially(typed);
        expect(await expiry.inputValue()).toBe(shown);
      }
      await expiry.fill('1/30');
      expect(await expiry.inputValue()).toBe('01 / 30');
      // As HTML describes cc-exp, and a password manager may fill it in.
      await expiry.fill('2030-01');
      expect(await expiry.inputValue()).toBe('01 / 2030');
    });

    test('after a mistake in the card, the mistakes of the last attempt are no longer shown above it', async () => {
      await using tab = await openPage(browser);
      const { page } = tab;
      await openPayment(page);
      await fillCard(page);
      await page.getByLabel('Expiry date').fill('01 / 20');
      await page.getByTestId('pay-button').click();
      await page.getByTestId('error-summary').getByText('This card has expired.').waitFor();
      await fillCard(page);
      await page.getByLabel('Security code').fill('1');
      await page.getByTestId('pay-button').click();
      await page.getByTestId('card-code-error').getByText('3 or 4 digits').waitFor();
      await page.getByTestId('error-summary').waitFor({ state: 'hidden' });
      await page.getByText('Edit email').click();
      await page.getByLabel('Email').fill('ada@');
      await page.getByRole('button', { name: 'Save email' }).click();
      await page.getByTestId('error-summary').waitFor();
      await page.getByTestId('pay-button').click();
      expect(await page.getByTestId('error-summary').isVisible()).toBe(true);
    });

    test('a page sends one form: a click on cancel right after pay changes nothing', async () => {
      await using tab = await openPage(browser);
      const { page } = tab;
      const session = await openPayment(page);
      await fillCard(page);
      await page.evaluate(`for (const name of ['pay-button', 'cancel-button'])
        document.querySelector('[data-testid=' + name + ']').click()`);
      await page.waitForURL(RETURN_URL);
      expect((await sessionOf(session.id)).status).toBe('completed');
    });

    test('a customer who stops a store that does not answer sees that it is paid', async () => {
      const store = createServer(() => undefined).listen(0, '127.0.0.1');
      await once(store, 'listening');
      await shop.set({ allow_http_localhost: true });
      await using tab = await openPage(browser);
      const { page } = tab;
      const return_url = `http://127.0.0.1:${(store.address() as AddressInfo).port}/thanks`;
      await openPayment(page, { return_url });
      await fillCard(page);
      await Promise.all([once(store, 'request'), page.getByTestId('pay-button').click({ noWaitAfter: true })]);
      await stopLoading(page);
      await page.getByRole('heading', { name: 'This checkout is complete' }).waitFor();
      store.closeAllConnections();
      store.close();
    });

    test('a form whose response is stopped can be sent again', async () => {
      await using tab = await openPage(browser);
      const { page } = tab;
      await openPayment(page);
      await payAndStop(page);
      await page.locator('[data-testid=pay-button]:not([aria-disabled])').waitFor();
      await page.getByTestId('pay-button').click();
      await page.waitForURL(RETURN_URL);
      expect(await attempts()).toEqual(['pay']);
    });

    describe('in a browser that does not tell the page that it stopped', () => {
      test('a form can be sent again after a while', async () => {
        await using tab = await openPage(browser);
        const { page } = tab;
        await page.clock.install();
        await page.addInitScript('delete globalThis.navigation');
        await openPayment(page);
        await payAndStop(page);
        await page.clock.fastForward('00:05');
        expect(await page.getByTestId('pay-button').getAttribute('aria-disabled')).toBe('true');
        await page.clock.fastForward('00:05');
        await page.locator('[data-testid=pay-button]:not([aria-disabled])').waitFor();
        await page.getByTestId('pay-button').click();
        await page.waitForURL(RETURN_URL);
        expect(await attempts()).toEqual(['pay']);
      });

      test('Escape, which stops it, shows what was done', async () => {
        await using tab = await openPage(browser);
        const { page } = tab;
        await page.addInitScript('delete globalThis.navigation');
        const { id } = await openPayment(page);
        await payAndStop(page);
        await shop.step(id, 'pay');
        await page.keyboard.press('Escape');
        await page.getByTestId('checkout-completed').waitFor();
      });
    });

    test('a corrected email leaves the card as typed, and the tick of “Decline”', async () => {
      await using tab = await openPage(browser);
      const { page } = tab;
      await openPayment(page);
      await fillCard(page);
      const typed = await page.getByLabel('Card number').inputValue();
      await page.getByLabel('Decline this payment').check();
      await page.getByText('Edit email').click();
      await page.getByLabel('Email').fill('ada@');
      await page.getByRole('button', { name: 'Save email' }).click();
      await page.locator('[data-testid=error-summary]:focus').waitFor();
      expect(await page.title()).toMatch(/^Error: /);
      await page.getByLabel('Email').fill('ada@lovelace.example');
      await page.getByRole('button', { name: 'Save email' }).click();
      await page.getByTestId('accepted-email').getByText('ada@lovelace.example').waitFor();
      await page.locator('[data-testid=edit-email] summary:focus').waitFor();
      expect(await page.getByTestId('error-summary').count()).toBe(0);
      expect(await page.title()).not.toMatch(/^Error: /);
      expect(await page.getByLabel('Card number').inputValue()).toBe(typed);
      expect(await page.getByLabel('Decline this payment').isChecked()).toBe(true);
      await page.getByTestId('pay-button').click();
      await page.getByTestId('payment-declined').waitFor();
      expect(await attempts()).toEqual(['fail']);
      expect(tab.faults).toEqual([]);
    });

    test('an email that is corrected after a decline leaves no error in the title; another tab shows it', async () => {
      await using tab = await openPage(browser);
      const { page } = tab;
      const session = await openPayment(page);
      const other = await tab.newPage();
      await other.goto(session.checkout_url);
      await page.bringToFront();
      await page.getByLabel('Decline this payment').check();
      await pay(page);
      await page.getByTestId('payment-declined').waitFor();
      expect(await page.title()).toMatch(/^Error: /);
      await page.getByText('Edit email').click();
      await page.getByLabel('Email').fill('ada@lovelace.example');
      await page.getByRole('button', { name: 'Save email' }).click();
      await page.locator('[data-testid=edit-email] summary:focus').waitFor();
      expect(await page.getByTestId('payment-declined').count()).toBe(0);
      expect(await page.title()).toBe('Pay $50.00 to Harbour & Pine');
      // The page looks again when it is shown.
      await other.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
      await other.getByTestId('accepted-email').getByText('ada@lovelace.example').waitFor();
      expect(tab.faults).toEqual([]);
    });

    test('an email that is saved after the checkout was cancelled leads to what the checkout is now', async () => {
      await using tab = await openPage(browser);
      const { page } = tab;
      const session = await openPayment(page);
      await page.getByText('Edit email').click();
      await shop.step(session.id, 'cancel');
      await page.getByLabel('Email').fill('ada@lovelace.example');
      await page.getByRole('button', { name: 'Save email' }).click();
      await page.locator('main:not([data-testid=checkout-payment])').waitFor();
      expect(tab.faults).toEqual([]);
    });

    test('a mistake is reported before anything is sent, and the card stays as typed', async () => {
      await using tab = await openPage(browser);
      const { page } = tab;
      await openPayment(page);
      await page.getByLabel('Card number').fill('5555 5555 5555 4445');
      await page.getByLabel('Expiry date').fill('12 / 30');
      await page.getByTestId('pay-button').click();
      expect(await page.getByTestId('card-number-error').textContent()).toContain('A digit seems to be wrong');
      expect(await page.getByTestId('card-code-error').textContent()).toBe('Enter the security code.');
      expect(await page.getByLabel('Expiry date').inputValue()).toBe('12 / 30');
      await page.locator('#card_number:focus').waitFor();
      await page.getByLabel('Card number').fill('5555 5555 5555 4444');
      await page.getByLabel('Security code').fill('987');
      await page.getByTestId('pay-button').click();
      await page.waitForURL(RETURN_URL);
      expect(await attempts()).toEqual(['pay']);
    });

    test('the browser finds the mistakes that the server would, in the same words', async () => {
      await using tab = await openPage(browser);
      const { page } = tab;
      await openPayment(page);
      const sent: string[] = [];
      page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
      const wrong = { number: '5555 5555 555', expiry: '13 / 30', code: '12' };
      await page.getByLabel('Card number').fill(wrong.number);
      await page.getByLabel('Expiry date').fill(wrong.expiry);
      await page.getByLabel('Security code').fill(wrong.code);
      await page.getByTestId('pay-button').click();
      const errors = checkCard(wrong, 0);
      expect(Object.keys(errors)).toEqual(['number', 'expiry', 'code']);
      for (const [field, message] of Object.entries(errors)) {
        expect(await page.getByTestId(`card-${field}-error`).textContent()).toBe(message);
      }
      expect(sent).toEqual([]);
    });

    test('“Fill in test data” keeps the tick of “Decline this payment”, for that page only', async () => {
      await using tab = await openPage(browser);
      const { page } = tab;
      await openPayment(page);
      await page.getByTestId('decline-payment').check();
      await page.getByTestId('fill-test-data').click();
      await page.locator('#card_number[value]').waitFor();
      await expect.poll(() => page.getByTestId('decline-payment').isChecked()).toBe(true);
      await page.getByTestId('pay-button').click();
      await page.getByTestId('payment-declined').waitFor();
      expect(await page.getByTestId('decline-payment').isChecked()).toBe(false);
      await page.getByTestId('fill-test-data').click();
      await page.getByTestId('pay-button').click();
      await page.waitForURL(RETURN_URL);
      expect(await attempts()).toEqual(['fail', 'pay']);
    });

    test('after a decline, a mistake is reported instead of it', async () => {
      await using tab = await openPage(browser);
      const { page } = tab;
      await openPayment(page);
      await page.getByLabel('Decline this payment').check();
      await pay(page);
      await page.getByTestId('payment-declined').waitFor();
      await page.getByTestId('pay-button').click();
      await page.getByText('Enter the card number.').waitFor();
      await page.getByTestId('payment-declined').waitFor({ state: 'hidden' });
    });

    test('the time left runs with the account clock, and at its end the page tells that it is over', async () => {
      const time = manualTime();
      await using moving = await createSimulator({ seed: 1, time, clock: { runningFrom: '2030-06-01T12:00:00Z' } });
      shop = await openShop(moving);
      await using tab = await openPage(browser);
      const { page } = tab;
      await page.clock.install();
      await page.goto((await open()).checkout_url);
      const left = leftOn(page);
      await expect.poll(left).toMatch(/^\((01:00:00|59:5\d) left\)$/);
      time.pass(3_000_000);
      await page.clock.fastForward('50:00');
      await expect.poll(left).toMatch(/^\((10:00|09:5\d) left\)$/);
      time.pass(600_000);
      await page.clock.fastForward('10:00');
      await page.getByRole('heading', { name: 'This checkout has expired' }).waitFor();
      expect(await page.locator('form').count()).toBe(0);
    });

    test('the time left stands still with a frozen clock, and follows whoever moves it', async () => {
      await using tab = await openPage(browser);
      const { page } = tab;
      await page.clock.install();
      await page.goto((await open()).checkout_url);
      const left = leftOn(page);
      const clock = () => page.getByTestId('simulator-clock').textContent();
      await expect.poll(left).toBe('(01:00:00 left)');
      await page.clock.fastForward('20:00');
      expect(await left()).toBe('(01:00:00 left)');

      await page.getByLabel('Full name').fill('Ada Byron');
      await shop.call('POST', '/_sim/clock/advance', { by: '45m' });
      await page.clock.fastForward('00:05');
      await expect.poll(left).toBe('(15:00 left)');
      expect(await clock()).toBe('Simulated time January 1, 2026, 10:15 UTC (frozen)');
      expect(await page.getByLabel('Full name').inputValue()).toBe('Ada Byron');

      await shop.call('POST', '/_sim/clock/resume');
      await page.clock.fastForward('00:05');
      await expect.poll(clock).not.toContain('frozen');
      await page.clock.fastForward('00:02');
      await expect.poll(left).toMatch(/^\(14:\d\d left\)$/);
    });

    test('the schedule of a page left open follows the clock, on the payment step too', async () => {
      await using tab = await openPage(browser);
      const { page } = tab;
      await page.clock.install();
      const session = await open();
      await shop.step(session.id, 'accept', { customer_name: 'Ada Byron', customer_email: 'ada@example.com' });
      await page.goto(session.checkout_url);
      const second = page.getByTestId('schedule-payment').nth(1);
      expect(await second.textContent()).toContain('January 15, 2026');
      await page.getByLabel('Security code').fill('123');
      await shop.call('POST', '/_sim/clock/advance', { by: '10d' });
      await page.clock.fastForward('00:05');
      await expect.poll(() => second.textContent()).toContain('January 25, 2026');
      expect(await page.getByLabel('Security code').inputValue()).toBe('123');
    });

    test('a completed checkout left open shows what becomes overdue, and pays it once', async () => {
      await using tab = await openPage(browser);
      const { page } = tab;
      await page.clock.install();
      const session = await open();
      const { reference } = await shop.step(session.id, 'complete');
      await page.goto(`${session.checkout_url}?bar=off`);
      await shop.levers.contracts.outcomes(reference, ['fail', 'fail']);
      await shop.levers.clock.advance({ until: `${reference}#1=past_due` });
      await page.clock.fastForward('00:05');
      const button = page.getByTestId('settle-button');
      await button.focus();
      for (const _look of [1, 2]) {
        await Promise.all([page.waitForResponse('**/now?bar=off'), page.clock.fastForward('00:05')]);
      }
      const focused = page.locator('[data-testid=settle-button]:focus');
      expect(await focused.count()).toBe(1);
      await shop.levers.clock.advance({ until: `${reference}#1=delinquent` });
      await page.clock.fastForward('00:05');
      await button.getByText('Pay $42.00').waitFor();
      expect(await focused.count()).toBe(1);
      await button.dblclick({ noWaitAfter: true });
      await button.waitFor({ state: 'detached' });
      expect(await attempts()).toEqual(['pay', 'fail', 'fail', 'pay']);
    });

    test('a page left open on its errors tells by itself that the offer has lapsed', async () => {
      await using tab = await openPage(browser);
      const { page } = tab;
      await page.clock.install();
      const session = await open();
      await page.goto(session.checkout_url);
      await page.getByTestId('accept-button').click();
      await page.getByTestId('error-summary').waitFor();
      await shop.call('POST', '/_sim/clock/advance', { to: session.expires_at });
      await page.clock.fastForward('00:05');
      await page.getByRole('heading', { name: 'This checkout has expired' }).waitFor();
      expect(page.url()).toBe(session.checkout_url);
      expect(tab.faults).toEqual([]);
    });
  });
});

/** What is said of the time left. */
const leftOn = (page: Page) => async () => (await page.getByTestId('countdown').textContent())?.trim();

/** What the Stop button of a browser does. */
async function stopLoading(page: Page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Page.stopLoading');
}

/** Pays by card, and stops the page before there is a response. The service is not asked. */
async function payAndStop(page: Page) {
  await fillCard(page);
  const asked = page.waitForRequest('**/pay');
  await page.route('**/pay', () => undefined, { times: 1 });
  await Promise.all([asked, page.getByTestId('pay-button').click({ noWaitAfter: true })]);
  await stopLoading(page);
}

async function accept(page: Page, name = 'Ada Byron') {
  await page.getByLabel('Full name').fill(name);
  const email = page.getByLabel('Email');
  if ((await email.inputValue()) === '') await email.fill('ada@example.com');
  await page.getByRole('button', { name: 'Accept plan' }).click();
  await page.getByTestId('checkout-payment').waitFor();
  // The form is visible before the page's style and script have loaded.
  await page.waitForLoadState('load');
}

async function fillCard(page: Page) {
  await page.getByLabel('Card number').fill('5555 5555 5555 4444');
  await page.getByLabel('Expiry date').fill('12 / 30');
  await page.getByLabel('Security code').fill('987');
}

async function pay(page: Page) {
  await fillCard(page);
  await page.getByTestId('pay-button').click();
}
