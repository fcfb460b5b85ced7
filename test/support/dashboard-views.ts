import { openReceiver } from './receiver.ts';
import { expectData, type TestShop } from './shop.ts';

/** The views of the dashboard that show a list. */
export const LISTS = [
  '',
  '/clock',
  '/sessions',
  '/contracts',
  '/events',
  '/webhooks',
  '/faults',
  '/coverage',
  '/inbox',
  '/requests',
  '/settings',
  '/snapshots',
];

/** The id of what is first in a list of the control plane. */
export const newestId = async (shop: TestShop, list: string): Promise<string> =>
  expectData(await shop.call('GET', `/_sim/${list}`))[0].id;

/** Fills every list of the dashboard. Returns a path for each kind of page; the last one is an active contract. */
export async function story(shop: TestShop) {
  await using receiver = await openReceiver([200, 200, 200, 500, 500]);
  await shop.call('POST', '/_sim/webhook-endpoints', { url: receiver.url });
  const ended = await shop.contractIn('cancelled');
  const { id } = await shop.open();
  const { reference } = await shop.step(id, 'complete', {
    customer_name: 'مريم الفاسي',
    customer_email: 'maryam@example.com',
  });
  await shop.call('PUT', `/_sim/contracts/${reference}/outcomes`, { outcomes: ['fail', 'fail'] });
  await shop.call('POST', '/_sim/clock/advance', { until: `${reference}#1=delinquent` });
  const open = await shop.open();
  return [
    `/sessions/${open.id}`,
    `/sessions/${id}`,
    `/events/${await newestId(shop, 'events')}`,
    `/webhooks/${await newestId(shop, 'deliveries')}`,
    `/inbox/${await newestId(shop, 'emails')}`,
    `/requests/${await newestId(shop, 'requests')}`,
    `/contracts/${ended.reference}`,
    `/contracts/${reference}`,
  ];
}
