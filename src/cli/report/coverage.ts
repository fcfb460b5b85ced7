import { type CoverageReport, firstText } from '../../domain/coverage.ts';
import { counted } from '../../domain/text.ts';
import { type Paint, UNWRAPPED, type Wrap } from '../terminal/output.ts';
import type { Span } from '../terminal/table.ts';

type Situation = CoverageReport['situations'][number];

/** First the situations that were not met, with how to reach them, then the findings, then the sums. */
export function coverageLines(report: CoverageReport, paint: Paint, wrap: Wrap = UNWRAPPED): string[] {
  const { groups, situations, findings } = report;
  const missing = situations.filter(({ met }) => met === 0);
  return [
    ...groups.flatMap(({ id, title }) => {
      const unmet = missing.filter(({ group }) => group === id);
      return unmet.length === 0 ? [] : [paint.bold(`Not met: ${title}`), ...unmet.flatMap(unmetLines), ''];
    }),
    ...(findings.length === 0 ? [] : [paint.bold('Findings')]),
    ...findings.flatMap(({ rule, severity, title, count, first, why }) => [
      ...named([`${severity} ${rule}`, paint.red], `${title}, ${counted(count, 'time')}, first ${firstText(first)}`),
      ...below([why]),
    ]),
    ...(findings.length === 0 ? [] : ['']),
    ...groups.map(({ title, met, total }) => `  ${title.padEnd(widest(groups))}  ${fraction(met, total)}`),
    paint.bold(summaryOf(report)),
  ];

  function unmetLines({ id, title, how }: Situation) {
    return [...named([id, paint.yellow], title), ...below([how, paint.dim])];
  }

  function named(name: Span, text: string): string[] {
    const [first, ...rest] = wrap([name, [`  ${text}`]], 2, 4);
    return [`  ${first}`, ...rest.map((line) => `      ${line}`)];
  }

  function below(text: Span): string[] {
    return wrap([text], 4).map((line) => `    ${line}`);
  }
}

const widest = (groups: CoverageReport['groups']) => Math.max(...groups.map(({ title }) => title.length));
const fraction = (met: number, total: number) => `${String(met).padStart(3)} of ${String(total).padStart(3)}`;

/** `40 of 89 situations met (44.9%), 2 findings` */
export const summaryOf = ({ met, total, percent, findings }: CoverageReport) =>
  `${met} of ${total} situations met (${percent}%), ${findings.length === 0 ? 'no findings' : counted(findings.length, 'finding')}`;
