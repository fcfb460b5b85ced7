import { expect, test } from 'vitest';
import { createSimulator, type SandboxShop } from '../../src/index.ts';
import { startServer } from '../support/child.ts';
import { type Call, caller, order } from '../support/shop.ts';

const NOW = '2026-01-31T08:00:00Z';

/** Some of everything that a seed fixes; every answer as text, the server's own address taken out. */
async function script(server: { url: string; controlToken: string }, shop: Call): Promise<string[]> {
  const texts: string[] = [];
  const workspace = caller(server, { authorization: `Bearer ${server.controlToken}` });
  const ask = async (call: Call, ...request: Parameters<Call>) => {
    const { status, text, body } = await call(...request);
    texts.push(`${request[0]} ${status} ${text}`.replaceAll(server.url, 'http://host'));
    return body?.data;
  };

  const other = await ask(workspace, 'POST', '/_sim/merchants', { legal_name: 'Other', clock: { frozen_at: NOW } });
  const pair = ({ client_id, api_key }: Record<string, string>) => ({ 'x-client-id': client_id, 'x-api-key': api_key });
  const shops = [shop, caller(server, pair(other.sandbox) as never), caller(server, pair(other.live) as never)];
  for (const call of shops) {
    await ask(call, 'GET', '/v1/ping');
    await ask(call, 'POST', '/_sim/keys', { name: 'second' });
    await ask(call, 'PATCH', '/_sim/settings', { installment_cadence: 'monthly', grace_days: 5 });
    for (let plan = 0; plan < 6; plan += 1) {
      const body = order({
        order_reference: `A-${plan}`,
        total_amount: 10_001 + plan * 777,
        metadata: { n: `${plan}` },
      });
      const { id } = await ask(call, 'POST', '/v1/sessions', body, { 'idempotency-key': `k${plan}` });
      await ask(call, 'POST', '/v1/sessions', body, { 'idempotency-key': `k${plan}` });
      if (plan === 0) continue;
      const { reference } = await ask(call, 'POST', `/_sim/sessions/${id}/complete`, {});
      const outcomes = [['fail', 'fail'], ['fail'], [], ['pay', 'fail', 'fail']][plan % 4];
      await ask(call, 'PUT', `/_sim/contracts/${reference}/outcomes`, { outcomes });
      if (plan === 5) await ask(call, 'POST', `/v1/contracts/${reference}/cancel`);
      await ask(call, 'GET', `/_sim/contracts/${reference}/attempts`);
    }
    await ask(call, 'GET', '/_sim/forecast');
    await ask(call, 'POST', '/_sim/clock/advance', { by: '40d' });
    await ask(call, 'POST', '/_sim/clock/advance', { next: true });
    await ask(call, 'POST', '/v1/sessions', {});
    await ask(call, 'POST', '/_sim/clock/advance', { by: 'P1Y' });
    for (const list of ['/v1/contracts', '/_sim/sessions', '/_sim/events?limit=1000', '/_sim/emails?limit=1000']) {
      await ask(call, 'GET', list);
    }
    await ask(call, 'GET', '/_sim/clock');
  }
  return texts;
}

test('under one seed and a frozen clock every response is the same to the byte, in every process', async () => {
  const runs: string[][] = [];
  for (let run = 0; run < 2; run += 1) {
    await using sim = await createSimulator({ seed: 7, clock: { frozenAt: NOW }, rateLimit: 'off' });
    runs.push(await script(sim, caller(sim, { ...sim.default.headers })));
  }
  for (let run = 0; run < 2; run += 1) {
    const server = await startServer('--memory', '--seed', '7', '--clock', 'frozen', '--now', NOW);
    runs.push(await script(server, server.call));
    await server.stop();
  }
  const [first, ...others] = runs as [string[], ...string[][]];
  expect(first.length).toBeGreaterThan(100);
  for (const other of others) expect(other).toEqual(first);
});

test('decisions §1: the n-th merchant is the same, whatever else was drawn before it', async () => {
  const second = async (before: (shop: SandboxShop) => Promise<unknown>) => {
    await using sim = await createSimulator({ seed: 7, clock: { frozenAt: NOW } });
    await before(sim.default);
    const { headers, webhookSecret, live } = await sim.merchant();
    return { headers, webhookSecret, live: live.headers };
  };
  const merchant = await second(async () => undefined);
  expect(await second((shop) => shop.keys.create())).toEqual(merchant);
  expect(await second(async (shop) => [await shop.live.keys.create(), await shop.live.keys.create()])).toEqual(
    merchant,
  );
});

test('another seed draws other ids, and no seed at all draws new ones each time', async () => {
  const tokens = [];
  for (const options of [{ seed: 7 }, { seed: 8 }, {}, {}]) {
    await using sim = await createSimulator({ ...options, clock: { frozenAt: NOW } });
    const opened = await caller(sim, { ...sim.default.headers })('POST', '/v1/sessions', order());
    tokens.push(opened.body.data.id);
  }
  expect(new Set(tokens).size).toBe(4);
});
