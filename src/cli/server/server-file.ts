import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { canonicalUrl } from '../../base-url.ts';
import { codeOf } from '../../domain/error-code.ts';
import { fileReason } from '../../domain/file-error.ts';
import { isRecord, parsed } from '../../domain/json.ts';
import type { ServerFile } from '../../store/file/directory.ts';
import { isLoopback } from './url.ts';

/** What a record on disk says about a server (interface §1). */
export type ServerRecord =
  | { readonly kind: 'none' }
  | { readonly kind: 'running'; readonly server: ServerFile }
  /** Its process is gone. */
  | { readonly kind: 'ended'; readonly pid: number }
  /** Not trusted: the folder may come from an archive or a clone. */
  | { readonly kind: 'ignored'; readonly why: string };

export const SERVER_FILE = join('.layaway', 'server.json');

/** The record in the current folder. */
export const readServerRecord = (): ServerRecord => readRecord(SERVER_FILE);

/** Reads the record in a file and decides whether to trust it. */
export function readRecord(path: string): ServerRecord {
  let text: string;
  try {
    text = readOwn(path);
  } catch (error) {
    if (error instanceof NotOwn) return { kind: 'ignored', why: error.message };
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'none' };
    return {
      kind: 'ignored',
      why: code === 'ELOOP' ? 'it is a symbolic link' : `it cannot be read (${fileReason(error)})`,
    };
  }
  const file = parsed(text, null);
  if (!isRecord(file)) return { kind: 'ignored', why: 'it is not a JSON object' };
  if (!isPid(file.pid)) return { kind: 'ignored', why: 'it does not name a process' };
  if (!isAlive(file.pid)) return { kind: 'ended', pid: file.pid };
  if (!isWhole(file)) return { kind: 'ignored', why: 'it is incomplete' };
  if (!isLoopback(file.base_url)) return { kind: 'ignored', why: 'its URL is not on this machine' };
  return { kind: 'running', server: file };
}

class NotOwn extends Error {}

const BYTES_MAX = 64 * 1024;

/**
 * Reads a regular file that belongs to this user and that nobody else can write to. Links are not followed, and a
 * pipe is opened without waiting for its other end.
 * @throws NotOwn when it is another kind of file, or another user's
 */
function readOwn(path: string): string {
  // Windows has neither flag.
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  const descriptor = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const why = flawOf(fstatSync(descriptor));
    if (why !== null) throw new NotOwn(why);
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

function flawOf(stats: Stats): string | null {
  if (!stats.isFile()) return 'it is not a regular file';
  if (stats.size > BYTES_MAX) return 'it is too large';
  return whyNotOwn(stats);
}

/** Who else owns it or can write to it; null if nobody does. */
export function whyNotOwn({ uid, mode }: Stats): string | null {
  const user = process.getuid?.();
  // Windows has neither owner nor mode.
  if (user === undefined) return null;
  if (uid !== user) return 'it belongs to another user';
  return (mode & 0o022) === 0 ? null : 'other users can write to it';
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isPid = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;

/** A record that is cut short or of another version is not used: what it lacks would be taken from elsewhere. */
function isWhole(file: object): file is ServerFile {
  const { base_url, control_token, sandbox, live } = file as { [Key in keyof ServerFile]?: unknown };
  const isPair = (pair: unknown) => isRecord(pair) && isText(pair.client_id) && isText(pair.api_key);
  return (
    isText(base_url) && canonicalUrl(base_url) !== null && isText(control_token) && isPair(sandbox) && isPair(live)
  );
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}
