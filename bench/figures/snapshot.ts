import { closeSync, copyFileSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Figure, interleave } from '../figure.ts';
import { simulator, temporaryDirectory } from '../process.ts';
import { call, makeContract } from '../requests.ts';
import { multiplyContract } from '../seed.ts';

/** A snapshot of 100,000 contracts on a running server, against a copy of its file that has reached the disk too. */
export const snapshot: Figure = async ({ effort }) => {
  using directory = temporaryDirectory();
  {
    await using server = await simulator(directory.path);
    await makeContract(server);
  }
  const file = join(directory.path, 'state', 'layaway.db');
  multiplyContract(file, 100_000);
  await using server = await simulator(directory.path);
  const levers = { ...server, headers: server.controlHeaders };

  const save = async () => {
    const startedAt = performance.now();
    await call(levers, 'POST', '/_sim/snapshots', { name: 'bench' });
    const tookMs = performance.now() - startedAt;
    await fetch(`${server.url}/_sim/snapshots/bench`, { method: 'DELETE', headers: server.controlHeaders });
    return tookMs;
  };
  const copy = async () => {
    const target = join(directory.path, 'copy.db');
    const startedAt = performance.now();
    copyFileSync(file, target);
    const descriptor = openSync(target, 'r');
    fsyncSync(descriptor);
    closeSync(descriptor);
    const tookMs = performance.now() - startedAt;
    rmSync(target);
    return tookMs;
  };
  for (const work of [save, copy]) await work();
  const measured = await interleave(effort.repetitions, save, copy);
  return [{ name: 'snapshot of 100,000 contracts, copy', unit: 'ms', ...measured, target: { atMost: 2 } }];
};
