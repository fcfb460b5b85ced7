import { expect, test } from 'vitest';
import { createSimulator } from '../../../src/index.ts';
import { openReceiver } from '../../support/receiver.ts';
import { expectData, openShop, order } from '../../support/shop.ts';

test('overdue plans, what was collected of what was due, and how endpoints respond', async () => {
  await using sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T09:30:00Z' } });
  const shop = await openShop(sim);
  const read = async (what: string) => expectData(await shop.call('GET', `/_sim/browse/${what}`));
  expect(await read('triage')).toEqual({
    overdue: 0,
    overdue_amount: 0,
    delinquent: 0,
    disabled_endpoints: 0,
    failing_deliveries: 0,
    given_up_deliveries: 0,
    collected: 0,
    expected: 0,
  });
  await using receiver = await openReceiver([200, 500]);
  const { id } = expectData(await shop.call('POST', '/_sim/webhook-endpoints', { url: receiver.url }), 201);
  expect(await read('endpoints')).toEqual([{ id, attempts: 0, succeeded: 0, median_ms: null, last: null }]);
  for (const _ of [1, 2]) await shop.open().then((session) => shop.step(session.id, 'cancel'));
  await shop.call('PATCH', `/_sim/webhook-endpoints/${id}`, { enabled: false });
  const [health] = await read('endpoints');
  expect(health).toMatchObject({ attempts: 2, succeeded: 1, last: { status_code: 500 } });

  const create = (body: object) => shop.call('POST', '/_sim/contracts', body);
  await create({ installment: { number: 1, status: 'delinquent' }, total_amount: 20_000 });
  await create({ installment: { number: 2, status: 'past_due' }, total_amount: 20_000 });
  await create({ status: 'defaulted' });
  await create({ status: 'completed', total_amount: 20_000 });
  const triage = {
    overdue: 2,
    overdue_amount: 8_200,
    delinquent: 1,
    disabled_endpoints: 1,
    failing_deliveries: 1,
    given_up_deliveries: 1,
    collected: 5_000 + 9_000 + 21_000,
    expected: 9_000 + 13_000 + 21_000,
  };
  expect(await read('triage')).toEqual(triage);
  expect((await read('contracts?status=overdue')).length).toBe(2);
  expect((await read('contracts?status=delinquent')).length).toBe(1);
  const [failed] = await read('deliveries?event_type=session.cancelled&status=failed');
  expect(failed.given_up).toEqual({
    at: '2026-01-01T09:30:00.000000Z',
    reason: 'the endpoint was disabled by hand',
  });
  expect(await read('deliveries?event_type=session.expired')).toEqual([]);

  // A preview is in no list, and counts for nothing.
  const opened = expectData(await shop.call('POST', '/_sim/sessions', order({ preview: true })), 201);
  const { reference } = expectData(await shop.call('POST', `/_sim/sessions/${opened.id}/complete`));
  expect(await read('triage')).toEqual(triage);
  await shop.call('PUT', `/_sim/contracts/${reference}/outcomes`, { outcomes: ['fail', 'fail'] });
  expectData(await shop.call('POST', '/_sim/clock/advance', { until: `${reference}#1=past_due` }));
  expect((await read('triage')).overdue).toBe((await read('contracts?status=overdue')).length);
});

test('deliveries that were made up for, or whose endpoint is removed, need no attention', async () => {
  await using sim = await createSimulator({ clock: { frozenAt: '2026-01-01T09:30:00Z' } });
  const shop = await openShop(sim);
  const advance = (by: string) => shop.call('POST', '/_sim/clock/advance', { by });
  const triage = async () => expectData(await shop.call('GET', '/_sim/browse/triage'));
  const failing = async () => {
    // So that what is due now has been attempted.
    await advance('0s');
    const { failing_deliveries, given_up_deliveries } = await triage();
    return [failing_deliveries, given_up_deliveries];
  };
  await using receiver = await openReceiver([500, 500, 500, 200]);
  const { id } = expectData(await shop.call('POST', '/_sim/webhook-endpoints', { url: receiver.url }), 201);
  const change = (enabled: boolean) => shop.call('PATCH', `/_sim/webhook-endpoints/${id}`, { enabled });
  for (const _ of [1, 2]) await shop.open().then((session) => shop.step(session.id, 'cancel'));
  expect(await failing()).toEqual([2, 0]);
  await change(false);
  expect(await failing()).toEqual([2, 2]);
  await change(true);
  const [first, second] = expectData(await shop.call('GET', '/_sim/events'));
  const resend = (event: { id: string }) => shop.call('POST', `/_sim/events/${event.id}/resend`, { endpoint_id: id });
  await resend(first);
  // The resent delivery waits for its second attempt, and stands for the one that was given up.
  expect(await failing()).toEqual([2, 1]);
  await resend(second);
  expect(await failing()).toEqual([1, 0]);
  await advance('1h');
  expect(await failing()).toEqual([0, 0]);

  await shop.call('DELETE', `/_sim/webhook-endpoints/${id}`);
  await using other = await openReceiver([500]);
  const added = expectData(await shop.call('POST', '/_sim/webhook-endpoints', { url: other.url }), 201);
  await shop.open().then((session) => shop.step(session.id, 'cancel'));
  expect(await failing()).toEqual([1, 0]);
  await shop.call('PATCH', `/_sim/webhook-endpoints/${added.id}`, { enabled: false });
  expect(await triage()).toMatchObject({ given_up_deliveries: 1, disabled_endpoints: 1 });
  await shop.call('DELETE', `/_sim/webhook-endpoints/${added.id}`);
  expect(await failing()).toEqual([0, 0]);
  expect(await triage()).toMatchObject({ disabled_endpoints: 0 });
});

test('a delivery that another endpoint got is still given up; one that waits for its first attempt does not fail', async () => {
  await using sim = await createSimulator({ clock: { frozenAt: '2026-01-01T09:30:00Z' } });
  const { shop } = await openShop(sim);
  await using receiver = await openReceiver([200]);
  await using refusing = await openReceiver([410]);
  for (const { url } of [receiver, refusing]) await shop.webhooks.add(url);
  const cancel = async () => shop.sessions.cancel((await shop.sessions.create(order())).id);
  await cancel();
  await shop.clock.advance('0s');
  const counts = { given_up_deliveries: 1, failing_deliveries: 1, disabled_endpoints: 1 };
  const triage = () => sim.inject({ method: 'GET', url: '/_sim/browse/triage', headers: shop.headers });
  expect((await triage()).json()).toMatchObject({ data: counts });
  await shop.assumptions.set({ webhook_retry_seconds: [3_600] });
  await cancel();
  expect((await triage()).json()).toMatchObject({ data: counts });
});

test('a delivery that waits for a retry does not fail while a later one of its event stands for it', async () => {
  await using sim = await createSimulator({ clock: { frozenAt: '2026-01-01T09:30:00Z' } });
  const { shop } = await openShop(sim);
  await using receiver = await openReceiver([500, 500, 200]);
  const { id } = await shop.webhooks.add(receiver.url);
  await shop.sessions.cancel((await shop.sessions.create(order())).id, { wait: true });
  const [event] = await shop.events.list();
  const resend = () => shop.events.resend(event?.id as string, { endpoint_id: id });
  const failing = async () => {
    const triage = await sim.inject({ method: 'GET', url: '/_sim/browse/triage', headers: shop.headers });
    return triage.json<{ data: { failing_deliveries: number } }>().data.failing_deliveries;
  };
  expect(await failing()).toBe(1);
  await resend();
  expect(await failing()).toBe(1);
  await resend();
  expect((await shop.webhooks.deliveries()).map(({ status }) => status)).toEqual(['delivered', 'pending', 'pending']);
  expect(await failing()).toBe(0);
});

test('a forged test that the receiver refused needs no attention', async () => {
  await using sim = await createSimulator({ clock: { frozenAt: '2026-01-01T09:30:00Z' } });
  const { shop } = await openShop(sim);
  await using receiver = await openReceiver([400]);
  const { id } = await shop.webhooks.add(receiver.url);
  expect(await shop.webhooks.test(id, { forged: true })).toMatchObject({ status: 'failed' });
  const triage = await sim.inject({ method: 'GET', url: '/_sim/browse/triage', headers: shop.headers });
  expect(triage.json()).toMatchObject({ data: { failing_deliveries: 0, given_up_deliveries: 0 } });
});

test('an event that one URL without an endpoint got does not make up for another one, which fails only once', async () => {
  await using sim = await createSimulator({ clock: { frozenAt: '2026-01-01T09:30:00Z' } });
  const { shop } = await openShop(sim);
  await shop.assumptions.set({ webhook_retry_seconds: [0] });
  await using receiver = await openReceiver();
  await using refusing = await openReceiver([500, 500]);
  await shop.sessions.cancel((await shop.sessions.create(order())).id);
  const [event] = await shop.events.list();
  for (const { url } of [refusing, refusing, receiver]) await shop.events.resend(event?.id as string, { url });
  const triage = await sim.inject({ method: 'GET', url: '/_sim/browse/triage', headers: shop.headers });
  expect(triage.json()).toMatchObject({ data: { failing_deliveries: 1, given_up_deliveries: 1 } });
});
