import type { Sealed } from '../store/store.ts';
import type { TraceDocument } from './file.ts';

/** The state of an opened trace. It sends nothing. Its signing secrets are new, because a trace holds none. */
export const sealedBy = (trace: TraceDocument | null, draw: () => string): Sealed | null =>
  trace ? { dump: trace, reason: 'opened from a trace', secret: () => `whsec_${draw().slice(0, 32)}` } : null;
