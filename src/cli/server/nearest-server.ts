import { dirname, join } from 'node:path';
import { canonicalUrl } from '../../base-url.ts';
import type { ServerFile } from '../../store/file/directory.ts';
import { currentFolder } from '../current-folder.ts';
import { type ListedServer, listedServers } from './running.ts';
import { readRecord, SERVER_FILE, type ServerRecord } from './server-file.ts';

/** The server that commands in this folder talk to. */
export interface NearestServer {
  readonly server: ServerFile;
  /** Where it was found, for people. */
  readonly from: string;
  /** The folder in which it was started. */
  readonly folder: string;
  /** Others that were started in the same folder. */
  readonly others: readonly ServerFile[];
  /** A nearer folder whose server was killed. */
  readonly killedIn: string | null;
}

/**
 * The server that was started from this folder, otherwise from the nearest folder above that has one (interface §1). Of
 * several in one folder, the one with its state in `.layaway` comes first, then the newest. A folder that was removed
 * has none.
 */
export function nearestServer(): NearestServer | null {
  const here = currentFolder();
  if (here === null) return null;
  const listed = listedServers();
  let killedIn: string | null = null;
  for (let folder = here; ; folder = dirname(folder)) {
    const file = folder === here ? SERVER_FILE : join(folder, SERVER_FILE);
    const record = readRecord(file);
    const [first, ...others] = serversOf(folder, file, record, listed);
    if (first) return { ...first, folder, others: others.map(({ server }) => server), killedIn };
    if (record.kind === 'ended') killedIn ??= folder;
    if (folder === dirname(folder)) return null;
  }
}

function serversOf(folder: string, file: string, record: ServerRecord, listed: readonly ListedServer[]) {
  const isNewest = ({ base_url: url, pid }: ServerFile) =>
    !listed.some((one) => one.base_url === url && one.pid !== pid);
  const kept = record.kind === 'running' && isNewest(record.server) ? [{ server: record.server, from: file }] : [];
  const started = listed
    .filter((server) => server.folder === folder && server.pid !== kept[0]?.server.pid)
    .map((server) => ({ server, from: `the server started in ${folder}` }));
  return [...kept, ...started];
}

/** The record that the server at that URL wrote, found by this folder or in the list. */
export function recordOf(baseUrl: string): ServerFile | null {
  const nearest = nearestServer();
  const known = [...(nearest ? [nearest.server, ...nearest.others] : []), ...listedServers()];
  return known.find(({ base_url }) => canonicalUrl(base_url) === baseUrl) ?? null;
}

/** The folder in which the server at that URL was started; null when it is not in the list. */
export const folderOf = (baseUrl: string): string | null =>
  listedServers().find(({ base_url }) => canonicalUrl(base_url) === baseUrl)?.folder ?? null;
