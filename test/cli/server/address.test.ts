import { chmod, chown, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { createSimulator } from '../../../src/index.ts';
import { defaultDraw } from '../../../src/secrets/draw.ts';
import { bin, emptyPlace, oneProcess, type Place, start } from '../layaway.ts';
import { emptyService } from '../planted.ts';

const { runner } = oneProcess();

async function announce({ cwd }: Place, file: object) {
  await mkdir(join(cwd, '.layaway'));
  await writeFile(join(cwd, '.layaway', 'server.json'), JSON.stringify(file), { mode: 0o600 });
}

const announced = (url: string, pid = process.pid) => ({
  pid,
  base_url: url,
  control_token: 'token-of-the-file',
  sandbox: { client_id: 'client-of-the-file', api_key: 'key-of-the-file' },
  live: { client_id: 'live-client-of-the-file', api_key: 'live-key-of-the-file' },
});

const identity = ({ headers }: { headers: NodeJS.Dict<string | string[]> }) => [
  headers['x-client-id'],
  headers['x-api-key'],
];

describe('interface §1: where to talk to and as whom, first hit wins', () => {
  test('flags come before the environment, the state directory and the profile', async () => {
    await using flagged = await emptyService();
    await using other = await emptyService();
    const place = await emptyPlace({
      LAYAWAY_BASE_URL: other.url,
      LAYAWAY_CLIENT_ID: 'client-of-env',
      LAYAWAY_API_KEY: 'key-of-env',
    });
    await announce(place, announced(other.url));
    const { code } = await runner(place)(
      ...['contracts', 'list', '--base-url', flagged.url, '--client-id', 'client-of-flag', '--api-key', 'key-of-flag'],
    );
    expect(code).toBe(0);
    expect(other.seen).toHaveLength(0);
    expect(flagged.seen.map(identity)).toEqual([['client-of-flag', 'key-of-flag']]);
  });

  test('the environment comes before the state directory', async () => {
    await using fromEnv = await emptyService();
    await using fromFile = await emptyService();
    const place = await emptyPlace({
      LAYAWAY_BASE_URL: fromEnv.url,
      LAYAWAY_CLIENT_ID: 'client-of-env',
      LAYAWAY_API_KEY: 'key-of-env',
    });
    await announce(place, announced(fromFile.url));
    await runner(place)('contracts', 'list');
    expect(fromFile.seen).toHaveLength(0);
    expect(fromEnv.seen.map(identity)).toEqual([['client-of-env', 'key-of-env']]);
  });

  test('of variables whose server has ended, the message says so and names the server of this folder', async () => {
    await using fromFile = await emptyService();
    const gone = await emptyService();
    await gone[Symbol.asyncDispose]();
    const place = await emptyPlace({ LAYAWAY_BASE_URL: gone.url });
    const layaway = runner(place);
    const hint = 'That address is from LAYAWAY_BASE_URL. The server of this folder is';
    expect((await layaway('contracts', 'list')).stderr).not.toContain(hint);
    await announce(place, announced(fromFile.url));
    const said = `${hint} ${fromFile.url}; \`layaway env\` prints the variables for it.`;
    expect(await layaway('contracts', 'list')).toMatchObject({ code: 4, stderr: expect.stringContaining(said) });
    expect((await layaway('contracts', 'list', '--base-url', gone.url)).stderr).not.toContain(hint);
    for (const other of [
      ['import', '--from', 'http://127.0.0.1:1', '--fixture', 'merchant.json'],
      ['certify', '--webhook-url', 'http://127.0.0.1:1'],
    ]) {
      const { code, stderr } = await layaway(...other);
      expect({ code, stderr }).toEqual({
        code: 4,
        stderr: expect.stringContaining('Nothing answers at http://127.0.0.1:1'),
      });
      expect(stderr).not.toContain(hint);
    }
    const { checks } = (await layaway('doctor', '--json')).json.data;
    expect(checks).toContainEqual(expect.objectContaining({ name: 'server', ok: false, advice: said }));
    expect(fromFile.seen).toHaveLength(0);
  });

  test('the state directory of a server that runs comes before the profile', async () => {
    await using fromFile = await emptyService();
    await using fromProfile = await emptyService();
    // Where a CI file names variables that are not set, they are empty.
    const place = await emptyPlace({ LAYAWAY_BASE_URL: '', LAYAWAY_CLIENT_ID: '', LAYAWAY_API_KEY: '' });
    const layaway = runner(place);
    await layaway('config', 'set', 'base-url', fromProfile.url);
    await announce(place, announced(fromFile.url));
    await layaway('contracts', 'list');
    expect(fromProfile.seen).toHaveLength(0);
    expect(fromFile.seen.map(identity)).toEqual([['client-of-the-file', 'key-of-the-file']]);
  });

  test('the state directory of a server that is gone is ignored', async () => {
    await using fromProfile = await emptyService();
    const place = await emptyPlace();
    const layaway = runner(place);
    await layaway('config', 'set', 'base-url', fromProfile.url);
    const gone = (await endedProcess()).pid;
    await announce(place, announced('http://127.0.0.1:1', gone));
    expect((await layaway('contracts', 'list')).code).toBe(0);
    expect(fromProfile.seen).toHaveLength(1);
  });

  test.each(['{', '[]', 'null', '{"pid":1}', '{"pid":1,"base_url":"http://127.0.0.1:1"}'])(
    'a state directory whose file holds %s is ignored',
    async (text) => {
      await using fromProfile = await emptyService();
      const place = await emptyPlace();
      const layaway = runner(place);
      await layaway('config', 'set', 'base-url', fromProfile.url);
      await mkdir(join(place.cwd, '.layaway'));
      await writeFile(join(place.cwd, '.layaway', 'server.json'), text);
      expect((await layaway('contracts', 'list')).code).toBe(0);
      expect(fromProfile.seen).toHaveLength(1);
    },
  );

  test('without anything: http://127.0.0.1:4747', async () => {
    const { code, stderr } = await runner(await emptyPlace())('contracts', 'list', '--base-url', '');
    // Somebody may run one there; then it answers.
    expect(code === 0 || stderr.includes('http://127.0.0.1:4747')).toBe(true);
  });

  test('without anything: the default sandbox pair, the one that the simulator opens to', async () => {
    await using sim = await createSimulator();
    const { code, stderr } = await runner(await emptyPlace())('contracts', 'list', '--base-url', sim.url, '--debug');
    expect(code).toBe(0);
    expect(stderr).toContain(`Using ${sim.url} (--base-url), the default sandbox pair, no control token`);
    expect(sim.default.apiKey).toBe(defaultDraw.firstKey('sandbox', 1));
  });

  test('--profile and LAYAWAY_PROFILE name another profile than the selected one', async () => {
    await using staging = await emptyService();
    await using other = await emptyService();
    const place = await emptyPlace();
    const layaway = runner(place);
    await layaway('config', 'set', 'base-url', other.url);
    await layaway('config', 'use', 'staging');
    await layaway('config', 'use', 'default');
    const ofVariable = runner({ ...place, env: { ...place.env, LAYAWAY_PROFILE: 'staging' } });
    await ofVariable('config', 'set', 'base-url', staging.url);
    await layaway('contracts', 'list', '--profile', 'staging');
    await ofVariable('contracts', 'list');
    expect(other.seen).toHaveLength(0);
    expect(staging.seen).toHaveLength(2);
  });

  test('a profile that a flag names is a flag: before the environment; one that the environment names, before the file', async () => {
    await using flagged = await emptyService();
    await using named = await emptyService();
    await using other = await emptyService();
    const place = await emptyPlace();
    const layaway = runner(place);
    for (const [profile, { url }] of Object.entries({ flagged, named })) {
      await layaway('config', 'use', profile);
      await layaway('config', 'set', 'base-url', url);
      await layaway('config', 'set', 'client-id', `mch_test_${profile}`);
      await layaway('config', 'set', 'api-key', `sk_test_${profile}`);
    }
    await layaway('config', 'use', 'default');
    await announce(place, announced(other.url));
    const inEnv = (env: Record<string, string>) => runner({ ...place, env: { ...place.env, ...env } });

    const set = { LAYAWAY_BASE_URL: other.url, LAYAWAY_CLIENT_ID: 'client-of-env', LAYAWAY_API_KEY: 'key-of-env' };
    await inEnv({ ...set, LAYAWAY_PROFILE: 'named' })('contracts', 'list', '--profile', 'flagged');
    expect(flagged.seen.map(identity)).toEqual([['mch_test_flagged', 'sk_test_flagged']]);

    await inEnv({ LAYAWAY_PROFILE: 'named' })('contracts', 'list');
    expect(named.seen.map(identity)).toEqual([['mch_test_named', 'sk_test_named']]);
    expect(other.seen).toHaveLength(0);

    await inEnv({ LAYAWAY_PROFILE: 'named', LAYAWAY_BASE_URL: other.url })('contracts', 'list');
    // The pair of the profile is for its own URL; the file's is for this one.
    expect(other.seen.map(identity)).toEqual([['client-of-the-file', 'key-of-the-file']]);
  });

  test.each([
    ['--profile', ['--profile', 'nowhere'], {}],
    ['LAYAWAY_PROFILE', [], { LAYAWAY_PROFILE: 'nowhere' }],
  ])('a profile that %s names and that is not there is never passed over', async (_where, args, env) => {
    await using own = await emptyService();
    const place = await emptyPlace(env);
    await announce(place, announced(own.url));
    const { code, stderr } = await runner(place)('contracts', 'list', ...args);
    expect(code).toBe(2);
    expect(stderr).toContain('There is no profile named nowhere');
    expect(own.seen).toHaveLength(0);
  });
});

describe('interface §1: what server.json holds is for that server alone', () => {
  test('a pair of the file is not sent to another URL', async () => {
    await using elsewhere = await emptyService();
    const place = await emptyPlace();
    await announce(place, announced('http://127.0.0.1:1'));
    await runner(place)('contracts', 'list', '--base-url', elsewhere.url);
    expect(elsewhere.seen).toHaveLength(1);
    expect(JSON.stringify(elsewhere.seen[0]?.rawHeaders)).not.toContain('of-the-file');
  });

  test('a control token of the file is not sent to another URL', async () => {
    await using elsewhere = await emptyService();
    const place = await emptyPlace();
    await announce(place, announced('http://127.0.0.1:1'));
    const { code } = await runner(place)('merchants', 'list', '--base-url', elsewhere.url);
    expect(code).toBe(3);
    expect(elsewhere.seen.map(({ headers }) => headers.authorization)).not.toContain('Bearer token-of-the-file');
  });

  test('a control token of the file reaches that file’s own server', async () => {
    await using own = await emptyService();
    const place = await emptyPlace();
    await announce(place, announced(own.url));
    await runner(place)('snapshots', 'list', '--base-url', `${own.url}/`);
    expect(own.seen[0]?.headers.authorization).toBe('Bearer token-of-the-file');
    expect(own.seen[0]?.headers).not.toHaveProperty('x-api-key');
  });
});

describe('interface §2: config', () => {
  const place = emptyPlace();
  const secret = ['sk', 'test', 'AbCdEfGhIjKlMnOpQrStUvWxYz012345'].join('_');

  test('a value that was set is what get prints', async () => {
    const layaway = runner(await place);
    expect((await layaway('config', 'set', 'base-url', 'http://127.0.0.1:4800/')).code).toBe(0);
    expect(await layaway('config', 'get', 'base-url')).toMatchObject({ code: 0, stdout: 'http://127.0.0.1:4800' });
    expect((await layaway('config', 'get', 'base-url', '--json')).json).toEqual({
      data: { 'base-url': 'http://127.0.0.1:4800' },
    });
    expect((await layaway('config', 'get', 'client-id')).code).toBe(1);
  });

  test('a profile may have the name of something that every object has', async () => {
    const layaway = runner(await emptyPlace());
    await layaway('config', 'use', 'constructor', '--yes');
    expect((await layaway('config', 'list', '--json')).json).toEqual({
      data: [
        { name: 'default', selected: false },
        { name: 'constructor', selected: true },
      ],
    });
  });

  test('a secret is never printed whole', async () => {
    const layaway = runner(await place);
    const outputs = [
      await layaway('config', 'set', 'api-key', secret, '--json'),
      await layaway('config', 'get', 'api-key'),
      await layaway('config', 'list'),
      await layaway('config', 'list', '--json'),
    ];
    for (const { code, stdout, stderr } of outputs) {
      expect(code).toBe(0);
      expect(stdout).toContain(secret.slice(0, 12));
      expect(stdout + stderr).not.toContain(secret.slice(0, 14));
    }
  });

  test('the file and its folder are their owner’s alone, and config path names the file', async () => {
    const layaway = runner(await place);
    const { stdout } = await layaway('config', 'path');
    expect(stdout).toBe(join((await place).cwd, 'config', 'layaway', 'config.json'));
    expect((await stat(stdout)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(stdout))).mode & 0o777).toBe(0o700);
  });

  test('reading creates nothing', async () => {
    const fresh = await emptyPlace();
    const layaway = runner(fresh);
    expect((await layaway('config', 'path')).code).toBe(0);
    expect((await layaway('config', 'list')).stdout).toContain('default');
    expect((await layaway('config', 'get', 'base-url')).code).toBe(1);
    expect(await readdir(fresh.cwd)).toEqual([]);
  });

  test.skipIf(process.platform !== 'linux')('a relative XDG_CONFIG_HOME is ignored', async () => {
    const fresh = await emptyPlace({ XDG_CONFIG_HOME: 'config' });
    const { stdout } = await runner(fresh)('config', 'path');
    expect(stdout).toBe(join(fresh.cwd, '.config', 'layaway', 'config.json'));
  });

  test.skipIf(process.platform === 'win32').each(['', 'home'])('HOME=%s is ignored', async (home) => {
    const fresh = await emptyPlace({ HOME: home, XDG_CONFIG_HOME: '' });
    const { stdout } = await runner(fresh)('config', 'path');
    expect(stdout.startsWith(userInfo().homedir)).toBe(true);
  });

  test.skipIf(process.getuid?.() !== 0)('a user that the system does not know has no settings', async () => {
    const args = [bin, 'config', 'list'];
    const { stdout, stderr } = await execa(process.execPath, args, {
      ...{ cwd: '/', env: {}, extendEnv: false, reject: false, uid: 54_321, gid: 54_321 },
    });
    expect({ stdout, stderr }).toEqual({ stdout: expect.stringContaining('default'), stderr: '' });
  });

  test.skipIf(process.getuid?.() !== 0)('it can have them where XDG_CONFIG_HOME says', async () => {
    const { cwd } = await emptyPlace();
    await chown(cwd, 54_321, 54_321);
    const config = (env: Record<string, string>, ...args: string[]) =>
      execa(process.execPath, [bin, 'config', ...args], {
        ...{ cwd: '/', env, extendEnv: false, reject: false, uid: 54_321, gid: 54_321 },
      });
    const env = { XDG_CONFIG_HOME: cwd };
    await config(env, 'set', 'base-url', 'http://127.0.0.1:4800');
    expect((await config(env, 'get', 'base-url')).stdout).toBe('http://127.0.0.1:4800');
    const nowhere = await config({}, 'set', 'base-url', 'http://127.0.0.1:4800');
    expect([nowhere.exitCode, nowhere.stderr]).toEqual([
      1,
      expect.stringMatching(
        /^The settings file \/\.config\/.+ cannot be written \(permission denied\)\. Check its permissions/,
      ),
    ]);
  });

  const keptAt = async (text: string) => {
    const kept = await emptyPlace();
    await mkdir(join(kept.cwd, 'config', 'layaway'), { recursive: true });
    await writeFile(join(kept.cwd, 'config', 'layaway', 'config.json'), text);
    return kept;
  };
  const keeping = async (text: string) => runner(await keptAt(text));

  test.each([
    ['{', 'it is not valid JSON'],
    ['3', 'it is not an object'],
    ['null', 'it is not an object'],
    ['[]', 'it is not an object'],
    ['{"profiles":[]}', 'profiles is not an object'],
    ['{"profiles":{"a":{"base-url":5}}}', 'the profile a is not an object of strings'],
    ['{"selected":1}', 'selected is not a string'],
  ])('a file that holds %s is told with the reason', async (text, reason) => {
    const layaway = await keeping(text);
    for (const args of [
      ['config', 'list'],
      ['contracts', 'list'],
    ]) {
      const { code, stderr } = await layaway(...args);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^The settings file .+config\.json cannot be read \(.+\)\. Fix it or delete it\.$/);
      expect(stderr).toContain(` (${reason}). `);
    }
  });

  test('a file that an editor began with a byte order mark is read and changed', async () => {
    const layaway = await keeping('\ufeff{"profiles":{"default":{"base-url":"http://127.0.0.1:1"}}}\n');
    expect(await layaway('config', 'get', 'base-url')).toMatchObject({ code: 0, stdout: 'http://127.0.0.1:1' });
    expect(await layaway('config', 'set', 'client-id', 'mch_test_1')).toMatchObject({ code: 0 });
    const listed = (await layaway('config', 'list', '--json')).json.data;
    expect(listed).toMatchObject([{ 'base-url': 'http://127.0.0.1:1', 'client-id': 'mch_test_1' }]);
  });

  test.each([
    ['{broken', /^The settings file .+ cannot be read \(it is not valid JSON\)\. /],
    ['{"selected":"gone"}', /^There is no profile named gone\. /],
  ])('a file that holds %s only stops commands that need it', async (text, says) => {
    await using there = await emptyService();
    const layaway = await keeping(text);
    const to = ['contracts', 'list', '--base-url', there.url];
    expect(await layaway(...to)).toMatchObject({ code: 0, stderr: expect.stringMatching(says) });
    const pair = ['--client-id', 'client-of-flag', '--api-key', 'key-of-flag'];
    const quiet = await layaway(...to, ...pair);
    expect(quiet).toMatchObject({ code: 0, stderr: 'There are no contracts.' });
    expect(there.seen.map(identity)).toEqual([
      [defaultDraw.clientId('sandbox', 1), defaultDraw.firstKey('sandbox', 1)],
      ['client-of-flag', 'key-of-flag'],
    ]);
    expect(await layaway('config', 'path')).toMatchObject({ code: 0, stdout: expect.stringContaining('config.json') });
    expect((await layaway(...to, '--profile', 'other')).code).not.toBe(0);
  });

  test('a home that is no folder holds no settings file, and none can be written there', async () => {
    const homeless = await emptyPlace({ HOME: '/dev/null', XDG_CONFIG_HOME: '/dev/null' });
    const layaway = runner(homeless);
    expect(await layaway('config', 'list')).toMatchObject({ code: 0, stdout: expect.stringContaining('default') });
    expect((await layaway('contracts', 'list', '--base-url', 'http://127.0.0.1:1')).code).toBe(4);
    const { code, stderr } = await layaway('config', 'use', 'real');
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^The settings file \/dev\/null\/.+ cannot be written \(a part of its path is not a directory\)\. Check its permissions, its folder and the space on its disk\.$/,
    );
  });

  test.skipIf(process.platform !== 'linux')('a folder that no folder can be made in is named', async () => {
    const { cwd, env } = await emptyPlace({ XDG_CONFIG_HOME: '/proc/none' });
    const { exitCode, stderr } = await execa(
      process.execPath,
      [bin, 'config', 'set', 'base-url', 'http://127.0.0.1:1'],
      {
        ...{ cwd, env, reject: false },
        // It would never end.
        ...{ timeout: 30_000, killSignal: 'SIGKILL' },
      },
    );
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /^The settings file \/proc\/none\/.+ cannot be written \(there is no such file or directory\)\. Check its permissions/,
    );
  });

  test('a file that this user may not read is not called damaged', async () => {
    const { cwd, env } = await keptAt('{}');
    await chmod(join(cwd, 'config', 'layaway', 'config.json'), 0o000);
    await chmod(cwd, 0o755);
    // Root may read everything, so somebody else tries it.
    const uid = process.getuid?.() === 0 ? { uid: 65_534 } : {};
    const { exitCode, stderr } = await execa(process.execPath, [bin, 'contracts', 'list'], {
      cwd,
      env,
      ...uid,
      reject: false,
    });
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^The settings file .+config\.json cannot be read \(permission denied\)\. Give this user access to it, or set HOME to a folder of this user\.$/,
      ),
    ]);
  });

  test('a selected profile that somebody has taken out is named', async () => {
    const layaway = await keeping('{"selected":"gone","profiles":{"here":{}}}');
    const { code, stderr } = await layaway('contracts', 'list');
    expect(code).toBe(2);
    expect(stderr).toBe(
      'There is no profile named gone. Available: default, here. Create it with `layaway config use gone`.',
    );
  });
});

/** A process that has ended: its id is free. */
async function endedProcess() {
  const child = start(await emptyPlace(), ['--version']);
  await child;
  return { pid: child.pid as number };
}
