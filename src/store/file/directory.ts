import { lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type CannotStart, UnusableDirectory } from '../../domain/cannot-start.ts';
import { fileReason } from '../../domain/file-error.ts';
import { DirectoryInUse } from './database.ts';
import { closeToOthers, isPlainFile, makeFolder, writePrivately } from './private-file.ts';

/** The record that a running server writes for commands that look for it (interface §1). */
export interface ServerFile {
  readonly pid: number;
  readonly base_url: string;
  readonly control_token: string;
  readonly sandbox: { readonly client_id: string; readonly api_key: string };
  readonly live: { readonly client_id: string; readonly api_key: string };
}

/** What commands need to know of a running server. */
export interface RunningServer {
  readonly listening: string;
  readonly controlToken: string;
  readonly default: ShopKeys & { readonly live: ShopKeys };
}
interface ShopKeys {
  readonly clientId: string;
  readonly apiKey: string;
}

/** The state directory: the database, the snapshots, and the record of the server that uses them. */
export interface Directory {
  readonly database: string;
  readonly snapshots: string;
  /**
   * The control token of this directory. It is drawn the first time and survives restarts.
   * @throws CannotStart when it cannot be written
   */
  controlToken(draw: () => string): string;
  /** @throws CannotStart when it cannot be written */
  announce(server: RunningServer): void;
  withdraw(): void;
  /** The error to show when the database is locked, with the owner's pid and URL if they are known. */
  inUse(): CannotStart;
}

/** @throws CannotStart when the directory cannot be made or entered. */
export function openDirectory(path: string): Directory {
  const file = join(path, 'server.json');
  const tokenFile = join(path, 'control-token');
  const write = (target: string, text: string) => {
    try {
      writePrivately(target, text);
    } catch (error) {
      const why = `${basename(target)} cannot be written (${fileReason(error)})`;
      throw new UnusableDirectory(`The directory ${path} cannot be used: ${why}.`, null);
    }
  };
  const snapshots = join(path, 'snapshots');
  let own: ServerFile | null = null;
  try {
    // A directory that existed before keeps its own .gitignore, or has none.
    if (makeFolder(path)) writePrivately(join(path, '.gitignore'), '*\n');
    for (const snapshot of filesOf(snapshots)) closeToOthers(snapshot);
  } catch (error) {
    throw new UnusableDirectory(`The directory ${path} cannot be written (${fileReason(error)}).`, null);
  }
  return {
    database: join(path, 'layaway.db'),
    snapshots,
    controlToken(draw) {
      const kept = readToken(tokenFile);
      if (kept !== null) return kept;
      const drawn = draw();
      write(tokenFile, `${drawn}\n`);
      return drawn;
    },
    announce(server) {
      own = serverFileOf(server);
      write(file, `${JSON.stringify(own, null, 2)}\n`);
    },
    /** If the directory was replaced meanwhile, the record may be that of another server. */
    withdraw() {
      try {
        const found = isPlainFile(file) ? readServerFile(file) : null;
        if (own && found?.pid === own.pid && found.base_url === own.base_url) rmSync(file, { force: true });
      } catch {
        // The directory has become read-only. Nobody believes the record of an ended process.
      }
    },
    inUse() {
      const owner = readServerFile(file);
      if (!owner) return new DirectoryInUse(path);
      const { pid, base_url: url } = owner;
      return new UnusableDirectory(`${path} is in use by the server with pid ${pid} at ${url}.`, 'Stop it');
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

/** Not through a symbolic link: the folder that it leads to belongs to somebody else. */
const filesOf = (folder: string) =>
  lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()
    ? readdirSync(folder).map((name) => join(folder, name))
    : [];

/** Null when there is none, or when others could read or write it and so may know it. */
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
