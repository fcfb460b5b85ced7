import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';
import { beforeAll, beforeEach, expect, inject } from 'vitest';
import { knownChromium } from '../../scripts/chromium.js';
import type * as library from '../../src/index.ts';
import type { Simulator } from '../../src/index.ts';
import { enterDashboard } from './dashboard.ts';
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

/**
 * `args` are flags of Chromium, in addition. Pages of one context share a process. No request leaves the machine.
 */
export const launch = (...args: readonly string[]): Promise<Browser> =>
  chromium.launch({
    ...launchOptions,
    args: [
      ...launchOptions.args,
      '--renderer-process-limit=1',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE *.localhost',
      ...args,
    ],
  });

/** How the stores answer a URL: with a redirect, or otherwise with their page. */
export type Stores = (url: string) => { readonly location: string } | undefined;

/** A context that tests use one after the other, with an empty page for the next one, which keeps its process. */
interface Kept {
  readonly context: BrowserContext;
  readonly page: Page;
}
/** Those that nobody uses, by their options. */
const idle = new WeakMap<Browser, Map<string, Kept[]>>();

function idleOf(browser: Browser, options: BrowserContextOptions): Kept[] {
  const kinds = idle.get(browser) ?? new Map<string, Kept[]>();
  idle.set(browser, kinds);
  const kind = JSON.stringify(options);
  const those = kinds.get(kind) ?? [];
  kinds.set(kind, those);
  return those;
}

/** Closes the pages and forgets what these origins have stored, and that a failed test left the context offline. */
async function empty(context: BrowserContext, origins: ReadonlySet<string>): Promise<Kept> {
  const before = context.pages();
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  const forget = (origin: string) =>
    devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'local_storage' });
  await Promise.all(before.map((page) => page.close()));
  await Promise.all([context.clearCookies(), context.setOffline(false), ...[...origins].map(forget)]);
  await devtools.detach();
  return { context, page };
}

/**
 * A page whose stores answer without a network, and which records the requests that leave the machine. Playwright's
 * routes do not see redirected requests, which are the important ones here. Without stores, nobody answers these requests.
 *
 * Each has a context to itself, but the next page with the same options gets the same one, with nothing but the browser's
 * cache in it: to start a process takes as long as to load a page.
 */
export async function openPage(
  browser: Browser,
  { viewport, colorScheme = null, forcedColors = null, reducedMotion = null, ...options }: BrowserContextOptions = {},
  stores: Stores | null = () => undefined,
) {
  const others = idleOf(browser, options);
  const kept = others.pop();
  const context = kept?.context ?? (await browser.newContext({ locale: 'en-US', ...options }));
  const origins = new Set<string>();
  const left: string[] = [];
  const faults: string[] = [];

  async function prepared(page: Page): Promise<Page> {
    if (viewport) await page.setViewportSize(viewport);
    if (colorScheme ?? forcedColors ?? reducedMotion)
      await page.emulateMedia({ colorScheme, forcedColors, reducedMotion });
    page.on('framenavigated', (frame) => {
      const { protocol, origin } = new URL(frame.url());
      if (protocol === 'http:') origins.add(origin);
    });
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
        faults.push(message.text());
      }
    });
    if (stores) await answerFor(stores, page);
    else
      page.on('request', (request) => {
        if (request.url().startsWith('https:')) left.push(request.url());
      });
    return page;
  }

  async function answerFor(stores: Stores, page: Page) {
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
  }

  const newPage = async () => prepared(await context.newPage());
  return {
    page: await (kept ? prepared(kept.page) : newPage()),
    newPage,
    /** URLs of requests to other machines. */
    left,
    /** Script errors, and violations of the Content-Security-Policy. */
    faults,
    async [Symbol.asyncDispose]() {
      others.push(await empty(context, origins));
    },
  };
}

/** What browser tests get: a simulator and a browser for the file, and a new shop for each test. */
export interface Stage {
  readonly createSimulator: typeof library.createSimulator;
  readonly sim: Simulator;
  readonly browser: Browser;
  readonly shop: TestShop;
  /** Loads a page that is signed in to the dashboard, at a view of an account. `go` opens another view within it. */
  visit(path?: string, where?: Visit): ReturnType<typeof openDashboard>;
}

interface Visit extends BrowserContextOptions {
  /** @default the simulator of the file */
  readonly house?: Pick<Simulator, 'url' | 'dashboardUrl'>;
  /** A client id. @default the sandbox of the test's shop */
  readonly account?: string;
}

async function openDashboard(
  browser: Browser,
  { url, dashboardUrl }: Pick<Simulator, 'url' | 'dashboardUrl'>,
  account: string,
  path: string,
  options: BrowserContextOptions,
) {
  const permissions = ['clipboard-read', 'clipboard-write'];
  const tab = await openPage(browser, { permissions, ...options }, null);
  // The link would first show the overview of another account.
  const { cookie, 'x-layaway-dashboard': key } = await enterDashboard({ dashboardUrl });
  const [name, value] = cookie.split('=') as [string, string];
  await tab.page.context().addCookies([{ name, value, url, httpOnly: true, sameSite: 'Strict' }]);
  await tab.page.goto(`${url}/dashboard/${account}${path}#key=${key}`);
  await tab.page.locator('main h1').first().waitFor();
  return { ...tab, go: (view: string) => openView(tab.page, `${account}${view}`) };
}

/**
 * Opens a view within a page of the dashboard, as a link in it does: loading the page again takes ten times as long.
 */
export async function openView(page: Page, address: string) {
  await page.locator('main h1').first().waitFor();
  await page.evaluate(`new Promise((drawn) => {
    history.pushState(null, '', '/dashboard/${address}');
    dispatchEvent(new PopStateEvent('popstate'));
    requestAnimationFrame(() => requestAnimationFrame(drawn));
  })`);
  await page.locator('main h1').first().waitFor();
}

/** The button of exactly that name: its copies are named after it. */
export const button = (within: Page | Locator, name: string) => within.getByRole('button', { name, exact: true });

export const rows = (page: Page, table: string) => page.getByRole('table', { name: table }).locator('tbody tr');

/** What a click on a button puts on the clipboard, which happens a moment later. */
export async function copied(page: Page, name: string): Promise<string> {
  await page.evaluate("navigator.clipboard.writeText('')");
  await button(page, name).click();
  const read = () => page.evaluate<string>('navigator.clipboard.readText()');
  await expect.poll(read).not.toBe('');
  return read();
}

/**
 * Prepares the tests of a group. `begin` gets the stage before each test. The simulator is the built one, so that its
 * pages come from the package. Each file has its own browser, because the pages of a browser share a clipboard.
 */
export function inChromium(begin: (stage: Stage) => void) {
  let stage: Omit<Stage, 'shop' | 'visit'>;
  beforeAll(async () => {
    const { createSimulator } = (await import(`${inject('layaway')}/dist/index.js`)) as typeof library;
    const [sim, browser] = await Promise.all([
      createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T09:30:00Z' } }),
      launch(),
    ]);
    stage = { createSimulator, sim, browser };
    return async () => {
      await browser.close();
      await sim.close();
    };
  });
  beforeEach(async () => {
    const { sim, browser } = stage;
    const shop = await openShop(sim, { dba: 'Harbour & Pine' });
    const visit: Stage['visit'] = (path = '', { house = sim, account = shop.shop.clientId, ...options } = {}) =>
      openDashboard(browser, house, account, path, options);
    begin({ ...stage, shop, visit });
  });
}

/** Shows what waits behind "3 new events", again and again until what is looked for is there. */
export const showNew = (page: Page, wanted: Locator) =>
  expect
    .poll(async () => {
      const wait = page.getByTestId('new-rows');
      if ((await wait.count()) > 0) await wait.click({ timeout: 1_000 }).catch(() => undefined);
      return wanted.count();
    })
    .toBeGreaterThan(0);

/** Names that show whether a page takes text for markup, and which way it is written. */
export const NAMES = [
  '<script>document.title = "gone"</script>',
  'مريم الفاسي',
  'Zoë 🧵 Müller',
  "Robert'); DROP TABLE--",
];
