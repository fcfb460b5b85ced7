import * as operations from '../../operations/coverage.ts';
import { asker, type Connection, dataOf } from '../client.ts';
import type { CoverageReport } from '../wire.ts';

export function coverageLever(connection: Connection): (() => Promise<CoverageReport>) & { clear(): Promise<null> } {
  const ask = asker(connection);
  const read = () => ask(operations.getCoverage).then(dataOf);
  return Object.assign(read, { clear: () => ask(operations.clearCoverage).then(() => null) });
}
