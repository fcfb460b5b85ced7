import { inChromium, wanted } from '../browser.ts';
import { interleave } from '../figure.ts';
import { bareServer, simulator, temporaryDirectory } from '../process.ts';
import { anOrder, call } from '../requests.ts';

/** When the last of the largest things was painted, in milliseconds from the navigation. */
const LARGEST_PAINT = `new Promise((resolve) => {
  new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime))
    .observe({ type: 'largest-contentful-paint', buffered: true });
})`;

/** The checkout's first page with nothing of it cached, and a page of one sentence. */
export const checkoutPage = inChromium(async (browser, { effort }) => {
  using directory = temporaryDirectory();
  await using server = await simulator(directory.path);
  await using bare = await bareServer(directory.path);
  const { data } = await call<{ data: { checkout_url: string } }>(server, 'POST', '/v1/sessions', anOrder);
  const paintedMs = async (address: string) => {
    const page = await browser.newPage();
    await page.goto(address);
    const ms = await page.evaluate<number>(LARGEST_PAINT);
    await page.context().close();
    return ms;
  };
  const addresses = [data.checkout_url, `${bare.url}/page`] as const;
  for (const address of addresses) await paintedMs(address);
  const { ours, reference } = await interleave(
    effort.startRepetitions,
    () => paintedMs(addresses[0]),
    () => paintedMs(addresses[1]),
  );
  return [
    wanted('checkout, largest paint', ours, 300),
    { name: 'checkout, largest paint, bare page', unit: 'ms', ours, reference, target: null },
  ];
});
