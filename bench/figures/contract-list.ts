import type { Figure } from '../figure.ts';
import { type Server, simulator, temporaryDirectory } from '../process.ts';
import { get } from '../requests.ts';
import { interleave } from '../rounds.ts';
import { seedContracts } from '../seed.ts';

/** Page 1 of the contract list: the number of contracts must not slow it. */
export const contractList: Figure = async function* ({ effort, load }) {
  using manyDirectory = temporaryDirectory();
  using fewDirectory = temporaryDirectory();
  await seedContracts(manyDirectory.path, { contracts: 100_000 });
  await seedContracts(fewDirectory.path, { contracts: 100 });
  await using many = await simulator(manyDirectory.path);
  await using few = await simulator(fewDirectory.path);

  const pageMs = async (server: Server) => {
    const stop = { afterMs: effort.loadMs };
    return 1000 / (await load.run(server, get(['/v1/contracts'], server), 1, stop)).requestsPerSecond;
  };
  for (const server of [many, few]) await pageMs(server);
  const measured = await interleave(
    effort,
    () => pageMs(many),
    () => pageMs(few),
  );
  yield { name: 'page 1 of 100,000 contracts, of 100', unit: 'ms', ...measured, target: { atMost: 1.2 } };
};
