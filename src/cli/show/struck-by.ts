import type { FaultMark } from '../../domain/faults.ts';
import type { Paint } from '../terminal/output.ts';

/** The last part of a line: the fault that struck, if one did. */
export const struckBy = ({ yellow }: Paint, fault: Pick<FaultMark, 'kind'> | null): string[] =>
  fault ? [yellow(`fault: ${fault.kind}`)] : [];
