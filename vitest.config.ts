import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    pool: 'forks',
    testTimeout: 20_000,
    // A browser on a busy machine may be late once; a test that fails twice is wrong.
    retry: process.env.CI ? 1 : 0,
    hookTimeout: 60_000,
  },
});
