import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSimulator } from '../../../src/index.ts';
import { emptyPlace, oneProcess, otherServer } from '../layaway.ts';

const { runner, withSimulator } = oneProcess();

const SHOWN = {
  legal_name: 'Harbor Furniture LLC',
  dba: null,
  min_order_amount: 50_000,
  max_order_amount: 2_000_000,
  down_payment_percentage: 10,
  session_ttl_minutes: 30,
  layaway_enabled: false,
};

/** The real service's stand-in. */
async function service(settings: object = SHOWN) {
  const sim = await createSimulator({ seed: 2, fixture: { settings } });
  onTestFinished(() => sim.close());
  return sim;
}

describe('layaway import', () => {
  test('sets names, terms and availability as the service shows them, after printing old and new', async () => {
    await using cli = await withSimulator();
    const there = await service();
    const imported = await cli.layaway('import', '--from', there.url);
    expect(imported.stdout).toMatch(/min_order_amount +5000 +50000/);
    expect(imported.stdout).toMatch(/dba +Example Store +\(none\)/);
    expect(imported).toMatchObject({ code: 0, stderr: 'Changed 7 values.' });
    expect(await cli.sim.default.assumptions.get()).toMatchObject(SHOWN);
    const again = await cli.layaway('import', '--from', there.url, '--json');
    expect(again.json).toEqual({ data: { changes: [], applied: false } });
  });

  test('without the control token, the platform stays as it is, and the command says so', async () => {
    await using cli = await withSimulator();
    const there = await createSimulator({ seed: 2, fixture: { platform: { disabled: true } } });
    onTestFinished(() => there.close());
    const { clientId, apiKey } = cli.sim.default;
    const stranger = runner(await emptyPlace());
    const flags = ['--base-url', cli.sim.url, '--client-id', clientId, '--api-key', apiKey];
    const { stderr, code } = await stranger('import', '--from', there.url, ...flags);
    expect(stderr).toContain('Platform values need the control token of the server and were left as they are.');
    expect(code).toBe(0);
    const { stderr: told } = await cli.layaway('import', '--from', there.url);
    expect(told).toBe('Changed 1 value.');
  });

  test('--dry-run changes nothing', async () => {
    await using cli = await withSimulator();
    const there = await service();
    const before = await cli.sim.default.assumptions.get();
    const shown = await cli.layaway('import', '--from', there.url, '--dry-run', '--json');
    expect(shown.json.data).toMatchObject({ applied: false });
    expect(shown.json.data.changes).toContainEqual({ name: 'session_ttl_minutes', old: 60, new: 30 });
    expect(await cli.sim.default.assumptions.get()).toEqual(before);
  });

  test('a minimum that allows fewer installments than here lowers their number', async () => {
    await using cli = await withSimulator();
    const there = await service({ min_order_amount: 300, installment_count: 2 });
    const lowered = 'installment_count is lowered to 3: min_order_amount 300 allows no more.';
    const dry = await cli.layaway('import', '--from', there.url, '--dry-run', '--json');
    expect(dry).toMatchObject({ code: 0, stderr: lowered });
    const changes = [
      { name: 'min_order_amount', old: 5_000, new: 300 },
      { name: 'installment_count', old: 4, new: 3 },
    ];
    expect(dry.json.data).toEqual({ changes, applied: false });

    const written = await cli.layaway('import', '--from', there.url, '--fixture', 'fixtures/few.yaml', '--json');
    const settings = expect.objectContaining({ min_order_amount: 300, installment_count: 3 });
    expect(written).toMatchObject({
      ...{ code: 0, stderr: lowered },
      json: { data: { file: 'fixtures/few.yaml', settings, platform: { disabled: false } } },
    });
    const started = await createSimulator({ fixture: join(cli.place.cwd, 'fixtures/few.yaml') });
    onTestFinished(() => started.close());
    expect(await started.default.assumptions.get()).toMatchObject({ min_order_amount: 300, installment_count: 3 });

    const imported = await cli.layaway('import', '--from', there.url);
    expect(imported).toMatchObject({ code: 0, stderr: `${lowered}\nChanged 2 values.` });
    expect(imported.stdout).toMatch(/installment_count +4 +3/);
    const again = await cli.layaway('import', '--from', there.url, '--json');
    expect(again).toMatchObject({ stderr: '', json: { data: { changes: [], applied: false } } });
  });

  test('a service that is available again makes this account available', async () => {
    await using cli = await withSimulator();
    const there = await service({});
    await cli.sim.default.assumptions.set({ layaway_activated: false, layaway_overridden: true });
    await cli.layaway('import', '--from', there.url);
    expect(await cli.sim.default.assumptions.get()).toMatchObject({
      layaway_activated: true,
      layaway_overridden: false,
    });
  });

  test('a reason removes the switches that would be named before it', async () => {
    await using cli = await withSimulator();
    const there = await service({ layaway_activated: false });
    await cli.sim.default.assumptions.set({ layaway_overridden: true, layaway_enabled: false });
    await cli.sim.platform.set({ disabled: true });
    expect(await cli.layaway('import', '--from', there.url)).toMatchObject({ code: 0, stderr: 'Changed 4 values.' });
    expect((await cli.layaway('compare', '--against', there.url, '--json')).json.differences).toEqual([]);
  });

  test('and leaves those that would be named after it, which the service does not show', async () => {
    await using cli = await withSimulator();
    const there = await service({ layaway_overridden: true });
    await cli.sim.default.assumptions.set({ layaway_enabled: false });
    expect(await cli.layaway('import', '--from', there.url)).toMatchObject({ code: 0, stderr: 'Changed 1 value.' });
    const settings = await cli.sim.default.assumptions.get();
    expect(settings).toMatchObject({ layaway_overridden: true, layaway_enabled: false });
  });

  test('an unavailable state is reported, because no response says which setting it comes from', async () => {
    await using cli = await withSimulator();
    const there = await service({ excluded_states: ['TX'] });
    const note =
      "The service returns state_excluded, which depends on the merchant's state: set state and excluded_states yourself.";
    expect(await cli.layaway('import', '--from', there.url)).toMatchObject({ code: 0, stderr: note });
    const written = await cli.layaway('import', '--from', there.url, '--fixture', 'merchant.yaml');
    expect(written.stderr).toContain(note);
    await cli.sim.default.assumptions.set({ excluded_states: ['TX'] });
    expect(await cli.layaway('import', '--from', there.url)).toMatchObject({ code: 0, stderr: '' });
  });

  test('a state that only this server excludes is reported, because it hides the availability of the service', async () => {
    await using cli = await withSimulator();
    const there = await service({ layaway_enabled: false });
    await cli.sim.default.assumptions.set({ excluded_states: ['TX'], layaway_overridden: true });
    const note =
      "This server still returns state_excluded, unlike the service, for the merchant's state TX: set state and excluded_states yourself.";
    for (const flags of [['--dry-run'], []]) {
      const { code, stderr } = await cli.layaway('import', '--from', there.url, ...flags);
      expect([code, stderr.split('\n').at(-1)]).toEqual([0, note]);
    }
    await cli.sim.default.assumptions.set({ excluded_states: [] });
    await cli.sim.platform.set({ unavailable_states: ['TX'] });
    const { stderr } = await cli.layaway('import', '--from', there.url);
    expect(stderr).toBe(note.replaceAll('state_excluded', 'state_unavailable').replace('excluded_', 'unavailable_'));
  });

  test('a reason that is no reason of the service is reported, and availability stays as it is', async () => {
    await using cli = await withSimulator();
    const layaway = { available: false, reason: 'maintenance', message: 'Back soon.' };
    await using there = await otherServer((_, response) =>
      response.end(JSON.stringify({ data: { legal_name: 'Harbor', layaway, terms: { min_order_amount: 6_000 } } })),
    );
    const { code, stderr } = await cli.layaway('import', '--from', there.url);
    expect(code).toBe(0);
    expect(stderr).toContain('The service is unavailable for the reason maintenance');
    const settings = await cli.sim.default.assumptions.get();
    expect(settings).toMatchObject({ legal_name: 'Harbor', min_order_amount: 6_000, layaway_enabled: true });
  });

  test('a value that this server does not accept is said to come from the service, and nothing changes', async () => {
    await using cli = await withSimulator();
    const there = await service();
    await using other = await otherServer(async (request, response) => {
      const answer = await fetch(`${there.url}${request.url}`, { headers: request.headers as Record<string, string> });
      const text = (await answer.text()).replace('"session_ttl_minutes":30', '"session_ttl_minutes":-1');
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
    });
    const before = await cli.sim.default.assumptions.get();
    const { code, stderr } = await cli.layaway('import', '--from', other.url);
    expect([code, stderr.split('\n').at(-1)]).toEqual([
      3,
      `${other.url} shows values that this server does not accept, so nothing was changed. Set the other values with \`layaway assumptions set <name> <value>\`.`,
    ]);
    expect(stderr).toContain('session ttl minutes');
    expect(await cli.sim.default.assumptions.get()).toEqual(before);
  });

  test('--fixture writes a file that a server starts with, needs no server, and replaces no file', async () => {
    const there = await service();
    const place = await emptyPlace();
    const layaway = runner(place);
    const file = join(place.cwd, 'merchant.yaml');
    const dry = await layaway('import', '--from', there.url, '--fixture', 'merchant.yaml', '--dry-run');
    expect([dry.code, existsSync(file)]).toEqual([0, false]);
    expect(await layaway('import', '--from', there.url, '--fixture', 'merchant.yaml')).toMatchObject({ code: 0 });
    const started = await createSimulator({ fixture: file });
    onTestFinished(() => started.close());
    expect(await started.default.assumptions.get()).toMatchObject(SHOWN);
    expect(`${dry.stdout}\n`).toBe(await readFile(file, 'utf8'));

    await writeFile(file, 'mine');
    const spaced = await layaway('import', '--from', there.url, '--fixture', 'the merchant.yaml');
    expect(spaced.stderr).toContain("layaway serve --fixture 'the merchant.yaml'");
    const refused = await layaway('import', '--from', there.url, '--fixture', 'merchant.yaml');
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('merchant.yaml exists') });
    expect(await readFile(file, 'utf8')).toBe('mine');
  });

  test('--fixture leaves out a value that a server would not start with, and says so', async () => {
    const there = await service();
    await using other = await otherServer(async (request, response) => {
      const answer = await fetch(`${there.url}${request.url}`, { headers: request.headers as Record<string, string> });
      const text = (await answer.text())
        .replace('"session_ttl_minutes":30', '"session_ttl_minutes":20000')
        .replaceAll(/"legal_name":"[^"]*"/g, `"legal_name":"${'x'.repeat(256)}"`);
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
    });
    const place = await emptyPlace();
    const { code, stderr } = await runner(place)('import', '--from', other.url, '--fixture', 'merchant.yaml');
    expect(code).toBe(0);
    expect(stderr).toContain(
      `session_ttl_minutes is left out: ${other.url} shows 20000, which layaway does not accept. It takes 1 to 10080.`,
    );
    expect(stderr).toContain('legal_name is left out');
    const started = await createSimulator({ fixture: join(place.cwd, 'merchant.yaml') });
    onTestFinished(() => started.close());
    const { session_ttl_minutes: _, legal_name: __, ...others } = SHOWN;
    const settings = await started.default.assumptions.get();
    expect(settings).toMatchObject({ ...others, session_ttl_minutes: 60, legal_name: 'Example Store LLC' });
  });

  test('a profile names the service and its pair; a live key is refused', async () => {
    await using cli = await withSimulator();
    const there = await service();
    const key = await there.default.keys.create({ name: 'import' });
    const { clientId } = there.default;
    for (const [name, value] of [
      ['base-url', there.url],
      ['client-id', clientId],
      ['api-key', key.key ?? ''],
    ] as const) {
      await cli.layaway('config', 'set', name, value);
    }
    expect(await cli.layaway('import', '--from', 'default', '--dry-run')).toMatchObject({ code: 0 });
    await cli.layaway('config', 'set', 'api-key', there.default.live.apiKey);
    const live = await cli.layaway('import', '--from', 'default');
    expect(live).toMatchObject({ code: 2, stderr: expect.stringContaining('the profile default is a live key') });
    // Not the profile of the command's own server.
    const beside = await cli.layaway('import', '--from', there.url, '--profile', 'default');
    expect(beside.stderr).toBe(
      '--from: the API key of the profile default is a live key. Use a sandbox pair (sk_test_…).',
    );
    // One host serves both modes, so another profile may have its sandbox pair.
    await cli.layaway('config', 'use', 'sandbox');
    await cli.layaway('config', 'set', 'base-url', there.url);
    await cli.layaway('config', 'set', 'client-id', clientId);
    await cli.layaway('config', 'set', 'api-key', there.default.apiKey);
    expect(await cli.layaway('import', '--from', there.url, '--dry-run')).toMatchObject({ code: 0 });
  });

  test('another program at that address, or nobody, is a sentence', async () => {
    await using cli = await withSimulator();
    await using other = await otherServer((_, response) => response.end('<html>'));
    expect(await cli.layaway('import', '--from', other.url)).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/is not the Layaway Checkout Service: .* use --from for another address\.$/),
    });
    await using strange = await otherServer((_, response) => response.end('{"data":{}}'));
    expect(await cli.layaway('import', '--from', strange.url)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('has no terms'),
    });
    await using empty = await otherServer((_, response) => response.end('{"data":null}'));
    expect(await cli.layaway('import', '--from', empty.url)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('its response to GET /v1/ping contains no data'),
    });
    await using moved = await otherServer((_, response) =>
      response.writeHead(301, { location: 'https://shop.test/v1/ping' }).end(),
    );
    expect(await cli.layaway('import', '--from', moved.url)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('it redirects to https://shop.test/v1/ping'),
    });
    expect(await cli.layaway('import', '--from', 'http://127.0.0.1:1')).toMatchObject({
      code: 4,
      stderr: 'Nothing answers at http://127.0.0.1:1. Start its server, or use --from for another address.',
    });
    expect(await cli.layaway('import')).toMatchObject({ code: 2, stderr: expect.stringContaining('Missing --from') });
  });
});
