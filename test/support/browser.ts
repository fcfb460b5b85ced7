import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { beforeAll, beforeEach, inject } from 'vitest';
import { knownChromium } from '../../scripts/chromium.js';
import type * as library from '../../src/index.ts';
import type { Simulator, SimulatorOptions } from '../../src/index.ts';
import { CACHE } from './programs.ts';
import { openShop, type TestShop } from './shop.ts';

const executablePath = knownChromium(CACHE) ?? 'chromium';

export const launchOptions = {
  executablePath,
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
};

export const launch = (): Promise<Browser> => chromium.launch(launchOptions);

/** How the stores answer a URL: with a redirect, or otherwise with their page. */
export type Stores = (url: string) => { readonly location: string } | undefined;

/**
 * A page whose stores answer without a network, and which records the requests that leave the machine. Playwright's
 * routes do not see redirected requests, which are the important ones here.
 */
export async function openPage(
  browser: Browser,
  options: BrowserContextOptions = {},
  stores: Stores = () => undefined,
) {
  const context = await browser.newContext({ locale: 'en-US', ...options });
  const left: string[] = [];
  const faults: string[] = [];

  async function newPage(): Promise<Page> {
    const page = await context.newPage();
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
        faults.push(message.text());
      }
    });
    const devtools = await context.newCDPSession(page);
    devtools.on('Fetch.requestPaused', ({ requestId, request }) => {
      left.push(request.url);
      const sent = stores(request.url);
      const answer = sent
        ? { responseCode: 302, responseHeaders: [{ name: 'location', value: sent.location }] }
        : {
            responseCode: 200,
            responseHeaders: [{ name: 'content-type', value: 'text/html' }],
            body: Buffer.from(
              '<!doctype html><link rel=icon href=data:,><title>The store</title><h1>The store</h1>',
            ).toString('base64'),
          };
      devtools.send('Fetch.fulfillRequest', { requestId, ...answer }).catch(() => undefined);
    });
    await devtools.send('Fetch.enable', { patterns: [{ urlPattern: 'https://*' }] });
    return page;
  }

  return {
    page: await newPage(),
    newPage,
    /** URLs of requests to other machines. */
    left,
    /** Script errors, and violations of the Content-Security-Policy. */
    faults,
    [Symbol.asyncDispose]: () => context.close(),
  };
}

/** What browser tests get: a simulator and a browser for the file, and a new shop for each test. */
export interface Stage {
  readonly createSimulator: typeof library.createSimulator;
  readonly sim: Simulator;
  readonly browser: Browser;
  readonly shop: TestShop;
}

/** A page that is signed in to the dashboard, at a view of an account. `go` opens another view of it. */
export async function openDashboard(
  browser: Browser,
  { sim: { url, dashboardUrl }, account, path }: DashboardPlace,
  options: BrowserContextOptions = {},
) {
  const tab = await openPage(browser, options);
  await tab.page.goto(dashboardUrl);
  await openView(tab.page, `${account}${path}`);
  const go = async (view: string) => {
    await tab.page.goto(`${url}/dashboard/${account}${view}`);
    await tab.page.locator('main h1').first().waitFor();
  };
  return { ...tab, go };
}

/** Opens a view within a page of the dashboard, as a link in it does: to load the page again takes ten times as long. */
export async function openView(page: Page, address: string) {
  await page.locator('main h1').first().waitFor();
  await page.evaluate(`new Promise((drawn) => {
    history.pushState(null, '', '/dashboard/${address}');
    dispatchEvent(new PopStateEvent('popstate'));
    requestAnimationFrame(() => requestAnimationFrame(drawn));
  })`);
  await page.locator('main h1').first().waitFor();
}

interface DashboardPlace {
  readonly sim: Pick<Simulator, 'url' | 'dashboardUrl'>;
  /** The client id. */
  readonly account: string;
  readonly path: string;
}

/**
 * Prepares the tests of a group. `begin` gets the stage before each test. The simulator is the built one, so that its
 * pages come from the package. Each file has its own browser, because the pages of a browser share a clipboard.
 */
export function inChromium(
  begin: (stage: Stage) => void,
  options: SimulatorOptions = { seed: 1, clock: { frozenAt: '2026-01-01T09:30:00Z' } },
) {
  let stage: Omit<Stage, 'shop'>;
  beforeAll(async () => {
    const { createSimulator } = (await import(`${inject('layaway')}/dist/index.js`)) as typeof library;
    const [sim, browser] = await Promise.all([createSimulator(options), launch()]);
    stage = { createSimulator, sim, browser };
    return async () => {
      await browser.close();
      await sim.close();
    };
  });
  beforeEach(async () => {
    begin({ ...stage, shop: await openShop(stage.sim, { dba: 'Harbour & Pine' }) });
  });
}
