import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { createSimulator } from '../dist/index.js';
import { chromiumHint, findChromium } from './chromium.js';
import { play } from './story.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, 'docs/pictures');

const TABLET = { width: 1000, height: 960 };
const PHONE = { width: 360, height: 780 };
const LAPTOP = { width: 1280, height: 740 };

const executablePath = findChromium(join(root, 'node_modules/.cache'));
if (!executablePath) throw new Error(chromiumHint());
mkdirSync(folder, { recursive: true });
const story = await play(createSimulator);
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });

/** Story and seed are always the same, so a picture changes only if its page has changed. */
try {
  const { quoted, accepted, declined, paid } = story.checkouts;
  await checkout('plan', `${quoted.id}?fill=1`, TABLET);
  await checkout('payment', `${accepted.id}?fill=1&bar=off`, TABLET);
  await checkout('declined', `${declined.id}?bar=off`, PHONE, 'dark');
  await checkout('done', `${paid.id}?bar=off`, PHONE);
  await dashboard('overview', '', LAPTOP);
  await dashboard('contract', `/contracts/${story.missed.reference}`, LAPTOP);
  await dashboard('webhooks', '/webhooks', LAPTOP);
  await dashboard('clock', '/clock', LAPTOP, 'dark');
  await dashboard('coverage', '/coverage', LAPTOP);
  await dashboard('why', `/contracts/${story.missed.reference}`, LAPTOP, 'light', explain);
  await story.arm();
  await dashboard('faults', '/faults', LAPTOP);

  const { shop, reference, email, delivery, settle } = await story.overdue();
  await step(1, `/contracts/${reference}`);
  await step(2, `/inbox/${email.id}`, (page) => atTop(page.getByTestId('email')));
  await step(3, `/webhooks/${delivery.id}`);
  await settle();
  await step(4, `/contracts/${reference}`);

  /** One of the pictures that show how an installment becomes past due and is settled. */
  async function step(number, path, prepare) {
    await dashboard(`past-due-${number}`, path, LAPTOP, 'light', prepare, shop);
  }
} finally {
  await browser.close();
  await story.close();
}

async function checkout(name, path, viewport, colorScheme) {
  const page = await open(viewport, colorScheme);
  await page.goto(`${story.sim.url}/checkout/${path}`);
  await take(page, `checkout-${name}`);
}

/** Scrolls a panel to just below the head of the page. */
function atTop(panel) {
  return panel.evaluate((element) => scrollBy(0, element.getBoundingClientRect().top - 80));
}

/** Opens the explanation of what the page shows. */
async function explain(page) {
  const why = page.getByTestId('explain');
  await why.getByRole('button', { name: 'Explain', exact: true }).click();
  await why.locator('.chain').first().waitFor();
  await atTop(why);
}

async function dashboard(name, path, viewport, colorScheme, prepare, shop = story.shop) {
  const page = await open(viewport, colorScheme);
  await page.goto(story.sim.dashboardUrl);
  await page.goto(`${story.sim.url}/dashboard/${shop.clientId}${path}`);
  await page.locator('main h1').waitFor();
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  await page.locator('[data-testid=connection][data-state=live]').waitFor({ state: 'attached' });
  await prepare?.(page);
  await take(page, `dashboard-${name}`);
}

function open(viewport, colorScheme = 'light') {
  return browser.newPage({ viewport, colorScheme, locale: 'en-US', timezoneId: 'UTC' });
}

async function take(page, name) {
  await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
  await page.context().close();
}
