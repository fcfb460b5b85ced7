import { join } from 'node:path';
import type { Bench, Figure, Line } from '../figure.ts';
import { bareServer, simulator, temporaryDirectory } from '../process.ts';
import { anOrder, call, get } from '../requests.ts';
import { multiplyOrder, seedContracts, shuffled } from '../seed.ts';
import { throughput } from './throughput.ts';

/** A contract with its schedule against one row by its primary key: a few that fit into memory, and many that do not. */
export const contractRead: Figure = async function* (bench) {
  yield* reading(bench, 500, 'contract read');
  yield* reading(bench, 100_000, 'contract read, 100,000 at random');
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

async function seedOrders(directory: string, count: number) {
  {
    await using server = await bareServer(directory);
    await call(server, 'POST', '/orders', anOrder);
  }
  multiplyOrder(join(directory, 'bare.db'), count);
}
