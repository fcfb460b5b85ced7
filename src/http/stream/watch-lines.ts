import type { FaultMark } from '../../operations/wire.ts';

/** A request, for watchers of the server. */
export interface RequestLine {
  /** Real time, in milliseconds since 1970. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  /** Null when a fault lost the request. */
  readonly status: number | null;
  readonly durationMs: number;
  /** The fault that struck it. */
  readonly fault: FaultMark | null;
}

/** A delivery attempt, for watchers of the server. */
export interface DeliveryLine {
  /** The real time of sending, in milliseconds since 1970. */
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
  /** The fault that struck it. */
  readonly fault: FaultMark | null;
}

/** An account clock that was moved, for watchers of the server. */
export interface ClockLine {
  /** Real time, in milliseconds since 1970. */
  readonly at: number;
  readonly clientId: string;
  readonly mode: 'running' | 'frozen';
  /** The time that it shows now, in milliseconds since 1970. */
  readonly now: number;
}
