import type { Posts } from '../bare-sender.ts';
import type { Bench, Figure, Line } from '../figure.ts';
import { helper, type Server, simulator, temporaryDirectory } from '../process.ts';
import type { ReceiverAnswer, ReceiverQuestion } from '../receiver.ts';
import { advance, call, freeze, post } from '../requests.ts';
import { interleave } from '../rounds.ts';

export const receiver = () => helper<ReceiverQuestion, ReceiverAnswer>('receiver');

/** Deliveries per round. */
const COUNT = 3_000;
const SLOW_COUNT = 500;
const ENDPOINTS = 10;

/** One endpoint (one delivery in flight) against a bare loop of the same signed requests; then ten endpoints. */
export const deliveries: Figure = async function* (bench) {
  using directory = temporaryDirectory();
  await using fast = receiver();
  await using sender = helper<Posts, number>('bare-sender');
  await using twin = helper<Posts, number>('bare-sender');
  const { url } = await fast.ask({ isFailing: false });
  await using server = await simulator(directory.path);
  await prepare(server, [url]);
  await deliver(bench, server, COUNT);
  const { data } = await call<{ data: object[] }>(server, 'GET', '/_sim/events?limit=1');
  const posts = { url, body: JSON.stringify(data[0]), count: COUNT };
  const bare = async (from: typeof sender, loops = 1) => COUNT / (await from.ask({ ...posts, loops }));
  for (const loop of [sender, twin]) await bare(loop);
  const measured = await interleave(
    bench.effort,
    () => deliver(bench, server, COUNT),
    () => bare(sender),
    () => bare(twin),
  );
  yield { name: 'deliveries, one endpoint', unit: '/s', ...measured, target: { atLeast: 0.8 } };
  yield await sideBySide(bench, url, 'deliveries, 10 endpoints, one', COUNT, { atLeast: 3 });
  const ten = () => bare(sender, ENDPOINTS);
  yield {
    name: '  the same, bare loops',
    unit: '/s',
    ...(await interleave(
      bench.effort,
      ten,
      () => bare(sender),
      () => bare(twin),
    )),
    target: null,
  };
  yield await sideBySide(bench, `${url}?wait_ms=5`, '  the same, answering after 5 ms', SLOW_COUNT, null);
};

/** Ten endpoints of a receiver against one endpoint of it, with the same total number of deliveries. */
async function sideBySide(
  bench: Bench,
  url: string,
  name: string,
  count: number,
  target: Line['target'],
): Promise<Line> {
  using tenDirectory = temporaryDirectory();
  using oneDirectory = temporaryDirectory();
  await using ten = await simulator(tenDirectory.path);
  await using one = await simulator(oneDirectory.path);
  const mark = url.includes('?') ? '&' : '?';
  await prepare(
    ten,
    Array.from({ length: ENDPOINTS }, (_, index) => `${url}${mark}endpoint=${index}`),
  );
  await prepare(one, [url]);
  const ours = async () => ENDPOINTS * (await deliver(bench, ten, count / ENDPOINTS));
  const reference = () => deliver(bench, one, count);
  for (const work of [ours, reference]) await work();
  return { name, unit: '/s', ...(await interleave(bench.effort, ours, reference)), target };
}

/** Makes deliveries fall due an hour after their events, so that only sending them is measured. */
async function prepare(server: Server, urls: readonly string[]) {
  await freeze(server);
  for (const url of urls) await call(server, 'POST', '/_sim/webhook-endpoints', { url });
  await call(server, 'PATCH', '/_sim/settings', { webhook_retry_seconds: [3600, 5] });
}

/** Returns events per second, each delivered to every endpoint. */
async function deliver(bench: Bench, server: Server, events: number): Promise<number> {
  await lapsedSessions(bench, server, events);
  const { tookMs } = await advance(server, '60m');
  const { data: owed } = await call<{ data: object[] }>(server, 'GET', '/_sim/deliveries?status=pending&limit=1');
  if (owed.length > 0) throw new Error('Something was left to deliver.');
  return (1000 * events) / tookMs;
}

const EVENTS = 10_000;

/** Events to a receiver that fails the first attempt of each: the second attempt must deliver every event once. */
export const failingDeliveries: Figure = async function* (bench) {
  using directory = temporaryDirectory();
  await using failing = receiver();
  await using server = await simulator(directory.path);
  await freeze(server);
  const { url } = await failing.ask({ isFailing: true });
  await call(server, 'POST', '/_sim/webhook-endpoints', { url });
  await lapsedSessions(bench, server, EVENTS);
  await advance(server, '3d');
  const tally = await failing.ask({ isFailing: true });
  if (tally.acceptedTwice > 0) throw new Error(`${tally.acceptedTwice} events were delivered twice.`);
  const counted = { unit: 'events', reference: null } as const;
  const name = 'delivered, every second attempt failing';
  yield { name, ...counted, ours: [tally.accepted], target: { atLeast: EVENTS } };
  yield { name: '  attempts that it took', ...counted, ours: [tally.requests], target: { atMost: 2 * EVENTS } };
};

/** Records `count` events `session.expired` at one instant. */
async function lapsedSessions({ load }: Bench, server: Server, count: number) {
  await load.run(server, post('/v1/sessions', server), 10, { afterRequests: count });
  await advance(server, '60m');
}
