import { gunzipSync, gzipSync } from 'node:zlib';
import { BadInput } from '../domain/cannot-start.ts';
import type { Dump } from '../store/dump.ts';
import { scrubbedValue } from './scrub.ts';

/** What failed, for the person who opens the trace. */
export interface TraceFailure {
  /** The command or the test. */
  readonly what: string;
  readonly exit_code: number | null;
  readonly messages: readonly string[];
}

/** A whole workspace at one moment, as one document. */
export interface TraceDocument extends Dump {
  readonly trace: 1;
  readonly layaway: string;
  readonly saved_at: string;
  readonly seed: string | null;
  readonly flags: readonly string[];
  readonly failure: TraceFailure | null;
}

/** Far more than the trace of a test suite; a file that would fill the memory is refused. */
const LARGEST_BYTES = 128 * 2 ** 20;

export const pack = (document: TraceDocument): Buffer =>
  gzipSync(JSON.stringify({ ...document, ...scrubbedValue({ flags: document.flags, failure: document.failure }) }), {
    level: 9,
  });

/** @throws BadInput when the bytes are no trace, are damaged or were saved by a newer version */
export function unpack(bytes: Uint8Array, file: string, version: string): TraceDocument {
  const document = parsed(bytes);
  if (typeof document !== 'object' || document === null || !('trace' in document)) throw damaged(file);
  const { trace, layaway, schema: its, tables } = document as Partial<TraceDocument> & { trace: unknown };
  if (typeof trace !== 'number' || typeof its !== 'number') throw damaged(file);
  if (trace > 1 || isNewer(String(layaway), version)) {
    throw new BadInput(`${file} was saved by a newer layaway (${layaway}). Update layaway to open it.`);
  }
  if (trace !== 1 || its < 1 || !isTables(tables)) throw damaged(file);
  return document as TraceDocument;
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(gunzipSync(bytes, { maxOutputLength: LARGEST_BYTES }).toString('utf8'));
  } catch {
    return null;
  }
}

const isTables = (tables: unknown): tables is Dump['tables'] =>
  typeof tables === 'object' &&
  tables !== null &&
  Object.values(tables).every(
    (table) =>
      Array.isArray(table?.columns) &&
      Array.isArray(table?.rows) &&
      table.rows.every(
        (row: unknown) => Array.isArray(row) && row.length === table.columns.length && row.every(isCell),
      ),
  );

const isCell = (cell: unknown) =>
  cell === null ||
  typeof cell === 'string' ||
  typeof cell === 'number' ||
  (typeof cell === 'object' && typeof (cell as { hex?: unknown }).hex === 'string');

const isNewer = (its: string, ours: string) =>
  its.localeCompare(ours, 'en', { numeric: true }) > 0 && /^\d+\.\d+\.\d+/.test(its);

const damaged = (file: string) =>
  new BadInput(`${file} is damaged or is not a trace. Save it again with \`layaway trace save\`.`);
