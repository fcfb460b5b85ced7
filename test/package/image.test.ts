import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needing } from '../support/programs.ts';
import { CONTAINER } from '../support/recipes.ts';
import { emptyFolder, ownBuildOfSqlite, root, run, serveUntilReady, userEnv } from './packed.ts';

const MINUTES = 60_000;

/** The instructions of the Dockerfile, each on one line. */
const instructions = (await readFile(join(root, 'Dockerfile'), 'utf8'))
  .replaceAll('\\\n', ' ')
  .split('\n')
  .flatMap(
    (line) => (/^(?<name>[A-Z]+) +(?<rest>.+)$/.exec(line)?.groups as { name: string; rest: string } | undefined) ?? [],
  );
const last = (name: string) => instructions.findLast((instruction) => instruction.name === name)?.rest as string;

/** All that a build is sent: everything is ignored but these. */
const context = [...(await readFile(join(root, '.dockerignore'), 'utf8')).matchAll(/^!(.+)$/gm)].map(
  ([, name]) => name as string,
);

const ENTRYPOINT: [string, ...string[]] = JSON.parse(last('ENTRYPOINT'));
const HEALTHCHECK: string[] = JSON.parse(/CMD (\[.+\])$/.exec(last('HEALTHCHECK'))?.[1] as string);
const [VOLUME]: [string] = JSON.parse(last('VOLUME'));
const PORT = last('EXPOSE');

let folder: Awaited<ReturnType<typeof emptyFolder>>;
let env: NodeJS.ProcessEnv;
let home: string;

/** Where a path of the image is here; the same for all that a command names. */
const at = (path: string) => join(folder.path, path);
const moved = (text: string) => text.replace(/(?<![\w.])\/(src|tmp|opt|home)\b/g, at('/$1'));

/** Carries the Dockerfile out in order, as far as this can be done on this Node and without another user. */
beforeAll(async () => {
  folder = await emptyFolder();
  await mkdir(at('/tmp'));
  const ofUser = { ...userEnv(process.execPath), ...(await ownBuildOfSqlite(at('/builds'))) };
  for (const { name, rest } of instructions) {
    if (name === 'FROM') env = ofUser;
    if (name === 'WORKDIR') {
      home = at(rest);
      await mkdir(home, { recursive: true });
    }
    if (name === 'COPY') await copy(rest.split(' '));
    if (name === 'RUN') await carryOut(rest);
    if (name === 'ENV') {
      for (const [, key, value] of moved(rest).matchAll(/(\w+)=(\S+)/g)) {
        env = { ...env, [key as string]: value?.replace('$PATH', env.PATH as string) };
      }
    }
  }
}, 3 * MINUTES);
afterAll(() => folder[Symbol.asyncDispose]());

async function copy(words: string[]) {
  if (words[0]?.startsWith('--from=')) {
    // Both stages have one root here, so it is there already.
    expect(words[1]).toBe(words[2]);
    expect(existsSync(at(words[1] as string))).toBe(true);
    return;
  }
  const sources = words.slice(0, -1).flatMap((source) => (source === '.' ? context : source));
  expect(context).toEqual(expect.arrayContaining(sources));
  for (const source of sources) await cp(join(root, source), join(home, source), { recursive: true });
}

async function carryOut(command: string) {
  // It would install what this checkout was installed from.
  if (command.startsWith('npm ci ')) return symlink(join(root, 'node_modules'), join(home, 'node_modules'));
  await run('sh', ['-c', moved(command)], { cwd: home, env });
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

  it('obeys the commands that the README gives it', async () => {
    await using server = await serve();
    const [, command] = /^docker exec layaway (.+)$/m.exec(CONTAINER) as unknown as [string, string];
    await run('sh', ['-c', command], { cwd: home, env });
    const headers = { 'x-client-id': server.ready.sandbox.client_id, 'x-api-key': server.ready.sandbox.api_key };
    const clock = await fetch(`${server.ready.base_url}/_sim/clock`, { headers });
    const { data } = (await clock.json()) as { data: { now: string } };
    expect(Date.parse(data.now)).toBeGreaterThan(Date.now() + 13 * 86_400_000);
  });

  it('goes by the name that --host gives it, and is healthy by it', async () => {
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
