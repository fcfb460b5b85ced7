import { readFileSync } from 'node:fs';

/**
 * How long a process has waited for a processor, in milliseconds. What a test times leaves this out, because machines may be
 * busy. 0 where the system does not tell, or of a process that has ended.
 */
export function queueTimeMs(pid: number | 'self'): number {
  try {
    const [, queuedNs = ''] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
    return Number(queuedNs) / 1e6;
  } catch {
    return 0;
  }
}
