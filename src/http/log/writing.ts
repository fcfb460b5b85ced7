import type { LogPart } from '../../domain/log-entry.ts';
import { KEPT, type Ring, SIZE } from './ring.ts';

/** Stores the log while no server runs. */
export interface LogShelf {
  read(): readonly LogPart[];
  /** The highest number that rows of the state name; 0 if none does. */
  lastNamed(): number;
  add(part: LogPart, kept: number, keptBytes: number): void;
}

interface Means {
  /** The entry at a place, as it is stored; null if it is overwritten. */
  read(place: number): string | null;
  /** How many numbers were given out. */
  given(): number;
  readonly shelf: LogShelf | null;
  /** Calls `work` once, `ms` of real time from now. */
  after(ms: number, work: () => void): unknown;
}

/**
 * New entries are written to the state after a quiet time, or after a number of such waits. Under load, most of them
 * have been overwritten by then and are never written. They are written in parts with pauses, so that no part blocks
 * other requests for long.
 */
const QUIET_MS = 2_000;
const WAITS = 5;
const PART_AFTER_MS = 25;
const PART = 200;

/** Writes the entries of the ring to the state. */
export function createWriting(ring: Pick<Ring, 'last' | 'oldest'>, { read, given, shelf, after }: Means) {
  /** The last place that has been written. */
  let written = 0;
  let isAwaited = false;

  /** Writes the new entries, up to a place. */
  function writeDown(target: number) {
    const texts: string[] = [];
    for (let place = Math.max(written + 1, ring.oldest()); place <= target; place += 1) {
      const text = read(place);
      if (text !== null) texts.push(text);
    }
    if (texts.length > 0) shelf?.add({ last: target, given: given(), texts }, KEPT, SIZE);
    written = target;
  }

  function round(last: number) {
    const from = Math.max(written, ring.oldest() - 1);
    const target = Math.min(from + PART, last);
    if (written < target) writeDown(target);
    if (written < last) after(PART_AFTER_MS, () => round(last));
    else isAwaited = false;
    if (written < ring.last()) writeSoon();
  }

  function writeSoon() {
    if (!shelf || isAwaited) return;
    isAwaited = true;
    awaitQuiet(WAITS);
  }

  function awaitQuiet(waits: number) {
    const seen = ring.last();
    after(QUIET_MS, () => (ring.last() === seen || waits === 1 ? round(ring.last()) : awaitQuiet(waits - 1)));
  }

  return {
    /** What is in the ring now came from the state. */
    beginHere() {
      written = ring.last();
    },
    /** Call it after an entry was added. */
    writeSoon,
    flush() {
      if (written < ring.last()) writeDown(ring.last());
    },
  };
}
