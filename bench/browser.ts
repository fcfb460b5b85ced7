import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { chromiumHint, findChromium } from '../scripts/chromium.js';
import { type Bench, CannotMeasure, type Figure, type Line } from './figure.ts';
import { endWhenAbandoned } from './leftovers.ts';
import type { Server } from './process.ts';

/** `node_modules/.cache`, where the tests keep theirs too. */
const CACHE = fileURLToPath(new URL('..', import.meta.url));

/** @throws CannotMeasure when this machine has none. */
export async function openChromium() {
  const executablePath = findChromium(CACHE);
  if (!executablePath) throw new CannotMeasure(chromiumHint());
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  const ended = endWhenAbandoned(() => void browser.close().catch(() => undefined));
  return {
    browser,
    async [Symbol.asyncDispose]() {
      ended();
      await browser.close();
    },
  };
}

/** A figure that is measured in Chromium. */
export const inChromium = (figure: (browser: Browser, bench: Bench) => AsyncIterable<Line>): Figure =>
  async function* (bench) {
    await using opened = await openChromium();
    yield* figure(opened.browser, bench);
  };

/** A browser's page that has been let into the dashboard; `address` is that of a view of the default account. */
export async function openDashboard(browser: Browser, { url, dashboardUrl, headers }: Server) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(dashboardUrl);
  return { page, address: (view: string) => `${url}/dashboard/${headers['x-client-id']}/${view}` };
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Processor time, in microseconds. */
  readonly tdur?: number;
}

/** How the trace tells the page's thread from those of the browser's own pages. */
const MARK = 'layaway-bench';

/**
 * The longest task of the page's main thread while `work` is done, in processor time: what else the machine does makes it
 * no longer. From 50 ms on people feel a page lag.
 */
export async function longestTaskMs(page: Page, work: () => Promise<void>): Promise<number> {
  const browser = page.context().browser() as Browser;
  await browser.startTracing(undefined, { categories: ['toplevel', 'blink.user_timing'] });
  await page.evaluate(`performance.mark('${MARK}')`);
  await work();
  const { traceEvents } = JSON.parse(String(await browser.stopTracing())) as { traceEvents: TraceEvent[] };
  const mark = traceEvents.find(({ name }) => name === MARK);
  const tasks = traceEvents.filter(
    ({ name, pid, tid }) => name.endsWith('RunTask') && pid === mark?.pid && tid === mark.tid,
  );
  if (tasks.length === 0) throw new Error('The trace has no tasks of the page.');
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000;
}

/** Starts noting the longest time between two frames of a page; the returned function tells it. */
export async function watchFrames(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(`{
    globalThis.longestMs = 0;
    let last = performance.now();
    const frame = (now) => {
      longestMs = Math.max(longestMs, now - last);
      last = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }`);
  return () => page.evaluate<number>('longestMs');
}
