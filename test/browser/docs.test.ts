import type { Browser } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Simulator } from '../../src/index.ts';
import { inChromium } from '../support/browser.ts';
import { needing } from '../support/programs.ts';

/** The page is a large script: on a busy machine it takes its time. */
describe('decisions §5: /docs in a browser', needing('chromium'), () => {
  let sim: Simulator;
  let browser: Browser;
  inChromium((stage) => {
    ({ sim, browser } = stage);
  });

  /** The page, and every address it asked for or was kept from asking for. */
  async function open(width: number) {
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    const asked: string[] = [];
    const faults: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text());
    });
    await page.goto(`${sim.url}/docs`);
    await page.getByText('Layaway Checkout Service').first().waitFor();
    return { page, asked, faults };
  }

  test('renders every operation, tries one against this simulator, and asks no other host, whatever is opened', async () => {
    const { page, asked, faults } = await open(1280);
    const document = (await (await fetch(`${sim.url}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { summary: string }>>;
    };
    const summaries = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ summary }) => summary),
    );
    expect(summaries).toHaveLength(9);
    const transferred = await page.evaluate<number>(
      'performance.getEntries().reduce((sum, { transferSize = 0 }) => sum + transferSize, 0)',
    );
    expect(transferred).toBeGreaterThan(100_000);
    expect(transferred).toBeLessThan(1_000_000);
    for (const summary of summaries) {
      const entry = page.getByRole('navigation').getByText(summary, { exact: true }).first();
      await entry.click();
      await page.getByRole('heading', { name: summary }).first().waitFor();
    }
    await page.keyboard.press('Control+K');
    await page.waitForLoadState('networkidle');
    const elsewhere = () => asked.filter((url) => !url.startsWith(`${sim.url}/`) && !/^(data|blob):/.test(url));
    expect(elsewhere()).toEqual([]);
    expect(faults).toEqual([]);

    await page.keyboard.press('Escape');
    await page
      .getByRole('button', { name: /test request.*\/v1\/ping/i })
      .first()
      .click();
    const [response] = await Promise.all([
      page.waitForResponse((candidate) => candidate.url() === `${sim.url}/v1/ping`),
      page.getByRole('button', { name: /send/i }).first().click(),
    ]);
    expect(response.status()).toBe(401);
    expect(elsewhere()).toEqual([]);
    expect(faults.filter((fault) => !fault.includes('401'))).toEqual([]);
    await page.close();
  });

  test('a phone does not scroll it sideways', async () => {
    const { page } = await open(360);
    await page.getByRole('heading', { name: 'The customer cancelled the checkout' }).first().waitFor();
    for (const width of [360, 320, 412]) {
      await page.setViewportSize({ width, height: 740 });
      expect(await page.evaluate<number>('document.documentElement.scrollWidth'), `${width} px`).toBe(width);
    }
    await page.close();
  });
});
