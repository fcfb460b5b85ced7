import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { describe, expect, inject, test } from 'vitest';
import { reasons } from '../../src/domain/explain/reasons.ts';
import { runScenario, type Simulator } from '../../src/index.ts';
import { pack } from '../../src/trace/file.ts';
import { button, inChromium, openPage, openView, type Stage } from '../support/browser.ts';
import { startUntilReady } from '../support/child.ts';
import { needing } from '../support/programs.ts';
import { openReceiver } from '../support/receiver.ts';
import type { TestShop } from '../support/shop.ts';

let sim: Simulator;
let browser: Browser;
let shop: TestShop;
let visit: Stage['visit'];

const program = join(inject('layaway'), 'bin/layaway.js');

describe('interface §11: the dashboard tells why, and opens traces', needing('chromium'), () => {
  inChromium((stage) => {
    ({ sim, browser, shop, visit } = stage);
  });

  /** A plan whose first installment went past due, with an endpoint that answered 500 at first. */
  async function overdue(url: string) {
    await shop.levers.webhooks.add(url);
    const { id: session } = await shop.open();
    const { reference } = await shop.levers.sessions.complete(session);
    await shop.levers.contracts.outcomes(reference, ['fail', 'fail']);
    await shop.levers.clock.advance({ until: `${reference}#1=past_due` });
    return { session, reference };
  }

  test('"Why?" tells the same chain from every kind of id, and its ids lead on', async () => {
    await using receiver = await openReceiver([500]);
    const { session, reference } = await overdue(receiver.url);
    const [event] = await shop.levers.events.list({ type: 'installment.past_due' });
    const [delivery] = await shop.levers.webhooks.deliveries({ event_id: event?.id as string });
    const [email] = await shop.levers.emails.list();
    const [request] = await shop.levers.logs.list({ path: '/v1/sessions' });
    const pages = [
      [`/sessions/${session}`, session],
      [`/contracts/${reference}`, reference],
      [`/events/${event?.id}`, event?.id],
      [`/webhooks/${delivery?.id}`, delivery?.id],
      [`/inbox/${email?.id}`, email?.id],
      [`/requests/${request?.id}`, request?.id],
    ] as const;

    await using tab = await visit(pages[0][0]);
    const { page } = tab;
    const panel = page.getByTestId('explain');
    const chain = panel.locator('.chain').first().locator('li');
    for (const [path, id] of pages) {
      await tab.go(path);
      await button(panel, 'Explain').click();
      const explained = await shop.levers.explain(id as string);
      await expect.poll(() => chain.count()).toBe(explained.chain.length);
      const shown = await chain.allTextContents();
      const because = reasons(explained.chain);
      for (const [place, { what, section }] of explained.chain.entries()) {
        expect(shown[place], path).toContain(`${what} ${because[place]?.replaceAll('`', '')}`);
        if (section !== null) expect(shown[place], path).toContain(`(${section})`);
      }
      expect(shown[0], path).toContain('POST /v1/sessions returned 201.');
      expect(await panel.textContent(), path).toContain(explained.summary.replace(/`(layaway .+?)`/, '$1 Copy'));
      const [, suggested = ''] = /`(layaway .+?)`/.exec(explained.summary) ?? [];
      await button(panel.locator('p').first(), `Copy ${suggested}`).click();
      const copied = () => page.evaluate<string>('navigator.clipboard.readText()');
      const reaching = `--base-url ${sim.url} --client-id ${shop.shop.clientId} --api-key`;
      await expect.poll(copied).toMatch(new RegExp(`^npx ${suggested} ${reaching} "\\S+"$`));
      expect(shown.join('\n'), path).toContain('installment.past_due was recorded');
      const ahead = panel.locator('.chain').nth(1).locator('li');
      expect(await ahead.count(), path).toBe(explained.ahead.length);
      expect(explained.ahead.length, path).toBeGreaterThan(0);
    }

    await tab.go(`/contracts/${reference}`);
    await button(panel, 'Explain').click();
    await chain.first().getByRole('link', { name: /^req_/ }).click();
    await page.getByRole('heading', { level: 1, name: /POST/ }).waitFor();
    expect(page.url()).toContain(`/requests/${request?.id}`);
    await button(panel, 'Explain').click();
    await chain.getByRole('link', { name: /^evt_/ }).last().click();
    await page.getByRole('heading', { level: 1, name: 'installment.past_due' }).waitFor();
    await button(panel, 'Explain').click();
    await chain.first().waitFor();
    await button(panel, 'Hide the explanation').click();
    expect(await chain.count()).toBe(0);
    expect(tab.faults).toEqual([]);
  });

  test('going back shows the explanation at the same place; the levers that it speaks of are named', async () => {
    const { reference } = await overdue('http://127.0.0.1:1/hook');
    await using tab = await visit(`/contracts/${reference}`);
    const { page } = tab;
    const panel = page.getByTestId('explain');
    const scrolled = () => page.evaluate<number>('Math.round(scrollY)');
    await button(panel, 'Explain').click();
    const arranged = panel.locator('.chain li').filter({ hasText: 'The next collection attempts were arranged' });
    const lever = await arranged.locator('code').textContent();
    expect(lever).toMatch(/^lvr_\d{12}$/);
    await panel.getByText(`arranged by ${lever}.`).first().waitFor();
    const event = panel.getByRole('link', { name: /^evt_/ }).last();
    await event.scrollIntoViewIfNeeded();
    const place = await scrolled();
    await event.click();
    await page.getByRole('heading', { level: 1, name: 'installment.past_due' }).waitFor();
    await button(panel, 'Explain').waitFor();
    await page.goBack();
    await event.waitFor();
    await expect.poll(scrolled).toBe(place);
    await button(panel, 'Hide the explanation').click();
    await page.reload();
    await button(panel, 'Explain').waitFor();
    expect(tab.faults).toEqual([]);
  });

  test('going back from one delivery to another shows the explanation, too', async () => {
    await using receiver = await openReceiver([]);
    await shop.levers.webhooks.add(receiver.url);
    await shop.complete();
    const [last, first] = (await shop.levers.webhooks.deliveries()).map(({ id }) => id);
    await using tab = await visit(`/webhooks/${last}`);
    const { page } = tab;
    const panel = page.getByTestId('explain');
    await button(panel, 'Explain').click();
    await panel.locator('.chain').first().waitFor();
    await page.getByRole('table', { name: 'Deliveries of this checkout' }).locator(`a[title="${first}"]`).click();
    await page.waitForURL(`**/webhooks/${first}`);
    await button(panel, 'Explain').waitFor();
    await page.goBack();
    await page.waitForURL(`**/webhooks/${last}`);
    await button(panel, 'Hide the explanation').waitFor();
    expect(tab.faults).toEqual([]);
  });

  test('"Why?" of an endpoint stands above its deliveries', async () => {
    await using receiver = await openReceiver([410]);
    const { id } = await shop.levers.webhooks.add(receiver.url);
    const { id: delivery } = await shop.levers.webhooks.test(id);
    await using tab = await visit('/webhooks');
    const panel = tab.page.getByTestId('explain');
    expect(await panel.count()).toBe(0);
    await tab.page.getByTestId('health').getByRole('link').click();
    await button(panel, 'Explain').click();
    await panel.locator('.chain strong').getByText('was disabled: it answered 410 Gone.').waitFor();
    await panel.getByRole('link', { name: /^dlv_/ }).click();
    await tab.page.getByTestId('delivery').waitFor();
    expect(tab.page.url()).toContain(`/webhooks/${delivery}`);
    expect(tab.faults).toEqual([]);
  });

  test('"Save as scenario" downloads the story of the contract, which plays', async () => {
    await using receiver = await openReceiver([500]);
    await shop.set({ grace_days: 3 });
    const { reference } = await overdue(receiver.url);
    await shop.set({ grace_days: 20 });
    await shop.levers.clock.advance('5d');
    await using tab = await visit(`/contracts/${reference}`);
    const downloading = tab.page.waitForEvent('download');
    await button(tab.page, 'Save as scenario').click();
    const download = await downloading;
    const name = `${reference}.scenario.json`;
    expect(download.suggestedFilename()).toBe(name);
    await tab.page
      .getByTestId('toast')
      .filter({ hasText: `layaway run ${name}` })
      .waitFor();
    const scenario = JSON.parse(await readFile(await download.path(), 'utf8'));
    expect(JSON.stringify(scenario)).toContain('installment.past_due');
    expect(await runScenario(scenario, {})).toMatchObject({ status: 'passed' });
    expect(tab.faults).toEqual([]);
  });

  test('a trace opens at the moment of failure with what failed on top, and sends nothing', async () => {
    await using receiver = await openReceiver();
    const { reference } = await overdue(receiver.url);
    const got = receiver.received.length;
    const folder = await mkdtemp(join(tmpdir(), 'layaway-debugging-'));
    const file = join(folder, 'failed.layaway');
    const failure = {
      what: 'npm test',
      exit_code: 3,
      messages: ['orders.test.ts: expected "paid", got "past_due"', `stderr:\n${'x'.repeat(500)}`],
    };
    await writeFile(file, pack(await sim.trace(failure)));
    const isLink = (line: string) => line.includes('/dashboard');
    const opened = await startUntilReady(process.execPath, [program, 'trace', 'open', file, '--no-open'], {}, isLink);
    try {
      const [link = ''] = /http:\S+/.exec(opened.ready) ?? [];
      await using tab = await openPage(browser);
      const { page } = tab;
      await page.goto(link);
      const banner = page.getByTestId('trace');
      await banner.waitFor();
      // That of the last request, and not the default one, which is empty here.
      await page.waitForURL(`**/dashboard/${shop.shop.clientId}`);
      const isOnTop =
        "document.querySelector('main').firstElementChild === document.querySelector('[data-testid=trace]')";
      expect(await page.evaluate(isOnTop)).toBe(true);
      expect(await banner.textContent()).toMatch(
        /^Failed: npm test, exit code 3\. Saved .+ on .+\. Nothing is sent anywhere\./,
      );
      expect(await banner.textContent()).toContain(failure.messages[0]);
      expect(await banner.innerText()).toContain(failure.messages[1]);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);

      await openView(page, `${shop.shop.clientId}/contracts/${reference}`);
      await page.getByRole('heading', { level: 1, name: reference }).waitFor();
      await page.locator('.lead').getByText('past due', { exact: true }).waitFor();
      await banner.waitFor();
      expect(await page.getByTestId('now').textContent()).toBe('17 Jan 2026, 00:00:00');

      // The page is not taken for that of the server beside it, wherever it is scrolled.
      expect(await page.title()).toMatch(/ \(sandbox, trace\)$/);
      await page.getByTestId('mode').getByText('trace, nothing is sent').waitFor();
      await openView(page, `${shop.shop.clientId}/snapshots`);
      await page.getByText('To see the trace again, open its file again.').waitFor();

      const [delivery] = await shop.levers.webhooks.deliveries();
      await openView(page, `${shop.shop.clientId}/webhooks/${delivery?.id}`);
      await button(page, 'Resend').click();
      await page.getByTestId('toast').first().waitFor();
      expect(receiver.received.length).toBe(got);
      expect(tab.left).toEqual([]);
      expect(tab.faults).toEqual([]);
    } finally {
      await opened.stop();
      await rm(folder, { recursive: true });
    }
  });
});
