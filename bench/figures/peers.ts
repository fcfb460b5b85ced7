import type { Bench, Figure, Line } from '../figure.ts';
import type { Request } from '../load.ts';
import { EMULATE, fetchPeers, type Peer, PRISM, startPeer } from '../peers.ts';
import { type Server, serveCommand, simulator, temporaryDirectory } from '../process.ts';
import { get, post } from '../requests.ts';
import { interleave, ofLongWork, ofStarts } from '../rounds.ts';
import { seedContracts, shuffled } from '../seed.ts';
import { serving, untilAnswer } from './start.ts';
import { throughput } from './throughput.ts';

/** How many objects there are to read. */
const OBJECTS = [100, 20_000] as const;
/** Requests of each kind before memory is measured. */
const REQUESTS = 5000;
const AHEAD = { atLeast: 1 } as const;

/** The requests to a peer. Ours always opens a session and reads a contract. */
interface Kind {
  readonly peer: Peer;
  create(server: Server): Promise<Request>;
  /** Requests that read each of so many objects. */
  read(server: Server, count: number): Promise<Request>;
}

export const peers: Figure = async function* (bench) {
  await fetchPeers();
  for (const kind of [ofEmulate, ofPrism]) {
    yield* creating(bench, kind);
    for (const count of OBJECTS) yield* reading(bench, kind, count);
    yield await starting(bench, kind);
    yield await remembering(bench, kind);
  }
};

const FORM = 'application/x-www-form-urlencoded';

/** Stripe's checkout session is the closest to ours; here the same resource is created and read back. */
const ofEmulate: Kind = {
  peer: EMULATE,
  async create(server) {
    const product = await ofForm(server, '/v1/products', { name: 'Chair' });
    const price = await ofForm(server, '/v1/prices', { product, unit_amount: '24999', currency: 'usd' });
    const order = {
      mode: 'payment',
      client_reference_id: 'order-%n',
      success_url: 'https://shop.example.com/checkout/thank-you',
      cancel_url: 'https://shop.example.com/cart',
      customer_email: 'ada@example.com',
      'line_items[0][price]': price,
      'line_items[0][quantity]': '1',
      'metadata[cart_id]': 'cart-%n',
      'metadata[channel]': 'web',
    };
    // Not encoded, because that would hide the placeholders of the load generator.
    const body = Object.entries(order)
      .map(([name, value]) => `${name}=${value}`)
      .join('&');
    const headers = { ...server.headers, 'content-type': FORM };
    return { method: 'POST', paths: ['/v1/checkout/sessions'], headers, body, expectStatus: 200 };
  },
  async read(server, count) {
    const { body = '', paths } = await this.create(server);
    const fields = Object.fromEntries(new URLSearchParams(body));
    const ids: string[] = [];
    for (let n = 0; n < count; n += 1) ids.push(await ofForm(server, paths[0] as string, fields, n));
    return get(
      shuffled(ids).map((id) => `/v1/checkout/sessions/${id}`),
      server,
    );
  },
};

/** Posts one form outside a load. Returns the id of the created object. */
async function ofForm(server: Server, path: string, fields: Readonly<Record<string, string>>, n = 0): Promise<string> {
  const authorization = `Bearer sk_test_single_${Math.floor(n / 1000)}`;
  const body = new URLSearchParams(fields);
  const response = await fetch(`${server.url}${path}`, { method: 'POST', headers: { authorization }, body });
  if (!response.ok) throw new Error(`POST ${path} answered ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { id: string }).id;
}

/** Prism stores nothing: it answers every reference with the same contract. */
const ofPrism: Kind = {
  peer: PRISM,
  create: async (server) => post('/v1/sessions', server),
  async read(server, count) {
    const references = Array.from({ length: count }, (_, n) => `LAY-${String(n).padStart(10, '0')}`);
    return get(
      references.map((reference) => `/v1/contracts/${reference}`),
      server,
    );
  },
};

async function* creating(bench: Bench, kind: Kind): AsyncGenerator<Line> {
  using directory = temporaryDirectory();
  await using ours = await simulator(directory.path);
  await using theirs = await startPeer(kind.peer, directory.path);
  const reference = { server: theirs, request: await kind.create(theirs) };
  yield* throughput(bench, {
    name: `${kind.peer.name}: create`,
    ours: { server: ours, request: post('/v1/sessions', ours) },
    reference: [reference, reference],
    target: () => AHEAD,
  });
}

async function* reading(bench: Bench, kind: Kind, count: number): AsyncGenerator<Line> {
  using directory = temporaryDirectory();
  const contracts = await seedContracts(directory.path, { contracts: count });
  await using ours = await simulator(directory.path);
  await using theirs = await startPeer(kind.peer, directory.path);
  const reference = { server: theirs, request: await kind.read(theirs, count) };
  const paths = shuffled(contracts).map((each) => `/v1/contracts/${each}`);
  yield* throughput(bench, {
    name: `${kind.peer.name}: read of ${count.toLocaleString('en')}`,
    ours: { server: ours, request: get(paths, ours) },
    reference: [reference, reference],
    target: () => AHEAD,
  });
}

async function starting({ effort }: Bench, { peer }: Kind): Promise<Line> {
  const measured = await interleave(
    ofStarts(effort),
    () => untilAnswer('/v1/ping', serving),
    async () => {
      using directory = temporaryDirectory();
      await using server = await startPeer(peer, directory.path);
      return server.readyMs;
    },
  );
  return { name: `${peer.name}: start until the first 200`, unit: 'ms', ...measured, target: { atMost: 1 } };
}

/** No target, because ours and theirs run on different versions of Node. */
async function remembering({ effort, load }: Bench, kind: Kind): Promise<Line> {
  const used = async (server: Server, requests: readonly Request[]) => {
    for (const request of requests) {
      await load.run(server, request, 10, { afterRequests: REQUESTS });
    }
    return (await server.rss()) / 2 ** 20;
  };
  const measured = await interleave(
    ofLongWork(effort),
    async () => {
      using directory = temporaryDirectory();
      const [reference] = await seedContracts(directory.path, { contracts: 1 });
      await using server = await serveCommand(directory.path);
      return await used(server, [post('/v1/sessions', server), get([`/v1/contracts/${reference}`], server)]);
    },
    async () => {
      using directory = temporaryDirectory();
      await using server = await startPeer(kind.peer, directory.path);
      return await used(server, [await kind.create(server), await kind.read(server, 1)]);
    },
  );
  return { name: `${kind.peer.name}: memory at rest`, unit: 'MB', ...measured, target: null };
}
