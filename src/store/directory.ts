import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
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
  /** The control token of this directory, which stays the same over restarts; the first time it is drawn. */
  controlToken(draw: () => string): string;
  announce(server: RunningServer): void;
  withdraw(): void;
  /** The error to show when the database is locked: with the owner's pid and URL when it said them. */
  inUse(): CannotStart;
}

/** @throws CannotStart when the directory cannot be made. */
export function openDirectory(path: string): Directory {
  const file = join(path, 'server.json');
  const tokenFile = join(path, 'control-token');
  try {
    // A directory that was there before is its owner's: its own .gitignore stays, and gets none from us.
    if (makeFolder(path)) writePrivately(join(path, '.gitignore'), '*\n');
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
    controlToken(draw) {
      const kept = readToken(tokenFile);
      if (kept !== null) return kept;
      const drawn = draw();
      writePrivately(tokenFile, `${drawn}\n`);
      return drawn;
    },
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

/**
 * Makes a folder and those above it; false when it was there. Node's own `recursive` tries for ever where the system
 * answers that a folder is missing below one that is there, as under /proc.
 */
function makeFolder(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && statSync(path).isDirectory()) return false;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    makeFolder(dirname(path));
    mkdirSync(path, { mode: 0o700 });
    return true;
  }
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

/** Null when there is none, or one that is not ours: what others could read or write, they could know. */
function readToken(file: string): string | null {
  try {
    const stats = lstatSync(file);
    const user = process.getuid?.();
    const isOwn = user === undefined || (stats.uid === user && (stats.mode & 0o077) === 0);
    if (!stats.isFile() || stats.size > 200 || !isOwn) return null;
    return /^\S{16,}$/.exec(readFileSync(file, 'utf8').trimEnd())?.[0] ?? null;
  } catch {
    return null;
  }
}

function readServerFile(file: string): ServerFile | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ServerFile;
  } catch {
    return null;
  }
}
