/**
 * Other simulators to compare ours with. They are not dependencies: npm installs them on request into a cache folder,
 * with the Node that they need.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { NODE_PACKAGE } from '../scripts/nodes.js';
import { withCertificates } from './certificates.ts';
import { CannotMeasure } from './figure.ts';
import { root } from './paths.ts';
import { AT_REST, owned, rssOf, type Server, stop } from './process.ts';

const FOLDER = join(root, 'node_modules/.cache/layaway-bench-peers');

const VERSIONS: Readonly<Record<string, string>> = {
  [NODE_PACKAGE]: '24.21.0',
  emulate: '0.12.2',
  '@stoplight/prism-cli': '5.16.0',
};

const inPackage = (name: string, file: string) => join(FOLDER, 'node_modules', name, file);

/** @throws CannotMeasure if npm cannot install them */
export async function fetchPeers() {
  const missing = Object.entries(VERSIONS).filter(([name, version]) => versionOf(name) !== version);
  if (missing.length === 0) return;
  console.error(`fetching ${missing.map(([name, version]) => `${name} ${version}`).join(', ')} into ${FOLDER} …`);
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'package.json'), JSON.stringify({ private: true, dependencies: VERSIONS }, null, 2));
  const install = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'];
  const npm = owned(spawn('npm', install, { cwd: FOLDER, env: withCertificates, stdio: ['ignore', 'ignore', 'pipe'] }));
  let complaint = '';
  npm.stderr?.on('data', (chunk) => {
    complaint += chunk;
  });
  const [code] = await once(npm, 'close').catch((error: Error) => [error.message]);
  if (code !== 0) throw new CannotMeasure(`npm could not fetch the peers (${code}). ${complaint.trim()}`);
}

function versionOf(name: string): string | null {
  const file = inPackage(name, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : null;
}

export interface Peer {
  readonly name: string;
  readonly command: (port: number) => readonly [file: string, ...args: string[]];
  readonly headers: Readonly<Record<string, string>>;
  /** A path that answers 200 as soon as the peer is ready. */
  readonly firstPath: string;
}

/** Stripe's API in memory. A token may send 5,000 requests; `%k` makes the load generator change it. */
export const EMULATE: Peer = {
  name: 'emulate',
  command: (port) => [inPackage('emulate', 'dist/index.js'), 'start', '--service', 'stripe', '--port', String(port)],
  headers: { authorization: 'Bearer sk_test_%k' },
  firstPath: '/v1/checkout/sessions',
};

/** Serves the examples of our own OpenAPI document, without state. */
export const PRISM: Peer = {
  name: 'Prism',
  command: (port) => [
    inPackage('@stoplight/prism-cli', 'dist/index.js'),
    ...['mock', '--port', String(port), '--verboseLevel', 'silent', join(root, 'fixtures/openapi.json')],
  ],
  headers: { 'x-client-id': 'client', 'x-api-key': 'key' },
  firstPath: '/v1/ping',
};

/** Starts a peer. `readyMs` is the time from the start of its process until it was ready. */
export async function startPeer(peer: Peer, directory: string): Promise<Server & { readonly readyMs: number }> {
  const port = await freePort();
  const [file, ...args] = peer.command(port);
  const startedAt = performance.now();
  const child = owned(
    fork(file, args, {
      cwd: directory,
      execPath: inPackage(NODE_PACKAGE, process.platform === 'win32' ? 'bin/node.exe' : 'bin/node'),
      execArgv: AT_REST,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    }),
  );
  const url = `http://127.0.0.1:${port}`;
  await untilServes(child, `${url}${peer.firstPath}`, peer.headers);
  const readyMs = performance.now() - startedAt;
  return {
    url,
    port,
    headers: peer.headers,
    controlHeaders: {},
    dashboardUrl: '',
    readyMs,
    rss: () => rssOf(child),
    [Symbol.asyncDispose]: () => stop(child),
  };
}

async function untilServes(child: ChildProcess, url: string, headers: Readonly<Record<string, string>>) {
  while (child.exitCode === null && child.signalCode === null) {
    const status = await fetch(url, { headers }).then(
      (response) => response.status,
      () => null,
    );
    if (status === 200) return;
    if (status !== null) throw new Error(`${url} answered ${status}.`);
    await pause(2);
  }
  throw new Error(`${child.spawnargs.join(' ')} ended with ${child.exitCode}.`);
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
