import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { chromiumHint, findChromium } from '../scripts/chromium.js';
import { type Bench, CannotMeasure, type Figure, type Line } from './figure.ts';
import { endWhenAbandoned } from './leftovers.ts';
import type { Server } from './process.ts';

/** `node_modules/.cache`, where the tests keep their Chromium too. */
const CACHE = fileURLToPath(new URL('..', import.meta.url));

/** @throws CannotMeasure if this machine has no Chromium */
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

/** A page that is signed in to the dashboard. `address` returns the URL of a view of the default account. */
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

/** Marks the page's thread in the trace, among those of the browser's own pages. */
const MARK = 'layaway-bench';

/**
 * The longest task of the page's main thread during `work`, in processor time, which does not depend on the machine's
 * other load. From 50 ms on, people feel a page lag.
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

/** Starts to measure the longest time between two frames of a page. The returned function returns it. */
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
