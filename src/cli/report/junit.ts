import { neutral } from '../../scenario/neutral.ts';
import type { ScenarioResult, StepResult, Unplayed } from '../../scenario/result.ts';
import { type JunitCase, junitXml } from './junit-xml.ts';
import { failureLines, titleLine } from './spec.ts';

/** A suite for each scenario, a case for each step. */
export const junitReport = (results: readonly (ScenarioResult | Unplayed)[]): string =>
  junitXml(
    'layaway run',
    results
      .map(neutral)
      .map(({ file, name, steps }) => ({ name, file, cases: steps.map((step, index) => caseOf(step, index, file)) })),
  );

function caseOf(step: StepResult, index: number, file: string): JunitCase {
  const place = { name: `${index + 1} ${titleLine(step)}`, classname: file, file, line: step.line };
  if (step.status === 'skipped') return { ...place, skipped: true };
  const struck = (step.faults ?? []).map(({ kind, on }) => `${kind} struck ${on}`);
  const out = struck.length === 0 ? {} : { out: struck.join('\n') };
  if (step.status === 'passed') return { ...place, ...out };
  const message = step.problem?.split('\n')[0] ?? `${step.differences.map(({ at }) => at).join(', ')} not as expected`;
  return { ...place, failure: { message, text: failureLines(step, file).join('\n') }, ...out };
}
