import { DamagedTrace } from '../domain/cannot-start.ts';
import { MODES, type Mode } from '../domain/mode.ts';
import { OPENED } from '../domain/webhook.ts';
import type { Sealed } from '../store/file/dump.ts';
import type { TraceDocument } from './file.ts';
import { rowsOf } from './rows.ts';

/** Draws the credentials that are the same on every machine. */
interface DefaultDraw {
  readonly clientId: (mode: Mode, n: number) => string;
}

/**
 * The state of an opened trace. It sends nothing. Its signing secrets are new, because a trace holds none.
 * @throws DamagedTrace when its default merchant has other client ids than everywhere
 */
export function sealedBy(trace: TraceDocument | null, draw: () => string, { clientId }: DefaultDraw): Sealed | null {
  if (trace === null) return null;
  const known = rowsOf(trace, 'accounts').map(({ client_id }) => client_id);
  if (!MODES.every((mode) => known.includes(clientId(mode, 1)))) {
    throw new DamagedTrace(undefined, 'the accounts of its default merchant are missing or have other client ids');
  }
  return {
    dump: trace,
    disabledReason: OPENED,
    givenUpReason: 'it was pending when the trace was saved, and an opened trace sends nothing',
    secret: () => `whsec_${draw().slice(0, 32)}`,
  };
}
