import { CannotStart } from './cannot-start.ts';
import type { FaultKind, FaultTarget } from './faults.ts';

/** `--chaos`: random faults, the same ones under the same seed. */
export interface Chaos {
  readonly seed: string;
  /** How many of 100 requests or deliveries are struck. */
  readonly percent: number;
}

/** Chaos as requested. */
export interface ChaosOptions {
  readonly seed: number | string;
  /** How many of 100 requests or first deliveries are struck. @default 10 */
  readonly percent?: number;
}

/** @throws CannotStart when the percentage is invalid */
export function chaosOf({ seed, percent = PERCENT }: ChaosOptions): Chaos {
  if (!(percent > 0 && percent <= 100)) throw new CannotStart(`${percent} is not a percentage above 0 and up to 100.`);
  return { seed: String(seed), percent };
}

const PERCENT = 10;

/** The id that marks strikes of chaos. */
export const CHAOS_ID = 'chaos';

const KINDS = {
  request: ['lost_answer', 'error', 'slow'],
  delivery: ['duplicate', 'lost_ack', 'reordered'],
} as const satisfies Record<FaultTarget, readonly FaultKind[]>;

const SLOW_MS = { min: 200, max: 1500 };

/** A strike that chaos drew. */
export interface Drawn {
  readonly kind: FaultKind;
  /** The delay of `slow`. */
  readonly delayMs: number;
}

/** The text to digest: the seed, the operation, and its number within that operation. */
export const chaosText = ({ seed }: Chaos, operation: string, number: number) => `${seed}\n${operation}\n${number}`;

/** Decides whether chaos strikes, and with which kind. `digest` has at least 12 evenly distributed bytes. */
export function drawChaos({ percent }: Chaos, target: FaultTarget, digest: Uint8Array): Drawn | null {
  const view = new DataView(digest.buffer, digest.byteOffset, digest.byteLength);
  if (view.getUint32(0) >= (percent / 100) * 2 ** 32) return null;
  const kinds = KINDS[target];
  return {
    kind: kinds[view.getUint32(4) % kinds.length] as FaultKind,
    delayMs: SLOW_MS.min + (view.getUint32(8) % (SLOW_MS.max - SLOW_MS.min + 1)),
  };
}
