import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { Analysis, Problem } from '@arethetypeswrong/core';
import { execa } from 'execa';
import { publint } from 'publint';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { canFetchNode, fetchNode, NEWER } from '../../scripts/nodes.js';
import { CACHE, needing } from '../support/programs.ts';
import {
  add,
  emptyFolder,
  install,
  ownBuildOfSqlite,
  pack,
  packBuild,
  root,
  run,
  serveUntilReady,
  userEnv,
} from './packed.ts';

const MINUTES = 60_000;

/** A Node to install under, and the folder and the environment of the user who does. */
interface Shop {
  readonly shop: string;
  readonly env: NodeJS.ProcessEnv;
}

let folder: Awaited<ReturnType<typeof emptyFolder>>;
let tarball: string;
/** The installations, under this Node and by the major version of the others. They are made side by side. */
let here: Promise<Shop>;
const newer = new Map<number, Promise<Shop>>();

beforeAll(async () => {
  folder = await emptyFolder();
  // `npm test` hands over a build with declarations; without one, packing builds, as it does when it is published.
  const built = inject('layaway');
  const isWhole = existsSync(join(built, 'dist/index.d.ts'));
  tarball = isWhole ? await packBuild(built, folder.path) : await pack(folder.path);
  here = installHere();
  for (const major of canFetchNode ? NEWER : []) newer.set(major, installUnder(major));
  // One that fails is told by the tests that need it.
  await Promise.allSettled([here, ...newer.values()]);
}, 5 * MINUTES);
afterAll(() => folder[Symbol.asyncDispose]());

async function installHere(): Promise<Shop> {
  const shop = join(folder.path, 'shop');
  const env = userEnv(process.execPath);
  await install(tarball, shop, { ...env, ...(await ownBuildOfSqlite(join(folder.path, 'builds'))) });
  return { shop, env };
}

async function installUnder(major: number): Promise<Shop> {
  const node = await fetchNode(major, CACHE);
  const shop = join(folder.path, `shop-${major}`);
  const env = userEnv(node);
  await install(tarball, shop, env);
  return { shop, env };
}

describe('the tarball', needing('sh', 'tar'), () => {
  const listed = async () => {
    const { stdout } = await run('tar', ['-tzf', tarball]);
    return stdout
      .trim()
      .split('\n')
      .map((path) => path.replace(/^package\//, ''));
  };

  it('contains the program, the build, the fixtures and the documentation, and nothing else', async () => {
    const files = await listed();
    const tops = [...new Set(files.map((path) => path.split('/')[0]))].sort();
    expect(tops).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'bin',
      'dist',
      'docs',
      'fixtures',
      'package.json',
    ]);
    expect(files).toContain('bin/layaway.js');
    expect(files).toContain('dist/index.d.ts');
    expect(files).toContain('dist/THIRD-PARTY-NOTICES.md');
    expect(files).toContain('docs/webhooks.md');
    expect(files).toContain('dist/vitest.d.ts');
    expect(files).toContain('fixtures/openapi.json');
    expect(files).toContain('fixtures/scenario.schema.json');
    expect(files).toContain('fixtures/scenarios/happy-path.yaml');
  });

  it('contains every file that its documents link to, except pictures, which are shown where the repository is', async () => {
    const files = await listed();
    const missing: string[] = [];
    for (const document of files.filter((path) => path.endsWith('.md') && !path.startsWith('dist/'))) {
      const { stdout: text } = await run('tar', ['-xzOf', tarball, `package/${document}`]);
      for (const [, target = ''] of text.matchAll(/(?<!!\[[^\]]*)\]\((?!https?:|mailto:|#)([^)#\s]+)/g)) {
        const path = posix.join(posix.dirname(document), target);
        if (!files.some((file) => file === path || file.startsWith(`${path}/`))) missing.push(`${document}: ${target}`);
      }
    }
    expect(missing).toEqual([]);
  });

  it('contains no source maps, sources, tests or pictures', async () => {
    const strangers = (await listed()).filter((path) =>
      /\.map$|(?<!\.d)\.ts$|\.tsbuildinfo$|\.png$|(^|\/)tests?\//.test(path),
    );
    expect(strangers).toEqual([]);
  });

  it('asks for better-sqlite3 and nothing more, and is built before it is packed', async () => {
    const { stdout } = await run('tar', ['-xzOf', tarball, 'package/package.json']);
    const about = JSON.parse(stdout);
    expect(Object.keys(about.dependencies)).toEqual(['better-sqlite3']);
    // For those who use its fixtures, who have it.
    expect(Object.keys(about.peerDependencies)).toEqual(['vitest']);
    expect(about.peerDependenciesMeta).toEqual({ vitest: { optional: true } });
    expect(about.optionalDependencies).toBeUndefined();
    expect(about.scripts.prepack, 'what is published is what `npm run build` makes').toBe('npm run build');
    expect(['preinstall', 'install', 'postinstall'].filter((name) => name in about.scripts)).toEqual([]);
  });

  /** The fixtures of Vitest are for a bundler or an ES module: a resolution older than `exports` does not find them. */
  it('has declarations that resolve for every way TypeScript resolves a module', { timeout: 1 * MINUTES }, async () => {
    // It takes more than a second to load, which a run that skips these tests saves.
    const { checkPackage, createPackageFromTarballData } = await import('@arethetypeswrong/core');
    const { problems } = (await checkPackage(createPackageFromTarballData(await readFile(tarball)))) as Analysis;
    const ofOldWays = (problem: Problem) =>
      'entrypoint' in problem &&
      problem.entrypoint === './vitest' &&
      (problem.kind === 'CJSResolvesToESM' || (problem.kind === 'NoResolution' && problem.resolutionKind === 'node10'));
    expect(problems.filter((problem) => !ofOldWays(problem))).toEqual([]);
  });

  it('is packaged as publint wants it', { timeout: 1 * MINUTES }, async () => {
    const { messages } = await publint({
      pack: { tarball: new Uint8Array(await readFile(tarball)).buffer },
      strict: true,
    });
    expect(messages).toEqual([]);
  });

  it('carries the licence of every package it bundles', async () => {
    const { stdout } = await run('tar', ['-xzOf', tarball, 'package/dist/THIRD-PARTY-NOTICES.md']);
    for (const name of ['fastify', 'typebox', 'commander', 'ajv']) expect(stdout).toContain(`\n## ${name} `);
    for (const section of stdout.split(/^## /m).slice(1)) expect(section).toMatch(/copyright|permission/i);
    expect(stdout).not.toContain('## better-sqlite3 ');
  });
});

const version = async () => JSON.parse(await readFile(join(root, 'package.json'), 'utf8')).version as string;

/** What every installed copy must do, whatever the Node beneath. */
function behaves(place: () => Shop) {
  it('prints its version', async () => {
    const { shop, env } = place();
    const { stdout } = await run('npx', ['--no-install', 'layaway', '--version'], { cwd: shop, env });
    expect(stdout.trim()).toBe(await version());
  });

  it('serves, answers a ping made with the printed credentials, and ends with 0', async () => {
    const { shop, env } = place();
    await using server = await serveUntilReady(shop, env);
    const { base_url, sandbox, data } = server.ready;
    const headers = { 'x-client-id': sandbox.client_id, 'x-api-key': sandbox.api_key };
    const response = await fetch(`${base_url}/v1/ping`, { headers });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      data: { client_id: sandbox.client_id, legal_name: 'Example Store LLC' },
    });
    expect(data).toBe(join(shop, '.layaway'));
    expect((await server.stop()).exitCode).toBe(0);
  });

  it('is a library', async () => {
    const { shop, env } = place();
    const script = `
      import { createSimulator } from 'layaway';
      const sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
      const ping = await fetch(sim.url + '/v1/ping', { headers: sim.default.headers });
      const inside = await sim.inject({ method: 'GET', url: '/v1/ping', headers: sim.default.headers });
      await sim.close();
      console.log(ping.status, inside.statusCode);
    `;
    const { stdout } = await run('node', ['--input-type=module', '-e', script], { cwd: shop, env });
    expect(stdout.trim()).toBe('200 200');
  });

  it('is the same library for require, even where that cannot load an ES module, as in Jest', async () => {
    const { shop, env } = place();
    const script = `
      const { createSimulator, LayawayError } = require('layaway');
      createSimulator().then(async (sim) => {
        const refused = await sim.default.sessions.get('cs_unknown').catch((error) => error);
        await sim.close();
        const imported = await import('layaway');
        console.log(refused instanceof LayawayError, imported.LayawayError === LayawayError);
      });
    `;
    const { stdout } = await run('node', ['--no-experimental-require-module', '-e', script], { cwd: shop, env });
    expect(stdout.trim()).toBe('true true');
  });
}

describe('installed in an empty folder', needing('sh', 'tar'), () => {
  let shop: string;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    ({ shop, env } = await here);
  });

  behaves(() => ({ shop, env }));

  it('can be bundled for a receiver, as SvelteKit, Nitro and tsdown bundle a development dependency', async () => {
    const script = `
      import { verifyWebhook } from 'layaway';
      try { verifyWebhook('{}', {}, 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'); } catch (error) { console.log(error.reason); }
    `;
    await writeFile(join(shop, 'store.mjs'), script);
    const outDir = join(folder.path, 'bundle');
    await build({
      root: shop,
      configFile: false,
      logLevel: 'silent',
      ssr: { noExternal: true },
      build: { ssr: 'store.mjs', outDir, rolldownOptions: { output: { entryFileNames: 'store.mjs' } } },
    });
    // The bundle runs where the package is not.
    const { stdout } = await run('node', [join(outDir, 'store.mjs')], { cwd: outDir, env });
    expect(stdout).toBe('missing_header\n');
  });

  it(
    'brings types that a strict consumer compiles against with TypeScript 6 and 7, library checks included',
    async () => {
      const consumer = join(shop, 'consumer');
      await mkdir(consumer);
      await writeFile(
        join(consumer, 'main.ts'),
        `import { CannotStart, createSimulator, LayawayError, runScenario, type SandboxShop, type Simulator, verifyWebhook } from 'layaway';
       const sim: Simulator = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
       const shop: SandboxShop = sim.default;
       const pair: { readonly 'x-client-id': string; readonly 'x-api-key': string } = shop.live.headers;
       const answer = await sim.inject({ method: 'GET', url: '/v1/ping', headers: pair });
       const status: number = answer.statusCode;
       const plan = await shop.contracts.get('LAY-7K3M9QXAHD');
       const due: readonly string[] = plan.installments.map((installment) => installment.due_date);
       const event: unknown = verifyWebhook('{}', new Map([['webhook-id', 'evt_1']]) as never, 'whsec_');
       const played: 'passed' | 'failed' = (await runScenario({ name: 'x', steps: [] }, { sim })).status;
       for await (const { type } of await shop.events.tail()) if (type === 'contract.cancelled') break;
       const refused: unknown = await shop.v1.ping().catch((error: unknown) => error);
       const body = refused instanceof LayawayError && typeof refused.body === 'object' ? refused.body : null;
       const wrong: readonly string[] | undefined = body?.errors?.total_amount;
       const isExcluded: boolean = body?.reason === 'state_excluded';
       // @ts-expect-error a status that does not exist is a mistake
       plan.status === 'paid';
       // @ts-expect-error an option that does not exist is a mistake
       await createSimulator({ clocks: {} });
       await createSimulator({ fixture: { contracts: [{ status: 'defaulted' }], webhooks: [{ url: 'http://localhost:3000' }] } });
       // @ts-expect-error a status that no contract has is a mistake
       await createSimulator({ fixture: { contracts: [{ status: 'overdue' }] } });
       await sim.close();
       export { CannotStart, due, event, isExcluded, played, status, wrong };`,
      );
      const compilerOptions = {
        target: 'es2020',
        lib: ['es2020'],
        module: 'nodenext',
        strict: true,
        skipLibCheck: false,
        exactOptionalPropertyTypes: true,
        types: [],
        noEmit: true,
      };
      await writeFile(join(consumer, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['main.ts'] }));
      for (const compiler of ['typescript/bin/tsc6', '@typescript/native/bin/tsc']) {
        await run(process.execPath, [join(root, 'node_modules', compiler), '-p', consumer], { cwd: shop });
      }
    },
    1 * MINUTES,
  );

  it('gives its answers and fixtures types that the declarations of another package can name', async () => {
    const helpers = join(shop, 'helpers');
    await mkdir(helpers);
    await writeFile(
      join(helpers, 'main.ts'),
      `import { createClient, createSimulator, mergeCoverage, runScenario, summarizeTrace, verifyWebhook } from 'layaway';
       import type { DeliveryLine, RequestLine } from 'layaway';
       export const faultsOf = (lines: (DeliveryLine | RequestLine)[]) => lines.map(({ fault }) => fault);
       export const sim = await createSimulator();
       export const { merchants, webhooks, notes, endpoints, snapshots, platform } = sim;
       export const injected = await sim.inject({ method: 'GET', url: '/' });
       export const trace = await sim.trace();
       export const summary = await summarizeTrace(trace);
       export const faultsIn = summary.latest_requests.map(({ fault }) => fault);
       export const shop = await sim.merchant();
       export const { clock, sessions, contracts, events, emails, keys, faults, assumptions, logs, requests } = shop;
       export const withOrder = { ...shop, order: 'A-1' };
       export const hooks = shop.webhooks;
       export const settings = await assumptions.get();
       export const shown = (await clock.show()).next_due;
       export const advanced = await clock.advance('1d');
       export const tally = advanced.webhooks;
       export const arranged = await contracts.arranged('');
       export const page = await contracts.list();
       export const { links, meta } = page;
       export const explained = await shop.explain('');
       export const givenUp = (await hooks.deliveries())[0]?.given_up;
       export const made = (await sim.listMerchants())[0]?.sandbox;
       export const client = createClient({ baseUrl: '', clientId: '', apiKey: '' });
       export const available = (await client.ping()).layaway;
       export const event = await events.get('');
       export const verified = verifyWebhook('', {}, '');
       export const steps = (await runScenario({ name: '', steps: [] })).steps;
       export const differences = steps.flatMap((step) => step.differences);
       export const struck = steps.flatMap((step) => step.faults ?? []);
       export const covered = mergeCoverage([]);`,
    );
    await writeFile(
      join(helpers, 'fixtures.ts'),
      `import { test as base } from 'layaway/vitest';
       export const test = base.extend<{ plan: string }>({
         plan: async ({ shop }, use) => use((await shop.contracts.create()).reference),
       });
       export const answering = base
         .extend('session', ({ shop }) => shop.sessions.create({ order_reference: 'A-1', total_amount: 20_000 }))
         .extend('contract', ({ session, shop }) => shop.sessions.complete(session.id))
         .extend('advanced', ({ shop }) => shop.clock.advance('14d'))
         .extend('explanation', ({ contract, shop }) => shop.explain(contract.reference))
         .extend('report', ({ sim }) => sim.coverage())
         .extend('other', ({ shop }) => ({ client: shop.v1, live: shop.live }))
         .extend('whole', async ({ sim }) => ({ endpoints: sim.endpoints, trace: await sim.trace() }))
         .extend('page', ({ sim }) => sim.inject({ method: 'GET', url: '/' }));`,
    );
    const compilerOptions = {
      ...{ target: 'es2022', module: 'nodenext', strict: true, types: [], skipLibCheck: true },
      ...{ declaration: true, emitDeclarationOnly: true, outDir: 'out' },
      paths: { vitest: [join(root, 'node_modules/vitest/dist/index.d.ts')] },
    };
    // Each in a program of its own: what one imports helps the other to a name.
    for (const name of ['main', 'fixtures']) {
      await writeFile(join(helpers, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [`${name}.ts`] }));
      const compiler = join(root, 'node_modules/@typescript/native/bin/tsc');
      await run(process.execPath, [compiler, '-p', helpers], { cwd: shop });
      expect(await readFile(join(helpers, `out/${name}.d.ts`), 'utf8')).not.toMatch(/layaway\/dist|\bany\b/);
    }
  });

  it.each([
    ['18.20.4', ''],
    ['22.2.0', 'process.getBuiltinModule = undefined;'],
  ])('tells Node %s in one sentence what to do, and ends with 1', async (version, lacking) => {
    const pretend = join(folder.path, 'pretend.cjs');
    await writeFile(pretend, `Object.defineProperty(process.versions, 'node', { value: '${version}' }); ${lacking}`);
    const program = join(shop, 'node_modules/layaway/bin/layaway.js');
    const failure = await run('node', ['-r', pretend, program, 'serve'], { cwd: shop, env }).catch((error) => error);
    expect(failure.cause).toMatchObject({ code: 1, stdout: '' });
    expect(failure.cause.stderr).toBe(
      `layaway needs Node 20.19, or 22.3 or later; this is ${version}. Install a newer one from nodejs.org.\n`,
    );
  });

  it.each([
    ['20.20.0', true],
    ['22.13.1', true],
    ['22.14.0', false],
    ['23.5.0', true],
    ['23.6.0', false],
  ])('names a better-sqlite3 that crashes, instead of crashing, under Node %s: %s', async (version, isNamed) => {
    const place = join(folder.path, `wrong-sqlite-${version}`);
    await cp(join(shop, 'node_modules/layaway'), join(place, 'node_modules/layaway'), { recursive: true });
    const sqlite = join(place, 'node_modules/better-sqlite3');
    await mkdir(sqlite);
    await writeFile(join(sqlite, 'package.json'), '{ "name": "better-sqlite3", "version": "13.2.0" }');
    await writeFile(join(sqlite, 'index.js'), 'process.abort();');
    const pretend = join(place, 'pretend.cjs');
    await writeFile(pretend, `Object.defineProperty(process.versions, 'node', { value: '${version}' });`);
    const layaway = (...args: string[]) =>
      run('node', ['-r', pretend, join(place, 'node_modules/layaway/bin/layaway.js'), ...args], {
        cwd: place,
        env,
      }).catch((error) => error.cause);
    if (!isNamed) return expect(await layaway('serve', '--memory')).toMatchObject({ signal: 'SIGABRT' });
    const fault = `better-sqlite3 13.2.0 needs Node 22.14 or later; this is ${version}`;
    const advice = 'Use a newer Node, or run npm install better-sqlite3@12 with this one.';
    expect(await layaway('serve', '--memory')).toMatchObject({ code: 1, stdout: '', stderr: `${fault}. ${advice}\n` });
    const checked = await layaway('doctor', '--json');
    const { checks } = JSON.parse(checked.stdout).data;
    expect(checks.find(({ name }: { name: string }) => name === 'sqlite')).toMatchObject({
      ok: false,
      detail: fault,
      advice,
    });
  });

  it('names a better-sqlite3 that is missing, such as beside a bundle, under each Node', async () => {
    const place = join(folder.path, 'no-sqlite');
    await cp(join(shop, 'node_modules/layaway'), join(place, 'node_modules/layaway'), { recursive: true });
    const program = join(place, 'node_modules/layaway/bin/layaway.js');
    for (const version of ['20.20.0', '24.0.0']) {
      const pretend = join(place, 'pretend.cjs');
      await writeFile(pretend, `Object.defineProperty(process.versions, 'node', { value: '${version}' });`);
      const args = ['-r', pretend, program, 'serve', '--memory'];
      const { cause } = await run('node', args, { cwd: place, env }).catch((error) => error);
      expect(cause).toMatchObject({ code: 1, stdout: '' });
      expect(cause.stderr).toBe(
        'better-sqlite3 does not load: it is not installed. Install it where this program runs, also beside a bundle: npm install better-sqlite3.\n',
      );
    }
  });

  it('tells what Node does not allow it, without a stack trace', async () => {
    const permission = Number.parseInt(process.versions.node, 10) < 22 ? '--experimental-permission' : '--permission';
    const program = join(shop, 'node_modules/layaway/bin/layaway.js');
    const under = async (flags: readonly string[], ...words: string[]) => {
      const args = [...flags, '--no-warnings', program, ...words];
      const { cause } = await run('node', args, { cwd: shop, env }).catch((error) => error);
      return { code: cause.code, stdout: cause.stdout, stderr: cause.stderr };
    };
    const told = (text: string) => ({ code: 1, stdout: '', stderr: expect.stringMatching(`^${text}[^\n]*\n$`) });
    expect(await under(['--no-addons'], 'serve', '--memory')).toEqual(
      told('better-sqlite3 does not load: this process loads no native addons. Leave out --no-addons'),
    );
    const denied = 'Node runs with --permission, which does not allow this';
    expect(await under([permission, `--allow-fs-read=${program}`], 'doctor')).toEqual(
      told(`${denied} \\(FileSystemRead, [^\\n]+\\)\\. Add [^\\n]+, or leave out --permission`),
    );
    const reading = [permission, '--allow-fs-read=*'];
    expect(await under([...reading, '--allow-addons'], 'exec', '--', 'true')).toEqual(
      told(`${denied}[^\\n]*\\. Add [^\\n]+, or leave out --permission`),
    );
    expect(await under(reading, 'serve')).toEqual(told('The directory [^\n]+ \\(Node runs with --permission'));
  });

  it('tells a test suite without the compiled part of better-sqlite3 what to do', async () => {
    const place = join(folder.path, 'no-scripts');
    await cp(join(shop, 'node_modules/layaway'), join(place, 'node_modules/layaway'), { recursive: true });
    const sqlite = join(place, 'node_modules/better-sqlite3');
    await cp(join(shop, 'node_modules/better-sqlite3'), sqlite, {
      recursive: true,
      filter: (path) => !path.endsWith('.node'),
    });
    for (const name of ['bindings', 'file-uri-to-path']) {
      const from = join(shop, 'node_modules', name);
      if (existsSync(from)) await cp(from, join(place, 'node_modules', name), { recursive: true });
    }
    const script = `import('layaway').then((it) => it.createSimulator()).catch(({ name, message }) => console.log(name, message))`;
    const { stdout } = await run('node', ['-e', script], { cwd: place, env });
    // Version 12 needs its install script. Version 13 has binaries, and no such script.
    expect(stdout).toMatch(
      /^CannotStart better-sqlite3 does not load: its compiled part is missing\. (.+ npm rebuild better-sqlite3 --ignore-scripts=false\. .+ pnpm approve-builds|.+ npm run build-release\. .+)\.\n$/,
    );
  });
});

const play = ({ shop, env }: Shop) => {
  const scenarios = 'node_modules/.bin/layaway run node_modules/layaway/fixtures/scenarios/*.yaml --json';
  return run('sh', ['-c', scenarios], { cwd: shop, env });
};
let played: ReturnType<typeof play> | undefined;
async function playedHere() {
  played ??= play(await here);
  return await played;
}

/**
 * Node cannot write to a pipe in Wine, so its output goes to files. Like Windows, Wine does not delete open files, and it
 * flushes only files that are open for writing. Its registry is in a folder that is gone after the test.
 */
async function inWine({ shop, env }: Shop, node: string, args: readonly string[]) {
  const names = ['wine.out', 'wine.err'].map((name) => join(folder.path, name)) as [string, string];
  const files = await Promise.all(names.map((name) => open(name, 'w')));
  const [out, err] = files.map(({ fd }) => fd) as [number, number];
  const child = spawn('wine', [node, ...args], {
    cwd: shop,
    env: { ...env, ...WINE, WINEPREFIX: join(folder.path, 'wine') },
    stdio: ['ignore', out, err],
  });
  const [exitCode] = await once(child, 'exit');
  await Promise.all(files.map((file) => file.close()));
  const [stdout, stderr] = await Promise.all(names.map((name) => readFile(name, 'utf8')));
  // While a process ends, Wine itself may report the fault of a thread that is cut off.
  return { exitCode, stdout: stdout as string, stderr: (stderr as string).replace(/^wine: .*\r?\n/gm, '') };
}
/**
 * Wine prints no messages of its own, and can read any path. To Node it looks like an older Windows, which a check would
 * refuse.
 */
const WINE = { WINEDEBUG: '-all', LC_ALL: 'C.UTF-8', NODE_SKIP_PLATFORM_CHECK: '1' };

describe.skipIf(!canFetchNode)('installed under the Windows build of Node', needing('sh', 'tar', 'wine'), () => {
  const program = join('node_modules', 'layaway', 'bin', 'layaway.js');
  let place: Shop;
  let node: string;
  beforeAll(async () => {
    [place, node] = await Promise.all([newer.get(22) as Promise<Shop>, fetchNode(22, CACHE, 'win32')]);
    await execa('wine', ['wineboot', '--init'], { env: { ...WINE, WINEPREFIX: join(folder.path, 'wine') } });
  }, 5 * MINUTES);
  const layaway = (...words: string[]) => inWine(place, node, [program, ...words]);

  it('plays every shipped scenario as under this Node', { timeout: 3 * MINUTES }, async () => {
    const { exitCode, stdout } = await layaway('run', 'node_modules\\layaway\\fixtures\\scenarios\\*.yaml', '--json');
    expect(JSON.parse(stdout.replaceAll('\\\\', '/'))).toEqual(JSON.parse((await playedHere()).stdout));
    expect(exitCode).toBe(0);
  });

  it('keeps its state in a directory, with snapshots and traces', async () => {
    await writeFile(
      join(place.shop, 'windows.mjs'),
      `import { existsSync, rmSync } from 'node:fs';
       import { createSimulator } from 'layaway';
       const options = { seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' }, data: 'state of\\\\a shop' };
       const first = await createSimulator(options);
       const { id } = await first.default.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
       const { reference } = await first.default.sessions.complete(id);
       await first.snapshots.save('begun');
       await first.default.clock.advance('14d');
       await Promise.all(['begun', 'later'].map((name) => first.snapshots.save(name, { overwrite: true })));
       await first.default.clock.advance('14d');
       await first.snapshots.restore('later');
       await first.close();
       const again = await createSimulator(options);
       const { paid_amount } = await again.default.contracts.get(reference);
       const names = (await again.snapshots.list()).map(({ name }) => name).sort();
       await again.snapshots.delete('begun');
       await again.reset();
       const left = [await again.default.sessions.list(), (await again.snapshots.list()).length];
       await again.close();
       rmSync(options.data, { recursive: true });
       console.log(JSON.stringify({ paid_amount, names, left, isThere: existsSync(options.data) }));`,
    );
    const { exitCode, stdout, stderr } = await inWine(place, node, ['windows.mjs']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const expected = { paid_amount: 9_000, names: ['begun', 'later'], left: [[], 1], isThere: false };
    expect(JSON.parse(stdout)).toEqual(expected);
  });

  it('exec runs a batch file and ends with its exit code', async () => {
    await writeFile(join(place.shop, 'shop.cmd'), '@echo off\r\necho %1 %LAYAWAY_BASE_URL%\r\nexit /b 4\r\n');
    const { exitCode, stdout } = await layaway('exec', '--', 'shop.cmd', 'two words');
    expect(stdout).toMatch(/^"two words" http:\/\/127\.0\.0\.1:\d+\r?\n$/);
    expect(exitCode).toBe(4);
  });
});

describe.skipIf(!canFetchNode).each(NEWER)('installed under Node %i', needing('sh', 'tar'), (major) => {
  let shop: string;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    ({ shop, env } = (await newer.get(major)) as Shop);
  });

  it('runs on that Node, with a better-sqlite3 that compiled nothing', async () => {
    const { stdout } = await run('node', ['--version'], { env });
    expect(stdout).toMatch(new RegExp(`^v${major}\\.`));
    const sqlite = JSON.parse(await readFile(join(shop, 'node_modules/better-sqlite3/package.json'), 'utf8'));
    expect(sqlite.version).toMatch(/^13\./);
    expect(sqlite.scripts.install).toBeUndefined();
    expect(existsSync(join(shop, 'node_modules/better-sqlite3/build'))).toBe(false);
  });

  it('plays every shipped scenario, to the byte as under this Node', { timeout: 3 * MINUTES }, async () => {
    expect((await play({ shop, env })).stdout).toBe((await playedHere()).stdout);
  });

  it('runs what this Node installed, or says in a sentence that it must be installed again', async () => {
    const program = join(folder.path, 'shop/node_modules/layaway/bin/layaway.js');
    const isCompiled = existsSync(join(folder.path, 'shop/node_modules/better-sqlite3/build'));
    expect(isCompiled).toBe(Number.parseInt(process.versions.node, 10) < 22);
    if (!isCompiled) {
      const scenario = join(shop, 'node_modules/layaway/fixtures/scenarios/abandoned-checkout.yaml');
      const { stdout } = await run('node', [program, 'run', scenario, '--json'], { cwd: shop, env });
      expect(JSON.parse(stdout)).toMatchObject({ passed: 1, failed: 0 });
      return;
    }
    const failure = await run('node', [program, 'serve', '--memory'], { cwd: shop, env }).catch((error) => error);
    expect(failure.cause).toMatchObject({ code: 1, stdout: '' });
    expect(failure.cause.stderr).toMatch(/^better-sqlite3 does not load: [^\n]+npm rebuild better-sqlite3[^\n]+\n$/);
  });

  behaves(() => ({ shop, env }));
});

describe.skipIf(!canFetchNode)('installed beside Vitest 5, which needs a newer Node', needing('sh', 'tar'), () => {
  let shop: string;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    const place = (await newer.get(24)) as Shop;
    env = place.env;
    // The other tests of this Node go on in the folder without Vitest.
    shop = join(folder.path, 'shop-with-vitest-5');
    await cp(place.shop, shop, { recursive: true, verbatimSymlinks: true });
    await add(['vitest@5', '@types/node@24'], shop, env);
    await writeFile(
      join(shop, 'matcher.test.ts'),
      `import { expect } from 'vitest';
       import { test } from 'layaway/vitest';
       test('matcher', async ({ shop, sim }) => {
         await sim.inject({ method: 'GET', url: '/v1/ping', headers: shop.headers });
         const report = await shop.coverage();
         expect(report).toHaveMet('operations.ping');
         expect(report).not.toHaveMet('webhooks.duplicate');
         expect.soft(report).toHaveMet('operations.ping');
         await expect(shop.coverage()).resolves.toHaveMet('operations.ping');
         await expect.poll(() => shop.coverage()).toHaveMet('operations.ping');
         expect([report]).toEqual([expect.toHaveMet('operations.ping')]);
         // @ts-expect-error: the group has to be one of those that there are
         expect(() => expect(report).toHaveMet('webhook.duplicate')).toThrow('Did you mean webhooks.duplicate?');
       });`,
    );
  }, 2 * MINUTES);

  it('has fixtures and a matcher', async () => {
    const vitest = join(shop, 'node_modules/vitest/vitest.mjs');
    const { stdout } = await run('node', [vitest, 'run', '--reporter', 'tap'], {
      cwd: shop,
      env: { ...env, NO_COLOR: '1' },
    });
    expect(stdout).toMatch(/^ *ok 1 - matcher/m);
  });

  it('has declarations that TypeScript accepts, library checks included', { timeout: 1 * MINUTES }, async () => {
    const compilerOptions = {
      target: 'es2023',
      module: 'nodenext',
      strict: true,
      skipLibCheck: false,
      types: ['node'],
      noEmit: true,
    };
    await writeFile(join(shop, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['matcher.test.ts'] }));
    const compiler = join(root, 'node_modules/@typescript/native/bin/tsc');
    await run(process.execPath, [compiler, '-p', shop], { cwd: shop });
  });
});
