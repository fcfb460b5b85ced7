import { ABSENCE_MS } from '../domain/webhook.ts';
import type { Engine } from '../engine/engine.ts';
import type { Store } from '../store/store.ts';
import { LOOK_AGAIN_MS, type RealTime } from './real.ts';

/** What it works with, joined by `simulator.ts`. */
export interface AbsenceRooms {
  readonly time: RealTime;
  readonly endpoints: Pick<Store['endpoints'], 'listeners' | 'absent' | 'find'>;
  readonly engine: Pick<Engine, 'setDisconnected' | 'giveUpListener'>;
  readonly listeners: { isConnected(endpointId: number): boolean };
  fault(error: unknown): void;
}

export type Absence = ReturnType<typeof createAbsence>;

/** Knows which listening processes are away, and gives up on those that stay away too long (interface §2). */
export function createAbsence({ time, endpoints, engine, listeners, fault }: AbsenceRooms) {
  let off: () => void = () => undefined;
  let stopped = false;

  function look() {
    off();
    if (stopped) return;
    const now = time.now();
    for (const { id, since } of endpoints.absent()) if (now - since >= ABSENCE_MS) engine.giveUpListener(id);
    const [longestAway] = endpoints.absent();
    if (longestAway)
      off = time.after(Math.min(longestAway.since + ABSENCE_MS - now, LOOK_AGAIN_MS), () => safely(look));
  }

  /** Runs work that nobody awaits. After an error, such as a full disk, everything is looked at again. */
  function safely(work: () => void) {
    try {
      work();
    } catch (error) {
      fault(error);
      off();
      if (!stopped) off = time.after(LOOK_AGAIN_MS, () => safely(reconcile));
    }
  }

  function awaits(endpointId: number) {
    if (stopped || listeners.isConnected(endpointId)) return;
    engine.setDisconnected(endpointId, time.now());
    look();
  }

  function reconcile() {
    for (const id of endpoints.listeners()) {
      if (listeners.isConnected(id)) engine.setDisconnected(id, null);
      else if (endpoints.find(id)?.disconnectedAt === null) engine.setDisconnected(id, time.now());
    }
    look();
  }

  return {
    came: (endpointId: number) => engine.setDisconnected(endpointId, null),
    /** Call it when the process has not connected yet. */
    awaits,
    /** Call it when the process disconnected. */
    left: (endpointId: number) => safely(() => awaits(endpointId)),
    /** Reads the state again after a start, a reset or a restore. */
    reconcile,
    stop() {
      stopped = true;
      off();
    },
  };
}
