import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { execa } from 'execa';
import { expect, onTestFinished, test, vi } from 'vitest';
import { enlist, listedServers } from '../../../src/cli/server/running.ts';
import { bin } from '../layaway.ts';
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

/** The folder of the list, in a runtime folder of its own. */
async function ownList() {
  const runtime = await mkdtemp(join(tmpdir(), 'layaway-runtime-'));
  vi.stubEnv('XDG_RUNTIME_DIR', runtime);
  onTestFinished(() => void vi.unstubAllEnvs());
  const list = join(runtime, 'layaway');
  await mkdir(list, { mode: 0o700 });
  return { list, record: { ...planted('http://127.0.0.1:4747'), folder: runtime } };
}

test('interface §6: a list that others can write to is not believed', async () => {
  const { list, record } = await ownList();
  await writeFile(join(list, `${process.pid}.json`), JSON.stringify(record), { mode: 0o600 });
  expect(listedServers()).toEqual([record]);
  for (const mode of [0o777, 0o770, 0o702]) {
    await chmod(list, mode);
    expect(listedServers()).toEqual([]);
  }
});

test('a server that enters the list removes those that have ended, and leaves without a trace', async () => {
  const { list, record } = await ownList();
  await writeFile(join(list, 'ended.json'), JSON.stringify({ ...record, pid: 2 ** 22 + 1 }), { mode: 0o600 });
  const { folder: _, ...server } = record;
  const withdraw = enlist(server);
  expect(await readdir(list)).toEqual([`${server.pid}.json`]);
  withdraw();
  expect(await readdir(list)).toEqual([]);
});

test('a server whose list has become read-only can end', async () => {
  const { list, record } = await ownList();
  const { folder: _, ...server } = record;
  const withdraw = enlist(server);
  const isRoot = process.getuid?.() === 0;
  await chmod(list, 0o555);
  // Root may change every folder, so it becomes somebody else.
  if (isRoot) process.seteuid?.(65_534);
  try {
    withdraw();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
  await chmod(list, 0o700);
  expect(await readdir(list)).toEqual([`${server.pid}.json`]);
});

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

test.skipIf(process.platform !== 'linux')('interface §1: a server starts where its list cannot be made', async () => {
  const { XDG_RUNTIME_DIR: _, ...env } = process.env;
  const server = execa(process.execPath, [bin, 'serve', '--memory', '--port', '0', '--json'], {
    ...{ env: { ...env, TMPDIR: '/proc/none' }, extendEnv: false, reject: false },
    // It would never start, and no other signal would end it.
    ...{ timeout: 30_000, killSignal: 'SIGKILL' },
  });
  server.stdout.once('data', () => server.kill('SIGTERM'));
  const { exitCode, stdout } = await server;
  expect(stdout).toContain('"event":"ready"');
  expect(exitCode).toBe(0);
});
