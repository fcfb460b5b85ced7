import { neutral } from '../../scenario/neutral.ts';
import type { ScenarioResult, StepResult } from '../../scenario/play.ts';
import { STEERING } from '../terminal/printable.ts';
import { differenceLines } from './diff.ts';
import { problemLines, titleLine } from './spec.ts';

/** JUnit's XML: a suite for each scenario, a case for each step. No time is real, so each is 0. */
export function junitReport(results: readonly ScenarioResult[]): string {
  const suites = results.map(neutral);
  const steps = suites.flatMap((suite) => suite.steps);
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="layaway run" ${counts(steps)} time="0">`,
    ...suites.flatMap(({ file, name, steps }) => [
      `  <testsuite name="${escapedXml(name)}" file="${escapedXml(file)}" ${counts(steps)} time="0">`,
      ...steps.flatMap((step, index) => testCase(step, index, file)),
      '  </testsuite>',
    ]),
    '</testsuites>',
  ];
  return `${lines.join('\n')}\n`;
}

const counts = (steps: readonly StepResult[]) => {
  const count = (status: StepResult['status']) => steps.filter((step) => step.status === status).length;
  return `tests="${steps.length}" failures="${count('failed')}" skipped="${count('skipped')}" errors="0"`;
};

function testCase(step: StepResult, index: number, file: string): string[] {
  const name = escapedXml(`${index + 1} ${titleLine(step)}`);
  const head = `    <testcase name="${name}" classname="${escapedXml(file)}" file="${escapedXml(file)}" line="${step.line}" time="0"`;
  const struck = (step.faults ?? []).map(({ kind, on }) => `${kind} struck ${on}`);
  if (step.status === 'passed' && struck.length > 0) return [`${head}>`, ...systemOut(struck), '    </testcase>'];
  if (step.status === 'passed') return [`${head}/>`];
  if (step.status === 'skipped') return [`${head}>`, '      <skipped/>', '    </testcase>'];
  const text = [...problemLines(step, file), ...step.differences.flatMap((each) => differenceLines(each, file))];
  const message = step.problem?.split('\n')[0] ?? `${step.differences.map(({ at }) => at).join(', ')} not as expected`;
  return [
    `${head}>`,
    `      <failure message="${escapedXml(message)}">${escapedXml(text.join('\n'))}</failure>`,
    ...systemOut(struck),
    '    </testcase>',
  ];
}

const systemOut = (lines: readonly string[]) =>
  lines.length === 0 ? [] : [`      <system-out>${escapedXml(lines.join('\n'))}</system-out>`];

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** What XML cannot hold at all is left out; what would steer a terminal that shows the report is escaped. */
export const escapedXml = (text: string) =>
  text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that XML forbids
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .replace(/[&<>"]/g, (character) => ENTITIES[character] as string)
    .replace(STEERING, (character) => (character === '\n' ? character : `&#${character.charCodeAt(0)};`));
