import { START } from './domain/cause.ts';
import { Refusal } from './domain/refusal.ts';
import type { Dump } from './domain/trace.ts';
import type { Coverage } from './engine/coverage.ts';
import type { Engine } from './engine/engine.ts';
import type { Faults } from './engine/fault.ts';
import type { RequestLog } from './http/log/request-log.ts';
import type { Listeners } from './http/stream/listeners.ts';
import type { Notifier } from './http/stream/notifier.ts';
import type { State } from './store/file/state.ts';
import type { Store } from './store/store.ts';
import type { Absence } from './time/absence.ts';
import type { ClockQueue } from './time/clock-queue.ts';
import type { Clocks } from './time/clocks.ts';
import type { RealTime } from './time/real.ts';
import type { Ticker } from './time/ticker.ts';
import type { inTimeSlices } from './time/time-slices.ts';
import type { Travel } from './time/travel.ts';
import type { ServerSecrets } from './trace/scrub.ts';
import type { Courier } from './webhook/courier.ts';
import type { Deliver } from './webhook/deliver.ts';
import type { Relay } from './webhook/relay.ts';
import { createContent, type Start } from './workspace/content.ts';
import { withFrozenClocks } from './workspace/frozen-clocks.ts';
import { noteListeners } from './workspace/listening.ts';
import { notesOnKept, notesOnReceiver } from './workspace/notes.ts';
import { createSnapshots } from './workspace/snapshots.ts';
import { createStartReport } from './workspace/start-report.ts';

/** What the workspace works with, joined by `simulator.ts`. */
export interface WorkspaceRooms {
  readonly store: Store;
  readonly engine: Engine;
  readonly clocks: Clocks;
  readonly time: Pick<RealTime, 'now'>;
  readonly clockQueue: ClockQueue;
  readonly travel: Travel;
  readonly ticker: Ticker;
  readonly courier: Courier;
  readonly listeners: Listeners;
  readonly absence: Pick<Absence, 'reconcile' | 'stop'>;
  readonly notifier: Notifier;
  readonly coverage: Pick<Coverage, 'restart'>;
  readonly faults: Pick<Faults, 'restart'>;
  readonly requestLog: Pick<RequestLog, 'flush' | 'latest' | 'goOnAfter' | 'cookies'>;
  readonly post: Pick<Deliver, 'close'>;
  readonly relay: Pick<Relay, 'restart' | 'stop'> | null;
  readonly state: Pick<State, 'close'>;
  readonly controlToken: string;
  /** Takes keys and secrets out, with pauses. */
  scrubbing(dump: Dump, secrets: ServerSecrets): Generator<void, Dump>;
  readonly inTimeSlices: typeof inTimeSlices;
  /** The story of a contract, to be played again. */
  tell(dump: Dump, contract: string): object;
}

export type Workspace = ReturnType<typeof createWorkspace>;

/** The state as a whole: begun, saved, restored, reset. */
export function createWorkspace(rooms: WorkspaceRooms, start: Start) {
  const { fixture, forwardTo, initialSettings, startingClock } = start;
  const { store, clocks, time, clockQueue, travel, ticker, courier, listeners, absence, notifier, coverage, faults } =
    rooms;
  const { requestLog, post, relay, state, controlToken, scrubbing, inTimeSlices, tell } = rooms;
  const engine = rooms.engine.because(START);
  const { defaultAccount, initialize, makeContracts, connect } = createContent(store, engine, start);
  const receivers = [...fixture.endpoints, ...forwardTo];
  let initialClock = startingClock();
  let ended: Promise<void> | undefined;

  /** The clock that new merchants start with. */
  const newClock = () => initialClock;

  /** Runs `work`, which replaces the state while others are connected to it. */
  const replace = (work: () => void) =>
    notifier.restart(() => {
      const rehome = noteListeners(store, engine, listeners);
      work();
      ticker.adopt(store.accounts.ids());
      rehome();
      absence.reconcile();
      courier.restart();
      relay?.restart();
      coverage.restart();
      rooms.engine.journal.restart();
      faults.restart();
    });

  const { forgetRestored, ...saved } = createSnapshots({ store, time, clockQueue, requestLog }, replace);

  /**
   * The whole state at one moment, or the story of one session. An advance under way is not awaited: it may be what the
   * trace is for, or may wait for a receiver that never answers.
   */
  function trace(sessionId: number | null = null): Promise<Dump> {
    requestLog.flush();
    const dump = withFrozenClocks(store.dump(sessionId), clocks.now);
    return inTimeSlices(time, scrubbing(dump, { controlToken, cookies: requestLog.cookies() }));
  }

  return {
    newClock,

    /** How many merchants have credentials that are the same on every machine: the default one and the fixture's. */
    drawnMerchants: 1 + fixture.merchants.length,

    /**
     * Begins a new workspace, or goes on with the one that is there. One whose start was cut off, such as by a port in use,
     * is begun again. Gives what there is to say about it.
     */
    begin(): string[] {
      const isNew = !store.workspace.isFurnished();
      if (isNew) {
        const fill = () => initialize(initialClock);
        fixture.explained(() =>
          store.workspace.exists() ? store.renew(requestLog.latest(), fill) : store.transaction(fill),
        );
      }
      ticker.adopt(store.accounts.ids());
      // Changing nothing in thousands of accounts would take seconds.
      if (!isNew && Object.keys(initialSettings).length > 0) {
        for (const id of store.accounts.ids()) engine.changeSettings(store.accounts.get(id), initialSettings);
      }
      connect(isNew ? receivers : forwardTo);
      absence.reconcile();
      return [
        ...(isNew ? [] : notesOnKept(start.options)),
        ...receivers.flatMap(({ url }) => notesOnReceiver(store, engine, defaultAccount(), url)),
      ];
    },

    /** Closes the state of a workspace that could not begin. Nothing may look into it afterwards. */
    abandon() {
      ticker.stop();
      absence.stop();
      state.close();
    },

    /** Makes the fixture's contracts in a new workspace. Call when the server listens: their events carry its URL. */
    furnish() {
      if (!store.workspace.isFurnished()) makeContracts();
    },

    /** Does what fell due while no server ran. Call when the server listens: what is recorded carries its URL. */
    async catchUp() {
      for (const account of store.accounts.ids().map(store.accounts.get)) {
        await travel.catchUp(account);
        courier.wake(account.id);
      }
    },

    ...createStartReport(store, clocks, defaultAccount),

    ...saved,

    /** @throws Refusal `conflict` when the state is too large */
    trace: async (): Promise<Dump> => trace(),

    /**
     * After the advances under way, which are steps of the story.
     * @throws Refusal `contract_not_found` after a reset or a restore, `conflict` when there is nothing to repeat
     */
    scenario: (contract: string): Promise<object> =>
      clockQueue.addForAll(async () => {
        const found = store.contracts.find(contract);
        if (!found) throw new Refusal('contract_not_found');
        return tell(await trace(found.sessionId), contract);
      }),

    /** Back to what the server started with; snapshots stay. */
    reset: (): Promise<void> =>
      clockQueue.addForAll(() => {
        const clock = startingClock();
        replace(() => {
          requestLog.flush();
          store.renew(requestLog.latest(), () => {
            initialize(clock);
            connect(receivers);
            makeContracts();
          });
          initialClock = clock;
        });
        forgetRestored();
      }, 'a reset'),

    /** Counts the resets and restores. */
    generation: rooms.engine.journal.generation,

    /**
     * Ends it, once: cancels the advances, so that their callers are answered, then stops answering and sending, and
     * closes the state last. When `stopAnswering` resolves, every request has ended: a later one could not be logged.
     */
    end(stopAnswering: () => Promise<unknown>): Promise<void> {
      ticker.stop();
      absence.stop();
      ended ??= clockQueue
        .cancelAll('the shutdown of the server')
        .then(() => Promise.all([stopAnswering(), courier.stop().then(post.close), relay?.stop()]))
        .then(() =>
          clockQueue.addForAll(() => {
            requestLog.flush();
            state.close();
          }),
        );
      return ended;
    },
  };
}
