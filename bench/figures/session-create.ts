import type { Figure } from '../figure.ts';
import { bareServer, simulator, temporaryDirectory } from '../process.ts';
import { post } from '../requests.ts';
import { throughput } from './throughput.ts';

/** Session create with all that it records, against one insert per POST. */
export const sessionCreate: Figure = async function* (bench) {
  using directory = temporaryDirectory();
  using twinDirectory = temporaryDirectory();
  await using ours = await simulator(directory.path);
  await using bare = await bareServer(directory.path);
  await using twin = await bareServer(twinDirectory.path);
  const request = post('/orders', ours);
  yield* throughput(bench, {
    name: 'session create',
    ours: { server: ours, request: post('/v1/sessions', ours) },
    reference: [
      { server: bare, request },
      { server: twin, request },
    ],
    target: (concurrency) => ({ atLeast: concurrency === 1 ? 0.5 : 0.7 }),
  });
};
