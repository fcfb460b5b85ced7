import { defineConfig } from 'vitest/config';
import { browserText } from './scripts/browser-text.ts';

/** The suites that decide on the rules: what `npm run mutate` starts for each changed line. */
export default defineConfig({
  plugins: [browserText()],
  test: {
    include: ['test/{domain,engine,time,webhook,walk,journeys}/**/*.test.ts'],
    // They start the built program, in which no line was changed.
    exclude: [
      'test/journeys/determinism.test.ts',
      'test/time/travel-killed.test.ts',
      'test/webhook/{outbox,receivers}.test.ts',
    ],
    pool: 'forks',
    testTimeout: 20_000,
    hookTimeout: 60_000,
    globalSetup: ['test/setup/temporary-folder.ts'],
  },
});
