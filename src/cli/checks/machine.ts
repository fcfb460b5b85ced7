import { accessSync, constants, existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import type { Address } from '../address.ts';
import { isSimulator } from '../health.ts';
import { NATIVE_ADVICE, nativeFault } from '../native.ts';
import { readServerRecord } from '../server-file.ts';
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
  const record = readServerRecord();
  switch (record.kind) {
    case 'running':
      return well('directory', `${path}, served by pid ${record.server.pid} at ${record.server.base_url}`);
    case 'ended':
      return well(
        'directory',
        `${path}, whose server (pid ${record.pid}) was killed`,
        'Nothing is lost: layaway serve goes on from there.',
      );
    case 'ignored':
      return broken(
        'directory',
        `${join(path, 'server.json')} is ignored: ${record.why}`,
        'No command believes it. Unless a server of yours wrote it, delete it.',
      );
    case 'none':
      return well('directory', `${path}, served by nobody now`);
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
