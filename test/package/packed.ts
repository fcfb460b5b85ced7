import { type ExecFileOptions, execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { withCertificates } from '../../scripts/nodes.js';
import { startUntilReady } from '../support/child.ts';

export const root = join(import.meta.dirname, '../..');
const exec = promisify(execFile);

interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end; a failure shows everything that it said. */
export async function run(command: string, args: readonly string[], options: ExecFileOptions = {}): Promise<Output> {
  try {
    return (await exec(command, args, { maxBuffer: 1e8, ...options, encoding: 'utf8' })) as Output;
  } catch (error) {
    const { stdout, stderr } = error as Partial<Output>;
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout ?? ''}${stderr ?? ''}`, { cause: error });
  }
}

/** Packs the package as publishing it would, build included, into `folder`. */
export async function pack(folder: string): Promise<string> {
  await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root });
  return tarballIn(folder);
}

/** Packs what was built for this run. Declarations are part of it under `npm test` only, because other suites do not need them. */
export async function packBuild(build: string, folder: string): Promise<string> {
  const copy = `${folder}.build`;
  await cp(build, copy, { recursive: true, dereference: true });
  await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], { cwd: copy });
  await rm(copy, { recursive: true });
  return tarballIn(folder);
}

async function tarballIn(folder: string): Promise<string> {
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz'));
  if (!tarball) throw new Error('npm pack made no tarball.');
  return join(folder, tarball);
}

/** An empty folder that is gone after the test. */
export async function emptyFolder() {
  const path = await mkdtemp(join(tmpdir(), 'layaway-package-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/** The environment of a user at a prompt: none of the variables that npm and vitest set for us. */
export function userEnv(node: string): NodeJS.ProcessEnv {
  const ours = /^(npm_(package|lifecycle|command|execpath|node)|VITEST|LAYAWAY_|NODE_OPTIONS|NODE_ENV|FORCE_COLOR)/i;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)));
  return { ...env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
}

/** `npm install <tarball>` in an empty project, as a user does it. */
export async function install(tarball: string, folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), '{ "name": "shop", "private": true, "type": "module" }\n');
  await add([tarball], folder, env);
}

/** `npm install <packages>` in a project that exists. */
export async function add(packages: readonly string[], folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const args = ['install', ...packages, '--no-audit', '--no-fund', '--prefer-offline'];
  await run('npm', args, { cwd: folder, env: withCertificates(env) });
}

/**
 * Under Node 20 the install script of better-sqlite3 compiles for a minute unless it finds a ready-made build.
 * This offers it the one that `npm ci` made for this very checkout, by the door it has for that.
 */
export async function ownBuildOfSqlite(folder: string): Promise<Record<string, string>> {
  const home = join(root, 'node_modules/better-sqlite3');
  // Newer versions bring theirs.
  if (!existsSync(join(home, 'build'))) return {};
  const { version } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8'));
  const platform = `node-v${process.versions.modules}-${process.platform}-${process.arch}`;
  const file = join(folder, `better-sqlite3-v${version}-${platform}.tar.gz`);
  await mkdir(folder);
  await run('tar', ['-czf', file, '-C', home, 'build/Release/better_sqlite3.node']);
  return { npm_config_better_sqlite3_local_prebuilds: folder };
}

/** The program of an installed package, until it has printed its first line. */
export async function serveUntilReady(
  folder: string,
  env: NodeJS.ProcessEnv,
  [program, ...args]: readonly [string, ...string[]] = [
    join(folder, 'node_modules/.bin/layaway'),
    'serve',
    '--port',
    '0',
  ],
) {
  const server = await startUntilReady(program, [...args, '--json'], { cwd: folder, env });
  return { ...server, ready: JSON.parse(server.ready) };
}
