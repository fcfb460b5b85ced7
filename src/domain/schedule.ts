import { addMonths, DAY, type Instant, startOfDay, WEEK } from './calendar.ts';
import type { Cadence, Quote } from './quote.ts';

export type CaptureType = 'cart_capture' | 'installment_capture';

/** One capture as planned (§2.7). */
export interface PlannedCapture {
  /** Position in the schedule; 1 is the Cart Capture. */
  readonly sequence: number;
  readonly type: CaptureType;
  /** From 1; null for the Cart Capture. */
  readonly number: number | null;
  readonly amountCents: number;
  /** Deadline: 00:00:00 UTC of the due date. */
  readonly dueAt: Instant;
}

/** Plans the captures if the Cart Capture lands at `anchor`. */
export function schedule(quote: Quote, cadence: Cadence, anchor: Instant): PlannedCapture[] {
  const cart = captureOf(1, quote.cartCaptureCents, cadence, anchor);
  return [cart, ...quote.installmentCents.map((cents, index) => captureOf(index + 2, cents, cadence, anchor))];
}

/** Due dates strictly increase from the anchor's UTC date (@assumed decisions §3). */
export function dueAt(sequence: number, cadence: Cadence, anchor: Instant): Instant {
  const first = startOfDay(anchor);
  const steps = sequence - 1;
  if (cadence === 'monthly') return addMonths(first, steps);
  return first + steps * (cadence === 'weekly' ? WEEK : 14 * DAY);
}

function captureOf(sequence: number, amountCents: number, cadence: Cadence, anchor: Instant): PlannedCapture {
  return {
    sequence,
    type: captureType(sequence),
    number: installmentNumber(sequence),
    amountCents,
    dueAt: dueAt(sequence, cadence, anchor),
  };
}

export const captureType = (sequence: number): CaptureType => (sequence === 1 ? 'cart_capture' : 'installment_capture');
/** §2.7: Installment Captures are numbered from 1; the Cart Capture has no number. */
export const installmentNumber = (sequence: number) => (sequence === 1 ? null : sequence - 1);
export const sequenceOf = (number: number) => number + 1;
