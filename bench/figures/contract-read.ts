import { join } from 'node:path';
import type { Bench, Figure, Line } from '../figure.ts';
import { bareServer, simulator, temporaryDirectory } from '../process.ts';
import { anOrder, call, get } from '../requests.ts';
import { interleave } from '../rounds.ts';
import { multiplyOrder, seedContracts, shuffled } from '../seed.ts';
import { throughput } from './throughput.ts';

/** A contract with its schedule against one row by its primary key: a few that fit into memory, and many that do not. */
export const contractRead: Figure = async function* (bench) {
  yield* reading(bench, 500, 'contract read');
  yield* reading(bench, 100_000, 'contract read, 100,000 at random');
  yield* firstReads(bench, 100_000, '  each for the first time, 10 at once');
};

async function* reading(bench: Bench, count: number, name: string): AsyncGenerator<Line> {
  using directory = temporaryDirectory();
  using twinDirectory = temporaryDirectory();
  const references = await seedContracts(directory.path, { contracts: count });
  for (const { path } of [directory, twinDirectory]) await seedOrders(path, count);
  await using ours = await simulator(directory.path);
  await using bare = await bareServer(directory.path);
  await using twin = await bareServer(twinDirectory.path);
  const orders = get(shuffled(Array.from({ length: count }, (_, index) => `/orders/${index + 1}`)), ours);
  yield* throughput(bench, {
    name,
    ours: { server: ours, request: get(shuffled(references.map((each) => `/v1/contracts/${each}`)), ours) },
    reference: [
      { server: bare, request: orders },
      { server: twin, request: orders },
    ],
    target: (concurrency) => ({ atLeast: concurrency === 1 ? 0.7 : 0.8 }),
  });
}

/** Each contract once, by a server that has read none of them: later reads find the answer that the first one made. */
async function* firstReads(bench: Bench, count: number, name: string): AsyncGenerator<Line> {
  using directory = temporaryDirectory();
  const references = shuffled(await seedContracts(directory.path, { contracts: count }));
  await seedOrders(directory.path, count);
  const warmUp = references.length / 10;
  const once = async (start: typeof simulator, paths: readonly string[]) => {
    await using server = await start(directory.path);
    const send = (some: readonly string[]) =>
      bench.load.run(server, get(some, server), 10, { afterRequests: some.length });
    await send(paths.slice(0, warmUp));
    return (await send(paths.slice(warmUp))).requestsPerSecond;
  };
  const contracts = references.map((each) => `/v1/contracts/${each}`);
  const orders = shuffled(Array.from({ length: count }, (_, index) => `/orders/${index + 1}`));
  const measured = await interleave(
    bench.effort,
    () => once(simulator, contracts),
    () => once(bareServer, orders),
  );
  yield { name, unit: 'req/s', ...measured, target: null };
}

async function seedOrders(directory: string, count: number) {
  {
    await using server = await bareServer(directory);
    await call(server, 'POST', '/orders', anOrder);
  }
  multiplyOrder(join(directory, 'bare.db'), count);
}
