import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Page } from 'playwright-core';
import { inChromium, longestTaskMs, openDashboard, wanted } from '../browser.ts';
import { simulator, temporaryDirectory } from '../process.ts';
import { makeContract } from '../requests.ts';
import { multiplyContract } from '../seed.ts';

/** What a person does with the table, one after the other, and within how many milliseconds other rows are wanted. */
const ACTS: readonly (readonly [name: string, act: string, wantedMs: number])[] = [
  ['next page', press('Next'), 100],
  ['last page', press('Last'), 100],
  ['first page', press('First'), 100],
  ['one status', choose('cancelled'), 100],
  ['every status', choose(''), 100],
  // The page waits for a pause in typing, a quarter of a second.
  ['one customer, from the last key', type('Customer 77777'), 500],
];

/** The dashboard's table of 100,000 contracts: until the rows that were asked for are drawn. */
export const contractTable = inChromium(async (browser, { effort }) => {
  using directory = temporaryDirectory();
  {
    await using server = await simulator(directory.path);
    await makeContract(server);
  }
  const file = join(directory.path, 'state', 'layaway.db');
  multiplyContract(file, 100_000);
  tellApart(file);
  await using server = await simulator(directory.path);
  const { page, address } = await openDashboard(browser, server);

  const openedMs: number[] = [];
  const actedMs = ACTS.map((): number[] => []);
  const taskMs: number[] = [];
  for (let repetition = 0; repetition < effort.repetitions; repetition += 1) {
    await page.goto(address('snapshots'));
    await page.getByRole('link', { name: 'Contracts' }).waitFor();
    const tookMs = await longestTaskMs(page, async () => {
      openedMs.push(await drawnMs(page, `document.querySelector('nav a[href$="/contracts"]').click()`));
      for (const [index, [, act]] of ACTS.entries()) actedMs[index]?.push(await drawnMs(page, act));
    });
    taskMs.push(tookMs);
  }
  return [
    wanted('100,000 contracts, table opened', openedMs, 100),
    ...ACTS.map(([name, , ms], index) => wanted(`  ${name}`, actedMs[index] ?? [], ms)),
    wanted('  longest task meanwhile', taskMs, 50),
  ];
});

/** Copies differ in nothing that the table shows: the tenth part is cancelled, and customers have a name each. */
function tellApart(file: string) {
  const db = new Database(file);
  db.exec(`UPDATE contracts SET customer_name = 'Customer ' || id;
    UPDATE contracts SET status = 'cancelled', cancelled_at = created_at WHERE id % 10 = 1`);
  db.close();
}

/** From an act in the page until its table shows other rows, and a frame has drawn them. */
const drawnMs = (page: Page, act: string) =>
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
