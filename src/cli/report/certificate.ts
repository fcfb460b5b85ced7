import { isCounted } from '../../certify/certificate.ts';
import { countOfRight, isNotExamined, isUnobserved, remarksIn, statusOfAllRefused } from '../../certify/notes.ts';
import { shortened } from '../../domain/text.ts';
import type { Certificate, CertifyCheck, CertifyExchange } from '../../index.ts';
import { type Paint, PLAIN, UNWRAPPED, type Wrap } from '../terminal/output.ts';
import { printable, printableJson } from '../terminal/printable.ts';
import type { Span } from '../terminal/table.ts';
import { type JunitCase, junitXml } from './junit-xml.ts';

/** How much of a body the text report shows. The JSON report has more. */
const SHOWN_CHARACTERS = 160;
/** Exchanges shown of a check that failed. */
const SHOWN_EXCHANGES = 2;

/** As wide as the longest id. */
const ID_WIDTH = 18;
/** Where the titles, the labels and the texts behind labels begin. */
const TITLE_AT = ID_WIDTH + 6;
const LABEL_AT = 6;
const TEXT_AT = 16;

/**
 * A check as a person reads it: short when it passed, with everything that helps when it failed, and in brief when it
 * failed as `genuine` did.
 */
export function checkLines(
  check: CertifyCheck,
  paint: Paint,
  { wrap = UNWRAPPED, isBrief = false }: { readonly wrap?: Wrap; readonly isBrief?: boolean } = {},
): string[] {
  const { id, level, title, verdict, why, fix, note } = check;
  const remark: Span = [level === 'should' ? ' (should)' : '', paint.dim];
  const name = `${paint.bold(id)}${' '.repeat(ID_WIDTH - id.length)}`;
  if (verdict === 'skip') {
    return behind(`  ${paint.dim(`- ${id.padEnd(ID_WIDTH)}`)}  `, TITLE_AT, [[note ?? '', paint.dim]], wrap);
  }
  if (verdict === 'pass') {
    const isOnlyCounted = isUnobserved(check);
    const remarks = isOnlyCounted ? [] : remarksIn(check);
    const answers: Span = [`  ${answersOf(check)}${isOnlyCounted ? '; the state was not compared' : ''}`, paint.dim];
    return [
      ...behind(`  ${paint.green('✓')} ${name}  `, TITLE_AT, [[title], remark, answers], wrap),
      ...remarks.flatMap((line) => behind(' '.repeat(LABEL_AT), LABEL_AT, [[line, paint.dim]], wrap)),
    ];
  }
  const mark = level === 'must' ? paint.red('✗') : paint.yellow('✗');
  const heading = behind(
    `  ${mark} ${name}  `,
    TITLE_AT,
    [[title], remark, isBrief ? [`  ${answersOf(check)}`, paint.dim] : ['']],
    wrap,
  );
  if (isBrief) return heading;
  return [
    ...heading,
    ...(note ?? '').split('\n').flatMap((line) => behind(' '.repeat(LABEL_AT), LABEL_AT, [[line]], wrap)),
    ...check.exchanges.slice(0, SHOWN_EXCHANGES).flatMap((exchange) => exchangeLines(exchange, paint, wrap)),
    ...labeled('why', why, paint, wrap),
    ...labeled('fix', fix, paint, wrap),
  ];
}

/** What is sent is not wrapped, so that it can be copied. */
function exchangeLines({ sent, answered }: CertifyExchange, paint: Paint, wrap: Wrap): string[] {
  const headers = Object.entries(sent.headers).map(([name, value]) => `${name}: ${value}`);
  const body = sent.body === null ? [] : [beginningOf(sent.body)];
  const said = answered.body ? `  ${beginningOf(titleOf(answered.body) ?? answered.body)}` : '';
  const status =
    answered.status === null ? `no response: ${answered.error}` : `${answered.status}${brokenOff(answered)}`;
  return [
    ...labeled('sent', `${sent.what}: ${sent.method} ${sent.url}`, paint, wrap),
    ...[...headers, ...body].map((line) => `${' '.repeat(TEXT_AT)}${paint.dim(line)}`),
    ...labeled('answered', `${status} (${answered.duration_ms} ms)${said}`, paint, wrap),
  ];
}

const labeled = (label: string, text: string, { cyan }: Paint, wrap: Wrap) =>
  behind(
    `${' '.repeat(LABEL_AT)}${cyan(label)}${' '.repeat(TEXT_AT - LABEL_AT - label.length)}`,
    TEXT_AT,
    [[text]],
    wrap,
  );

/** Text behind a lead that takes `at` columns; its further lines are indented like its first. */
function behind(lead: string, at: number, text: readonly Span[], wrap: Wrap): string[] {
  const [first = '', ...rest] = wrap(text, at);
  return [`${lead}${first}`, ...rest.map((line) => `${' '.repeat(at)}${line}`)];
}

const brokenOff = ({ error }: CertifyExchange['answered']) => (error === null ? '' : ` (${error})`);

/** What a page says first is in its title; its beginning is markup. Frameworks name the exception there. */
const titleOf = (text: string): string | undefined =>
  /^\s*(?:<!--.*?-->\s*)?<(?:!doctype html|html)[\s>].*?<title>([^<]+)<\/title>/is.exec(text)?.[1];

const beginningOf = (text: string) => shortened(text.replace(/\s+/g, ' ').trim(), SHOWN_CHARACTERS);

/** `204 ×10, 400` */
function answersOf(check: CertifyCheck): string {
  const all = countOfRight(check);
  if (all !== undefined) return `${all} responses`;
  const counts = new Map<string, number>();
  for (const { answered } of check.exchanges) {
    const name = String(answered.status ?? 'no response');
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => (count === 1 ? name : `${name} ×${count}`)).join(', ');
}

/**
 * The earlier check that a failed check repeats: `genuine`, if it got nothing but the answer that every genuine event got;
 * or one that got no answer for the same reason. Only a redirect has more to tell: where it leads.
 */
export function repeatedBy(check: CertifyCheck, made: readonly CertifyCheck[]): string | undefined {
  const { id, verdict, exchanges } = check;
  if (verdict !== 'fail' || exchanges.length === 0) return undefined;
  const isRepeated = ({ answered }: CertifyExchange, earlier: CertifyCheck) =>
    answered.status === null
      ? earlier.exchanges.some((each) => reasonOf(each) === reasonOf({ answered }))
      : id !== 'no-redirect' && answered.status === statusOfAllRefused(earlier);
  return made
    .slice(0, made.indexOf(check))
    .find((earlier) => earlier.verdict === 'fail' && exchanges.every((each) => isRepeated(each, earlier)))?.id;
}

/** Why there was no answer. After some that did not come in time, nothing more is sent. */
const reasonOf = ({ answered: { error } }: Pick<CertifyExchange, 'answered'>) =>
  error?.replace(/^not sent: .* got (?=no complete response)/, '');

/** Checks that were not asked for are counted but not shown. */
export const isTold = (check: CertifyCheck) => check.verdict !== 'skip' || isNotExamined(check);

export function summaryOf({ passed, failed, skipped, checks }: Certificate): string {
  const musts = checks.filter(({ verdict, level }) => verdict === 'fail' && level === 'must').length;
  const failures = failed === 0 ? '0 failed' : `${failed} failed (${musts} must, ${failed - musts} should)`;
  return `${passed} passed, ${failures}, ${skipped} skipped.`;
}

/** Of an examination that a signal ended; the certificate also has the checks that were not made. */
export function interruptionOf(made: readonly CertifyCheck[], { checks }: Certificate): string {
  const count = (wanted: CertifyCheck['verdict']) => made.filter(({ verdict }) => verdict === wanted).length;
  const open = checks.slice(made.length).filter(isTold).length;
  return `Interrupted: ${count('pass')} passed, ${count('fail')} failed, ${open} not examined.`;
}

export const headingOf = (url: string, { bold }: Paint) => bold(`Examining ${url}`);

function specCertificate(url: string, { checks }: Certificate, summary: string): string {
  const told = checks
    .filter(isTold)
    .flatMap((check) => checkLines(check, PLAIN, { isBrief: repeatedBy(check, checks) !== undefined }));
  return `${[headingOf(url, PLAIN), ...told, ...closingOf(checks), summary].map(printable).join('\n')}\n`;
}

/** The whole report in the format of that reporter. */
export function certificateAs(
  reporter: 'spec' | 'json' | 'junit',
  url: string,
  certificate: Certificate,
  summary: string,
): string {
  if (reporter === 'json') return jsonCertificate(certificate);
  if (reporter === 'junit') return junitCertificate(url, certificate);
  return specCertificate(url, certificate, summary);
}

/** What to read first, if checks are told in brief. */
export function closingOf(checks: readonly CertifyCheck[], wrap: Wrap = UNWRAPPED): string[] {
  const first = new Set(checks.map((check) => repeatedBy(check, checks)).filter((id) => id !== undefined));
  if (first.size === 0) return [];
  const names = [...first].map((id) => `\`${id}\``).join(' and ');
  return wrap(
    [[`Fix ${names} first: the failures without details had the same outcome, so they may have the same cause.`]],
    0,
  );
}

const jsonCertificate = (certificate: Certificate): string =>
  `${printableJson(JSON.stringify(certificate, null, 2))}\n`;

/** A case for each check, with its exchanges. A failed `should` that does not count is a skipped case. */
function junitCertificate(url: string, { checks, level }: Certificate): string {
  const cases = checks.map((check): JunitCase => {
    const counts = check.verdict === 'fail' && isCounted(check, level);
    return {
      name: `${check.id} ${check.title}`,
      classname: check.level,
      ...(counts ? { failure: { message: firstLine(check), text: check.note ?? '' } } : {}),
      ...(check.verdict !== 'pass' && !counts ? { skipped: firstLine(check) } : {}),
      out: checkLines(check, PLAIN).join('\n'),
    };
  });
  return junitXml('layaway certify', [{ name: url, cases }]);
}

const firstLine = ({ note }: CertifyCheck) => (note ?? '').split('\n')[0] as string;
