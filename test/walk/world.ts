import { tmpdir } from 'node:os';
import { createEngine } from '../../src/engine/engine.ts';
import { createOutbox } from '../../src/engine/outbox.ts';
import type { World } from '../../src/engine/world.ts';
import { createViews } from '../../src/http/answer/views.ts';
import { sameDigest, sha256 } from '../../src/secrets/digest.ts';
import { createDraw } from '../../src/secrets/draw.ts';
import { openStore } from '../../src/store/store.ts';
import { createClockQueue } from '../../src/time/clock-queue.ts';
import { createClocks } from '../../src/time/clocks.ts';
import { type RealTime, realTime } from '../../src/time/real.ts';
import { createTravel } from '../../src/time/travel.ts';

/** The verbs and the loop on a workspace in memory, without a server around them. */
export function createWorld(seed: string, stepsMax?: number, time: RealTime = realTime) {
  const store = openStore(null, tmpdir());
  const clocks = createClocks(time, store.accounts);
  const views = createViews({ url: 'http://localhost' });
  const digest = { sha256, same: sameDigest };
  const world: World = { initialSettings: {}, store, clocks, views, digest, draw: createDraw(seed), cause: 'clock' };
  const engine = createEngine(world);
  const outbox = createOutbox(world, { isConnected: () => false });
  const courier = { drain: async () => undefined };
  const { accounts } = store;
  const clockQueue = createClockQueue();
  const travel = createTravel({ clocks, time, clockQueue, accounts, engine, outbox, courier }, stepsMax);
  store.workspace.create(seed, { disabled: false, unavailable_states: [] });
  return { store, clocks, clockQueue, views, engine, travel };
}
