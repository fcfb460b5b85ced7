import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimulator, type SandboxShop, type Simulator } from '../../../src/index.ts';
import { openReceiver } from '../../support/receiver.ts';
import { caller } from '../../support/shop.ts';

let sim: Simulator;
let shop: SandboxShop;
beforeAll(async () => {
  sim = await createSimulator({ clock: { frozenAt: '2026-01-01T00:00:00Z' }, rateLimit: 'off' });
});
afterAll(() => sim.close());

async function buy() {
  const { id } = await shop.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
  return (await shop.sessions.complete(id)).reference;
}

describe('interface §11: the deliveries ahead', () => {
  it('tells what waits for a layaway listen that is away, and dates nothing in the past', async () => {
    shop = await sim.merchant();
    const url = 'http://localhost:3000/webhooks';
    await caller(sim, { ...shop.headers })('POST', '/_sim/webhook-endpoints', {
      url,
      transport: 'listener',
      events: ['contract.activated'],
    });
    const reference = await buy();
    const { now } = await shop.clock.advance('3d');
    const { chain, ahead } = await shop.explain(reference);
    const [delivery] = await shop.webhooks.deliveries();
    expect(ahead[0]).toEqual({
      at: now,
      what: `attempt 1 of the delivery ${delivery?.id} to ${url}, once layaway listen runs for it again`,
      unless: 'nobody listens for an hour of real time, or the endpoint is disabled or removed first',
    });
    expect(chain.find(({ kind }) => kind === 'delivery')?.because).toBe('No layaway listen is connected for it.');
  });

  it('tells when and why a delivery was given up', async () => {
    shop = await sim.merchant();
    await using receiver = await openReceiver([500]);
    const endpoint = await shop.webhooks.add(receiver.url, { events: ['contract.activated'] });
    const reference = await buy();
    await shop.clock.advance('1s');
    await shop.webhooks.remove(endpoint.id);
    const [delivery] = await shop.webhooks.deliveries();
    const { chain } = await shop.explain(reference);
    expect(chain.findLast(({ kind }) => kind === 'delivery')).toMatchObject({
      id: delivery?.id,
      at: '2026-01-01T00:00:01.000000Z',
      what: expect.stringMatching(/^Webhook contract\.activated evt_\w+ to .+ was given up\.$/),
      because: 'The endpoint was removed.',
    });
  });
});
