import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import type { Simulator } from '../../../src/index.ts';
import { button, copied, inChromium, NAMES, openView, rows, type Stage, showNew } from '../../support/browser.ts';
import { needing } from '../../support/programs.ts';
import { openShop, type TestShop } from '../../support/shop.ts';

let createSimulator: Stage['createSimulator'];
let sim: Simulator;
let shop: TestShop;
let visit: Stage['visit'];

describe('inbox and requests in the dashboard', needing('chromium', 'sh'), () => {
  inChromium((stage) => {
    ({ createSimulator, sim, shop, visit } = stage);
  });

  describe('inbox', () => {
    test('an email as it looks, its text and source, its contract and cause; nothing in it runs', async () => {
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
      await button(page, 'Source').click();
      await page.getByText('<!doctype html>').waitFor();
      await page.waitForURL('**?as=source');
      await page.reload();
      await page.getByText('<!doctype html>').waitFor();
      await button(page, 'Text').click();
      await page.getByText(`Agreement: ${reference}`).waitFor();
      const email = page.getByTestId('email');
      await email.getByRole('link', { name: reference }).waitFor();
      await page.getByRole('searchbox', { name: 'Search address, contract, template' }).fill('nobody@');
      await page.waitForURL('**search=nobody**');
      await email.getByRole('link', { name: 'contract.activated' }).click();
      await page.getByRole('heading', { level: 1, name: 'contract.activated' }).waitFor();
      expect(tab.faults).toEqual([]);
      expect(tab.left).toEqual([]);
    });

    test('a search that finds nothing says so beside the email that is open', async () => {
      await shop.complete();
      const [email] = await shop.shop.emails.list();
      await using tab = await visit(`/inbox/${email?.id}?search=nobody`);
      const list = tab.page.getByRole('navigation', { name: 'Emails' });
      await list.getByText('Nothing matches.').waitFor();
      await tab.page.getByTestId('email').waitFor();
      await tab.page.getByRole('searchbox').fill('');
      await list.getByRole('link').waitFor();
      expect(await list.getByText('Nothing matches.').count()).toBe(0);
      expect(tab.faults).toEqual([]);
    });

    test('the cause of an email is the event that triggered it, however much happened at that instant', async () => {
      const { contracts, clock, emails, events } = shop.shop;
      const { reference } = await shop.complete();
      await contracts.outcomes(reference, ['fail', 'fail', 'fail', 'fail']);
      await clock.advance({ until: `${reference}#2=past_due` });
      for (const number of [1, 2]) await contracts.settle(reference, number);
      await contracts.cancel(reference);
      await using tab = await visit('/inbox');
      const { page } = tab;
      const cause = page.getByTestId('email').locator('dl > div', { hasText: 'Caused by' }).getByRole('link');
      const causeOf = async ({ id, template }: { readonly id: string; readonly template: string }) => {
        await tab.go(`/inbox/${id}`);
        await page.getByText(template, { exact: true }).waitFor();
        const event = await events.get((await cause.getAttribute('href'))?.split('/').at(-1) ?? '');
        return [template, event.type, 'installment' in event.data ? event.data.installment.installment_number : null];
      };
      const told = [];
      for (const email of await emails.list({ reference, limit: 6 })) told.push(await causeOf(email));
      expect(told).toEqual([
        ['plan_cancelled_customer', 'contract.cancelled', null],
        ['plan_cancelled_merchant', 'contract.cancelled', null],
        ['installment_receipt', 'installment.paid', 2],
        ['installment_receipt', 'installment.paid', 1],
        ['past_due_notice', 'installment.past_due', 2],
        ['delinquent_notice', 'installment.delinquent', 1],
      ]);
    });

    test('an email on a laptop, a tablet and a phone shows everything, however long the words are', async () => {
      const name = 'W'.repeat(255);
      const { id } = await shop.open({ order_reference: 'W'.repeat(100) });
      await shop.step(id, 'complete', { customer_name: name, customer_email: 'long.address@stores.example.com' });
      await using tab = await visit('/clock');
      const { page } = tab;
      const letter = page.frameLocator('iframe');
      const sideways = ({ scrollWidth, clientWidth }: { scrollWidth: number; clientWidth: number }) =>
        scrollWidth - clientWidth;
      for (const width of [1280, 840, 360]) {
        await tab.go('/clock');
        await page.setViewportSize({ width, height: 800 });
        await tab.go('/inbox?search=long.address@stores.example.com');
        const written = page.getByRole('navigation', { name: 'Emails' }).locator('time');
        const tops = await written.evaluate((of) =>
          [...of.children].map((part) => Math.round(part.getBoundingClientRect().top)),
        );
        expect(tops[1], `${width} px`).toBe(tops[0]);
        await page.getByRole('link', { name: /Your layaway plan/ }).click();
        await letter.getByText(`Hello ${name},`).waitFor();
        expect(await letter.locator('html').evaluate(sideways), `${width} px`).toBe(0);
        expect(await page.evaluate<string[]>(BEYOND_FACTS), `${width} px`).toEqual([]);
      }
    });

    test('an email is printed whole, and without the others', async () => {
      const { reference } = await shop.shop.contracts.create({ installment: { number: 2, status: 'delinquent' } });
      for (const { id, subject } of await shop.shop.emails.list({ reference })) {
        await using tab = await visit(`/inbox/${id}`, { viewport: { width: 718, height: 1000 } });
        const { page } = tab;
        await page.frameLocator('iframe').getByText(reference).first().waitFor();
        await page.emulateMedia({ media: 'print' });
        await expect.poll(() => page.getByRole('navigation', { name: 'Emails' }).count()).toBe(0);
        const letter = page.frameLocator('iframe').locator('html');
        expect(await letter.evaluate((of) => of.scrollHeight - of.clientHeight), subject).toBe(0);
      }
    });

    test.each([
      ['laptop', 1280],
      ['phone', 320],
    ])('on a %s, an email that is chosen by keyboard has the focus, and is in view', async (_device, width) => {
      for (let n = 0; n < 30; n += 1) await shop.shop.contracts.create({ status: 'active' });
      await using tab = await visit('/inbox', { viewport: { width, height: 640 } });
      const { page } = tab;
      const chosen = page.getByRole('navigation', { name: 'Emails' }).getByRole('link').nth(20);
      await chosen.focus();
      await page.keyboard.press('Enter');
      const heading = page.getByTestId('email').getByRole('heading', { level: 2 });
      await page.getByTestId('email').locator('h2:focus').waitFor();
      expect(await heading.textContent()).toContain('Your layaway plan');
      const top = await heading.evaluate((of) => of.getBoundingClientRect().top);
      expect(top).toBeGreaterThanOrEqual(0);
      expect(top).toBeLessThan(width === 320 ? 320 : 640);
      await page.keyboard.press('Tab');
      await page.getByTestId('email').locator('a:focus').waitFor();
    });

    test('the email that is open is marked in the list without the page’s colours, too', async () => {
      await shop.complete();
      await shop.complete();
      const [email] = await shop.shop.emails.list();
      await using tab = await visit(`/inbox/${email?.id}`, { forcedColors: 'active' });
      const edge = (link: string) =>
        tab.page.evaluate<string>(
          `getComputedStyle(document.querySelector('.mail-list ${link}')).borderInlineStartWidth`,
        );
      await tab.page.getByTestId('email').waitFor();
      expect(await edge('a:not([aria-current])')).toBe('0px');
      expect(await edge('a[aria-current]')).toBe('6px');
    });

    test('the sender reads from left to right, even if its name does not', async () => {
      const other = await openShop(sim, { dba: 'متجر Shop' });
      await other.step((await other.open()).id, 'complete');
      await using tab = await visit('/inbox', { account: other.shop.clientId });
      await tab.page.getByRole('link', { name: /Your layaway plan/ }).click();
      const sender = tab.page.getByText('"متجر Shop" <layaway@sandbox.example>', { exact: true });
      expect(await sender.evaluate((from) => from.matches(':dir(ltr)'))).toBe(true);
    });
  });

  describe('requests', () => {
    test('the log with bodies, narrowed by path and status; one is copied as curl', async () => {
      await using tab = await visit('/requests');
      const { page } = tab;
      await page.getByRole('heading', { name: 'Requests', level: 1 }).waitFor();
      await shop.call('GET', '/v1/ping');
      await showNew(page, rows(page, 'Requests').filter({ hasText: '/v1/ping' }));
      await shop.call('POST', '/v1/sessions', { total_amount: 12.5 });
      await page.getByRole('searchbox', { name: 'Path begins with' }).fill('/v1/sess');
      await page.getByRole('combobox', { name: 'Status' }).selectOption('4xx');
      await expect.poll(() => rows(page, 'Requests').count()).toBe(1);
      await page.getByRole('link', { name: '/v1/sessions' }).click();
      await page.getByText('"The total amount field must be an integer."').waitFor();
      const command = await copied(page, 'Copy as curl');
      expect(command).toContain(`-d '{"total_amount":12.5}'`);
      expect(command).not.toContain(shop.shop.apiKey);
      // After -d, curl would send the content of that file.
      await shop.call('POST', '/v1/sessions', '@order.json');
      const [named] = await shop.levers.logs.list();
      await openView(page, `${shop.shop.clientId}/requests/${named?.id}`);
      expect(await copied(page, 'Copy as curl')).toContain('--data-raw @order.json');
      // With -X HEAD, curl would wait for a body.
      await shop.call('HEAD', '/v1/ping');
      await page.getByRole('link', { name: 'All requests' }).click();
      await rows(page, 'Requests').filter({ hasText: 'HEAD' }).getByRole('link').click();
      await page.getByRole('heading', { name: 'HEAD /v1/ping' }).waitFor();
      expect(await copied(page, 'Copy as curl')).toContain(`curl --head ${sim.url}/v1/ping `);
    });

    test.each([
      [415, 'a body that is not JSON', { 'content-type': 'text/plain' }, '{"a":1}'],
      [422, 'a body that is not text', {}, new Uint8Array([0x7b, 0xff, 0x7d])],
    ] as const)(
      'decisions §5: after %i, %s is missed, and the copy gets the same response',
      needing('curl'),
      async (...of) => {
        const [status, , headers, sent] = of;
        const { text } = await shop.call('POST', '/v1/sessions', sent, headers);
        const [logged] = await shop.levers.logs.list();
        await using tab = await visit(`/requests/${logged?.id}`);
        await tab.page.getByText('The log does not have the body of this request.').waitFor();
        const command = await copied(tab.page, 'Copy as curl');
        const env = { [`API_KEY_OF_${shop.shop.clientId}`]: shop.shop.apiKey };
        const { stdout } = await execa('sh', ['-c', `${command} -sS -w '%{http_code}'`], { env });
        expect(stdout).toBe(`${text}${status}`);
        expect(tab.faults).toEqual([]);
      },
    );

    test('a long path leaves room for its request, and is shown whole below', async () => {
      const path = `/v1/${'abcdefghi/'.repeat(200)}`;
      await shop.call('GET', path);
      const [logged] = await shop.levers.logs.list();
      await using tab = await visit(`/requests/${logged?.id}`, { viewport: { width: 640, height: 800 } });
      const facts = tab.page.getByRole('heading', { name: 'Facts' });
      expect((await facts.boundingBox())?.y).toBeLessThan(600);
      expect(await tab.page.getByRole('figure', { name: 'Path' }).innerText()).toBe(path);
      await tab.page.getByRole('link', { name: 'All requests' }).click();
      await tab.page.setViewportSize({ width: 390, height: 800 });
      expect((await rows(tab.page, 'Requests').first().boundingBox())?.height).toBeLessThan(200);
      expect(tab.faults).toEqual([]);
    });

    test('interface §2: of a server that keeps no request log, it says so', async () => {
      await using house = await createSimulator({ requestLog: false });
      await fetch(`${house.url}/v1/ping`, { headers: house.default.headers });
      await using tab = await visit('/requests', { house, account: house.default.clientId });
      await tab.page.getByText('This server keeps no request log').waitFor();
      expect(await tab.page.getByText('No request yet').count()).toBe(0);
      await tab.page.goto(`${house.url}/dashboard/${house.default.clientId}/requests/req_000000000001`);
      await tab.page.getByText('This server keeps no request log').waitFor();
      expect(tab.faults).toEqual([]);
    });

    test('what any page can put into the log runs nothing when it is copied and pasted', async () => {
      const path = `/v1/contracts/../ping?'$(touch\${IFS}a)'"\`touch\${IFS}b\`";touch\${IFS}c;[1-9]{x,y}\\';touch\${IFS}d;'!!`;
      await new Promise<void>((resolve, reject) => {
        const { hostname, port } = new URL(sim.url);
        const headers = { 'x-client-id': shop.shop.clientId };
        request({ hostname, port, path, headers, insecureHTTPParser: true }, (response) =>
          response.resume().on('end', resolve),
        )
          .on('error', reject)
          .end();
      });
      await using tab = await visit('/requests');
      await tab.page.getByRole('link', { name: '$(touch' }).first().click();
      const command = await copied(tab.page, 'Copy as curl');

      const folder = await mkdtemp(join(tmpdir(), 'layaway-pasted-'));
      await writeFile(join(folder, 'curl'), `#!/bin/sh\nprintf '%s\\n' "$@" >sent\n`, { mode: 0o755 });
      const env = { PATH: `${folder}:${process.env.PATH}`, LAYAWAY_BASE_URL: sim.url, LAYAWAY_API_KEY: 'key' };
      await execa('sh', ['-c', command], { cwd: folder, env, extendEnv: false });
      expect((await readdir(folder)).sort()).toEqual(['curl', 'sent']);
      const sent = (await readFile(join(folder, 'sent'), 'utf8')).split('\n');
      expect(sent.slice(0, 5)).toEqual(['-g', '--path-as-is', '-X', 'GET', `${sim.url}${path}`]);
    });
  });
});

/** What an email's panel shows further to the right than its facts. */
const BEYOND_FACTS = `(() => {
  const panel = document.querySelector('[data-testid=email]');
  const { right } = panel.querySelector('.facts').getBoundingClientRect();
  return [...panel.querySelectorAll('.panel-body *')]
    .filter((each) => each.getBoundingClientRect().right > right + 1)
    .map(({ outerHTML }) => outerHTML.slice(0, 200));
})()`;
