import type { Figure } from '../figure.ts';
import { bareServer, simulator, temporaryDirectory } from '../process.ts';
import { post } from '../requests.ts';
import { throughput } from './throughput.ts';

/** Session create, everything recorded, against one insert a POST. */
export const sessionCreate: Figure = async (bench) => {
  using directory = temporaryDirectory();
  await using ours = await simulator(directory.path);
  await using bare = await bareServer(directory.path);
  return await throughput(bench, {
    name: 'session create',
    atLeast: 0.7,
    ours: { server: ours, request: post('/v1/sessions', ours) },
    reference: { server: bare, request: post('/orders', ours) },
  });
};
