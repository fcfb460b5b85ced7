import { chmod, chown, mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createSimulator } from '../../src/index.ts';
import { defaultDraw } from '../../src/secrets/draw.ts';
import { emptyPlace, oneProcess, type Place } from './layaway.ts';
import { checkOf, expectIgnored, listener, plant, planted } from './planted.ts';

const { runner } = oneProcess();

/** What an attacker is after. Put together here: scanners look for such words. */
const LIVE_KEY = ['sk', 'live', 'RealKeyOfTheProfile000000000000'].join('_');
const TEST_KEY = ['sk', 'test', 'RealKeyOfTheProfile000000000000'].join('_');
const SECRETS = [LIVE_KEY, TEST_KEY, 'mch_live_profile', 'client-of-env', 'key-of-env', 'token-of-env', 'of-flag'];

const expectNoSecret = (sent: string) => {
  for (const secret of SECRETS) expect(sent).not.toContain(secret);
};

/** A user whose selected profile holds a live key of the real service, which nobody may reach from a test. */
async function victim(env: Record<string, string> = {}, profile: Record<string, string> = {}): Promise<Place> {
  const place = await emptyPlace(env);
  const folder = join(place.cwd, 'config', 'layaway');
  await mkdir(folder, { recursive: true });
  const home = { 'base-url': 'https://layaway.invalid', 'client-id': 'mch_live_profile', 'api-key': LIVE_KEY };
  const profiles = { real: { ...home, ...profile } };
  await writeFile(join(folder, 'config.json'), JSON.stringify({ selected: 'real', profiles }), { mode: 0o600 });
  return place;
}

const COMMANDS = [
  ['contracts', 'list'],
  ['doctor'],
  ['__complete', 'contracts'],
  ['__complete', 'snapshots'],
  ['clock', 'show'],
  ['merchants', 'list'],
  ['assumptions', 'list'],
];

const FROM_ENV = {
  LAYAWAY_CLIENT_ID: 'client-of-env',
  LAYAWAY_API_KEY: 'key-of-env',
  LAYAWAY_CONTROL_TOKEN: 'token-of-env',
};

describe('interface §6: a planted folder gets nothing', () => {
  test.each(COMMANDS)('an empty pair in server.json: layaway %s %s', async (...args) => {
    await using thief = await listener();
    const place = await victim();
    await plant(place, planted(thief.url, { sandbox: { client_id: '', api_key: '' } }));
    await runner(place)(...args);
    expect(thief.seen).toHaveLength(0);
  });

  test.each(COMMANDS)('the pair and the token of the environment: layaway %s %s', async (...args) => {
    await using thief = await listener();
    const place = await victim(FROM_ENV);
    await plant(place, planted(thief.url));
    await runner(place)(...args);
    expectNoSecret(thief.sent());
  });

  test.each(COMMANDS)('a complete file is sent its own pair and token only: layaway %s %s', async (...args) => {
    await using thief = await listener();
    const place = await victim();
    await plant(place, planted(thief.url));
    await runner(place)(...args);
    expect(thief.sent()).toMatch(/(key|token)-of-file/);
    expectNoSecret(thief.sent());
  });

  test('flags without a URL are for the default address, and the command names the server that it passed over', async () => {
    await using thief = await listener();
    const place = await victim();
    await plant(place, planted(thief.url));
    const layaway = runner(place);
    for (const args of [
      ['contracts', 'list', '--api-key', 'key-of-flag', '--client-id', 'client-of-flag'],
      ['contracts', 'list', '--api-key', 'key-of-flag'],
      ['snapshots', 'list', '--control-token', 'token-of-flag'],
    ]) {
      const { stderr } = await layaway(...args, '--debug');
      expect(stderr).toContain('Using http://127.0.0.1:4747 (the default)');
      expect(stderr).toContain(`The server of this folder, ${thief.url}, was not used`);
      expect(thief.seen).toHaveLength(0);
    }
    const { json } = await layaway('doctor', '--json', '--api-key', 'key-of-flag');
    const [address] = json.data.checks;
    expect(address).toMatchObject({ name: 'address', advice: expect.stringContaining(`${thief.url}, was not used`) });
    expect(thief.seen).toHaveLength(0);
  });

  test.each([
    ['no token', { control_token: '' }],
    ['no key', { sandbox: { client_id: 'client-of-file' } }],
    ['no live pair', { live: undefined }],
    ['a pair that is no text', { sandbox: { client_id: {}, api_key: [] } }],
    ['no process', { pid: 0 }],
    ['a group of processes', { pid: -1 }],
    ['more than any server writes', { more: 'x'.repeat(65_536) }],
    ['a password in the URL', { base_url: 'http://a:b@127.0.0.1:1' }],
  ])('a file with %s is not believed, and doctor says so', async (_what, changes) => {
    await using thief = await listener();
    const place = await emptyPlace();
    await plant(place, planted(thief.url, changes));
    const layaway = runner(place);
    await layaway('contracts', 'list');
    const { json } = await layaway('doctor', '--json');
    expect(thief.seen).toHaveLength(0);
    expect(checkOf(json, 'directory')).toMatchObject({ ok: false, detail: expect.stringContaining('is ignored: it') });
  });

  test.each([
    'http://layaway.invalid',
    'http://192.0.2.1:4747',
    'http://127.0.0.1.layaway.invalid',
    'http://localhost.layaway.invalid',
    'file:///etc/passwd',
  ])('a file whose URL is %s is not believed', async (url) => {
    const place = await emptyPlace();
    await plant(place, planted(url));
    const { json } = await runner(place)('doctor', '--json');
    expect(checkOf(json, 'directory')).toMatchObject({ ok: false, detail: expect.stringContaining('is ignored: it') });
    expect(checkOf(json, 'address').detail).toContain('http://127.0.0.1:4747 (the default)');
  });

  test.each([
    ['that others may write', (path: string) => chmod(path, 0o666), 'other users can write to it'],
    ['that the group may write', (path: string) => chmod(path, 0o620), 'other users can write to it'],
    ['that is a symbolic link', linked, 'it is a symbolic link'],
    ['that is a folder', folded, 'it is not a regular file'],
  ] as const)('a file %s is not believed, and nothing waits for it', (_what, change, why) =>
    expectIgnored(change, why),
  );

  test('a file of another user is not believed', ({ skip }) => {
    if (process.getuid?.() !== 0) skip('only root can give a file away');
    return expectIgnored((path) => chown(path, 65_534, 65_534), 'it belongs to another user');
  });
});

async function linked(path: string) {
  await rename(path, `${path}.target`);
  await symlink(`${path}.target`, path);
}
async function folded(path: string) {
  await rename(path, `${path}.gone`);
  await mkdir(path);
}

describe('interface §6: URL and pair belong together', () => {
  const DEFAULT_KEY = defaultDraw.firstKey('sandbox', 1);

  test('a URL alone gets the default pair, whatever the environment and the profile hold', async () => {
    await using elsewhere = await listener();
    const place = await victim(FROM_ENV);
    const layaway = runner(place);
    await layaway('contracts', 'list', '--base-url', elsewhere.url);
    expect(elsewhere.sent()).toContain(DEFAULT_KEY);
    const { code } = await layaway('merchants', 'list', '--base-url', elsewhere.url);
    expect(code).toBe(3);
    expectNoSecret(elsewhere.sent());
  });

  test('a URL of the environment alone gets the default pair', async () => {
    await using elsewhere = await listener();
    await runner(await victim({ LAYAWAY_BASE_URL: elsewhere.url }))('contracts', 'list');
    expect(elsewhere.sent()).toContain(DEFAULT_KEY);
    expectNoSecret(elsewhere.sent());
  });

  test('flags go with the URL of the environment, half a pair too', async () => {
    await using server = await listener();
    const place = await victim({ ...FROM_ENV, LAYAWAY_BASE_URL: server.url });
    await runner(place)('contracts', 'list', '--api-key', 'key-of-flag');
    expect(server.seen[0]?.headers).toMatchObject({ 'x-client-id': 'client-of-env', 'x-api-key': 'key-of-flag' });
  });

  test('a profile’s pair goes to that profile’s URL, named by its name or by the URL itself', async () => {
    await using own = await listener();
    await using other = await listener();
    const place = await victim({}, { 'base-url': own.url, 'api-key': TEST_KEY });
    const layaway = runner(place);
    await layaway('contracts', 'list');
    await layaway('contracts', 'list', '--base-url', `${own.url}/`);
    await layaway('contracts', 'list', '--profile', 'real', '--base-url', other.url);
    expect(own.seen.map(({ headers }) => headers['x-api-key'])).toEqual([TEST_KEY, TEST_KEY]);
    expect(other.seen.map(({ headers }) => headers['x-api-key'])).toEqual([DEFAULT_KEY]);
  });

  test('a profile without a URL is for the default address', async () => {
    await using server = await listener();
    const place = await victim({ LAYAWAY_BASE_URL: server.url }, { 'base-url': '', 'api-key': TEST_KEY });
    const { stderr } = await runner(place)('contracts', 'list', '--profile', 'real', '--debug');
    expect(stderr).toContain('Using http://127.0.0.1:4747 (the default), the pair from --profile');
    expect(server.seen).toHaveLength(0);
  });

  test('--debug and doctor say which URL and whose pair, and no secret', async () => {
    await using sim = await createSimulator();
    const { LAYAWAY_BASE_URL, LAYAWAY_CLIENT_ID, LAYAWAY_API_KEY, LAYAWAY_CONTROL_TOKEN } = sim.default.env;
    const env = { LAYAWAY_BASE_URL, LAYAWAY_CLIENT_ID, LAYAWAY_API_KEY, LAYAWAY_CONTROL_TOKEN } as Record<
      string,
      string
    >;
    const layaway = runner(await emptyPlace(env));
    const says = `${sim.url} (LAYAWAY_BASE_URL), the client id from LAYAWAY_CLIENT_ID and the API key from LAYAWAY_API_KEY, the control token from LAYAWAY_CONTROL_TOKEN`;
    const { stderr } = await layaway('contracts', 'list', '--debug');
    expect(stderr).toContain(`Using ${says}.`);
    for (const secret of [sim.default.apiKey, sim.controlToken]) expect(stderr).not.toContain(secret);
    expect((await layaway('contracts', 'list')).stderr).not.toContain('Using');
    const { json } = await layaway('doctor', '--json');
    expect(checkOf(json, 'address').detail).toBe(says);
  });

  test('run --base-url takes the token from a flag, or with the URL from the environment', async () => {
    await using sim = await createSimulator();
    await using other = await listener();
    const file = 'name: one\nsteps:\n  - create-session: { order_reference: A-1, total_amount: 20000 }\n';
    const play = async (env: Record<string, string>, url: string, ...args: string[]) => {
      const place = await emptyPlace(env);
      await writeFile(join(place.cwd, 'a.yaml'), file);
      return (await runner(place)('run', 'a.yaml', '--base-url', url, ...args)).code;
    };
    const token = { LAYAWAY_CONTROL_TOKEN: sim.controlToken };
    expect(await play({}, sim.url, '--control-token', sim.controlToken)).toBe(0);
    expect(await play({ ...token, LAYAWAY_BASE_URL: sim.url }, sim.url)).toBe(0);
    expect(await play(token, sim.url)).toBe(2);
    // It has no control plane, which it is asked for without a token.
    expect(await play({ ...token, LAYAWAY_BASE_URL: sim.url }, other.url)).toBe(3);
    expectNoSecret(other.sent());
  });
});

describe('interface §6: a live key', () => {
  const away = ['--base-url', 'https://layaway.invalid', '--client-id', 'mch_live_1', '--api-key'];

  test.each([
    ['a flag', [...away, LIVE_KEY]],
    ['a flag, with a blank before it', [...away, ` ${LIVE_KEY}`]],
    ['the profile', []],
  ])('of %s leaves this machine only with --live', async (_where, flags) => {
    const layaway = runner(await victim());
    for (const command of [['contracts', 'list'], ['doctor'], ['listen', '--forward-to', 'localhost:1']]) {
      const { code, stdout, stderr } = await layaway(...command, ...flags);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^The live API key from .+ was not sent to https:\/\/layaway\.invalid.+--live/);
    }
    // Past the guard the name is looked up, and it is nobody's.
    expect((await layaway('contracts', 'list', ...flags, '--live')).code).toBe(4);
  });

  test('goes to a server on this machine unchanged', async () => {
    await using sim = await createSimulator();
    const env = { LAYAWAY_BASE_URL: sim.url, LAYAWAY_CLIENT_ID: sim.default.live.clientId };
    const layaway = runner(await emptyPlace({ ...env, LAYAWAY_API_KEY: sim.default.live.apiKey }));
    expect((await layaway('contracts', 'list')).code).toBe(0);
  });

  test('is never sent by shell completion, to whatever address', async () => {
    await using server = await listener();
    const env = { LAYAWAY_BASE_URL: server.url, LAYAWAY_CLIENT_ID: 'mch_live_1', LAYAWAY_API_KEY: LIVE_KEY };
    const layaway = runner(await emptyPlace(env));
    for (const kind of ['contracts', 'sessions', 'webhooks', 'events', 'emails', 'keys', 'snapshots']) {
      expect(await layaway('__complete', kind, '--live')).toMatchObject({ code: 0, stdout: '', stderr: '' });
    }
    expect(server.seen).toHaveLength(0);
  });
});
