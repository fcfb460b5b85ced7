import { type CoverageReport, firstText } from '../../domain/coverage.ts';
import { type JunitSuite, junitXml } from './junit-xml.ts';

/** A case for each situation, skipped if it was not met, and a failed case for each finding. */
export function coverageJunit({ groups, situations, findings }: CoverageReport): string {
  const ofGroups = groups.map(
    ({ id, title }): JunitSuite => ({
      name: title,
      cases: situations
        .filter(({ group }) => group === id)
        .map(({ id, title, met, how }) => ({ name: title, classname: id, ...(met > 0 ? {} : { skipped: how }) })),
    }),
  );
  const ofFindings: JunitSuite = {
    name: 'Findings',
    cases: findings.map(({ rule, severity, title, count, first, why }) => ({
      name: title,
      classname: `findings.${rule}`,
      failure: {
        message: `${severity}: ${title}`,
        text: `${why}\nCount: ${count}. First: ${firstText(first)}, ${first.at}.`,
      },
    })),
  };
  return junitXml('layaway coverage', findings.length === 0 ? ofGroups : [...ofGroups, ofFindings]);
}
