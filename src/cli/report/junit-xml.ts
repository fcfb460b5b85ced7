import { escaped } from '../../domain/text.ts';
import { STEERING } from '../terminal/printable.ts';

export interface JunitCase {
  readonly name: string;
  readonly classname: string;
  readonly file?: string;
  readonly line?: number;
  readonly failure?: { readonly message: string; readonly text: string };
  /** The reason, if there is a text. */
  readonly skipped?: true | string;
  readonly out?: string;
}

export interface JunitSuite {
  readonly name: string;
  readonly file?: string;
  readonly cases: readonly JunitCase[];
}

/** A report in JUnit's XML. Nothing is timed, so that the report is the same on every run. */
export function junitXml(name: string, suites: readonly JunitSuite[]): string {
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${name}" ${counts(suites.flatMap(({ cases }) => cases))}>`,
    ...suites.flatMap(({ name, file, cases }) => [
      `  <testsuite ${attributes({ name, file })} ${counts(cases)}>`,
      ...cases.flatMap(caseLines),
      '  </testsuite>',
    ]),
    '</testsuites>',
  ];
  return `${lines.join('\n')}\n`;
}

function counts(cases: readonly JunitCase[]): string {
  const failures = cases.filter(({ failure }) => failure !== undefined).length;
  const skipped = cases.filter(({ skipped }) => skipped !== undefined).length;
  return `tests="${cases.length}" failures="${failures}" skipped="${skipped}" errors="0" time="0"`;
}

function caseLines({ name, classname, file, line, failure, skipped, out }: JunitCase): string[] {
  const head = `    <testcase ${attributes({ name, classname, file, line })} time="0"`;
  const within = [
    ...(failure === undefined
      ? []
      : [`<failure ${attributes({ message: failure.message })}>${xmlText(failure.text)}</failure>`]),
    ...(skipped === undefined
      ? []
      : [skipped === true ? '<skipped/>' : `<skipped ${attributes({ message: skipped })}/>`]),
    ...(out === undefined ? [] : [`<system-out>${xmlText(out)}</system-out>`]),
  ];
  return within.length === 0
    ? [`${head}/>`]
    : [`${head}>`, ...within.map((element) => `      ${element}`), '    </testcase>'];
}

const attributes = (values: Readonly<Record<string, string | number | undefined>>) =>
  Object.entries(values)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}="${xmlText(String(value))}"`]))
    .join(' ');

/** Leaves out what XML cannot hold, and escapes what would control a terminal that shows the report. */
const xmlText = (text: string) =>
  escaped(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that XML forbids
    text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, ''),
  ).replace(STEERING, (character) => (character === '\n' ? character : `&#${character.charCodeAt(0)};`));
