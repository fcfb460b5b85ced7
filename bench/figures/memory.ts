import { type Figure, interleave } from '../figure.ts';
import { bareServer, type Server, serveCommand, temporaryDirectory } from '../process.ts';
import { anOrder, call, get, post } from '../requests.ts';

/** The warm-up, in requests of each kind. */
const REQUESTS = 5000;

/** Memory held at rest after the same work. */
export const memory: Figure = async ({ effort, load }) => {
  const atRest = async (start: (directory: string) => Promise<Server>, writePath: string, readPath: string) => {
    using directory = temporaryDirectory();
    await using server = await start(directory.path);
    const { data } = await call<{ data: { id: number | string } }>(server, 'POST', writePath, anOrder);
    for (const request of [post(writePath, server), get([`${readPath}/${data.id}`], server)]) {
      await load.run({ ...request, port: server.port, concurrency: 10, stop: { afterRequests: REQUESTS } });
    }
    return (await server.rss()) / 2 ** 20;
  };
  const measured = await interleave(
    Math.min(effort.repetitions, 5),
    () => atRest(serveCommand, '/v1/sessions', '/v1/checkout-sessions'),
    () => atRest(bareServer, '/orders', '/orders'),
  );
  return [{ name: 'memory at rest', unit: 'MB', ...measured, target: { atMost: 1.3 } }];
};
