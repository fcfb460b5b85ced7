import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { browserText } from './scripts/browser-text.ts';

/** Suites that start the built program, a browser or the packed tarball. */
const program = [
  'test/{browser,cli,package}/**/*.test.ts',
  'test/{debugging,programs,readme,simulator}.test.ts',
  'test/http/dashboard.test.ts',
  'test/journeys/{determinism,coverage-killed,lost-answer-killed}.test.ts',
  'test/library/vitest.test.ts',
  'test/time/travel-killed.test.ts',
  'test/webhook/{outbox,receivers,receivers-in-languages}.test.ts',
];

/**
 * What takes longest. It starts first, so that no worker is left alone with one of them at the end. Two suites of `certify`
 * mostly wait for a store in real time; browsers keep the cores busy meanwhile.
 */
const LONGEST = ['/test/certify/certify.', '/test/certify/observe.', '/test/package/', '/test/browser/', '/test/cli/'];

/** Long files first, then the rooms: a worker keeps its modules until a file of the other project is next. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification) => {
      const place = LONGEST.findIndex((name) => moduleId.includes(name));
      if (place !== -1) return place;
      return project.name === 'rooms' ? LONGEST.length + 1 : LONGEST.length;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

/** Many suites wait for programs that they started, so that more workers than cores are busy. */
const maxWorkers = availableParallelism() + 2;

const shared = {
  pool: 'forks',
  maxWorkers,
  // Suites share the modules of a worker: loading them again for every file takes longer than most tests.
  isolate: false,
  // Machines may be busy. What a test times, it times itself.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 30_000 } },
} as const;

/** Two projects, so that the suites of single rooms start at once: only the others wait for a build. */
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        plugins: [browserText()],
        test: {
          ...shared,
          name: 'rooms',
          include: ['test/**/*.test.ts'],
          exclude: program,
          globalSetup: ['test/setup/environment.ts', 'test/setup/temporary-folder.ts'],
        },
      },
      {
        plugins: [browserText()],
        test: {
          ...shared,
          name: 'program',
          include: program,
          globalSetup: ['test/setup/environment.ts', 'test/setup/temporary-folder.ts', 'test/setup/program.ts'],
        },
      },
    ],
  },
});
