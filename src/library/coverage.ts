import { isOfTable, mergeReports } from '../domain/coverage.ts';
import { SITUATIONS } from '../operations/coverage.ts';
import type { CoverageReport } from './wire.ts';

/**
 * Sums coverage reports (interface §9), such as those of the shards of a test run.
 * @throws Error when a report was made by another version of layaway
 */
export function mergeCoverage(reports: readonly CoverageReport[]): CoverageReport {
  if (reports.every((report) => isOfTable(SITUATIONS, report))) return mergeReports(SITUATIONS, reports);
  throw new Error('A report was written by another version of layaway, which has other situations or findings.');
}
