import type { Sealed } from '../store/store.ts';
import type { TraceDocument } from './file.ts';

/** The state of a trace, as it is shown: it sends nothing. */
export const sealedBy = (trace: TraceDocument | undefined, secret: () => string): Sealed | null =>
  trace ? { dump: trace, reason: 'opened from a trace', secret } : null;
