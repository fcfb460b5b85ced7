import { accessSync, constants, existsSync, type StatsFs, statfsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { grouped } from '../../domain/text.ts';
import { currentFolder } from '../current-folder.ts';
import type { Address } from '../server/address.ts';
import { isSimulator } from '../server/health.ts';
import { readProfiles, UnreadableSettings } from '../server/profiles.ts';
import { proxyInTheWay } from '../server/proxy.ts';
import { serverOnPort } from '../server/running.ts';
import { readServerRecord } from '../server/server-file.ts';
import { adviceIfSuspended } from '../server/silence.ts';
import { broken, type Check, well } from './check.ts';

/** Checks the file with the profiles, which few commands need: only one that cannot be read is worth a line. */
export function checkSettings(): Check[] {
  try {
    readProfiles();
    return [];
  } catch (error) {
    if (!(error instanceof UnreadableSettings)) throw error;
    return [broken('settings', error.fault, `${error.advice} Until then there are no profiles.`)];
  }
}

/** Checks what `layaway serve` needs on this machine. Without an address, no port is known. */
export const checkMachine = async (address: Address | null): Promise<Check[]> => [
  node(),
  await nativeModule(),
  ...(await folder(address)),
  ...(address ? [await port(address.baseUrl), ...proxy(address.baseUrl)] : []),
];

/** Without a check: the program does not start under an older one. */
const node = () => well('node', `${process.versions.node} at ${process.execPath}`);

/** Commands use no proxy, but the store may. */
function proxy(baseUrl: string): Check[] {
  const found = proxyInTheWay(baseUrl, process.env);
  if (!found) return [];
  const { variable, hostname } = found;
  return [
    well(
      'proxy',
      `${variable} is set, and NO_PROXY does not name ${hostname}`,
      `Your store may send its requests for the simulator to that proxy. Add ${hostname} to NO_PROXY, as \`layaway exec\` does for its command.`,
    ),
  ];
}

async function nativeModule(): Promise<Check> {
  const { openSqlite, WrongSqlite } = await import('../../sqlite.ts');
  try {
    openSqlite(':memory:').close();
    return well('sqlite', 'better-sqlite3 loads and opens a database');
  } catch (error) {
    if (!(error instanceof WrongSqlite)) throw error;
    return broken('sqlite', error.fault, error.advice);
  }
}

/** Checks where `layaway serve` would keep its state. */
const folder = async (address: Address | null): Promise<Check[]> =>
  currentFolder() === null
    ? [broken('directory', 'the current directory does not exist', 'Change to another directory.')]
    : [await directory(address), disk(statfsSync('.'))];

async function directory(address: Address | null): Promise<Check> {
  const path = resolve('.layaway');
  const isThere = existsSync(path);
  try {
    accessSync(isThere ? path : '.', constants.W_OK);
  } catch {
    const detail = `${path} is not writable`;
    const advice = 'Use another one with `layaway serve --data`, or use --memory.';
    const isInUse = readServerRecord().kind === 'running';
    if (isInUse || !address || !(await isSimulator(address.baseUrl))) return broken('directory', detail, advice);
    return well('directory', `${detail}; the server in use does not need it`);
  }
  if (!isThere) return well('directory', `\`layaway serve\` creates ${path}`);
  const record = readServerRecord();
  switch (record.kind) {
    case 'running': {
      const { pid, base_url: url } = record.server;
      // A server that is not in use is sent nothing (interface §6).
      const isAsked = address?.baseUrl === url;
      if (!isAsked || (await isSimulator(url))) return well('directory', `${path}, served by pid ${pid} at ${url}`);
      return well(
        'directory',
        `${path}; its server (pid ${pid}) does not answer at ${url}`,
        adviceIfSilent(pid, 'the server was killed. No data is lost; start it again with `layaway serve`.'),
      );
    }
    case 'ended':
      return well(
        'directory',
        `${path}; its server (pid ${record.pid}) was killed`,
        'No data is lost. Start it again with `layaway serve`.',
      );
    case 'ignored':
      return broken(
        'directory',
        `${join(path, 'server.json')} is ignored: ${record.why}`,
        'Commands do not use it. Delete it, unless your own server wrote it.',
      );
    case 'none':
      return well('directory', `${path}; no server uses it`);
  }
}

/** What to do if the server of that process does not answer, or if the process is another program. */
const adviceIfSilent = (pid: number, ifAnother: string) =>
  [adviceIfSuspended(pid), `If process ${pid} is another program, ${ifAnother}`]
    .filter((advice) => advice !== null)
    .join(' ');

const FREE_MIN_BYTES = 32 * 1024 * 1024;

/** Checks the space for the state directory. A file system without a size does not show what is free. */
export function disk({ bavail, blocks, bsize }: Pick<StatsFs, 'bavail' | 'blocks' | 'bsize'>): Check {
  const free = bavail * bsize;
  if (blocks === 0) return well('disk', 'free space unknown');
  const detail = `${grouped(Math.floor(free / (1024 * 1024)))} MiB free`;
  if (free >= FREE_MIN_BYTES) return well('disk', detail);
  return broken(
    'disk',
    detail,
    'Free some space, or use another disk: `layaway serve --data <directory>`, or --memory.',
  );
}

/** Checks that the port of a server on this machine is free or used by a simulator. */
async function port(baseUrl: string): Promise<Check> {
  const { hostname, port: given, protocol } = new URL(baseUrl);
  if (!['localhost', '127.0.0.1', '[::1]'].includes(hostname))
    return well('port', `not needed: ${baseUrl} is on another machine`);
  const number = Number(given || (protocol === 'https:' ? 443 : 80));
  const code = await tryPort(number, hostname === '[::1]' ? '::1' : '127.0.0.1');
  if (code === null) return well('port', `${number} is free`);
  if (code === 'EACCES') {
    return broken(
      'port',
      `this user may not open port ${number}`,
      'Choose a port above 1023: `layaway serve --port 4747`.',
    );
  }
  if (await isSimulator(baseUrl)) return well('port', `${number} is in use by the simulator`);
  const owner = serverOnPort(number);
  const otherPort = 'choose another port: `layaway serve --port 0` picks a free one.';
  if (!owner) {
    return broken('port', `${number} is in use by another program (${code})`, `Stop that program, or ${otherPort}`);
  }
  const { pid } = owner;
  return broken(
    'port',
    `${number} is in use, and its server (pid ${pid}) does not answer`,
    adviceIfSilent(pid, `stop it, or ${otherPort}`),
  );
}

/** Null when the port is free, otherwise the error code. */
const tryPort = (number: number, host: string) =>
  new Promise<string | null>((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ port: number, host, exclusive: true }, () => server.close(() => resolve(null)));
  });
