import { lstatSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { PortInUse, UnusableDirectory } from '../../domain/cannot-start.ts';
import type { ServerFile } from '../../store/file/directory.ts';
import { failure } from '../exit.ts';
import { makeFolder } from '../folder.ts';
import { readRecord, whyNotOwn } from './server-file.ts';

/** A server in the list of running ones, with the folder in which it was started. */
export interface ListedServer extends ServerFile {
  readonly folder: string;
}

/**
 * Adds a server to the list in the user's runtime folder, so that commands find it by the folder in which it was
 * started, wherever its state is (interface §1). Returns what removes it. If the list cannot be written, commands find
 * the server only by its state directory.
 */
export function enlist(server: ServerFile): () => void {
  const file = join(listFolder(), `${server.pid}.json`);
  try {
    makeFolder(listFolder(), 0o700);
    if (!isOwn(listFolder())) return () => undefined;
    forgetEnded();
    const draft = `${file}.draft`;
    rmSync(draft, { force: true });
    writeFileSync(draft, JSON.stringify({ ...server, folder: process.cwd() }), { flag: 'wx', mode: 0o600 });
    renameSync(draft, file);
  } catch {
    return () => undefined;
  }
  return () => {
    try {
      rmSync(file, { force: true });
    } catch {
      // The folder has become read-only. The next server removes the record.
    }
  };
}

/**
 * The running servers of this user, newest first. At one address only the newest can run: another record is of a server
 * that was killed, and its process id is in use again or its process was never collected.
 */
export function listedServers(): ListedServer[] {
  const newestFirst = records()
    .flatMap(({ file, record }) => {
      if (record.kind !== 'running' || !isListed(record.server)) return [];
      // A server that has just ended has removed its file.
      const stats = lstatSync(file, { throwIfNoEntry: false });
      return stats ? [{ server: record.server, at: stats.mtimeMs }] : [];
    })
    .sort((a, b) => b.at - a.at)
    .map(({ server }) => server);
  const urls = newestFirst.map(({ base_url: url }) => url);
  return newestFirst.filter(({ base_url: url }, index) => urls.indexOf(url) === index);
}

/** The server in the list that uses this port; it may have ended without a word. */
export const serverOnPort = (port: number): ListedServer | undefined =>
  listedServers().find(({ base_url: url }) => new URL(url).port === String(port));

/** The error, or one that names the flags that help and, if it is on this list, the server that uses the port. */
export function forCommandLine(error: unknown): unknown {
  if (error instanceof UnusableDirectory) {
    const { why, remedy } = error;
    return failure(
      remedy === null
        ? `${why} Choose another with --data, or use --memory.`
        : `${why} ${remedy}, or choose another directory with --data.`,
      error,
    );
  }
  if (!(error instanceof PortInUse)) return error;
  const { port, host } = error;
  const owner = serverOnPort(port);
  const found = owner
    ? `Port ${port} is in use by the layaway server that was started in ${owner.folder} (process ${owner.pid}). Use that server, stop it,`
    : `Port ${port} on ${host} is in use by another program. Stop that program,`;
  return failure(`${found} or choose another port: --port 0 picks a free one.`, error);
}

function forgetEnded() {
  for (const { file, record } of records()) if (record.kind === 'ended') rmSync(file, { force: true });
}

function records() {
  try {
    const folder = listFolder();
    if (!isOwn(folder)) return [];
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => join(folder, name))
      .map((file) => ({ file, record: readRecord(file) }));
  } catch {
    return [];
  }
}

const isListed = (server: ServerFile): server is ListedServer =>
  typeof (server as { folder?: unknown }).folder === 'string';

/** The folder that the system keeps for this user while the computer runs, otherwise one of the user's own. */
function listFolder(): string {
  const { XDG_RUNTIME_DIR: runtime } = process.env;
  if (runtime && isOwn(runtime)) return join(runtime, 'layaway');
  if (process.platform === 'win32') return join(homedir(), 'AppData', 'Local', 'layaway', 'running');
  return join(tmpdir(), `layaway-${process.getuid?.()}`);
}

/** A directory of this user that nobody else can write to. In the system's temporary folder others can create any. */
function isOwn(folder: string): boolean {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && whyNotOwn(stats) === null;
}
