import type { Posts } from '../bare-sender.ts';
import { type Bench, type Figure, interleave } from '../figure.ts';
import { helper, type Server, simulator, temporaryDirectory } from '../process.ts';
import type { ReceiverQuestion, Tally } from '../receiver.ts';
import { call, post } from '../requests.ts';

export const receiver = () => helper<{ question: ReceiverQuestion }, string>('receiver');

/** Deliveries of one repetition. */
const COUNT = 3_000;

/** One endpoint, so one delivery in flight, against a bare loop of the same signed requests. */
export const deliveries: Figure = async (bench) => {
  using directory = temporaryDirectory();
  await using fast = receiver();
  await using sender = helper<Posts, number>('bare-sender');
  const url = await fast.ask({ question: 'url' });
  await using server = await simulator(directory.path);
  await call(server, 'POST', '/_sim/clock/freeze');
  await call(server, 'POST', '/_sim/webhook-endpoints', { url });
  // Deliveries are owed an hour before they fall due, so that nothing but sending them is measured.
  await call(server, 'PATCH', '/_sim/settings', { webhook_retry_seconds: [3600, 5] });

  const ours = async () => {
    await lapsedSessions(bench, server, COUNT);
    const startedAt = performance.now();
    await call(server, 'POST', '/_sim/clock/advance', { by: '60m' });
    return COUNT / ((performance.now() - startedAt) / 1000);
  };
  await ours();
  const { data } = await call<{ data: object[] }>(server, 'GET', '/_sim/events?limit=1');
  const posts = { url, body: JSON.stringify(data[0]), count: COUNT };
  const bare = async () => COUNT / (await sender.ask(posts));
  await bare();
  const measured = await interleave(bench.effort.repetitions, ours, bare);
  const { data: owed } = await call<{ data: object[] }>(server, 'GET', '/_sim/deliveries?status=pending&limit=1');
  if (owed.length > 0) throw new Error('Something was left to deliver.');
  return [{ name: 'deliveries, one endpoint', unit: '/s', ...measured, target: { atLeast: 0.7 } }];
};

const EVENTS = 10_000;

/** Events to a receiver that fails the first attempt of each: delivered by the second one, all of them, once. */
export const failingDeliveries: Figure = async (bench) => {
  using directory = temporaryDirectory();
  await using failing = receiver();
  await using server = await simulator(directory.path);
  await call(server, 'POST', '/_sim/clock/freeze');
  await call(server, 'POST', '/_sim/webhook-endpoints', { url: await failing.ask({ question: 'failing' }) });
  await lapsedSessions(bench, server, EVENTS);
  await call(server, 'POST', '/_sim/clock/advance', { by: '3d' });
  const tally = (await failing.ask({ question: 'tally' })) as unknown as Tally;
  if (tally.acceptedTwice > 0) throw new Error(`${tally.acceptedTwice} events were delivered twice.`);
  const counted = { unit: 'events', target: { atLeast: 1 } } as const;
  return [
    { name: 'delivered, every second attempt failing', ...counted, ours: [tally.accepted], reference: [EVENTS] },
    { name: '  attempts that took', ...counted, ours: [2 * EVENTS], reference: [tally.requests] },
  ];
};

/** As many events `session.expired`, recorded at one instant. */
async function lapsedSessions({ load }: Bench, server: Server, count: number) {
  const request = post('/v1/sessions', server);
  await load.run({ ...request, port: server.port, concurrency: 10, stop: { afterRequests: count } });
  await call(server, 'POST', '/_sim/clock/advance', { by: '60m' });
}
