import { setTimeout } from 'node:timers/promises';
import type { Bench, Figure, Line } from '../figure.ts';
import type { Request } from '../load.ts';
import { bareServer, type Server, serveCommand, temporaryDirectory } from '../process.ts';
import { anOrder, call, get, post } from '../requests.ts';
import { interleave, ofLongWork } from '../rounds.ts';

/** Requests of each kind in the warm-up. */
const REQUESTS = 5000;
const MB = 2 ** 20;
const PAGE = 1000;

interface Side {
  readonly start: (directory: string) => Promise<Server>;
  readonly writePath: string;
  readonly readPath: string;
}
const OURS: Side = { start: serveCommand, writePath: '/v1/sessions', readPath: '/v1/checkout-sessions' };
const BARE: Side = { start: bareServer, writePath: '/orders', readPath: '/orders' };

/** Memory at rest after the same work, and its growth after much work. */
export const memory: Figure = async function* (bench) {
  const atRest = async (side: Side) => {
    using directory = temporaryDirectory();
    await using server = await side.start(directory.path);
    await warmUp(bench, server, side);
    return (await server.rss()) / MB;
  };
  const measured = await interleave(
    ofLongWork(bench.effort),
    () => atRest(OURS),
    () => atRest(BARE),
  );
  yield { name: 'memory at rest', unit: 'MB', ...measured, target: { atMost: 1.2 } };
  yield { name: '  the same, a minute later', unit: 'MB', ...(await aMinuteLater(bench)), target: { atMost: 1.2 } };

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

/** By then, V8 has returned the memory that it held only for speed. All servers rest at the same time. */
async function aMinuteLater(bench: Bench): Promise<Pick<Line, 'ours' | 'reference'>> {
  using directory = temporaryDirectory();
  using bareDirectory = temporaryDirectory();
  using twinDirectory = temporaryDirectory();
  await using ours = await OURS.start(directory.path);
  await using bare = await BARE.start(bareDirectory.path);
  await using twin = await BARE.start(twinDirectory.path);
  await warmUp(bench, ours, OURS);
  for (const server of [bare, twin]) await warmUp(bench, server, BARE);
  await setTimeout(bench.effort.restMs);
  const megabytes = async (server: Server) => [(await server.rss()) / MB];
  return { ours: await megabytes(ours), reference: [await megabytes(bare), await megabytes(twin)] };
}

async function warmUp({ load }: Bench, server: Server, { writePath, readPath }: Side) {
  const { data } = await call<{ data: { id: number | string } }>(server, 'POST', writePath, anOrder);
  for (const request of [post(writePath, server), get([`${readPath}/${data.id}`], server)]) {
    await load.run(server, request, 10, { afterRequests: REQUESTS });
  }
}

/** The measured process opens every session and makes every contract by a request. */
async function growth(bench: Bench, count: number): Promise<number> {
  using directory = temporaryDirectory();
  await using server = await OURS.start(directory.path);
  await warmUp(bench, server, OURS);
  const before = await server.rss();
  const { data: last } = await call<{ data: { id: string } }>(server, 'POST', '/v1/sessions', anOrder);
  const send = (request: Request) => bench.load.run(server, request, 10, { afterRequests: count });
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
