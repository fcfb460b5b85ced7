import type { Figure } from '../figure.ts';
import { percentile } from '../numbers.ts';
import { type Server, simulator, temporaryDirectory } from '../process.ts';
import { advance, call, freeze, makeContract } from '../requests.ts';
import { interleave, repeat } from '../rounds.ts';
import { IDLE, seedContracts } from '../seed.ts';

/** One value is the mean of this many advances. */
const ADVANCES = 20;

/** One contract by 14 days: idle contracts must not slow an advance. */
export const idleContracts: Figure = async function* ({ effort }) {
  using manyDirectory = temporaryDirectory();
  using fewDirectory = temporaryDirectory();
  await seedContracts(manyDirectory.path, { contracts: 100_000, prepare: freeze, change: IDLE });
  await seedContracts(fewDirectory.path, { contracts: 100, prepare: freeze, change: IDLE });
  await using many = await simulator(manyDirectory.path);
  await using few = await simulator(fewDirectory.path);
  const advanceMs = async (server: Server) => {
    let totalMs = 0;
    for (let count = 0; count < ADVANCES; count += 1) totalMs += await advanceOne(server);
    return totalMs / ADVANCES;
  };
  for (const server of [many, few]) await advanceMs(server);
  const measured = await interleave(
    effort,
    () => advanceMs(many),
    () => advanceMs(few),
  );
  yield { name: '14 days, 100,000 idle contracts, 100', unit: 'ms', ...measured, target: { atMost: 1.2 } };
};

/** The time of an advance in which one installment of a new contract falls due. Cancels the contract afterwards. */
export async function advanceOne(server: Server): Promise<number> {
  const reference = await makeContract(server);
  const { tookMs, happened } = await advance(server, '14d');
  if (happened !== 1) throw new Error(`${happened} events happened.`);
  await call(server, 'POST', `/v1/contracts/${reference}/cancel`);
  return tookMs;
}

/** Twelve months of one contract through the control plane. */
export const oneYear: Figure = async function* ({ effort }) {
  using directory = temporaryDirectory();
  await using server = await simulator(directory.path);
  await freeze(server);
  await call(server, 'PATCH', '/_sim/settings', { installment_count: 12, installment_cadence: 'monthly' });
  const years = { rounds: 20 * effort.rounds, lineLimitMs: effort.lineLimitMs };
  const tookMs = await repeat(years, async () => {
    await makeContract(server);
    const year = await advance(server, '12mo');
    if (year.happened !== 13) throw new Error(`${year.happened} events happened.`);
    return year.tookMs;
  });
  yield {
    name: 'one contract, 12 months, p95',
    unit: 'ms',
    ours: [percentile(tookMs, 95)],
    reference: null,
    target: { atMost: 10 },
  };
  yield { name: '  the same, all of them', unit: 'ms', ours: tookMs, reference: null, target: null };
};
