import { availableParallelism } from 'node:os';

/** `scripts/mutate.js` sets it. */
const room = process.env.MUTATE_ROOM;
const report = `node_modules/.cache/mutation/${room}`;

export default {
  // `domain/explain` is a room of its own.
  mutate: [`src/${room}/**/*.ts`, ...(room === 'domain' ? ['!src/domain/explain/**'] : [])],
  testRunner: 'vitest',
  vitest: { configFile: 'vitest.mutate.config.ts', related: false },
  coverageAnalysis: 'perTest',
  // A change to what is computed once, when the module is loaded, would need every suite of the room.
  ignoreStatic: true,
  concurrency: Math.max(1, availableParallelism() - 1),
  // Generous, because a change that only makes a test slow would count as noticed.
  timeoutMS: 20_000,
  timeoutFactor: 2,
  dryRunTimeoutMinutes: 30,
  // The next run repeats only what changed since.
  incremental: true,
  incrementalFile: `${report}-incremental.json`,
  reporters: ['clear-text', 'json', 'html', 'progress-append-only'],
  clearTextReporter: { allowColor: false, reportTests: false, reportScoreTable: true },
  htmlReporter: { fileName: `${report}.html` },
  jsonReporter: { fileName: `${report}.json` },
  tempDirName: '.mutation',
  thresholds: { high: 95, low: 85, break: 85 },
};
