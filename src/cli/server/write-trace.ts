import { fileReason } from '../../domain/file-error.ts';
import type { TraceDocument } from '../../trace/file.ts';
import { failure } from '../exit.ts';
import { pastedArgument } from '../input/shell-quoted.ts';
import { writeWhole } from '../whole-file.ts';

export const toLookAt = (file: string) => `To look at it, run \`layaway trace open ${pastedArgument(file)}\`.`;

/** Writes a trace that only its owner can read, creates its folder if necessary, and returns its size in bytes. */
export async function writeTrace(file: string, document: TraceDocument): Promise<number> {
  const { pack } = await import('../../trace/file.ts');
  const bytes = pack(document);
  try {
    await writeWhole(file, bytes, { mode: 0o600 });
  } catch (error) {
    throw failure(`The trace could not be written to ${file} (${fileReason(error)}).`, error);
  }
  return bytes.length;
}
