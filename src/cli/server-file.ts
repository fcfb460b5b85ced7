import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerFile } from '../store/directory.ts';

/** The server that was started from this directory and still runs (interface §1); null when there is none. */
export function readServerFile(): ServerFile | null {
  try {
    const file: ServerFile = JSON.parse(readFileSync(join('.layaway', 'server.json'), 'utf8'));
    return isWhole(file) && isAlive(file.pid) ? file : null;
  } catch {
    return null;
  }
}

/** One of another version, or cut short, says nothing. */
const isWhole = ({ base_url, sandbox }: Partial<ServerFile>) =>
  URL.canParse(String(base_url)) && sandbox?.client_id !== undefined && sandbox.api_key !== undefined;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
