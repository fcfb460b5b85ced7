import type { Browser } from 'playwright-core';
import { inChromium, longestTaskMs, openDashboard, watchFrames } from '../browser.ts';
import { type Server, simulator, temporaryDirectory } from '../process.ts';
import { advance, freeze } from '../requests.ts';
import { ofLongWork } from '../rounds.ts';
import { seedContracts } from '../seed.ts';

const CONTRACTS = 2_000;
/** Four installments and the end of each plan. */
const EVENTS = 5 * CONTRACTS;

/** The views that change most while time passes. */
const VIEWS: Readonly<Record<string, string>> = { overview: '', events: 'events' };

/**
 * Shows the rows that were held back, until the newest event is there. Inside the page, because a polling locator would
 * itself be the longest task.
 */
const LAST_SHOWN = `new Promise((resolve) => {
  const look = () => {
    if (document.querySelector('main tbody a')?.textContent === 'contract.completed') resolve();
    else document.querySelector('[data-testid=new-rows]')?.click();
  };
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true });
  look();
})`;

/** A dashboard left open while 10,000 events happen, and an empty page beside it. */
export const openDashboardFigure = inChromium(async function* (browser, { effort }) {
  for (const [name, view] of Object.entries(VIEWS)) {
    const seen: Awaited<ReturnType<typeof look>>[] = [];
    for (let round = 0; round < ofLongWork(effort).rounds; round += 1) {
      using directory = temporaryDirectory();
      await using server = await withPlans(directory.path);
      seen.push(await look(browser, server, view));
    }
    const frameMs = seen.map((each) => each.frameMs);
    const emptyMs = seen.map((each) => each.emptyMs);
    const taskMs = seen.map((each) => each.taskMs);
    const about = `10,000 events, ${name}`;
    yield { name: `${about}, longest task`, unit: 'ms', ours: taskMs, reference: null, target: { atMost: 50 } };
    yield { name: `${about}, longest frame`, unit: 'ms', ours: frameMs, reference: null, target: { atMost: 200 } };
    yield { name: `${about}, frame, empty page`, unit: 'ms', ours: frameMs, reference: [emptyMs, []], target: null };
  }
});

async function withPlans(directory: string): Promise<Server> {
  await seedContracts(directory, { contracts: CONTRACTS, prepare: freeze });
  return simulator(directory);
}

async function look(browser: Browser, server: Server, view: string) {
  const { page, address } = await openDashboard(browser, server);
  const empty = await browser.newPage();
  await page.goto(address(view));
  await page.locator('[data-testid=connection][data-state=live]').waitFor({ state: 'attached' });
  const [longest, longestOfEmpty] = [await watchFrames(page), await watchFrames(empty)];
  const taskMs = await longestTaskMs(page, async () => {
    const { happened } = await advance(server, '3mo');
    if (happened !== EVENTS) throw new Error(`${happened} events happened.`);
    await page.evaluate(LAST_SHOWN);
  });
  const measured = { taskMs, frameMs: await longest(), emptyMs: await longestOfEmpty() };
  for (const opened of [page, empty]) await opened.context().close();
  return measured;
}
