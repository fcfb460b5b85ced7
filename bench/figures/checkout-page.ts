import { inChromium } from '../browser.ts';
import { bareServer, simulator, temporaryDirectory } from '../process.ts';
import { anOrder, call } from '../requests.ts';
import { interleave, ofStarts } from '../rounds.ts';

/** A Chromium that is built without a compositor never reports a largest paint. */
const PATIENCE_MS = 5_000;

/** The time of the largest contentful paint, in milliseconds from the navigation; null if it is not reported. */
const LARGEST_PAINT = `new Promise((resolve) => {
  new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime))
    .observe({ type: 'largest-contentful-paint', buffered: true });
  setTimeout(() => resolve(null), ${PATIENCE_MS});
})`;

/** The first page of the checkout with an empty cache, and a page of one sentence. */
export const checkoutPage = inChromium(async function* (browser, { effort }) {
  using directory = temporaryDirectory();
  await using server = await simulator(directory.path);
  await using bare = await bareServer(directory.path);
  const { data } = await call<{ data: { checkout_url: string } }>(server, 'POST', '/v1/sessions', anOrder);
  const paintedMs = async (address: string) => {
    const page = await browser.newPage();
    await page.goto(address);
    const ms = await page.evaluate<number | null>(LARGEST_PAINT);
    await page.context().close();
    if (ms !== null) return ms;
    throw new Error(
      `Chromium ${browser.version()} reported no largest-contentful-paint of ${address} within ${PATIENCE_MS} ms. Measure with another one: set CHROMIUM_PATH.`,
    );
  };
  const addresses = [data.checkout_url, `${bare.url}/page`] as const;
  for (const address of addresses) await paintedMs(address);
  const { ours, reference } = await interleave(
    ofStarts(effort),
    () => paintedMs(addresses[0]),
    () => paintedMs(addresses[1]),
  );
  yield { name: 'checkout, largest paint', unit: 'ms', ours, reference: null, target: { atMost: 300 } };
  yield { name: '  the same, page of one sentence', unit: 'ms', ours, reference, target: null };
});
