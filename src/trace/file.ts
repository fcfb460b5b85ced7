import { gunzipSync, gzipSync } from 'node:zlib';
import { ASSUMPTIONS, isValueOf } from '../domain/assumptions.ts';
import { formatInstant } from '../domain/calendar.ts';
import { BadInput, DamagedTrace } from '../domain/cannot-start.ts';
import { EMAIL_TEMPLATES, renderEmail } from '../domain/email.ts';
import { codeOf } from '../domain/error-code.ts';
import { FAULTS } from '../domain/faults.ts';
import { isRecord, parsed } from '../domain/json.ts';
import { TRACE_MAX_BYTES } from '../domain/limits.ts';
import type { Dump, TraceState } from '../domain/trace.ts';
import { type Row, requestsOf, rowOf, type TracedRequest } from './rows.ts';
import { scrubbedValue } from './scrub.ts';

/** What failed, for the person who opens the trace. */
export interface TraceFailure {
  /** The command, the test or the scenario. */
  readonly what: string;
  readonly exit_code: number | null;
  readonly messages: readonly string[];
  /** The account of the failed test or scenario, where others may use the server, too. */
  readonly client_id?: string;
}

/** A whole workspace at one moment, as one document. */
export interface TraceDocument extends TraceState {
  readonly trace: 1;
  readonly failure: TraceFailure | null;
}

export const pack = (document: TraceDocument): Buffer =>
  gzipSync(JSON.stringify({ ...document, ...scrubbedValue({ flags: document.flags, failure: document.failure }) }), {
    level: 9,
  });

/**
 * @throws DamagedTrace when the bytes are damaged or are not a trace
 * @throws BadInput when they were saved by a newer version
 */
export function unpack(bytes: Uint8Array, file: string, version: string): TraceDocument {
  const text = unpacked(bytes, file);
  if (partsIn(text) > PARTS_MAX) throw new DamagedTrace(file, `it has more than ${PARTS_MAX / 1e6} million rows`);
  const document = parsed(text.toString('utf8'), null);
  if (!isRecord(document)) throw new DamagedTrace(file);
  const { trace, layaway } = document;
  if (typeof trace !== 'number' || typeof layaway !== 'string') throw new DamagedTrace(file);
  if (trace > 1 || isNewer(layaway, version)) {
    throw new BadInput(`${file} was saved by a newer layaway (${layaway}). Update layaway to open it.`);
  }
  if (trace !== 1) throw new DamagedTrace(file);
  const why = damageIn(document);
  if (why !== null) throw new DamagedTrace(file, why);
  return document as unknown as TraceDocument;
}

/** What is wrong with a document, and where; null when nothing is. */
function damageIn(document: Readonly<Record<string, unknown>>): string | null {
  const wrong = Object.entries(FIELDS).find(([name, isValid]) => !isValid(document[name]));
  if (wrong) return `its field ${wrong[0]} is missing or not valid`;
  for (const [name, table] of Object.entries(document.tables as object)) {
    const why = isTable(name, table) ? damageInRows(name, table) : 'one of its tables is not a list of rows';
    if (why !== null) return why;
  }
  return null;
}

const isInstant = (value: unknown) => typeof value === 'string' && !Number.isNaN(Date.parse(value));

const isTexts = (value: unknown) => Array.isArray(value) && value.every((each) => typeof each === 'string');

const isFailure = (value: unknown) =>
  isRecord(value) &&
  typeof value.what === 'string' &&
  (value.exit_code === null || Number.isInteger(value.exit_code)) &&
  isTexts(value.messages) &&
  (value.client_id === undefined || typeof value.client_id === 'string');

const FIELDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  schema: (value) => Number.isInteger(value) && Number(value) >= 1,
  saved_at: isInstant,
  seed: (value) => value === null || typeof value === 'string',
  flags: isTexts,
  failure: (value) => value === null || isFailure(value),
  tables: isRecord,
};

/** @throws DamagedTrace when it is no gzip file, or there is too much in it */
function unpacked(bytes: Uint8Array, file: string): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: TRACE_MAX_BYTES });
  } catch (error) {
    if (codeOf(error) !== 'ERR_BUFFER_TOO_LARGE') throw new DamagedTrace(file);
    throw new DamagedTrace(file, `it unpacks to more than ${TRACE_MAX_BYTES / 2 ** 20} MiB`, { cause: error });
  }
}

/** No trace of the largest size has as many. In memory, an empty list takes ten times as much as in its text. */
const PARTS_MAX = 4_000_000;

/** How many lists and objects there are outside the strings of a JSON text. A trace has one for each row. */
function partsIn(text: Uint8Array): number {
  let parts = 0;
  let isString = false;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at];
    if (byte === QUOTE) isString = !isString;
    else if (byte === BACKSLASH) at += 1;
    else if (!isString && (byte === LIST || byte === OBJECT)) parts += 1;
  }
  return parts;
}

const [QUOTE, BACKSLASH, LIST, OBJECT] = Buffer.from('"\\[{');

type Table = Dump['tables'][string];

const isTable = (name: string, table: Partial<Record<keyof Table, unknown>> | null): table is Table =>
  /^\w+$/.test(name) && isTexts(table?.columns) && Array.isArray(table?.rows);

/** Columns with an instant, in whatever table. */
const INSTANTS = /(^|_)(at|since|until)$|^clock_ms$/;

/** Columns with an id, in whatever table. It becomes part of commands to copy, so nothing in it may mean more to a shell. */
const IDS = /^(token|client_id|reference|subject)$/;
const isId = (cell: unknown) => cell === null || /^\w[\w-]*(#\d+)?$/.test(String(cell));

/** Finds the first row with a value that makes no sense and that no constraint of the database checks. */
function damageInRows(name: string, { columns, rows }: Table): string | null {
  const ids = columns.flatMap((column, place) => (IDS.test(column) ? [place] : []));
  const instants = columns.flatMap((column, place) => (INSTANTS.test(column) ? [place] : []));
  const isReadable = Object.hasOwn(READABLE, name) ? READABLE[name] : undefined;
  for (const [index, row] of rows.entries()) {
    const where = () => `row ${index + 1} of the table ${name}`;
    const isRow = Array.isArray(row) && row.length === columns.length && row.every(isCell);
    if (!isRow) return `${where()} does not fit its columns`;
    const wrong = instants.find((place) => row[place] !== null && !succeeds(() => formatInstant(Number(row[place]))));
    if (wrong !== undefined) return `${columns[wrong]} in ${where()} is not an instant`;
    const unlike = ids.find((place) => !isId(row[place]));
    if (unlike !== undefined) return `${columns[unlike]} in ${where()} is not an id`;
    if (isReadable && !succeeds(() => isReadable(rowOf(columns, row)))) return `${where()} cannot be read`;
  }
  return null;
}

/** Whether it neither throws nor returns false. */
function succeeds(work: () => unknown): boolean {
  try {
    return work() !== false;
  } catch {
    return false;
  }
}

const isCell = (cell: unknown) =>
  cell === null ||
  typeof cell === 'string' ||
  typeof cell === 'number' ||
  (typeof cell === 'object' && typeof (cell as { hex?: unknown }).hex === 'string');

/** Whether the texts in a row make sense. They throw or return false. */
const READABLE: Readonly<Record<string, (row: Row) => boolean>> = {
  requests: (row) => requestsOf(row).every(isRequest),
  accounts: ({ settings }) => isSettings(JSON.parse(String(settings))),
  sessions: ({ installment_count: count }) => isValueOf(ASSUMPTIONS.installment_count, count),
  levers({ operation, params, body }) {
    const [named, given] = [JSON.parse(String(params)), JSON.parse(String(body))];
    const hasNoBody = given === null && operation !== 'addFault';
    return isRecord(named) && isTexts(Object.values(named)) && (hasNoBody || isRecord(given));
  },
  events: ({ cause = null, body }) =>
    (cause === null || typeof cause === 'string') && isRecord(JSON.parse(String(body))),
  emails: isEmail,
  workspace: ({ unavailable_states }) => isTexts(JSON.parse(String(unavailable_states))),
};

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
