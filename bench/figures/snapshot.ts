import { closeSync, copyFileSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Figure } from '../figure.ts';
import { type Server, simulator, temporaryDirectory } from '../process.ts';
import { call } from '../requests.ts';
import { interleave, repeat } from '../rounds.ts';
import { seedContracts } from '../seed.ts';

/** A snapshot of 100,000 contracts on a running server, against a synced copy of its file. */
export const snapshot: Figure = async function* ({ effort }) {
  using directory = temporaryDirectory();
  await seedContracts(directory.path, { contracts: 100_000 });
  await using server = await simulator(directory.path);
  const save = () => snapshotMs(server);
  const copy = async () => copyMs(directory.path);
  for (const work of [save, copy]) await work();
  const measured = await interleave(effort, save, copy);
  yield { name: 'snapshot of 100,000 contracts, copy', unit: 'ms', ...measured, target: { atMost: 2 } };

  await saveSnapshot(server);
  const restore = async () => {
    const startedAt = performance.now();
    await call(inControl(server), 'POST', '/_sim/snapshots/bench/restore');
    return performance.now() - startedAt;
  };
  const ours = await repeat(effort, restore);
  yield { name: 'restore of 100,000 contracts', unit: 'ms', ours, reference: null, target: { atMost: 1000 } };
};

const inControl = (server: Server) => ({ ...server, headers: server.controlHeaders });

async function saveSnapshot(server: Server): Promise<number> {
  const startedAt = performance.now();
  await call(inControl(server), 'POST', '/_sim/snapshots', { name: 'bench' });
  return performance.now() - startedAt;
}

/** The time to save a snapshot, which is removed again. */
export async function snapshotMs(server: Server): Promise<number> {
  const tookMs = await saveSnapshot(server);
  await fetch(`${server.url}/_sim/snapshots/bench`, { method: 'DELETE', headers: server.controlHeaders });
  return tookMs;
}

/** The time to copy the database in a server's directory and sync it to the disk. */
export function copyMs(directory: string): number {
  const target = join(directory, 'copy.db');
  const startedAt = performance.now();
  copyFileSync(join(directory, 'state', 'layaway.db'), target);
  const descriptor = openSync(target, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
  const tookMs = performance.now() - startedAt;
  rmSync(target);
  return tookMs;
}
