import type { Bench, Figure } from '../figure.ts';
import { bareServer, type Server, serveCommand, temporaryDirectory } from '../process.ts';
import { anOrder, call, get, post } from '../requests.ts';
import { interleave, ofLongWork } from '../rounds.ts';

/** Requests of each kind in the warm-up. */
const REQUESTS = 5000;
const MB = 2 ** 20;
const PAGE = 1000;

/** Memory at rest after the same work, and its growth after much work. */
export const memory: Figure = async function* (bench) {
  const atRest = async (start: (directory: string) => Promise<Server>, writePath: string, readPath: string) => {
    using directory = temporaryDirectory();
    await using server = await start(directory.path);
    await warmUp(bench, server, writePath, readPath);
    return (await server.rss()) / MB;
  };
  const measured = await interleave(
    ofLongWork(bench.effort),
    () => atRest(serveCommand, '/v1/sessions', '/v1/checkout-sessions'),
    () => atRest(bareServer, '/orders', '/orders'),
  );
  yield { name: 'memory at rest', unit: 'MB', ...measured, target: { atMost: 1.2 } };

  const count = bench.effort.manyObjects;
  const ours = [await growth(bench, count)];
  const objects = count.toLocaleString('en');
  yield {
    name: `  more after ${objects} sessions and contracts`,
    unit: 'MB',
    ours,
    reference: null,
    target: { atMost: 20 },
  };
};

async function warmUp({ load }: Bench, server: Server, writePath: string, readPath: string) {
  const { data } = await call<{ data: { id: number | string } }>(server, 'POST', writePath, anOrder);
  for (const request of [post(writePath, server), get([`${readPath}/${data.id}`], server)]) {
    await load.run({ ...request, port: server.port, concurrency: 10, stop: { afterRequests: REQUESTS } });
  }
}

/** The measured process opens every session and makes every contract by a request. */
async function growth(bench: Bench, count: number): Promise<number> {
  using directory = temporaryDirectory();
  await using server = await serveCommand(directory.path);
  await warmUp(bench, server, '/v1/sessions', '/v1/checkout-sessions');
  const before = await server.rss();
  const { data: last } = await call<{ data: { id: string } }>(server, 'POST', '/v1/sessions', anOrder);
  const send = (request: ReturnType<typeof get>) =>
    bench.load.run({ ...request, port: server.port, concurrency: 10, stop: { afterRequests: count } });
  await send(post('/v1/sessions', server));
  const paths = (await sessionsAfter(server, last.id)).map((id) => `/_sim/sessions/${id}/complete`);
  if (paths.length !== count) throw new Error(`${paths.length} sessions were opened.`);
  const headers = { ...server.headers, 'content-type': 'application/json' };
  await send({ method: 'POST', paths, headers, body: '{}', expectStatus: 200 });
  return ((await server.rss()) - before) / MB;
}

async function sessionsAfter(server: Server, first: string): Promise<string[]> {
  const ids: string[] = [];
  for (let after = first; ; ) {
    const path = `/_sim/sessions?limit=${PAGE}&after=${after}`;
    const { data } = await call<{ data: { id: string }[] }>(server, 'GET', path);
    ids.push(...data.map(({ id }) => id));
    const last = data.at(-1);
    if (!last) return ids;
    after = last.id;
  }
}
