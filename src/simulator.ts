import { randomUUID } from 'node:crypto';
import { CLOCK } from './domain/cause.ts';
import { createCoverage } from './engine/coverage.ts';
import { createEngine } from './engine/engine.ts';
import { createFaults } from './engine/fault.ts';
import { keptLog } from './engine/kept-log.ts';
import { createOutbox } from './engine/outbox.ts';
import type { World } from './engine/world.ts';
import { createViews } from './http/answer/views.ts';
import { createApp } from './http/app.ts';
import { readStart } from './http/input/start.ts';
import { createRequestLog } from './http/log/request-log.ts';
import { createSignIn, linkTo } from './http/routes/dashboard/sign-in.ts';
import { addressesOf, createBaseUrl } from './http/server/addresses.ts';
import { listen } from './http/server/listen.ts';
import { serverSettings } from './http/server/server-settings.ts';
import { createListeners } from './http/stream/listeners.ts';
import { createNotifier } from './http/stream/notifier.ts';
import { watchClocks, watchDeliveries } from './http/stream/watching.ts';
import { createHandle } from './library/handle.ts';
import { SITUATIONS } from './operations/coverage.ts';
import { sameDigest, sha256 } from './secrets/digest.ts';
import { createDrawOf, defaultDraw, randomSecret } from './secrets/draw.ts';
import { completed } from './simulator-options.ts';
import type { Simulator, SimulatorOptions } from './simulator-types.ts';
import { closingOnFailure, openState, startFault } from './store/file/state.ts';
import { createThrowAways, openThrowAwayWorkspace } from './throw-away.ts';
import { createAbsence } from './time/absence.ts';
import { createClockQueue } from './time/clock-queue.ts';
import { createClocks, startingClock } from './time/clocks.ts';
import { endOfTurn, polled, realTime, waitingOn } from './time/real.ts';
import { createTicker } from './time/ticker.ts';
import { inTimeSlices } from './time/time-slices.ts';
import { createTravel } from './time/travel.ts';
import { storyOf } from './trace/scenario.ts';
import { scrubbedValue, scrubbing } from './trace/scrub.ts';
import { sealedBy } from './trace/sealed.ts';
import { VERSION } from './version.ts';
import { checkoutAssets } from './web/checkout/assets.ts';
import { createCarry } from './webhook/carry.ts';
import { createCourier } from './webhook/courier.ts';
import { createDeliver, createNoDelivery } from './webhook/deliver.ts';
import { createRelay } from './webhook/relay.ts';
import { createWorkspace } from './workspace.ts';

/**
 * Starts a simulator: the only place where the rooms are joined, each handed what it uses of those before it.
 * @throws CannotStart when the port, the directory or its database is in the way
 */
export async function createSimulator(given: SimulatorOptions = {}, reach = listen): Promise<Simulator> {
  const options = completed(given);
  const { time = realTime, onFault: fault, trace = null } = options;
  const addresses = addressesOf(options);
  const start = { ...(await readStart(options)), options, startingClock: startingClock(options.clock, time) };
  const state = openState(options.data, endOfTurn, sealedBy(trace, randomSecret, defaultDraw));
  const { initialSettings } = start;
  const { store } = state;
  const { accounts } = store;

  const base = createBaseUrl(addresses);
  const digest = { sha256, same: sameDigest };
  const clocks = createClocks(time, accounts);
  const clockQueue = createClockQueue();
  const notifier = createNotifier();
  const views = createViews(base);
  const draw = createDrawOf(store.workspace.seed);
  const world: World = { initialSettings, store, clocks, views, digest, draw, cause: CLOCK };
  const engine = createEngine(world);
  const faults = createFaults(world, options.chaos);
  const coverage = createCoverage(world, SITUATIONS);
  const listeners = createListeners(store);
  const outbox = createOutbox(world, listeners);
  const openPost = () => (trace ? createNoDelivery(time.now) : createDeliver(time.now));
  const post = openPost();
  const carry = createCarry({ post, listeners, faults, now: time.now });
  const observe = watchDeliveries(store, options.onDelivery);
  const courier = createCourier({ outbox, clocks, time, carry, observe, fault });
  const travel = createTravel({ clocks, time, clockQueue, accounts, engine, outbox, courier });
  const relay = options.smtp && !trace ? await createRelay(options.smtp, store, fault) : null;
  const ticker = createTicker({ clocks, time, accounts, outbox, travel, courier, relay, fault });
  const logOptions = { shelf: keptLog({ store }, fault), isOn: options.requestLog !== false, after: time.after };
  const requestLog = closingOnFailure(state, () => createRequestLog(logOptions));
  const absence = createAbsence({ time, endpoints: store.endpoints, engine, listeners, fault });

  for (const follow of [store.onCommit, travel.onMoved]) {
    follow(ticker.touch);
    follow(notifier.tell);
  }
  travel.onMoved(watchClocks(store, clocks, time.now, options.onClock));

  const controlToken = closingOnFailure(state, () => state.controlToken(randomUUID));
  const rooms = {
    ...{ store, engine, faults, coverage, clocks, time, clockQueue, travel, outbox, notifier, ticker, courier },
    ...{ listeners, absence, requestLog, digest, views, base, fault, controlToken },
  };
  const workspace = createWorkspace({ ...rooms, post, relay, state, scrubbing, inTimeSlices, tell: storyOf }, start);
  const notes = closingOnFailure({ close: workspace.abandon }, workspace.begin);
  const throwAways = createThrowAways({
    ...{ time, openPost, fault, merchants: store.merchants },
    open: (body) => openThrowAwayWorkspace(createSimulator, given, { url: base.url, body }),
  });

  const signIn = createSignIn({ draw: randomSecret, digest });
  const app = createApp({
    ...{ ...rooms, workspace, throwAways, signIn, addresses, checkoutAssets, endOfTurn },
    ...{ settings: serverSettings(options), version: VERSION, opened: trace, flags: scrubbedValue(options.flags) },
    ...{ realNow: time.now, after: time.after, observe: options.onRequest, note: options.onNote },
  });
  const close = () => workspace.end(() => app.close().then(polled)).then(polled);

  try {
    const listening = await reach(app, addresses.host, options.port ?? 0);
    base.listensAt(listening.url);
    workspace.furnish();
    await workspace.catchUp();

    const handle = createHandle({
      ...{ workspace, controlToken, close, url: base.url, listening: listening.url, findAccount: accounts.find },
      notes: [...notes, ...listening.notes],
      answer: (request) => app.inject(request),
      ...{ dashboardLink: () => linkTo({ signIn, base }), draw: defaultDraw, waiting: waitingOn(time) },
    });
    state.announce(handle);
    return handle;
  } catch (error) {
    await close();
    throw startFault(error);
  }
}
