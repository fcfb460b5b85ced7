import type { Figure } from '../figure.ts';
import { type Server, simulator, temporaryDirectory } from '../process.ts';
import { call, makeContract, post } from '../requests.ts';
import { interleave } from '../rounds.ts';
import { receiver } from './deliveries.ts';

/** How many sessions become contracts while others are created. Each makes three deliveries to the endpoint. */
const COMPLETED = 20;

/** The 99th percentile of session create, with an endpoint for every event and without one. */
export const endpointLatency: Figure = async function* ({ effort, load }) {
  using withDirectory = temporaryDirectory();
  using withoutDirectory = temporaryDirectory();
  await using fast = receiver();
  await using withEndpoint = await simulator(withDirectory.path);
  await using without = await simulator(withoutDirectory.path);
  const { url } = await fast.ask({ isFailing: false });
  await call(withEndpoint, 'POST', '/_sim/webhook-endpoints', { url });

  const p99Ms = async (server: Server) => {
    const measured = load.run(server, post('/v1/sessions', server), 10, { afterMs: effort.loadMs });
    for (let count = 0; count < COMPLETED; count += 1) await makeContract(server);
    return (await measured).p99Ms;
  };
  for (const server of [withEndpoint, without]) await p99Ms(server);
  const measured = await interleave(
    effort,
    () => p99Ms(withEndpoint),
    () => p99Ms(without),
  );
  yield { name: 'session create p99, endpoint and none', unit: 'ms', ...measured, target: { atMost: 1.3 } };
};
