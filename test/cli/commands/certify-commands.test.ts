import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStore, SECRET } from '../../certify/receivers.ts';
import { needing } from '../../support/programs.ts';
import { emptyPlace, quotedBin, runner, withSimulator } from '../layaway.ts';

const secret = ['--secret', SECRET];

test('interface §10: --checkout opens sessions on the account itself, within its limits', needing('sh'), async () => {
  await using world = await withSimulator();
  await using store = await openStore();
  const shop = world.sim.default;
  await shop.assumptions.set({ min_order_amount: 400 });
  const place = await emptyPlace();
  const create = `${quotedBin} sessions create --order-reference A-77 --total-amount 500`;
  const checkout = `env > '${place.cwd}/variables' && ${create}`;
  const at = ['--webhook-url', store.url, ...secret, '--only', 'tampered', '--checkout', checkout];
  const { clientId, apiKey } = shop;
  const account = ['--base-url', world.sim.url, '--client-id', clientId, '--api-key', apiKey];
  const token = ['--control-token', world.sim.controlToken];
  const { code, stderr } = await runner(place)('certify', ...at, ...account, ...token, '--json');
  expect(code, stderr).toBe(0);
  const variables = (await readFile(join(place.cwd, 'variables'), 'utf8')).split('\n');
  for (const name of ['BASE_URL', 'CLIENT_ID', 'API_KEY', 'CONTROL_TOKEN', 'WEBHOOK_SECRET']) {
    expect(variables).toContain(`LAYAWAY_${name}=${shop.env[`LAYAWAY_${name}`]}`);
  }
  expect(await shop.sessions.list()).toMatchObject([{ order_reference: 'A-77', status: 'pending' }]);
  expect(await shop.contracts.find()).toEqual([]);
});

test('interface §10: a command that cannot run', needing('sh'), async () => {
  await using store = await openStore();
  const layaway = runner(await emptyPlace({ LAYAWAY_BASE_URL: 'http://127.0.0.1:9' }));
  const { code, stderr } = await layaway('certify', '--webhook-url', store.url, ...secret, '--observe', './none');
  expect(code, stderr).toBe(1);
  expect(stderr).toContain('could not be run');
});
