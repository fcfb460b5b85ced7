import type { CoverageReport } from '../../domain/coverage.ts';
import { escapedXml as escaped } from './junit.ts';

/** JUnit's XML: a case for each situation, skipped where it was not met, and for each finding, failed. */
export function coverageJunit({ groups, situations, findings, met, total }: CoverageReport): string {
  const sum = (tests: number, failures: number, skipped: number) =>
    `tests="${tests}" failures="${failures}" skipped="${skipped}" errors="0" time="0"`;
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="layaway coverage" ${sum(total + findings.length, findings.length, total - met)}>`,
    ...groups.flatMap((group) => [
      `  <testsuite name="${escaped(group.title)}" ${sum(group.total, 0, group.total - group.met)}>`,
      ...situations
        .filter((situation) => situation.group === group.id)
        .flatMap((situation) => {
          const head = `    <testcase name="${escaped(situation.title)}" classname="${escaped(situation.id)}" time="0"`;
          if (situation.met > 0) return [`${head}/>`];
          return [`${head}>`, `      <skipped message="${escaped(situation.how)}"/>`, '    </testcase>'];
        }),
      '  </testsuite>',
    ]),
    ...(findings.length === 0 ? [] : [`  <testsuite name="Findings" ${sum(findings.length, findings.length, 0)}>`]),
    ...findings.flatMap(({ rule, severity, title, count, first, why }) => [
      `    <testcase name="${escaped(title)}" classname="${escaped(`findings.${rule}`)}" time="0">`,
      `      <failure message="${escaped(`${severity}: ${title}`)}">${escaped(`${why}\nCount: ${count}. First: ${first.kind} ${first.id}, ${first.at}.`)}</failure>`,
      '    </testcase>',
    ]),
    ...(findings.length === 0 ? [] : ['  </testsuite>']),
    '</testsuites>',
  ];
  return `${lines.join('\n')}\n`;
}
