import { cp, lstat, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { imageContext } from '../../scripts/image.js';
import { canFetchNode, fetchNode, withCertificates } from '../../scripts/nodes.js';
import { startUntilReady } from '../support/child.ts';
import { CACHE, needing } from '../support/programs.ts';
import { ask } from '../support/raw-request.ts';
import { CONTAINER } from '../support/recipes.ts';
import { caller, expectData, order } from '../support/shop.ts';
import { openContainer } from './container.ts';
import { emptyFolder, ownBuildOfSqlite, root as repository, run, serveUntilReady, userEnv } from './packed.ts';

const MINUTES = 60_000;

/** The instructions of the Dockerfile, each on one line. */
const instructions = (await readFile(join(repository, 'Dockerfile'), 'utf8'))
  .replaceAll('\\\n', ' ')
  .split('\n')
  .flatMap(
    (line) => (/^(?<name>[A-Z]+) +(?<rest>.+)$/.exec(line)?.groups as { name: string; rest: string } | undefined) ?? [],
  );
const last = (name: string) => instructions.findLast((instruction) => instruction.name === name)?.rest as string;

const context = imageContext(repository);

const ENTRYPOINT: [string, ...string[]] = JSON.parse(last('ENTRYPOINT'));
const HEALTHCHECK: string[] = JSON.parse(/CMD (\[.+\])$/.exec(last('HEALTHCHECK'))?.[1] as string);
const [VOLUME]: [string] = JSON.parse(last('VOLUME'));
const PORT = last('EXPOSE');
const NODE = Number(/^node:(\d+)-/.exec(last('FROM'))?.[1]);

const README = await readFile(join(repository, 'README.md'), 'utf8');

let folder: Awaited<ReturnType<typeof emptyFolder>>;
/** A folder for each stage, the last one at last. */
let root: string;
const stages = new Map<string, string>();
let node: string;
let env: NodeJS.ProcessEnv;
/** What the stage itself sets of it. */
let set: Record<string, string>;
let home: string;

/** Where a path of the image is here; the same for all that a command names. */
const at = (path: string) => join(root, path);
const moved = (text: string) => text.replace(/(?<![\w.])\/(src|tmp|opt|home)\b/g, at('/$1'));

/** Carries the Dockerfile out in order, as far as this can be done without another user. */
beforeAll(async () => {
  folder = await emptyFolder();
  node = canFetchNode ? await fetchNode(NODE, CACHE) : process.execPath;
  const builds = canFetchNode ? {} : await ownBuildOfSqlite(join(folder.path, 'builds'));
  const ofUser = { ...userEnv(node), ...builds };
  for (const { name, rest } of instructions) {
    if (name === 'FROM') {
      env = ofUser;
      set = {};
      root = join(folder.path, `stage-${stages.size}`);
      stages.set(/ AS (\w+)$/.exec(rest)?.[1] ?? '', root);
      await mkdir(at('/tmp'), { recursive: true });
    }
    if (name === 'WORKDIR') {
      home = at(rest);
      await mkdir(home, { recursive: true });
    }
    if (name === 'COPY') await copy(rest.split(' '));
    if (name === 'RUN') await carryOut(rest);
    if (name === 'ENV') {
      for (const [, key, value] of rest.matchAll(/(\w+)=(\S+)/g)) {
        set = { ...set, [key as string]: value as string };
        env = { ...env, [key as string]: moved(value as string).replace('$PATH', env.PATH as string) };
      }
    }
  }
}, 5 * MINUTES);
afterAll(() => folder[Symbol.asyncDispose]());

async function copy(words: string[]) {
  const [, stage] = /^--from=(\w+)$/.exec(words[0] as string) ?? [];
  if (stage !== undefined) {
    const [, from, to] = words as [string, string, string];
    return await cp(join(stages.get(stage) as string, from), at(to), { recursive: true, verbatimSymlinks: true });
  }
  const sources = words.slice(0, -1).flatMap((source) => (source === '.' ? context : source));
  expect(context).toEqual(expect.arrayContaining(sources));
  for (const source of sources) await cp(join(repository, source), join(home, source), { recursive: true });
}

async function carryOut(command: string) {
  // It would install what this checkout was installed from.
  if (command.startsWith('npm ci ')) return symlink(join(repository, 'node_modules'), join(home, 'node_modules'));
  let words = moved(command);
  const { BUILT_DIST } = process.env;
  if (BUILT_DIST && words.startsWith('npm pack ')) {
    // `npm test` has built from the same files.
    await cp(BUILT_DIST, join(home, 'dist'), { recursive: true });
    words = words.replace('npm pack ', '$&--ignore-scripts ');
  }
  await run('sh', ['-c', words], { cwd: home, env: withCertificates(env) });
}

const serve = (...flags: string[]) => serveUntilReady(home, env, [...ENTRYPOINT, '--port', '0', ...flags]);

async function isHealthy(port: string) {
  const [program, ...args] = HEALTHCHECK.map((word) => word.replaceAll(PORT, port)) as [string, ...string[]];
  return (await execa(program, args, { cwd: home, env, extendEnv: false, reject: false })).exitCode === 0;
}

describe('the image', needing('sh', 'tar'), () => {
  it('serves what it keeps in its volume, is healthy while it does, and ends with 0 when stopped', async () => {
    await using server = await serve();
    const { base_url, data } = server.ready;
    expect(data).toBe(at(VOLUME));
    const { port } = new URL(base_url);
    expect(await isHealthy(port)).toBe(true);
    expect((await server.stop()).exitCode).toBe(0);
    expect(await isHealthy(port)).toBe(false);
  });

  it('runs the commands that the README gives', async () => {
    await using server = await serve();
    const [, command] = /^docker exec layaway (.+)$/m.exec(CONTAINER) as unknown as [string, string];
    await run('sh', ['-c', command], { cwd: home, env });
    const headers = { 'x-client-id': server.ready.sandbox.client_id, 'x-api-key': server.ready.sandbox.api_key };
    const clock = await fetch(`${server.ready.base_url}/_sim/clock`, { headers });
    const { data } = (await clock.json()) as { data: { now: string } };
    expect(Date.parse(data.now)).toBeGreaterThan(Date.now() + 13 * 86_400_000);
  });

  it('answers to the name that --host gives it, and is healthy under it', async () => {
    await using server = await serve('--memory', '--host', hostname());
    const { port } = new URL(server.ready.base_url);
    expect(server.ready.base_url).toBe(`http://${hostname()}:${port}`);
    expect((await fetch(`${server.ready.base_url}/_sim/health`)).status).toBe(200);
    expect(await isHealthy(port)).toBe(true);
  });

  it('is run by the README with its port and its volume', async () => {
    const [, tag] = /^docker build --tag (\S+) \.$/m.exec(CONTAINER) as unknown as [string, string];
    const [, line] = /^docker run (.+)$/m.exec(CONTAINER) as unknown as [string, string];
    expect(line).toContain(`--publish 127.0.0.1:${PORT}:${PORT} `);
    expect(line).toContain(`:${VOLUME} `);
    expect(line.split(' ').at(-1)).toBe(tag);
    const { stdout } = await run('sh', ['-c', `${ENTRYPOINT[0]} serve --help`], { cwd: home, env });
    expect(stdout.replace(/\s+/g, ' ')).toContain(`(default: ${PORT})`);
  });
});

describe('the image as its own user, with a read-only root', {
  timeout: 2 * MINUTES,
  ...needing('sh', 'tar', 'unshare'),
}, () => {
  const containers: Awaited<ReturnType<typeof emptyFolder>>[] = [];
  async function container(user = last('USER')) {
    const own = await emptyFolder();
    containers.push(own);
    const image = {
      tree: root,
      node,
      env: set,
      user,
      home: last('WORKDIR'),
      volume: VOLUME,
      hosts: ['layaway', 'store'],
    };
    return await openContainer(image, own.path);
  }
  afterAll(async () => {
    for (const own of containers) await own[Symbol.asyncDispose]();
  });

  it('does all that a store needs, and what it keeps in the volume survives the container', async () => {
    const box = await container();
    const command = [...ENTRYPOINT, '--json', '--port', '0', '--allow-host', 'layaway'];
    let reference: string;
    {
      await using server = await box.start(command);
      expect((await server.within('id', '-u', '-n')).stdout).toBe(last('USER'));
      for (const path of ['/opt/layaway/x', '/tmp/x', '/home/node/x', '/etc/x']) {
        expect((await server.within('touch', path)).stderr, path).toContain('Read-only file system');
      }
      expect(server.ready.data).toBe(VOLUME);
      expect((await server.within('ls', '-A')).stdout).toBe('.layaway');

      const { port } = new URL(server.ready.base_url);
      const { client_id, api_key } = server.ready.sandbox;
      const store = caller({ url: `http://localhost:${port}` }, { 'x-client-id': client_id, 'x-api-key': api_key });
      const { id } = expectData(await store('POST', '/v1/sessions', order()), 201);
      ({ reference } = expectData(await store('POST', `/_sim/sessions/${id}/complete`, {})));
      const [, inside] = /^docker exec layaway (.+)$/m.exec(CONTAINER) as unknown as [string, string];
      const advanced = await server.within(...inside.split(' '));
      expect(advanced.exitCode, advanced.stderr).toBe(0);
      expect(expectData(await store('GET', `/v1/contracts/${reference}`)).installments[1].status).toBe('paid');

      // docs/testing.md takes it from there.
      expect((await server.within('cat', '.layaway/control-token')).stdout).toBe(server.ready.control_token);

      const health = HEALTHCHECK.map((word) => word.replaceAll(PORT, port));
      expect(await server.within(...health)).toMatchObject({ exitCode: 0, stderr: '' });
      expect((await server.within(...health.map((word) => word.replaceAll(port, '1')))).exitCode).toBe(1);
      expect(await server.stop()).toMatchObject({ exitCode: 0 });
    }
    {
      // What a kill leaves in the volume names a process that the next container has, too: the first.
      await using server = await box.start(command);
      await server.kill();
    }
    await using again = await box.start(command);
    const listed = await again.within('layaway', 'contracts', 'get', reference, '--json');
    expect(JSON.parse(listed.stdout).data.reference).toBe(reference);
    expect(await again.stop()).toMatchObject({ exitCode: 0 });
  });

  it('runs as a user that it does not know, as some clusters start it', async () => {
    const box = await container('12345');
    await using server = await box.start([...ENTRYPOINT, '--json', '--port', '0', '--seed', '1']);
    expect((await server.within('id', '-u')).stdout).toBe('12345');
    const listed = await server.within('layaway', 'contracts', 'list', '--json');
    expect([listed.exitCode, listed.stderr, JSON.parse(listed.stdout).data]).toEqual([0, '', []]);
    expect(await server.stop()).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('error') });
  });

  it('runs alongside the store of compose.yaml, which gets signed events', needing('python3'), async () => {
    const { services } = parse(await readFile(join(repository, 'compose.yaml'), 'utf8'));
    const { layaway, store } = services;
    expect(layaway.ports).toEqual([`127.0.0.1:${PORT}:${PORT}`]);
    expect(layaway.volumes).toEqual([`layaway:${VOLUME}`]);
    expect(layaway.read_only).toBe(true);
    expect(store.depends_on).toEqual({ layaway: { condition: 'service_healthy' } });

    const [shared, mounted] = store.volumes[0].split(':') as [string, string];
    const [program, file] = store.command as [string, string];
    const place = { env: { ...process.env, ...store.environment, HOST: '127.0.0.1', PORT: '0' } };
    await using receiver = await startUntilReady(program, [file.replace(mounted, join(repository, shared))], place);
    const [, storePort] = /:(\d+)\/webhooks$/.exec(receiver.ready) as unknown as [string, string];

    const flags = layaway.command.map((flag: string) => flag.replace(`:${store.environment.PORT}/`, `:${storePort}/`));
    const box = await container();
    await using server = await box.start([...ENTRYPOINT, ...flags, '--json', '--port', '0']);
    const { LAYAWAY_BASE_URL, LAYAWAY_CLIENT_ID } = store.environment;
    const base = LAYAWAY_BASE_URL.replace(`:${PORT}`, `:${new URL(server.ready.listening).port}`);
    expect(base).not.toBe(LAYAWAY_BASE_URL);
    const headers = {
      'x-client-id': LAYAWAY_CLIENT_ID,
      'x-api-key': server.ready.sandbox.api_key,
      'content-type': 'application/json',
    };
    const send = async (path: string, body: object) =>
      JSON.parse((await ask(`${base}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).text).data;
    const { id, checkout_url } = await send('/v1/sessions', order());
    expect(checkout_url).toBe(`http://localhost:${PORT}/checkout/${id}`);
    const { reference } = await send(`/_sim/sessions/${id}/complete`, {});
    while ((await receiver.next()) !== `contract.activated ${reference}`);
    expect(await server.stop()).toMatchObject({ exitCode: 0 });
  });
});

it.skipIf(!canFetchNode)(
  'the README tells the size of what the image adds to its base',
  needing('sh', 'tar'),
  async () => {
    const files = await readdir(at('/opt'), { recursive: true, withFileTypes: true });
    const sizes = await Promise.all(files.map(async (file) => (await lstat(join(file.parentPath, file.name))).size));
    const megabytes = sizes.reduce((sum, size) => sum + size, 0) / 1e6;
    const [, told] = /adds about (\d+) MB to/.exec(README) ?? [];
    expect(Math.abs(Number(told) - megabytes) / megabytes, `${megabytes} MB`).toBeLessThan(0.1);
  },
);
