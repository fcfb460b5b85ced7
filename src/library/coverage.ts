import { isOfTable, isReport, mergeReports } from '../domain/coverage.ts';
import { SITUATIONS } from '../operations/coverage.ts';
import type { CoverageReport } from './wire.ts';

/**
 * Sums coverage reports (interface §9), such as those of the shards of a test run.
 * @throws TypeError when one of them is not a coverage report
 * @throws Error when a report was made by another version of layaway
 */
export function mergeCoverage(reports: readonly CoverageReport[]): CoverageReport {
  // Without types, callers forget to wait for `shop.coverage()`, or pass one report.
  if (!Array.isArray(reports) || !reports.every(isReport)) {
    throw new TypeError(
      'mergeCoverage needs a list of coverage reports, such as the one that shop.coverage() resolves with.',
    );
  }
  if (reports.every((report) => isOfTable(SITUATIONS, report))) return mergeReports(SITUATIONS, reports);
  throw new Error('A report was written by another version of layaway, which has other situations or findings.');
}
