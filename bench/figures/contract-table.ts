import type { Page } from 'playwright-core';
import { inChromium, longestTaskMs, openDashboard } from '../browser.ts';
import type { Line } from '../figure.ts';
import { simulator, temporaryDirectory } from '../process.ts';
import { seedContracts } from '../seed.ts';

/** What a person does with the table, in order, and the wanted time in milliseconds until it shows other rows. */
const ACTS: readonly (readonly [name: string, act: string, wantedMs: number])[] = [
  ['next page', press('Next'), 100],
  ['last page', press('Last'), 100],
  ['first page', press('First'), 100],
  ['one status', choose('cancelled'), 100],
  ['every status', choose(''), 100],
  // The page waits for a pause in typing of a quarter of a second.
  ['one customer, after the last key', type('Customer 77777'), 500],
];

/** The dashboard's table of 100,000 contracts: the time until the requested rows are drawn. */
export const contractTable = inChromium(async function* (browser, { effort }) {
  using directory = temporaryDirectory();
  await seedContracts(directory.path, { contracts: 100_000, change: TOLD_APART });
  await using server = await simulator(directory.path);
  const { page, address } = await openDashboard(browser, server);

  const openedMs: number[] = [];
  const actedMs = ACTS.map((): number[] => []);
  const taskMs: number[] = [];
  for (let round = 0; round < effort.rounds; round += 1) {
    await page.goto(address('snapshots'));
    await page.getByRole('link', { name: 'Contracts' }).waitFor();
    const tookMs = await longestTaskMs(page, async () => {
      openedMs.push(await drawnMs(page, OPEN));
      for (const [index, [, act]] of ACTS.entries()) actedMs[index]?.push(await drawnMs(page, act));
    });
    taskMs.push(tookMs);
  }
  const line = (name: string, ours: number[], atMost: number): Line => ({
    name: `100,000 contracts: ${name}`,
    unit: 'ms',
    ours,
    reference: null,
    target: { atMost },
  });
  yield line('table opened', openedMs, 100);
  for (const [index, [name, , ms]] of ACTS.entries()) yield line(name, actedMs[index] ?? [], ms);
  yield line('longest task', taskMs, 50);
});

/** Seeded contracts look alike in the table, so one tenth is cancelled and each customer gets a different name. */
const TOLD_APART = `UPDATE contracts SET customer_name = 'Customer ' || id;
  UPDATE contracts SET status = 'cancelled', cancelled_at = created_at WHERE id % 10 = 1`;

/** Opens the table from another view of the dashboard. */
export const OPEN = `document.querySelector('nav a[href$="/contracts"]').click()`;

/** The time from an act in the page until its table has drawn other rows. */
export const drawnMs = (page: Page, act: string) =>
  page.evaluate<number>(`new Promise((resolve, reject) => {
    const shown = () => document.querySelector('table[aria-label=Contracts] tbody tr')?.textContent;
    const before = shown();
    const startedAt = performance.now();
    const observer = new MutationObserver(() => {
      const now = shown();
      if (now === undefined || now === before) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - startedAt)));
    });
    observer.observe(document.body, { childList: true, subtree: true, characterData: true });
    setTimeout(() => reject(new Error('The table did not change.')), 10_000);
    ${act};
  })`);

function press(name: string) {
  return `[...document.querySelectorAll('nav.pager button')].find((button) => button.textContent === '${name}').click()`;
}

function choose(status: string) {
  return `const select = document.querySelector('.filters select');
    select.value = '${status}';
    select.dispatchEvent(new Event('change', { bubbles: true }))`;
}

function type(text: string) {
  return `const input = document.querySelector('.filters input');
    input.value = '${text}';
    input.dispatchEvent(new Event('input', { bubbles: true }))`;
}
