import { join } from 'node:path';
import Database from 'better-sqlite3';
import { type Figure, interleave } from '../figure.ts';
import { percentile } from '../numbers.ts';
import { type Server, simulator, temporaryDirectory } from '../process.ts';
import { call, makeContract } from '../requests.ts';
import { multiplyContract } from '../seed.ts';

/** Advances that one value is the mean of. */
const ADVANCES = 20;

/** One contract by 14 days: what exists and is idle must not slow what falls due. */
export const idleContracts: Figure = async ({ effort }) => {
  using manyDirectory = temporaryDirectory();
  using fewDirectory = temporaryDirectory();
  await using many = await withIdle(manyDirectory.path, 100_000);
  await using few = await withIdle(fewDirectory.path, 100);
  const advanceMs = async (server: Server) => {
    let totalMs = 0;
    for (let count = 0; count < ADVANCES; count += 1) {
      const reference = await makeContract(server);
      const { tookMs, happened } = await advance(server, '14d');
      if (happened !== 1) throw new Error(`${happened} events happened.`);
      totalMs += tookMs;
      await call(server, 'POST', `/v1/contracts/${reference}/cancel`);
    }
    return totalMs / ADVANCES;
  };
  for (const server of [many, few]) await advanceMs(server);
  const measured = await interleave(
    effort.repetitions,
    () => advanceMs(many),
    () => advanceMs(few),
  );
  return [{ name: '14 days, 100,000 idle contracts, 100', unit: 'ms', ...measured, target: { atMost: 1.2 } }];
};

/** Twelve months of one contract through the control plane. */
export const oneYear: Figure = async ({ effort }) => {
  using directory = temporaryDirectory();
  await using server = await simulator(directory.path);
  await call(server, 'POST', '/_sim/clock/freeze');
  await call(server, 'PATCH', '/_sim/settings', { installment_count: 12, installment_cadence: 'monthly' });
  const tookMs: number[] = [];
  for (let count = 0; count < 10 * effort.repetitions; count += 1) {
    await makeContract(server);
    const year = await advance(server, '12mo');
    if (year.happened !== 13) throw new Error(`${year.happened} events happened.`);
    tookMs.push(year.tookMs);
  }
  const p95 = percentile(tookMs, 95);
  return [
    { name: 'one contract, 12 months, p95, wanted', unit: 'ms', ours: [p95], reference: [50], target: { atMost: 1 } },
  ];
};

async function advance(server: Server, by: string) {
  const startedAt = performance.now();
  const { data } = await call<{ data: { happened_count: number } }>(server, 'POST', '/_sim/clock/advance', { by });
  return { tookMs: performance.now() - startedAt, happened: data.happened_count };
}

/** A server with a frozen clock whose contracts have nothing due for years. */
async function withIdle(directory: string, count: number): Promise<Server> {
  {
    await using server = await simulator(directory);
    await call(server, 'POST', '/_sim/clock/freeze');
    await makeContract(server);
  }
  const file = join(directory, 'state', 'layaway.db');
  multiplyContract(file, count);
  const db = new Database(file);
  db.exec(`UPDATE installments SET next_at = next_at + 86400000 * 36500 WHERE next_at IS NOT NULL`);
  db.close();
  return simulator(directory);
}
