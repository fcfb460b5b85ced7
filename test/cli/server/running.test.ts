import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, test, vi } from 'vitest';
import { listedServers } from '../../../src/cli/server/running.ts';
import { planted } from '../planted.ts';

/** Starts and ends in turn, as far as the list shows it. */
const COMES_AND_GOES = `
  const { renameSync, rmSync, writeFileSync } = require('node:fs');
  const { parentPort, workerData: { file, text } } = require('node:worker_threads');
  parentPort.postMessage('ready');
  for (;;) {
    writeFileSync(file + '.draft', text, { mode: 0o600 });
    renameSync(file + '.draft', file);
    rmSync(file);
  }
`;

test('interface §1: the list of running servers can be read while one of them ends', async () => {
  const runtime = await mkdtemp(join(tmpdir(), 'layaway-runtime-'));
  vi.stubEnv('XDG_RUNTIME_DIR', runtime);
  await mkdir(join(runtime, 'layaway'), { mode: 0o700 });
  const record = { ...planted('http://127.0.0.1:4747'), folder: runtime };
  const workerData = { file: join(runtime, 'layaway', `${process.pid}.json`), text: JSON.stringify(record) };
  const worker = new Worker(COMES_AND_GOES, { eval: true, workerData });
  try {
    await once(worker, 'message');
    let seen = 0;
    for (let reads = 0; reads < 10_000 && seen < 100; reads += 1) seen += listedServers().length;
    expect(seen).toBeGreaterThan(0);
  } finally {
    await worker.terminate();
    vi.unstubAllEnvs();
    await rm(runtime, { recursive: true });
  }
});
