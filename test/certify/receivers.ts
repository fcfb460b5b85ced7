import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Certificate } from '../../src/index.ts';

/** Of a form that every receiver takes; not the one of an account. */
export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** The checks that failed, and why. */
export const notes = ({ checks }: Certificate) =>
  checks.filter(({ verdict }) => verdict === 'fail').map(({ id, note }) => `${id}: ${note}`);

interface Event {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly livemode: boolean;
  readonly data: {
    readonly reference?: string;
    readonly customer_name?: string;
    readonly status?: string;
    readonly installment?: { readonly installment_number: number; readonly status: string };
  };
}

interface Request {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

/** What a receiver does wrong; without any of it, it does everything right. */
export interface Fault {
  /** Answers in place of the rest; undefined leaves it to the rest. */
  readonly before?: (request: Request, response: ServerResponse, inFlight: () => number) => Promise<number | undefined>;
  readonly get?: number;
  /** What the signature is computed over. */
  readonly bytes?: (body: Buffer) => Buffer | string;
  readonly header?: (name: string, request: Request) => string | undefined;
  readonly isTrusted?: (request: Request) => boolean;
  readonly isSigned?: (given: string, expected: string, sign: (key: Buffer) => string) => boolean;
  readonly isFresh?: (awaySeconds: number) => boolean;
  /** The answer to an event that is genuine but not wanted. */
  readonly refuses?: (event: Event, store: Store) => number | undefined;
  readonly dedupeKey?: (event: Event, request: Request) => string;
  /** Between the question whether the id is new and noting it. */
  readonly gapMs?: number;
  /** The only type with that gap. */
  readonly gapAt?: string;
  /** Notes an id before it has verified anything; an id that is noted is answered with this status. */
  readonly notesEarly?: number;
  /** The answer to an id that it has processed. */
  readonly repeated?: number;
  /** Keeps the event in a variable that all requests share, and awaits something before it processes it. */
  readonly sharesEvent?: true;
  /** Processes an event that it refuses. */
  readonly processesRefused?: true;
  /** Answers first and processes nothing from this event on. */
  readonly stopsAt?: string;
  /** Answers first and does not process a body of that many bytes. */
  readonly losesFrom?: number;
  /** Answers first and processes the event so much later. No fault in itself. */
  readonly worksAfterMs?: number | (() => number);
  /** Answers first and processes one event after the other, so long each. No fault in itself. */
  readonly workMs?: number;
  /** Answers first; so often, a worker processes what has come, in the order in which it happened. No fault in itself. */
  readonly batchMs?: number;
  /** Keeps what came last of the contract, or of each installment. */
  readonly isLastWriter?: 'contract' | 'installment';
  /** Keeps what came last of each installment until that is paid. */
  readonly keepsOnlyPaid?: true;
  /** Takes a late event of that type for news of the installment. */
  readonly undoes?: 'installment.delinquent';
  /** Calls an installment failed after a failed payment, and takes what came last of one instant for later. */
  readonly takesTies?: true;
  /** Keeps with the contract that a payment is overdue, whatever became of the contract meanwhile. */
  readonly marksOverdue?: true;
  /** Takes the activation of a cancelled contract, or a payment of one, for news. */
  readonly revives?: 'contract.activated' | 'installment.paid';
  /** What is counted instead of each installment's own status. */
  readonly counts?: true;
}

/** Redirects each request to a page of its own that takes none. */
export const TO_LOGIN: Fault = {
  async before({ path }, response) {
    if (path === '/login') return 404;
    response.setHeader('location', '/login');
    return 302;
  },
};

interface Order {
  status: string;
  at: string;
  payments: Record<string, { readonly status: string; readonly at: string }>;
  count: number;
  /** How often the events arrived at which a store acts: books the order, ships it. */
  acts: Record<string, number>;
}
type Store = Map<string, Order>;

const RANK = ['pending', 'active', 'cancelled', 'defaulted', 'completed'];
const PAYMENT_RANK = ['due', 'past_due', 'delinquent', 'paid'];
const later = (a: { status: string; at: string }, b: { status: string; at: string }, rank: readonly string[]) =>
  a.at > b.at || (a.at === b.at && rank.indexOf(a.status) > rank.indexOf(b.status));

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A small store with a webhook endpoint, as it should be but for its fault. */
export async function openStore(fault: Fault = {}) {
  const orders: Store = new Map();
  const handled = new Set<string>();
  const early = new Set<string>();
  const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
  let queue = Promise.resolve();
  const batch: Event[] = [];
  const worker = setInterval(() => {
    const byTime = batch.splice(0).sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
    for (const event of byTime) process(event);
  }, fault.batchMs ?? 1_000_000);
  let inFlight = 0;
  let isStopped = false;
  let shared: Event | null = null;
  let requests = 0;

  function verified(request: Request): Event | null {
    const of = (name: string) =>
      fault.header ? fault.header(name, request) : (request.headers[name] as string | undefined);
    const parse = () => JSON.parse(request.body.toString('utf8')) as Event;
    if (fault.isTrusted?.(request)) return parse();
    const [id = '', timestamp = '', signatures = ''] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(of);
    if (!/^\d+$/.test(timestamp)) return null;
    const away = Number(timestamp) - Date.now() / 1000;
    if (!(fault.isFresh ?? ((seconds) => Math.abs(seconds) <= 300))(away)) return null;
    const bytes = fault.bytes?.(request.body) ?? request.body;
    const sign = (secret: Buffer) =>
      `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(bytes).digest('base64')}`;
    const isSigned = fault.isSigned ?? ((given, expected) => given.split(' ').includes(expected));
    return isSigned(signatures, sign(key), sign) ? parse() : null;
  }

  function process({ type, created_at: at, data: { reference, status, installment } }: Event) {
    if (reference === undefined) return;
    const wasCancelled = orders.get(reference)?.status === 'cancelled';
    const order = orders.get(reference) ?? { status: 'pending', at: '', payments: {}, count: 0, acts: {} };
    orders.set(reference, order);
    if (type.startsWith('contract.') && status !== undefined) {
      order.acts[type] = (order.acts[type] ?? 0) + 1;
      if (fault.isLastWriter === 'contract' || later({ status, at }, order, RANK)) Object.assign(order, { status, at });
    }
    if (installment) {
      order.count += 1;
      const name = String(installment.installment_number);
      const known = order.payments[name];
      const isKept =
        known && !(fault.keepsOnlyPaid && known.status !== 'paid') && !(fault.takesTies && known.at === at);
      const isWritten = fault.isLastWriter === 'installment' || fault.undoes === type;
      if (!isKept || isWritten || later({ ...installment, at }, known, PAYMENT_RANK)) {
        const isFailed = fault.takesTies && type === 'installment.payment_failed';
        order.payments[name] = { status: isFailed ? 'failed' : installment.status, at };
        if (fault.marksOverdue && /^(past_due|delinquent)$/.test(installment.status)) order.status = 'overdue';
        if (order.status === 'overdue' && installment.status === 'paid') order.status = 'active';
      }
    }
    if (wasCancelled && type === fault.revives) order.status = 'active';
  }

  async function receive(request: Request, response: ServerResponse): Promise<number> {
    const status = await fault.before?.(request, response, () => inFlight);
    if (status !== undefined) return status;
    const id = String(request.headers['webhook-id']);
    if (fault.notesEarly !== undefined && id !== 'undefined') {
      if (early.has(id)) return fault.notesEarly;
      early.add(id);
    }
    let event = verified(request);
    if (!event) {
      const refused = JSON.parse(text(request)) as Event;
      if (fault.processesRefused && !handled.has(refused.id)) {
        handled.add(refused.id);
        process(refused);
      }
      return 400;
    }
    const refusal = fault.refuses?.(event, orders);
    if (refusal !== undefined) return refusal;
    const name = fault.dedupeKey?.(event, request) ?? event.id;
    if (handled.has(name)) return fault.repeated ?? 204;
    if (fault.gapMs && (fault.gapAt ?? event.type) === event.type) await pause(fault.gapMs);
    handled.add(name);
    const worksAfterMs = typeof fault.worksAfterMs === 'function' ? fault.worksAfterMs() : fault.worksAfterMs;
    if (fault.sharesEvent) {
      shared = event;
      await pause(3);
      event = shared;
    }
    isStopped ||= event.type === fault.stopsAt;
    if (isStopped || request.body.length >= (fault.losesFrom ?? Number.POSITIVE_INFINITY)) return 202;
    if (fault.batchMs) batch.push(event);
    else if (worksAfterMs) setTimeout(process, worksAfterMs, event);
    else if (fault.workMs) queue = queue.then(() => pause(fault.workMs as number)).then(() => process(event));
    else process(event);
    return 204;
  }

  const server = createServer(async (message, response) => {
    requests += 1;
    const { pathname, searchParams } = new URL(message.url as string, 'http://localhost');
    if (pathname === '/state') return response.end(state(String(searchParams.get('contract'))));
    if (message.method !== 'POST') return response.writeHead(fault.get ?? 405).end();
    inFlight += 1;
    const body = Buffer.concat(await message.toArray());
    const status = await receive(
      { path: pathname, headers: message.headers, rawHeaders: message.rawHeaders, body },
      response,
    ).catch(() => 500);
    inFlight -= 1;
    response.writeHead(status).end();
  });

  function state(contract: string): string {
    const order = orders.get(contract);
    if (!order) return 'unknown';
    const payments = Object.entries(order.payments)
      .sort(([a], [b]) => Number(a) - Number(b))
      .map(([number, { status }]) => `${number} ${status}`);
    const acts = Object.entries(order.acts)
      .sort()
      .map(([type, times]) => ` ${type} ${times}`);
    return `${contract} ${order.status}:${acts} ${fault.counts ? order.count : `${payments.join(', ')}; ${order.count} events`}`;
  }

  function crash() {
    clearInterval(worker);
    server.closeAllConnections();
    server.close();
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin}/webhooks`,
    stateUrl: `${origin}/state?contract={contract}`,
    observe: ({ contract }: { readonly contract: string }) => state(contract),
    /** All that a store shows that has no other use for the events: how many installments are paid. */
    paidOnly({ contract }: { readonly contract: string }) {
      const payments = Object.values(orders.get(contract)?.payments ?? {});
      return String(payments.filter(({ status }) => status === 'paid').length);
    },
    /** How often it has heard of installments. */
    countOnly: ({ contract }: { readonly contract: string }) => String(orders.get(contract)?.count ?? 0),
    /** As stores keep it: what came first stands first. */
    observeJson: ({ contract }: { readonly contract: string }) => JSON.stringify(orders.get(contract) ?? null),
    requests: () => requests,
    /** Ends at once, as a store that crashes. */
    crash,
    async [Symbol.asyncDispose]() {
      clearInterval(worker);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const text = ({ body }: Request) => body.toString('utf8');
const KNOWN_TYPES = /^(session|contract|installment)\.(?!renegotiated)|^webhook\.test$/;

/** Whether six or more are under way: each is at work for a moment. */
async function isCrowded(inFlight: () => number): Promise<boolean> {
  await pause(25);
  return inFlight() > 5;
}

/** Slow for the first eight that come in a crowd. */
function slow(ms: number): NonNullable<Fault['before']> {
  let slowed = 0;
  return async (_request, _response, inFlight) => {
    if (!(await isCrowded(inFlight)) || slowed >= 8) return undefined;
    slowed += 1;
    await pause(ms);
    return undefined;
  };
}

/** Refuses a wrong timestamp, and answers an id that came with a right one as if it had processed it. */
function notesBeforeSignature(): Fault {
  const noted = new Set<string>();
  return {
    async before({ headers }) {
      const [id, away] = [String(headers['webhook-id']), Number(headers['webhook-timestamp']) - Date.now() / 1000];
      if (!(Math.abs(away) <= 300)) return 400;
      if (noted.has(id)) return 204;
      noted.add(id);
      return undefined;
    },
  };
}

/** Keeps the id of the latest payment with each contract, instead of all ids. */
function remembersLatestPayment(): Fault {
  const latest = new Map<unknown, string>();
  let payments = 0;
  return {
    dedupeKey({ id, type, data: { reference } }) {
      if (type !== 'installment.paid') return id;
      if (!latest.get(reference)?.startsWith(`${id} `)) {
        payments += 1;
        latest.set(reference, `${id} ${payments}`);
      }
      return latest.get(reference) as string;
    },
  };
}

interface Case {
  readonly name: string;
  readonly fails: string;
  readonly fault: () => Fault;
  /** Nobody sees it in the answers alone. */
  readonly needsObserve?: true;
}

/** For each check a receiver with the fault that it is there to find. */
export const FAULTY: readonly Case[] = [
  {
    name: 'fails on a type that it does know',
    fails: 'genuine',
    fault: () => ({ refuses: ({ type }) => (type === 'session.expired' ? 500 : undefined) }),
  },
  {
    name: 'reads header names with their case',
    fails: 'genuine',
    fault: () => ({
      header(name, { rawHeaders }) {
        const at = rawHeaders.indexOf(name);
        return at === -1 ? undefined : rawHeaders[at + 1];
      },
    }),
  },
  {
    name: 'verifies what it parsed and printed',
    fails: 'raw-body',
    fault: () => ({ bytes: (body) => JSON.stringify(JSON.parse(body.toString('utf8'))) }),
  },
  {
    name: 'compares only the beginning of the signature',
    fails: 'tampered',
    fault: () => ({
      isSigned: (given, expected) => given.split(' ').some((each) => each.slice(0, 30) === expected.slice(0, 30)),
    }),
  },
  {
    name: 'has an empty second secret',
    fails: 'wrong-secret',
    fault: () => ({
      isSigned: (given, expected, sign) =>
        given.split(' ').some((each) => [expected, sign(Buffer.alloc(0))].includes(each)),
    }),
  },
  {
    name: 'verifies only where there is a signature',
    fails: 'unsigned',
    fault: () => ({ isTrusted: ({ headers }) => headers['webhook-signature'] === undefined }),
  },
  {
    name: 'compares signatures without regard to case',
    fails: 'tampered',
    fault: () => ({
      isSigned: (given, expected) => given.toLowerCase().split(' ').includes(expected.toLowerCase()),
    }),
  },
  {
    name: 'compares as much of the signature as it is given',
    fails: 'tampered',
    fault: () => ({
      isSigned: (given, expected) =>
        given.split(' ').some((each) => each.startsWith('v1,') && expected.startsWith(each)),
    }),
  },
  { name: 'takes any old timestamp', fails: 'stale', fault: () => ({ isFresh: (away) => away <= 300 }) },
  {
    name: 'is too strict with old timestamps',
    fails: 'stale',
    fault: () => ({ isFresh: (away) => away >= -10 && away <= 300 }),
  },
  { name: 'takes any timestamp ahead', fails: 'future', fault: () => ({ isFresh: (away) => away >= -300 }) },
  {
    name: 'compares only the first signature of the version that it knows',
    fails: 'second-signature',
    fault: () => ({
      isSigned: (given, expected) => given.split(' ').find((each) => each.startsWith('v1,')) === expected,
    }),
  },
  {
    name: 'refuses versions that it does not know',
    fails: 'unknown-version',
    fault: () => ({
      isSigned: (given, expected) =>
        given.split(' ').every((each) => each.startsWith('v1,')) && given.split(' ').includes(expected),
    }),
  },
  {
    name: 'gives up at the first version that it does not know',
    fails: 'unknown-version',
    fault: () => ({
      isSigned: (given, expected) =>
        given.split(' ').find((each) => !each.startsWith('v1,') || each === expected) === expected,
    }),
  },
  {
    name: 'does not look at the version',
    fails: 'unknown-version',
    fault: () => ({
      isSigned: (given, expected) => given.split(' ').some((each) => each.split(',')[1] === expected.split(',')[1]),
    }),
  },
  {
    name: 'takes every version that begins with v1',
    fails: 'unknown-version',
    fault: () => ({
      isSigned: (given, expected) =>
        given.split(' ').some((each) => each.startsWith('v1') && each.split(',')[1] === expected.split(',')[1]),
    }),
  },
  {
    name: 'remembers type and contract instead of the id',
    fails: 'duplicate',
    needsObserve: true,
    fault: () => ({ counts: true, dedupeKey: ({ type, data }) => `${type} ${data.reference}` }),
  },
  {
    name: 'remembers the signature instead of the id',
    fails: 'duplicate',
    needsObserve: true,
    fault: () => ({ dedupeKey: (_event, { headers }) => String(headers['webhook-signature']) }),
  },
  ...['contract.activated', 'contract.completed'].map((acting) => ({
    name: `acts again when ${acting} comes again`,
    fails: 'duplicate',
    needsObserve: true as const,
    // Copies at one moment have the same signature.
    fault: () => ({
      dedupeKey: ({ id, type }: Event, { headers }: Request) =>
        type === acting ? String(headers['webhook-signature']) : id,
    }),
  })),
  {
    name: 'remembers only the latest payment of each contract',
    fails: 'duplicate',
    needsObserve: true,
    fault: remembersLatestPayment,
  },
  {
    name: 'answers 409 to an id that it has processed',
    fails: 'duplicate',
    fault: () => ({ repeated: 409 }),
  },
  {
    name: 'notes the id some time after it looked',
    fails: 'duplicate-burst',
    needsObserve: true,
    fault: () => ({ gapMs: 50 }),
  },
  ...['contract.activated', 'contract.completed'].map((acting) => ({
    name: `notes the id of ${acting} some time after it looked`,
    fails: 'duplicate-burst',
    needsObserve: true as const,
    fault: () => ({ gapMs: 50, gapAt: acting }),
  })),
  ...(['contract', 'installment'] as const).map((isLastWriter) => ({
    name: `keeps what came last of the ${isLastWriter}`,
    fails: 'out-of-order',
    needsObserve: true as const,
    fault: () => ({ isLastWriter }),
  })),
  {
    name: 'takes a late payment_failed for news of an installment that is delinquent',
    fails: 'out-of-order',
    needsObserve: true,
    fault: () => ({ keepsOnlyPaid: true }),
  },
  {
    name: 'takes a late payment_failed for news of an installment that it made past_due',
    fails: 'out-of-order',
    needsObserve: true,
    fault: () => ({ takesTies: true }),
  },
  {
    name: 'takes a late delinquent for news of an installment that is paid',
    fails: 'out-of-order',
    needsObserve: true,
    fault: () => ({ undoes: 'installment.delinquent' }),
  },
  {
    name: 'takes a late past_due for news of a contract that has defaulted',
    fails: 'out-of-order',
    needsObserve: true,
    fault: () => ({ marksOverdue: true }),
  },
  ...(['contract.activated', 'installment.paid'] as const).map((revives) => ({
    name: `revives a cancelled contract at a late ${revives}`,
    fails: 'out-of-order',
    needsObserve: true as const,
    fault: () => ({ revives }),
  })),
  {
    name: 'does not know the contract before it is activated',
    fails: 'out-of-order',
    fault: () => ({
      refuses: ({ type, data }, store) =>
        type.startsWith('installment.') && !store.has(String(data.reference)) ? 404 : undefined,
    }),
  },
  {
    name: 'fails on unknown types',
    fails: 'unknown-type',
    fault: () => ({ refuses: ({ type }) => (KNOWN_TYPES.test(type) ? undefined : 422) }),
  },
  {
    name: 'has a strict schema',
    fails: 'unknown-field',
    fault: () => ({
      refuses: (event) =>
        Object.keys(event).some((name) => !['id', 'type', 'created_at', 'livemode', 'data'].includes(name))
          ? 422
          : undefined,
    }),
  },
  {
    name: 'reads at most 100 kB',
    fails: 'large',
    fault: () => ({ before: async ({ body }) => (body.length > 100_000 ? 413 : undefined) }),
  },
  {
    name: 'has 191 characters for a name',
    fails: 'large',
    fault: () => ({ refuses: ({ data }) => ((data.customer_name?.length ?? 0) > 191 ? 500 : undefined) }),
  },
  {
    name: 'fails on quotes in a name',
    fails: 'unicode',
    fault: () => ({ refuses: ({ data }) => (data.customer_name?.includes("'") ? 500 : undefined) }),
  },
  {
    name: 'is overloaded by six at once',
    fails: 'burst',
    fault: () => ({ before: async (_request, _response, inFlight) => ((await isCrowded(inFlight)) ? 503 : undefined) }),
  },
  {
    name: 'keeps the event in a variable that all requests share',
    fails: 'burst',
    needsObserve: true,
    fault: () => ({ sharesEvent: true }),
  },
  { name: 'takes more than 5 s', fails: 'acknowledges', fault: () => ({ before: slow(5_200) }) },
  { name: 'takes more than 1 s', fails: 'acknowledges-soon', fault: () => ({ before: slow(1_100) }) },
  {
    name: 'redirects to the URL with a slash',
    fails: 'no-redirect',
    fault: () => ({
      async before({ path }, response) {
        if (path === '/webhooks/') return undefined;
        response.setHeader('location', '/webhooks/');
        return 308;
      },
    }),
  },
  {
    name: 'notes the id before it verifies',
    fails: 'retry-after-outage',
    needsObserve: true,
    fault: () => ({ notesEarly: 204 }),
  },
  {
    name: 'notes the id once the timestamp is right, before it checks the signature',
    fails: 'retry-after-outage',
    needsObserve: true,
    fault: notesBeforeSignature,
  },
  {
    name: 'processes an event although it refuses it',
    fails: 'retry-after-outage',
    needsObserve: true,
    fault: () => ({ processesRefused: true }),
  },
  {
    name: 'trusts what says that it is live',
    fails: 'live-refused',
    fault: () => ({ isTrusted: (request) => text(request).includes('"livemode":true') }),
  },
  { name: 'answers GET with 200', fails: 'get-harmless', fault: () => ({ get: 200 }) },
];

/** A store whose only fault is the one that the check `id` finds. */
export function openFaulty(id: string) {
  const faulty = FAULTY.find(({ fails }) => fails === id);
  if (!faulty) throw new Error(`No receiver fails ${id}.`);
  return openStore(faulty.fault());
}
