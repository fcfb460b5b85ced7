import type { FaultMark } from '../../domain/faults.ts';

/** One request, for whoever watches the server. */
export interface RequestLine {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  /** Null when a fault lost the request. */
  readonly status: number | null;
  readonly durationMs: number;
  /** What struck it. */
  readonly fault: FaultMark | null;
}

/** One attempt to deliver, for whoever watches the server. */
export interface DeliveryLine {
  /** Real time of sending. */
  readonly at: number;
  readonly id: string;
  readonly eventId: string;
  readonly type: string;
  readonly subject: string;
  readonly url: string;
  readonly attempt: number;
  readonly statusCode: number | null;
  readonly durationMs: number;
  readonly error: string | null;
  /** What struck it. */
  readonly fault: FaultMark | null;
}

/** An account clock that was moved, for whoever watches the server. */
export interface ClockLine {
  /** Real time. */
  readonly at: number;
  readonly clientId: string;
  readonly mode: 'running' | 'frozen';
  /** Where it stands now. */
  readonly now: number;
}
