import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PLATFORM_DEFAULTS, SERVER_DEFAULTS } from './domain/assumptions.ts';
import { SECOND } from './domain/calendar.ts';
import { CannotStart } from './domain/cannot-start.ts';
import { renderEmail } from './domain/email.ts';
import { HOST_NAME, ORIGIN_FORM } from './domain/host.ts';
import type { Account, Clock } from './domain/merchant.ts';
import type { Mode } from './domain/mode.ts';
import type { Endpoint } from './domain/webhook.ts';
import { createEngine } from './engine/engine.ts';
import type { NewEndpoint } from './engine/webhook.ts';
import type { World } from './engine/world.ts';
import { useFixture } from './fixture.ts';
import { createApp } from './http/app.ts';
import type { WorkspaceLevers } from './http/context.ts';
import { type Fixture, fixtureOf } from './http/fixture.ts';
import { createHostRule } from './http/guard.ts';
import { newEndpointOf } from './http/input/endpoint.ts';
import { keepListeners } from './http/keep-listeners.ts';
import { type Listening, listen } from './http/listen.ts';
import { createListeners } from './http/listeners.ts';
import { createNews } from './http/news.ts';
import { createRequestLog } from './http/request-log.ts';
import { createDoor, linkTo } from './http/routes/dashboard/door.ts';
import { createViews } from './http/views.ts';
import { asker, type Send } from './library/client.ts';
import { type NewAccountBody, type SandboxShop, shopsOf, workspaceLevers } from './library/shops.ts';
import { sameDigest, sha256 } from './secrets/digest.ts';
import { createDraw, defaultDraw, randomSecret } from './secrets/draw.ts';
import type { InjectedRequest, InjectedResponse, Simulator, SimulatorOptions } from './simulator-types.ts';
import { DirectoryInUse } from './store/database.ts';
import { type Directory, openDirectory } from './store/directory.ts';
import type { DueThing } from './store/due.ts';
import { openStore, type Store } from './store/store.ts';
import { clockFrom, createClocks } from './time/clocks.ts';
import { type RealTime, realTime } from './time/real.ts';
import { createTicker } from './time/ticker.ts';
import { createTravel } from './time/travel.ts';
import { createTurns } from './time/turns.ts';
import { VERSION } from './version.ts';
import { checkoutAssets } from './web/checkout/assets.ts';
import { createCourier } from './webhook/courier.ts';
import { createDeliver } from './webhook/deliver.ts';
import { createRelay, SmtpAway } from './webhook/relay.ts';

/**
 * Starts a simulator: the only place where the rooms are joined.
 * @throws CannotStart when the port, the directory or its database is in the way
 */
export async function createSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { time = realTime, forwardTo = [] } = options;
  const addresses = addressesOf(options);
  const fixture = await useFixture(options.fixture ?? {}, fixtureOf);
  const start = { fixture, forwardTo: forwardTo.map(receiver), clock: clockFrom(options.clock, time) };
  const directory = options.data === undefined ? null : openDirectory(options.data);
  const snapshotFolder = directory?.snapshots ?? join(tmpdir(), `layaway-${randomUUID()}`);
  const store = open(directory, snapshotFolder);
  const rooms = await joinRooms(options, time, store);
  const { base, courier, post, relay, travel, ticker, turns } = rooms;
  const workspace = createWorkspace(rooms, options, time, start);
  const notes = workspace.begin();

  const controlToken = randomUUID();
  const door = createDoor({ draw: randomSecret, digest: rooms.digest });
  const limit = options.rateLimit === 'off' ? 0 : options.rateLimit;
  const app = createApp({
    ...rooms,
    door,
    allowsHost: createHostRule(addresses),
    workspace: workspace.levers,
    settings: {
      ...SERVER_DEFAULTS,
      ...(limit === undefined ? {} : { rate_limit_source: limit, rate_limit_key: limit }),
      request_timeout_seconds: options.requestTimeoutSeconds ?? SERVER_DEFAULTS.request_timeout_seconds,
    },
    version: VERSION,
    controlToken,
    newClock: workspace.newClock,
    checkoutAssets,
    realNow: time.now,
    after: time.after,
    observe: options.onRequest ?? (() => undefined),
  });

  let listening: Listening;
  try {
    listening = await listen(app, addresses.host, options.port ?? 0);
  } catch (error) {
    ticker.stop();
    store.close();
    throw error;
  }

  base.url = addresses.publicUrl ?? listening.url;
  if (!listening.isLoopback) {
    notes.push(
      `Warning: whoever can reach port ${listening.port} of this machine can use this simulator, because its default key pair is public.`,
    );
  }

  // Only now: what is recorded carries the server's own URL.
  for (const accountId of store.accounts.ids()) {
    await travel.catchUp(store.accounts.get(accountId));
    courier.wake(accountId);
  }

  const inject = async ({ headers, ...request }: InjectedRequest): Promise<InjectedResponse> =>
    app.inject({ ...request, headers: { host: new URL(base.url).host, ...headers } });
  const send: Send = async ({ method, path, headers, body }) => {
    const answer = await inject({ method, url: path, headers, ...(body ? { payload: body } : {}) });
    return { status: answer.statusCode, body: answer.body === '' ? null : answer.json() };
  };
  const waiting = {
    now: time.now,
    pause: (ms: number) => new Promise<void>((resolve) => void time.after(ms, resolve)),
  };
  const shops = shopsOf({ url: base.url, controlToken, send, waiting });
  /** The n-th merchant, if its credentials are derived: two keys were issued for each before it. */
  const derived = (n: number): SandboxShop[] => {
    const half = (mode: Mode) => ({
      account: store.accounts.find(defaultDraw.clientId(mode, n)) as Account,
      apiKey: defaultDraw.apiKey(mode, mode === 'sandbox' ? 2 * n - 1 : 2 * n),
    });
    const [sandbox, live] = [half('sandbox'), half('live')];
    return sandbox.account && live.account ? [shops(sandbox, live)] : [];
  };
  const defaultShop = derived(1)[0] as SandboxShop;
  const { create, ...wholeWorkspace } = workspaceLevers(
    asker(send, () => ({ authorization: `Bearer ${controlToken}` })),
  );
  directory?.announce({
    pid: process.pid,
    base_url: listening.url,
    control_token: controlToken,
    sandbox: { client_id: defaultShop.clientId, api_key: defaultShop.apiKey },
    live: { client_id: defaultShop.live.clientId, api_key: defaultShop.live.apiKey },
  });

  function shut() {
    directory?.withdraw();
    store.close();
    if (!directory) rmSync(snapshotFolder, { recursive: true, force: true });
  }

  let closing: Promise<void> | undefined;
  const close = () => {
    ticker.stop();
    closing ??= Promise.all([app.close(), courier.stop().then(post.close), relay?.stop()]).then(() =>
      turns.takeAll(shut),
    );
    return closing;
  };
  return {
    url: base.url,
    listening: listening.url,
    controlToken,
    get dashboardUrl() {
      return linkTo({ door, base });
    },
    default: defaultShop,
    merchants: fixture.merchants.flatMap((_merchant, index) => derived(index + 2)),
    webhooks: workspace.endpoints.flatMap(({ url }) => {
      const endpoint = workspace.endpointFor(url);
      return endpoint ? [{ url, secret: endpoint.secret }] : [];
    }),
    notes,
    ...wholeWorkspace,
    async merchant(options = {}) {
      const { sandbox, live } = await create(options);
      const accountOf = ({ client_id, api_key }: NewAccountBody) => ({
        account: store.accounts.find(client_id) as Account,
        apiKey: api_key,
      });
      return shops(accountOf(sandbox), accountOf(live));
    },
    inject,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The rooms of one running simulator, each handed what it uses of the others. */
async function joinRooms(options: SimulatorOptions, time: RealTime, store: Store) {
  const clocks = createClocks(time, store.accounts);
  const turns = createTurns();
  const news = createNews();
  const base = { url: '' };
  const views = createViews(base);
  const digest = { sha256, same: sameDigest };
  const fault = options.onFault ?? printFault;

  const world: World = { store, clocks, views, digest, draw: createDraw(null), committed };
  const engine = createEngine(world);
  const listeners = createListeners();
  const requestLog = createRequestLog();
  const post = createDeliver(time.now);
  const courier = createCourier({
    now: clocks.now,
    realNow: time.now,
    endpointIds: (accountId) =>
      store.endpoints
        .list(accountId)
        .filter(isHeard)
        .map(({ id }) => id),
    due: store.deliveries.due,
    dueLoose: (accountId) => store.deliveries.dueLoose(accountId, clocks.now(accountId)),
    endpoint: store.endpoints.find,
    event({ eventId, accountId }) {
      const { token, body } = store.events.get(eventId);
      return { token, body, secret: store.accounts.get(accountId).webhookSecret };
    },
    carry: (delivery, endpoint, letter) =>
      endpoint?.transport === 'listener'
        ? listeners.forward(endpoint.id, delivery, letter)
        : post.deliver({ url: delivery.url, ...letter, timeoutMs: SERVER_DEFAULTS.webhook_timeout_seconds * SECOND }),
    record: engine.recordDeliveryAttempts,
    observe(delivery, { sentAt, statusCode, durationMs, error }) {
      const { id, eventId, url, attempts } = delivery;
      if (!options.onDelivery || store.deliveries.get(id)?.token !== delivery.token) return;
      const { token, type, subject } = store.events.get(eventId);
      const what = { eventId: token, type, subject, url, attempt: attempts + 1 };
      options.onDelivery({ at: sentAt, id: delivery.token, ...what, statusCode, durationMs, error });
    },
    fault,
  });

  /** Of an endpoint whose listening process is away, what it is owed waits, and holds nothing else up. */
  function isHeard({ id, transport }: Endpoint): boolean {
    return transport === 'http' || listeners.isConnected(id);
  }

  function unheard(accountId: number): number[] {
    const endpoints = store.endpoints.list(accountId);
    return endpoints.filter((endpoint) => !isHeard(endpoint)).map(({ id }) => id);
  }

  /**
   * The next change of state or, where they count, the next delivery; at one instant changes come first.
   * Deliveries due by now are the courier's already.
   */
  function nextDue(accountId: number, deliveries: boolean): DueThing | { at: number; kind: 'delivery' } | null {
    const change = engine.nextDue(accountId);
    const at = deliveries ? store.deliveries.nextAfter(accountId, clocks.now(accountId), unheard(accountId)) : null;
    return at === null || (change && change.at <= at) ? change : { at, kind: 'delivery' };
  }

  /** The same, as the clock announces it. */
  function announce(accountId: number) {
    const due = nextDue(accountId, true);
    if (due?.kind !== 'delivery') return due && engine.describeDue(due);
    const subject = store.deliveries.firstAt(accountId, due.at, unheard(accountId));
    return { at: due.at, type: 'webhook.attempt', subject };
  }

  const travel = createTravel(clocks, time, turns, {
    nextDue,
    runDue(accountId, thing, limit) {
      if (thing.kind !== 'delivery') return engine.runDue(accountId, thing, limit);
      clocks.standAt(accountId, thing.at);
      return { steps: 1, count: 0, happened: [] };
    },
    rehearse: engine.rehearse,
    holds: engine.holds,
    isThere: ({ id, clientId }) => store.accounts.find(clientId)?.id === id,
    drain: courier.drain,
    moved(accountId) {
      ticker.touch(accountId);
      news.tell(accountId);
      const { clientId } = store.accounts.get(accountId);
      const { mode } = clocks.get(accountId);
      options.onClock?.({ at: time.now(), clientId, mode, now: clocks.now(accountId) });
    },
  });
  const relay = options.smtp
    ? await createRelay(options.smtp, {
        next() {
          const email = store.emails.nextToRelay();
          if (!email) return null;
          const { id, token, recipient: to, createdAt, template, facts } = email;
          return { id, token, to, createdAt, ...renderEmail(template, facts) };
        },
        handedOver: store.emails.relayed,
        away: fault,
      })
    : null;
  const ticker = createTicker(clocks, time, {
    nextDueAt: (accountId) => nextDue(accountId, true)?.at ?? null,
    catchUp: async (accountId) => travel.catchUp(store.accounts.get(accountId)),
    settled(accountId) {
      if (store.deliveries.isAnyDue(accountId, clocks.now(accountId))) courier.wake(accountId);
      relay?.wake();
    },
    fault,
  });

  /** What a commit sets going; a rehearsal sets nothing going. */
  function committed(accountId: number) {
    if (store.inTransaction()) return;
    ticker.touch(accountId);
    news.tell(accountId);
  }

  return {
    world,
    engine,
    store,
    clocks,
    turns,
    news,
    base,
    views,
    digest,
    listeners,
    requestLog,
    post,
    courier,
    travel,
    announce,
    relay,
    ticker,
    fault,
  };
}

function printFault(error: unknown) {
  console.error(error instanceof SmtpAway ? error.message : error);
}

type Rooms = Awaited<ReturnType<typeof joinRooms>>;

/** What a workspace starts with. */
interface Start {
  readonly fixture: Fixture;
  readonly forwardTo: readonly NewEndpoint[];
  readonly clock: Clock;
}

/** The state as a whole: begun, saved, restored, begun anew. */
function createWorkspace(rooms: Rooms, options: SimulatorOptions, time: RealTime, start: Start) {
  const { fixture, forwardTo } = start;
  const { world, engine, store, clocks, turns, news, listeners, courier, ticker } = rooms;
  const wantedEndpoints = [...fixture.endpoints, ...forwardTo];
  let initialClock = start.clock;

  /** A workspace as it is before anybody used it. */
  function initialise() {
    store.workspace.create(options.seed === undefined ? null : String(options.seed), {
      disabled: PLATFORM_DEFAULTS.disabled,
      unavailableStates: PLATFORM_DEFAULTS.unavailable_states,
      ...fixture.platform,
    });
    const { sandbox, live } = engine.createMerchant({ clock: initialClock }, defaultDraw);
    engine.changeSettings(sandbox.account, fixture.settings);
    engine.changeSettings(live.account, fixture.liveSettings);
    // Credentials that a fixture gives are the same on every machine, like those of the default merchant.
    for (const merchant of fixture.merchants) engine.createMerchant(merchant(newClock), defaultDraw);
  }

  /** What new merchants start with. */
  function newClock() {
    return initialClock;
  }

  /** The default sandbox account's endpoint for a URL that the server itself sends to. */
  const endpointFor = (url: string) =>
    store.endpoints
      .list(store.accounts.ofMerchant(1, 'sandbox').id)
      .find((endpoint) => endpoint.transport === 'http' && endpoint.url === url);

  /** An endpoint of the default sandbox account for each of these that it has none for yet. */
  function connect(endpoints: readonly NewEndpoint[]) {
    const account = store.accounts.ofMerchant(1, 'sandbox');
    for (const endpoint of endpoints) {
      if (!endpointFor(endpoint.url)) engine.createEndpoint(account, { secret: account.webhookSecret, ...endpoint });
    }
  }

  /** What is derived from the workspace follows it. */
  function adopt() {
    world.draw = createDraw(store.workspace.seed());
    ticker.adopt(store.accounts.ids());
  }

  const levers: WorkspaceLevers = {
    snapshots: {
      list: store.snapshots.list,
      remove: store.snapshots.remove,
      save: (name, overwrite) => turns.takeAll(() => store.snapshots.save(name, time.now(), overwrite)),
      restore: async (name) => {
        // One that cannot be restored cancels nothing.
        store.snapshots.find(name);
        return turns.takeAll(() => {
          const welcomeBack = keepListeners({ store, engine, listeners });
          const heldBackMs = time.now() - store.snapshots.restore(name);
          for (const accountId of store.accounts.ids()) clocks.holdBack(accountId, heldBackMs);
          adopt();
          welcomeBack();
          courier.startAnew();
          news.restart();
          return store.snapshots.find(name);
        }, `the restore of the snapshot ${name}`);
      },
    },
    reset: () =>
      turns.takeAll(() => {
        initialClock = clockFrom(options.clock, time);
        const welcomeBack = keepListeners({ store, engine, listeners });
        store.transaction(() => {
          store.clear();
          initialise();
        });
        adopt();
        connect(wantedEndpoints);
        welcomeBack();
        courier.startAnew();
        news.restart();
      }, 'a reset'),
  };

  /** Answers what there is to say about it, a sentence each. */
  function begin(): string[] {
    const notes: string[] = [];
    const isNew = !store.workspace.exists();
    if (isNew) store.transaction(initialise);
    else if (options.clock || options.seed !== undefined) {
      notes.push('The state directory keeps its own clocks and seed; --clock, --now and --seed apply to a new one.');
    }
    if (!isNew && options.fixture !== undefined) {
      notes.push('The state directory keeps what it holds; the fixture applies to a new one, and when it is reset.');
    }
    adopt();
    connect(isNew ? wantedEndpoints : forwardTo);
    for (const { url } of wantedEndpoints) {
      const endpoint = endpointFor(url);
      if (endpoint?.enabled !== false) continue;
      const { token, disabledReason } = endpoint;
      notes.push(
        `Nothing is sent to ${url}: its endpoint is disabled (${disabledReason}). \`layaway webhooks enable ${token}\``,
      );
    }
    return notes;
  }

  return { begin, levers, newClock, endpointFor, endpoints: wantedEndpoints };
}

/**
 * Where the server listens and what it answers to.
 * @throws CannotStart when the public URL or a name cannot be used
 */
function addressesOf({ host, publicUrl, allowHosts = [] }: SimulatorOptions) {
  if (publicUrl !== undefined && !(ORIGIN_FORM.test(publicUrl) && URL.canParse(publicUrl))) {
    throw new CannotStart(
      `${publicUrl} cannot be the public URL. Write it like https://shop.example:8443, without path, query or user.`,
    );
  }
  const wrong = allowHosts.find((name) => name !== '*' && !HOST_NAME.test(name));
  if (wrong !== undefined) {
    throw new CannotStart(`${wrong} cannot be an allowed host. Write a name such as shop.test, or * for every host.`);
  }
  return { host, publicUrl: publicUrl === undefined ? undefined : new URL(publicUrl).origin, allowHosts };
}

/** @throws CannotStart when it is no URL of a receiver */
function receiver(url: string): NewEndpoint {
  try {
    return newEndpointOf({ url });
  } catch {
    throw new CannotStart(`${url} is no URL to forward to. Write it like http://localhost:3000/webhooks.`);
  }
}

function open(directory: Directory | null, snapshotFolder: string): Store {
  try {
    return openStore(directory?.database ?? null, snapshotFolder);
  } catch (error) {
    if (directory && error instanceof DirectoryInUse) throw directory.inUse();
    throw error;
  }
}
