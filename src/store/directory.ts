import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CannotStart } from '../domain/cannot-start.ts';
import { DirectoryInUse } from './database.ts';
import { closeToOthers, writePrivately } from './private-file.ts';

/** What a running server writes for the commands that look for it (interface §1). */
export interface ServerFile {
  readonly pid: number;
  readonly base_url: string;
  readonly control_token: string;
  readonly sandbox: { readonly client_id: string; readonly api_key: string };
  readonly live: { readonly client_id: string; readonly api_key: string };
}

/** A running server, as far as the commands need to know it. */
export interface RunningServer {
  readonly listening: string;
  readonly controlToken: string;
  readonly default: ShopKeys & { readonly live: ShopKeys };
}
interface ShopKeys {
  readonly clientId: string;
  readonly apiKey: string;
}

/** The state directory: the database, the snapshots, and who serves them. */
export interface Directory {
  readonly path: string;
  readonly database: string;
  readonly snapshots: string;
  announce(server: RunningServer): void;
  withdraw(): void;
  /** The error to show when the database is locked: with the owner's pid and URL when it said them. */
  inUse(): CannotStart;
}

/** @throws CannotStart when the directory cannot be made. */
export function openDirectory(path: string): Directory {
  const file = join(path, 'server.json');
  try {
    const made = mkdirSync(path, { recursive: true, mode: 0o700 });
    // A directory that was there before is its owner's: its own .gitignore stays, and gets none from us.
    if (made !== undefined) writePrivately(join(path, '.gitignore'), '*\n');
  } catch (error) {
    throw new CannotStart(
      `The directory ${path} cannot be written (${(error as NodeJS.ErrnoException).code}). Choose another with --data, or use --memory.`,
    );
  }
  const snapshots = join(path, 'snapshots');
  for (const snapshot of filesOf(snapshots)) closeToOthers(snapshot);
  return {
    path,
    database: join(path, 'layaway.db'),
    snapshots,
    announce: (server) => writePrivately(file, `${JSON.stringify(serverFileOf(server), null, 2)}\n`),
    withdraw: () => rmSync(file, { force: true }),
    inUse() {
      const owner = readServerFile(file);
      if (!owner) return new DirectoryInUse(path);
      return new CannotStart(
        `${path} is in use by the server with pid ${owner.pid} at ${owner.base_url}. Stop it, or choose another directory with --data.`,
      );
    },
  };
}

const serverFileOf = ({ listening, controlToken, default: sandbox }: RunningServer): ServerFile => ({
  pid: process.pid,
  base_url: listening,
  control_token: controlToken,
  sandbox: { client_id: sandbox.clientId, api_key: sandbox.apiKey },
  live: { client_id: sandbox.live.clientId, api_key: sandbox.live.apiKey },
});

/** None behind a symbolic link: that folder is somebody else's. */
const filesOf = (folder: string) =>
  lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()
    ? readdirSync(folder).map((name) => join(folder, name))
    : [];

function readServerFile(file: string): ServerFile | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ServerFile;
  } catch {
    return null;
  }
}
