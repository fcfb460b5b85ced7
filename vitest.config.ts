import { defineConfig } from 'vitest/config';
import { browserText } from './scripts/browser-text.ts';

/** Suites that start the built program, a browser or the packed tarball. */
const program = [
  'test/{browser,cli,package}/**/*.test.ts',
  'test/{programs,readme,simulator}.test.ts',
  'test/http/dashboard.test.ts',
  'test/journeys/determinism.test.ts',
  'test/library/vitest.test.ts',
  'test/time/travel-killed.test.ts',
  'test/webhook/{outbox,receivers}.test.ts',
];

const shared = { pool: 'forks', testTimeout: 20_000, hookTimeout: 60_000 } as const;

/** Two projects, so that the suites of single rooms start at once: only the others wait for a build. */
export default defineConfig({
  test: {
    projects: [
      {
        plugins: [browserText()],
        test: {
          ...shared,
          name: 'rooms',
          include: ['test/**/*.test.ts'],
          exclude: program,
          globalSetup: ['test/setup/temporary-folder.ts'],
        },
      },
      {
        plugins: [browserText()],
        test: {
          ...shared,
          name: 'program',
          include: program,
          globalSetup: ['test/setup/temporary-folder.ts', 'test/setup/program.ts'],
        },
      },
    ],
  },
});
