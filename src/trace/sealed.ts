import type { Sealed } from '../store/store.ts';
import type { TraceDocument } from './file.ts';

/** The state of a trace, as it is shown: it sends nothing, and its signing secrets are drawn anew. */
export const sealedBy = (trace: TraceDocument | null, draw: () => string): Sealed | null =>
  trace ? { dump: trace, reason: 'opened from a trace', secret: () => `whsec_${draw().slice(0, 32)}` } : null;
