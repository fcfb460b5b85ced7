import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import type { Address } from '../address.ts';
import { isSimulator } from '../health.ts';
import { NATIVE_ADVICE, nativeFault } from '../native.ts';
import { readServerFile } from '../server-file.ts';
import { broken, type Check, well } from './check.ts';

/** What `layaway serve` needs of this machine. */
export const checkMachine = async ({ baseUrl }: Address): Promise<Check[]> => [
  node(),
  await nativeModule(),
  directory(),
  await port(baseUrl),
];

function node(): Check {
  const version = process.versions.node;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isEnough = major > 20 || (major === 20 && minor >= 19);
  const detail = `${version} at ${process.execPath}`;
  return isEnough ? well('node', detail) : broken('node', detail, 'Install Node 20.19 or later from nodejs.org.');
}

async function nativeModule(): Promise<Check> {
  try {
    const { default: Database } = await import('better-sqlite3');
    new Database(':memory:').close();
    return well('sqlite', 'better-sqlite3 loads and opens a database');
  } catch (error) {
    return broken('sqlite', nativeFault(error), NATIVE_ADVICE);
  }
}

function directory(): Check {
  const path = resolve('.layaway');
  const isThere = existsSync(path);
  try {
    accessSync(isThere ? path : '.', constants.W_OK);
  } catch {
    return broken('directory', `${path} cannot be written`, 'Name another with layaway serve --data, or use --memory.');
  }
  if (!isThere) return well('directory', `${path} is made by the first layaway serve`);
  const owner = readServerFile();
  if (owner) return well('directory', `${path}, served by pid ${owner.pid} at ${owner.base_url}`);
  const left = leftBehind(join(path, 'server.json'));
  if (left === null) return well('directory', `${path}, served by nobody now`);
  return well(
    'directory',
    `${path}, whose server (pid ${left}) was killed`,
    'Nothing is lost: layaway serve goes on from there.',
  );
}

/** The pid in the file of a server that is gone; null without such a file. */
function leftBehind(file: string): number | null {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { pid: number }).pid;
  } catch {
    return null;
  }
}

/** The port of a server on this machine: free, or held by a simulator. */
async function port(baseUrl: string): Promise<Check> {
  const { hostname, port: given, protocol } = new URL(baseUrl);
  if (!['localhost', '127.0.0.1', '[::1]'].includes(hostname))
    return well('port', `none needed: ${baseUrl} is elsewhere`);
  const number = Number(given || (protocol === 'https:' ? 443 : 80));
  const code = await tryPort(number, hostname === '[::1]' ? '::1' : '127.0.0.1');
  if (code === null) return well('port', `${number} is free`);
  if (code === 'EACCES') {
    return broken(
      'port',
      `${number} may not be opened by this user`,
      'Choose one above 1023: layaway serve --port 4747.',
    );
  }
  if (await isSimulator(baseUrl)) return well('port', `${number} is held by the simulator`);
  return broken(
    'port',
    `${number} is held by another program (${code})`,
    'Stop that program, or choose another port: layaway serve --port 0 takes a free one.',
  );
}

/** Null when the port could be had. */
const tryPort = (number: number, host: string) =>
  new Promise<string | null>((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ port: number, host, exclusive: true }, () => server.close(() => resolve(null)));
  });
