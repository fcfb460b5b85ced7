import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { knownChromium } from '../../scripts/chromium.js';
import { CACHE } from './programs.ts';

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

/** What the stores answer: their own page, or, by URL, somewhere else to go. */
export type Stores = (url: string) => { readonly location: string } | undefined;

/**
 * A page whose stores answer without a network, and which notes what leaves the machine. Playwright's own routes do not
 * see requests that a redirect made, and those are the ones that matter here.
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
    /** URLs that were asked of other machines. */
    left,
    /** Script errors, and what the Content-Security-Policy turned down. */
    faults,
    [Symbol.asyncDispose]: () => context.close(),
  };
}
