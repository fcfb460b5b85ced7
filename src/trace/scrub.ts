import { API_KEY, NO_USER_INFO, SIGNING_SECRET, USER_INFO } from '../domain/secret-text.ts';
import { decoded } from '../domain/text.ts';
import type { Cell, Dump } from '../domain/trace.ts';

/** Replaces a secret. */
export const GONE = '…';

const SECRET = new RegExp(`${USER_INFO.source}|${API_KEY.source}|${SIGNING_SECRET.source}`);
const SECRETS = new RegExp(SECRET.source, 'g');
/** All backslashes of a run: a search that began at each of them would take minutes for a long run. */
const BACKSLASHES = String.raw`(?<!\\)\\+`;
/**
 * An escape sequence of JSON, escaped again for each JSON that the text is in. It must stay whole, or the text does not
 * parse.
 */
const ESCAPED = `${BACKSLASHES}(?:["bfnrt]|u[0-9A-Fa-f]{4})`;
/** Text that may be an encoded secret, with % or with escape sequences. */
const ENCODED = new RegExp(
  String.raw`${BACKSLASHES}["bfnrt]|(?:${BACKSLASHES}(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|/)|[\w%.~!*'();:@&=+$,/?#[\]-])+`,
  'g',
);
const ESCAPE = new RegExp(`${BACKSLASHES}(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|/)`, 'g');
const PERCENT = /(?:%[0-9A-Fa-f]{2})+/g;
const HEX = new RegExp(`${ESCAPED}|[0-9A-Fa-f]{16,}`, 'g');
const BASE64 = new RegExp(`${ESCAPED}|${BACKSLASHES}/|[A-Za-z0-9+/_-]{16,}={0,2}`, 'g');

/** Columns that hold nothing but a secret. */
const EMPTIED: Readonly<Record<string, readonly string[]>> = {
  accounts: ['webhook_secret'],
  endpoints: ['secret', 'previous_secret', 'previous_secret_until'],
};
const NULLED = new Set(['previous_secret', 'previous_secret_until']);

/** A cookie of the length and form of a session id. Shorter ones, and those of plain words, are not secret. */
const SECRET_COOKIE = /^(?=.*\d)(?=.*[A-Za-z])(?!.*:\/\/)[\w.~+/=:-]{16,}$/;
/** Looking for more would take too long; the newest are looked for. */
const COOKIES_MAX = 200;

/** The secrets that only the server knows. */
export interface ServerSecrets {
  readonly controlToken: string;
  /** The Cookie headers of the requests in the log, newest first. */
  readonly cookies: readonly string[];
}

/**
 * Removes API keys, signing secrets, the user info of URLs, the control token and the values of cookies from every field
 * of a dump, plain or encoded. Pauses after each row, because a large dump takes seconds.
 */
export function* scrubbing(dump: Dump, { controlToken, cookies }: ServerSecrets): Generator<void, Dump> {
  const known = knownOf([controlToken, ...secretsOf(dump), ...secretCookies(dump, cookies)]);
  const tables: [string, Dump['tables'][string]][] = [];
  for (const [name, { columns, rows }] of Object.entries(dump.tables)) {
    const emptied = (EMPTIED[name] ?? []).map((column) => columns.indexOf(column));
    const clean: (readonly Cell[])[] = [];
    for (const row of rows) {
      clean.push(
        row.map((cell, index) => {
          if (emptied.includes(index)) return NULLED.has(columns[index] as string) ? null : '';
          if (typeof cell !== 'string') return cell;
          const text = columns[index] === 'response_headers' ? withoutCookies(cell) : cell;
          return scrubbedText(text, known);
        }),
      );
      yield;
    }
    tables.push([name, { columns, rows: clean }]);
  }
  return { ...dump, tables: Object.fromEntries(tables) };
}

/** Scrubs every string in a JSON value. */
export function scrubbedValue<T>(value: T): T {
  if (typeof value === 'string') return scrubbedText(value, NONE_KNOWN) as T;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => scrubbedValue(each)) as T;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, scrubbedValue(inner)])) as T;
}

/** Such a password also stands for other things, such as a status or a part of an id. It is removed only with its user. */
const ORDINARY = /^(?:[a-z_]{1,15}|\d{1,15})$/;

/** The signing secrets and the passwords of URLs, which may also appear without their URL. */
function secretsOf({ tables }: Dump): string[] {
  const found = new Set<string>();
  const secrets = Object.entries(EMPTIED).flatMap(([name, columns]) =>
    columns.flatMap((column) => cellsOf(tables, name, column)),
  );
  for (const secret of secrets) if (typeof secret === 'string') found.add(secret.replace(/^whsec_/, ''));
  for (const url of [...cellsOf(tables, 'endpoints', 'url'), ...cellsOf(tables, 'deliveries', 'url')]) {
    const [userInfo] = USER_INFO.exec(String(url)) ?? [];
    const [, pair = ''] = /^[:/\\]+(.*)@$/.exec(userInfo ?? '') ?? [];
    const [user = '', ...password] = pair.split(':');
    for (const part of [`${user}:${password.join(':')}`, password.join(':')]) {
      if (part.length > 3 && !ORDINARY.test(part)) found.add(part);
    }
  }
  return [...found].flatMap(formsOf);
}

/** The values of one column; none if the dump lacks its table. */
function cellsOf(tables: Dump['tables'], name: string, column: string): (Cell | undefined)[] {
  const { columns = [], rows = [] } = tables[name] ?? {};
  const index = columns.indexOf(column);
  return rows.map((row) => row[index]);
}

/** With its base64, because that of a short secret is not among the runs that are decoded. */
const formsOf = (secret: string) => {
  const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '');
  return [...new Set([secret, encodeURIComponent(secret), decoded(secret), base64])];
};

/** What a trace shows of the headers of an answer. */
function withoutCookies(headers: string): string {
  if (!headers.includes('"set-cookie"')) return headers;
  return JSON.stringify({ ...JSON.parse(headers), 'set-cookie': GONE });
}

/** The values of cookies that are secret. The longest come first, because one may contain another. */
function secretCookies({ tables }: Dump, sent: readonly string[]): string[] {
  const ids = new Set(
    Object.values(tables).flatMap(({ columns, rows }) =>
      columns.flatMap((column, index) => (PUBLIC.has(column) ? rows.map((row) => row[index]) : [])),
    ),
  );
  const received = cellsOf(tables, 'delivery_attempts', 'response_headers').flatMap((cell) => {
    const headers = String(cell);
    return headers.includes('"set-cookie"') ? [String(JSON.parse(headers)['set-cookie'])] : [];
  });
  const found = new Set<string>();
  for (const value of [...sent, ...received.reverse()].flatMap(cookieValues)) {
    if (found.size >= COOKIES_MAX) break;
    const plain = decoded(value);
    if (SECRET_COOKIE.test(plain) && !ids.has(plain)) found.add(value);
  }
  return [...found].flatMap(formsOf).sort((a, b) => b.length - a.length);
}

/** The columns of ids. A store may keep one in a cookie, but it is not secret. */
const PUBLIC = new Set(['token', 'reference', 'client_id']);

/** The values in a Cookie header, and in Set-Cookie headers that were joined with commas. */
const cookieValues = (header: string) =>
  [...header.matchAll(/(?:^|[;,])\s*[^=;,\s]+=([^;,\s]*)/g)].map(([, value = '']) => value.replaceAll('"', ''));

/** Secrets that no expression describes. */
interface Known {
  readonly secrets: readonly string[];
  /** The indexes of those in a text, in order. */
  indexesIn(text: string): readonly number[];
}

/** More secrets than this are looked for in one pass, because both they and the texts grow with the accounts. */
const FEW = 30;

const knownOf = (secrets: readonly string[]): Known => (secrets.length > FEW ? manyOf(secrets) : fewOf(secrets));

function fewOf(secrets: readonly string[]): Known {
  const indexes = [...secrets.keys()];
  return { secrets, indexesIn: (text) => indexes.filter((index) => text.includes(secrets[index] as string)) };
}

const NONE_KNOWN = fewOf([]);

/** A secret can only be where the code of this many characters is that of its beginning. */
const START = 4;
const CODES = 2 ** 16;
/** Shifts by four bits, so that a code is that of the last four characters. */
const nextCode = (code: number, unit: number) => ((code << 4) ^ unit) & (CODES - 1);

function manyOf(secrets: readonly string[]): Known {
  const short: number[] = [];
  const begun = new Array<number[] | undefined>(CODES).fill(undefined);
  for (const [index, secret] of secrets.entries()) {
    if (secret.length < START) {
      short.push(index);
      continue;
    }
    let code = 0;
    for (let at = 0; at < START; at += 1) code = nextCode(code, secret.charCodeAt(at));
    begun[code] = [...(begun[code] ?? []), index];
  }
  return {
    secrets,
    indexesIn(text) {
      const found = new Set(short.filter((index) => text.includes(secrets[index] as string)));
      let code = 0;
      for (let at = 0; at < text.length; at += 1) {
        code = nextCode(code, text.charCodeAt(at));
        const indexes = begun[code];
        if (!indexes) continue;
        for (const index of indexes) {
          if (text.startsWith(secrets[index] as string, at + 1 - START)) found.add(index);
        }
      }
      return [...found].sort((a, b) => a - b);
    },
  };
}

/** Each known secret leaves a mark of its own, because an idempotency key may hold one and is unique. */
function scrubbedText(text: string, known: Known): string {
  let clean = text;
  for (const index of known.indexesIn(text)) {
    clean = clean.replaceAll(known.secrets[index] as string, `${GONE}${index}`);
  }
  clean = clean.replace(SECRETS, (found) => (found.startsWith(':') ? NO_USER_INFO : `${found.slice(0, 6)}${GONE}`));
  if (/[%\\]/.test(clean)) clean = clean.replace(ENCODED, (run) => (isSecret(unescaped(run), known) ? GONE : run));
  for (const [runs, encoding] of [
    [HEX, 'hex'],
    [BASE64, 'base64'],
  ] as const) {
    clean = clean.replace(runs, (run) => (!run.startsWith('\\') && isEncoded(run, encoding, known) ? GONE : run));
  }
  return clean;
}

/** Tries every offset, because text before a secret shifts its groups. */
const isEncoded = (run: string, encoding: 'hex' | 'base64', known: Known) =>
  [0, 1, 2, 3].some((from) => isSecret(Buffer.from(run.slice(from), encoding).toString('latin1'), known));

/** Without escape sequences and percent-encoding. What is not encoded correctly stays. */
const unescaped = (run: string) =>
  run
    .replace(ESCAPE, (_, unit?: string, byte?: string) => {
      const code = unit ?? byte;
      return code === undefined ? '/' : String.fromCharCode(Number.parseInt(code, 16));
    })
    .replace(PERCENT, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString());

const isSecret = (text: string, known: Known) => SECRET.test(text) || known.indexesIn(text).length > 0;
