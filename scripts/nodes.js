import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const isWindows = process.platform === 'win32';
/** The packages that the npm package `node` chooses between. Installed directly, they need no install script. */
const packageFor = (platform) => `node-${platform === 'win32' ? 'win' : platform}-${process.arch}`;
export const NODE_PACKAGE = packageFor(process.platform);

/** The newer major versions of Node that are tested. All have a prebuilt better-sqlite3. */
export const NEWER = [22, 24, 26];

/** Whether the package registry has a Node for this machine. */
export const canFetchNode = /^node-(linux|darwin|win)-(x64|arm64)$/.test(NODE_PACKAGE);

/**
 * The path of a Node of that major version, fetched from the package registry if it is not in the cache: that of this
 * machine or, for Wine, that of `win32`.
 */
export async function fetchNode(major, cache, platform = process.platform) {
  const wanted = packageFor(platform);
  const home = join(cache, `${wanted}-${major}`);
  const program = join(home, 'node_modules', wanted, 'bin', platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(program)) return program;
  await mkdir(cache, { recursive: true });
  const fresh = await mkdtemp(`${home}-`);
  // Tests also start it as another user.
  await chmod(fresh, 0o755);
  const flags = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
  if (platform !== process.platform) flags.push('--force');
  const args = ['install', '--prefix', fresh, ...flags, `${wanted}@${major}`];
  await promisify(execFile)('npm', args, { shell: isWindows, env: withCertificates(process.env) });
  // Renamed when complete, because another process may fetch it too, and a file cannot be run while it is written.
  await rename(fresh, home).catch(async (error) => {
    await rm(fresh, { recursive: true, force: true });
    if (!existsSync(program)) throw error;
  });
  return program;
}

/**
 * An environment in which the npm of any Node reaches the package registry: tests keep the certificates for it
 * (`test/setup/environment.ts`).
 */
export function withCertificates(env) {
  const { CERTIFICATES_OF_NPM: certificates } = process.env;
  return certificates ? { ...env, NODE_EXTRA_CA_CERTS: certificates } : env;
}
