import { gunzipSync, gzipSync } from 'node:zlib';
import { ASSUMPTIONS, isValueOf } from '../domain/assumptions.ts';
import { formatInstant } from '../domain/calendar.ts';
import { BadInput, DamagedTrace } from '../domain/cannot-start.ts';
import { EMAIL_TEMPLATES, renderEmail } from '../domain/email.ts';
import { FAULTS } from '../domain/faults.ts';
import { isRecord } from '../domain/json.ts';
import type { Dump } from '../store/dump.ts';
import { type Row, requestsIn, rowsOf, type TracedRequest } from './rows.ts';
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

/**
 * @throws DamagedTrace when the bytes are damaged or are no trace
 * @throws BadInput when they were saved by a newer version
 */
export function unpack(bytes: Uint8Array, file: string, version: string): TraceDocument {
  const document = parsed(bytes);
  if (!isRecord(document)) throw new DamagedTrace(file);
  const { trace, layaway, schema: its } = document;
  if (typeof trace !== 'number' || typeof layaway !== 'string') throw new DamagedTrace(file);
  if (trace > 1 || isNewer(layaway, version)) {
    throw new BadInput(`${file} was saved by a newer layaway (${layaway}). Update layaway to open it.`);
  }
  if (trace !== 1 || !Number.isInteger(its) || Number(its) < 1 || !isWhole(document)) throw new DamagedTrace(file);
  return document;
}

const isWhole = (document: object): document is TraceDocument => {
  const { saved_at, seed, flags, failure, tables } = document as Partial<Record<keyof TraceDocument, unknown>>;
  return (
    isInstant(saved_at) &&
    (seed === null || typeof seed === 'string') &&
    isTexts(flags) &&
    (failure === null || isFailure(failure)) &&
    isTables(tables) &&
    isReadable(document as Dump)
  );
};

const isInstant = (value: unknown) => typeof value === 'string' && !Number.isNaN(Date.parse(value));

const isTexts = (value: unknown) => Array.isArray(value) && value.every((each) => typeof each === 'string');

const isFailure = (value: unknown) =>
  isRecord(value) &&
  typeof value.what === 'string' &&
  (value.exit_code === null || Number.isInteger(value.exit_code)) &&
  isTexts(value.messages);

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

/** Columns with an instant, in whatever table. */
const INSTANTS = /(^|_)(at|since|until)$|^clock_ms$/;

/** Whether the texts and instants make sense that no constraint of the database checks. */
function isReadable(document: Dump): boolean {
  try {
    for (const { columns, rows } of Object.values(document.tables)) {
      const places = columns.flatMap((column, place) => (INSTANTS.test(column) ? [place] : []));
      for (const row of rows) {
        for (const place of places) if (row[place] !== null) formatInstant(Number(row[place]));
      }
    }
    return (
      requestsIn(document).every(isRequest) &&
      rowsOf(document, 'accounts').every(({ settings }) => isSettings(JSON.parse(String(settings)))) &&
      rowsOf(document, 'sessions').every(({ installment_count: count }) =>
        isValueOf(ASSUMPTIONS.installment_count, count),
      ) &&
      rowsOf(document, 'levers').every(({ params, body }) => {
        const [named, given] = [JSON.parse(String(params)), JSON.parse(String(body))];
        return isRecord(named) && isTexts(Object.values(named)) && (given === null || isRecord(given));
      }) &&
      rowsOf(document, 'events').every(
        ({ cause = null, body }) => (cause === null || typeof cause === 'string') && isRecord(JSON.parse(String(body))),
      ) &&
      rowsOf(document, 'emails').every(isEmail) &&
      rowsOf(document, 'workspace').every(({ unavailable_states }) => isTexts(JSON.parse(String(unavailable_states))))
    );
  } catch {
    return false;
  }
}

function isRequest({ at, clockAt = at, number, method, path, status = null, durationMs = 0, fault }: TracedRequest) {
  formatInstant(at);
  formatInstant(clockAt);
  return (
    typeof at === 'number' &&
    typeof clockAt === 'number' &&
    typeof number === 'number' &&
    typeof method === 'string' &&
    typeof path === 'string' &&
    (status === null || Number.isInteger(status)) &&
    typeof durationMs === 'number' &&
    (fault === null || (isRecord(fault) && Object.hasOwn(FAULTS, fault.kind)))
  );
}

/** Throws when the template needs a fact that is not there. */
function isEmail({ template, facts }: Row): boolean {
  const known = EMAIL_TEMPLATES.find((each) => each === template);
  return known !== undefined && renderEmail(known, JSON.parse(String(facts))).text !== '';
}

/** Names of older versions may be among them. */
const isSettings = (values: unknown) =>
  isRecord(values) &&
  Object.entries(values).every(
    ([name, value]) =>
      !Object.hasOwn(ASSUMPTIONS, name) || isValueOf(ASSUMPTIONS[name as keyof typeof ASSUMPTIONS], value),
  );

/** Whether one version comes after the other. A pre-release comes before its release; a build does not count. */
function isNewer(its: string, ours: string): boolean {
  const [a, b] = [its, ours].map((text) => /^(\d+\.\d+\.\d+)(?:-([^+]+))?/.exec(text));
  if (!a || !b) return false;
  const releases = inOrder(a[1], b[1]);
  if (releases !== 0) return releases > 0;
  const [stage, ourStage] = [a[2], b[2]];
  if (stage === undefined || ourStage === undefined) return stage === undefined && ourStage !== undefined;
  return inOrder(stage, ourStage) > 0;
}

const inOrder = (a = '', b = '') => a.localeCompare(b, 'en', { numeric: true });
