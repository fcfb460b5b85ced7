import { join } from 'node:path';
import { type Figure, interleave } from '../figure.ts';
import { type Server, simulator, temporaryDirectory } from '../process.ts';
import { get, makeContract } from '../requests.ts';
import { multiplyContract } from '../seed.ts';

/** Page 1 of the contract list: what exists must not slow what is read. */
export const contractList: Figure = async ({ effort, load }) => {
  using manyDirectory = temporaryDirectory();
  using fewDirectory = temporaryDirectory();
  await seed(manyDirectory.path, 100_000);
  await seed(fewDirectory.path, 100);
  await using many = await simulator(manyDirectory.path);
  await using few = await simulator(fewDirectory.path);

  const pageMs = async (server: Server) => {
    const request = get(['/v1/contracts'], server);
    const { requestsPerSecond } = await load.run({
      ...request,
      port: server.port,
      concurrency: 1,
      stop: { afterMs: effort.loadMs },
    });
    return 1000 / requestsPerSecond;
  };
  for (const server of [many, few]) await pageMs(server);
  const measured = await interleave(
    effort.repetitions,
    () => pageMs(many),
    () => pageMs(few),
  );
  return [{ name: 'page 1 of 100,000 contracts, of 100', unit: 'ms', ...measured, target: { atMost: 1.2 } }];
};

async function seed(directory: string, count: number) {
  {
    await using server = await simulator(directory);
    await makeContract(server);
  }
  multiplyContract(join(directory, 'state', 'layaway.db'), count);
}
