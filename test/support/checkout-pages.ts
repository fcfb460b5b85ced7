import type { Page } from 'playwright-core';
import { expectData, type TestShop } from './shop.ts';

/** Walks through every page of the checkout, with mistakes, and calls `look` with the name of each. */
export async function everyCheckoutPage(page: Page, shop: TestShop, look: (name: string) => Promise<void>) {
  const on = (testId: string) => page.getByTestId(testId).waitFor();
  const submit = async (button: string, then: string) => {
    await page.getByTestId(button).click();
    await on(then);
  };
  const card = async (expiry: string) => {
    await page.getByLabel('Card number').fill('5555 5555 5555 4444');
    await page.getByLabel('Expiry date').fill(expiry);
    await page.getByLabel('Security code').fill('987');
  };

  const { id, checkout_url: address } = await shop.open();
  await page.goto(address);
  await on('checkout-details');
  await look('details');
  await submit('accept-button', 'error-summary');
  await look('details with errors');
  await page.getByLabel('Full name').fill('Ada Byron');
  await page.getByLabel('Email').fill('ada@example.com');
  await submit('accept-button', 'checkout-payment');
  await look('payment');
  await page.getByTestId('pay-button').click();
  await page.locator('#card_number:focus').waitFor();
  await look('payment with errors, told by the script');
  await card('01 / 20');
  await submit('pay-button', 'error-summary');
  await look('payment with errors');
  await card('12 / 30');
  await page.getByTestId('decline-payment').check();
  await submit('pay-button', 'payment-declined');
  await look('declined');
  // An open page would follow by itself.
  await page.goto('about:blank');
  await shop.step(id, 'pay');
  await page.goto(address);
  await on('checkout-completed');
  await look('completed');

  const cancelled = await shop.open();
  await page.goto(cancelled.checkout_url);
  await page.evaluate(`document.querySelector('#details-form [name=form_token]').value = 'of another page'`);
  await submit('accept-button', 'checkout-refused');
  await look('refused');
  await shop.step(cancelled.id, 'cancel');
  await page.goto(cancelled.checkout_url);
  await on('checkout-cancelled');
  await look('cancelled');

  const { checkout_url: expiring } = await shop.open();
  await page.goto(expiring);
  await submit('expire-session', 'checkout-expired');
  await look('expired');
  await page.goto(`${address}0`);
  await on('checkout-unknown');
  await look('unknown');

  const [plan] = expectData(await shop.call('GET', '/v1/contracts?status=active'));
  await shop.levers.contracts.outcomes(plan.reference, ['fail', 'fail']);
  await shop.levers.clock.advance({ until: `${plan.reference}#1=delinquent` });
  await page.goto(address);
  await on('overdue');
  await look('completed, with an overdue payment');

  const live = await shop.live.open();
  await page.goto(live.checkout_url);
  await on('checkout-details');
  await look('details, on the live account');
}
