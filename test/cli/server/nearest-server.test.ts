import { chmod, mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { emptyPlace, lines, oneProcess, type Place, start } from '../layaway.ts';

const { runner } = oneProcess();

/** Starts a server in a folder, and gives its ready line. */
async function serve(place: Place, ...args: string[]) {
  const child = start(place, ['serve', '--json', ...(args.includes('--port') ? [] : ['--port', '0']), ...args]);
  const ready = JSON.parse(await lines(child)());
  return {
    url: ready.base_url as string,
    token: ready.control_token as string,
    child,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await child;
    },
  };
}

const below = async (place: Place, ...names: string[]): Promise<Place> => {
  const cwd = join(place.cwd, ...names);
  await mkdir(cwd, { recursive: true });
  return { ...place, cwd };
};

/** What `--debug` says of the URL, and what is said without it. */
async function used(place: Place) {
  const quiet = await runner(place)('contracts', 'list');
  const told = await runner(place)('contracts', 'list', '--debug');
  return { url: /^Using (\S+)/m.exec(told.stderr)?.[1], notes: quiet.stderr.split('\n') };
}
const QUIET = ['There are no contracts.'];

describe('interface §1: the server that was started from this folder or the nearest one above it', () => {
  test('is found from a subfolder, and by commands that need its control token', async () => {
    const place = await emptyPlace();
    await using server = await serve(place);
    const deep = await below(place, 'src', 'api');
    expect(await used(deep)).toEqual({ url: server.url, notes: QUIET });
    expect((await runner(deep)('snapshots', 'list')).code).toBe(0);
  });

  test('the nearer folder comes first; when its server was killed, the one that takes its place is named', async () => {
    const place = await emptyPlace();
    const inner = await below(place, 'inner');
    await using outer = await serve(place);
    await using own = await serve(inner);
    const deep = await below(inner, 'deep');
    expect((await used(deep)).url).toBe(own.url);
    expect(await used(place)).toEqual({ url: outer.url, notes: QUIET });
    own.child.kill('SIGKILL');
    await own.child;
    const note = `The server of ${inner.cwd} was killed. This command uses ${outer.url}, which was started in ${place.cwd}.`;
    expect(await used(deep)).toEqual({ url: outer.url, notes: [note, ...QUIET] });
    expect(await used(place)).toEqual({ url: outer.url, notes: QUIET });
  });

  test.each([
    ['--memory', () => ['--memory']],
    ['--data elsewhere', async () => ['--data', join(await mkdtemp(join(tmpdir(), 'layaway-elsewhere-')), 'state')]],
  ])('%s: by the folder in which it was started, from a subfolder too, until it ends', async (_what, flags) => {
    const place = await emptyPlace();
    const server = await serve(place, ...(await flags()));
    expect(await used(place)).toEqual({ url: server.url, notes: QUIET });
    expect((await used(await below(place, 'deep'))).url).toBe(server.url);
    expect((await runner(place)('snapshots', 'list')).code).toBe(0);
    await server[Symbol.asyncDispose]();
    expect((await used(place)).url).not.toBe(server.url);
  });

  test('after its state directory was deleted', async () => {
    const place = await emptyPlace();
    await using server = await serve(place);
    await rm(join(place.cwd, '.layaway'), { recursive: true });
    expect((await used(place)).url).toBe(server.url);
  });

  test('of several in one folder, that of the state directory is used, and the others are named, the newest first', async () => {
    const place = await emptyPlace();
    await using kept = await serve(place);
    await using older = await serve(place, '--memory');
    await using newer = await serve(place, '--memory');
    const { url, notes } = await used(place);
    expect(url).toBe(kept.url);
    expect(notes[0]).toBe(
      `3 servers were started in ${place.cwd}. This command uses ${kept.url}; for ${newer.url} and ${older.url}, use --base-url.`,
    );
  });

  test('one that was killed is not believed', async () => {
    const place = await emptyPlace();
    const server = await serve(place, '--memory');
    server.child.kill('SIGKILL');
    await server.child;
    expect((await used(place)).url).not.toBe(server.url);
  });

  test('one that was killed is not believed even if its process id is in use, when another listens at its address', async () => {
    const place = await emptyPlace();
    await using server = await serve(place, '--memory');
    const pair = { client_id: 'mch_test_killed', api_key: 'sk_test_killed' };
    const record = { pid: process.pid, base_url: server.url, control_token: 'of-a-killed-server' };
    const text = JSON.stringify({ ...record, sandbox: pair, live: pair, folder: place.cwd });
    await mkdir(join(place.cwd, '.layaway'), { mode: 0o700 });
    for (const file of [join('.layaway', 'server.json'), join('layaway', `${process.pid}.json`)]) {
      await writeFile(join(place.cwd, file), text, { mode: 0o600 });
      await utimes(join(place.cwd, file), 0, 0);
    }
    expect(await used(place)).toEqual({ url: server.url, notes: QUIET });
    expect((await runner(place)('snapshots', 'list')).code).toBe(0);
  });

  test('where none is, the one at the default address is named when it was started in another folder', async () => {
    const place = await emptyPlace();
    await mkdir(join(place.cwd, 'layaway'), { mode: 0o700 });
    const pair = { client_id: 'mch_test_elsewhere', api_key: 'sk_test_elsewhere' };
    const record = { pid: process.pid, base_url: 'http://127.0.0.1:4747', control_token: 'of-another-folder' };
    const text = JSON.stringify({ ...record, sandbox: pair, live: pair, folder: '/projects/other' });
    await writeFile(join(place.cwd, 'layaway', `${process.pid}.json`), text, { mode: 0o600 });
    // Whoever listens there, the choice is told before the request.
    expect((await used(place)).notes[0]).toBe(
      'No server was started in this folder. This command uses http://127.0.0.1:4747, which was started in /projects/other.',
    );
    expect((await runner(place)('snapshots', 'list')).stderr).not.toContain('of-another-folder');
    const named = await runner(place)('contracts', 'list', '--base-url', 'http://127.0.0.1:4747');
    expect(named.stderr).not.toContain('No server was started');
  });

  test('the list is readable by its owner only', async () => {
    const place = await emptyPlace();
    await using _server = await serve(place, '--memory');
    const folder = join(place.cwd, 'layaway');
    const [file = ''] = await readdir(folder);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
  });
});

describe('interface §1: the control token stays with the state directory', () => {
  test('over a restart; another directory has another, and nobody else can read it', async () => {
    const place = await emptyPlace();
    const tokens: string[] = [];
    for (const _start of [1, 2]) {
      await using server = await serve(place);
      tokens.push(server.token);
    }
    expect(tokens[1]).toBe(tokens[0]);
    expect((await stat(join(place.cwd, '.layaway', 'control-token'))).mode & 0o777).toBe(0o600);
    await using other = await serve(await emptyPlace());
    expect(other.token).not.toBe(tokens[0]);
  });

  test('a new one replaces one that others could read', async () => {
    const place = await emptyPlace();
    const first = await serve(place);
    await first[Symbol.asyncDispose]();
    await chmod(join(place.cwd, '.layaway', 'control-token'), 0o644);
    await using second = await serve(place);
    expect(second.token).not.toBe(first.token);
  });

  test('a stale LAYAWAY_CONTROL_TOKEN is named when it is refused, and doctor sees it', async () => {
    const place = await emptyPlace();
    await using server = await serve(place);
    const env = { ...place.env, LAYAWAY_BASE_URL: server.url, LAYAWAY_CONTROL_TOKEN: 'of-an-earlier-start' };
    const layaway = runner({ ...place, env });
    const advice = `LAYAWAY_CONTROL_TOKEN is the token of another server. Run \`unset LAYAWAY_CONTROL_TOKEN\`, or export the one that the server at ${server.url} printed.`;
    const refused = await layaway('snapshots', 'list');
    expect([refused.code, refused.stderr]).toEqual([3, `Unauthenticated. ${advice}`]);
    const doctor = await layaway('doctor', '--json');
    expect(doctor.json.data.checks.find(({ name }: { name: string }) => name === 'token')).toEqual({
      name: 'token',
      ok: false,
      detail: 'the control token from LAYAWAY_CONTROL_TOKEN is refused',
      advice,
    });
  });
});
