import { expect, test } from 'vitest';
import { createSimulator } from '../../../src/index.ts';
import { conforming } from '../../support/conformance.ts';

test('interface §10: an account reads the secret of its endpoint, and of no other', async () => {
  await using sim = await createSimulator({ seed: 1 });
  const shop = sim.default;
  const added = await shop.webhooks.add('http://localhost:9/hook');
  const path = `/_sim/webhook-endpoints/${added.id}/secret`;
  const read = await conforming(sim)(path, { headers: shop.headers });
  expect([read.status, JSON.parse(read.text)]).toEqual([200, { data: added }]);
  const { secret } = await shop.webhooks.rotate(added.id);
  expect((await shop.webhooks.secret(added.id)).secret).toBe(secret);
  const listed = await shop.webhooks.list();
  expect(JSON.stringify(listed)).not.toContain(secret);
  for (const { headers } of [shop.live, await sim.merchant()]) {
    expect((await conforming(sim)(path, { headers })).status).toBe(404);
  }
  expect((await conforming(sim)(path, { headers: { ...shop.headers, 'x-api-key': 'sk_test_no' } })).status).toBe(401);
});
