import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { emptyPlace, oneProcess, type Place, start, startReady } from '../layaway.ts';

const { runner, withSimulator } = oneProcess();

const serve = (place: Place) => startReady(place, ['serve', '--memory', '--port', '0', '--json']);

/** The variables of interface §2, from the line with which a server says that it is ready. */
function variablesOf(line: string) {
  const { base_url, sandbox, live, webhook_secret, control_token } = JSON.parse(line);
  return {
    LAYAWAY_BASE_URL: base_url,
    LAYAWAY_CLIENT_ID: sandbox.client_id,
    LAYAWAY_API_KEY: sandbox.api_key,
    LAYAWAY_LIVE_CLIENT_ID: live.client_id,
    LAYAWAY_LIVE_API_KEY: live.api_key,
    LAYAWAY_WEBHOOK_SECRET: webhook_secret,
    LAYAWAY_CONTROL_TOKEN: control_token,
  };
}

const assigned = (variables: object, prefix = '') =>
  Object.entries(variables)
    .map(([name, value]) => `${prefix}${name}=${value}`)
    .join('\n');

describe('layaway env', () => {
  test('it prints what `serve` printed, for a shell, for PowerShell, for a .env file and as JSON', async () => {
    const place = await emptyPlace();
    await using server = await serve(place);
    const layaway = runner(place);
    const variables = variablesOf(server.ready);
    expect((await layaway('env')).stdout).toBe(assigned(variables, 'export '));
    const forPowerShell = Object.entries(variables).map(([name, value]) => `$env:${name} = '${value}'`);
    expect((await layaway('env', '--format', 'powershell')).stdout).toBe(forPowerShell.join('\n'));
    expect((await layaway('env', '--format', 'dotenv')).stdout).toBe(assigned(variables));
    expect((await layaway('env', '--json')).json).toEqual({ data: variables });

    // The live pair of the default merchant is not that of another one.
    const { sandbox } = (await layaway('merchants', 'create', '--json')).json.data;
    const pair = ['--client-id', sandbox.client_id, '--api-key', sandbox.api_key];
    const { json } = await layaway('env', '--base-url', variables.LAYAWAY_BASE_URL, ...pair, '--json');
    expect(Object.keys(json.data)).not.toContain('LAYAWAY_LIVE_API_KEY');
    expect(json.data.LAYAWAY_CLIENT_ID).toBe(sandbox.client_id);
  });

  test('of another account than the server’s own, the live pair is not known and left out', async () => {
    await using world = await withSimulator();
    const { LAYAWAY_LIVE_CLIENT_ID: _, LAYAWAY_LIVE_API_KEY: _key, ...known } = world.sim.default.env;
    expect((await world.layaway('env', '--json')).json).toEqual({ data: known });
    const shop = await world.sim.merchant({});
    const pair = ['--base-url', world.sim.url, '--client-id', shop.clientId, '--api-key', shop.apiKey];
    expect((await world.layaway('env', ...pair, '--json')).json.data).toEqual({
      LAYAWAY_BASE_URL: world.sim.url,
      LAYAWAY_CLIENT_ID: shop.clientId,
      LAYAWAY_API_KEY: shop.apiKey,
      LAYAWAY_WEBHOOK_SECRET: shop.webhookSecret,
      LAYAWAY_CONTROL_TOKEN: world.sim.controlToken,
    });
  });

  test('without the control token, the webhook secret is left out, and a note says what prints it', async () => {
    await using world = await withSimulator();
    const { clientId, apiKey, webhookSecret } = world.sim.default;
    const elsewhere = runner(await emptyPlace());
    const pair = ['--base-url', world.sim.url, '--client-id', clientId, '--api-key', apiKey];
    const { json, stderr } = await elsewhere('env', ...pair, '--json');
    expect(Object.keys(json.data)).toEqual(['LAYAWAY_BASE_URL', 'LAYAWAY_CLIENT_ID', 'LAYAWAY_API_KEY']);
    expect(stderr).toMatch(/^LAYAWAY_WEBHOOK_SECRET is left out: it needs the control token .* --print-secret` .*\.$/);
    expect((await elsewhere('listen', '--print-secret', ...pair)).stdout).toBe(webhookSecret);
    expect((await elsewhere('env', ...pair, '--control-token', world.sim.controlToken)).stderr).toBe('');
  });

  test('faults wait for the store, and nothing is logged', async () => {
    await using world = await withSimulator();
    const { faults, logs } = world.sim.default;
    await faults.add({ kind: 'lost_answer' });
    expect((await world.layaway('env')).code).toBe(0);
    expect((await world.layaway('env', '--base-url', world.sim.url, '--wait', '30s')).code).toBe(0);
    expect((await faults.list()).map(({ met }) => met)).toEqual([0]);
    expect(await logs.list()).toEqual([]);
  });

  test('a pair that does not work, and a server that does not answer, are errors without output', async () => {
    await using world = await withSimulator();
    const refused = await world.layaway('env', '--api-key', 'sk_test_wrong');
    expect([refused.code, refused.stdout]).toEqual([3, '']);
    expect(refused.stderr).toContain('Unauthenticated.');
    const key = await world.sim.default.keys.create({ scopes: ['contracts:read'] });
    expect((await world.layaway('env', '--api-key', key.key)).stdout).toContain(`LAYAWAY_API_KEY=${key.key}`);
    const nobody = await runner(await emptyPlace())('env', '--base-url', 'http://127.0.0.1:1');
    expect([nobody.code, nobody.stdout]).toEqual([4, '']);
  });
});

describe('layaway env, when the variables of a server are set already', () => {
  test('the server of this folder comes before them', async () => {
    await using old = await withSimulator();
    await using server = await serve(old.place);
    const layaway = runner(old.place);
    expect((await layaway('env', '--json')).json).toEqual({ data: variablesOf(server.ready) });
    expect((await layaway('env', '--base-url', old.sim.url, '--json')).json.data.LAYAWAY_BASE_URL).toBe(old.sim.url);
  });

  test('no other server is taken for the one that is being started', async () => {
    await using old = await withSimulator();
    const { code, stdout } = await old.layaway('env', '--wait', '0s');
    expect([code, stdout]).toEqual([5, '']);
  });
});

describe('layaway env --wait', () => {
  test('it waits for a server that starts in this folder', async () => {
    const place = await emptyPlace();
    const waiting = start(place, ['env', '--wait', '60s', '--json']);
    await using server = await serve(place);
    expect(JSON.parse((await waiting).stdout)).toEqual({ data: variablesOf(server.ready) });
  });

  test('a server of the folder above is not meant; after the time, it ends with 5', async () => {
    const above = await emptyPlace();
    await using _server = await serve(above);
    const place = { ...above, cwd: join(above.cwd, 'shop') };
    await mkdir(place.cwd);
    const { code, stdout, stderr } = await runner(place)('env', '--wait', '0s');
    expect([code, stdout, stderr]).toEqual([
      5,
      '',
      'No server that was started in this folder answered within 0 seconds.',
    ]);
    expect((await runner(place)('env')).code).toBe(0);
  });

  test('a server that is named is waited for, wherever it was started', async () => {
    await using world = await withSimulator();
    const layaway = runner(await emptyPlace());
    const { code, json } = await layaway('env', '--wait', '60s', '--base-url', world.sim.url, '--json');
    expect([code, json.data.LAYAWAY_BASE_URL]).toEqual([0, world.sim.url]);
    const late = await layaway('env', '--wait', '0s', '--base-url', 'http://127.0.0.1:1');
    expect([late.code, late.stderr]).toEqual([5, 'Nothing answered at http://127.0.0.1:1 within 0 seconds.']);
  });
});
