import { join } from 'node:path';
import { defineConfig } from 'tsdown';
import { build } from 'vite';
import { browserText } from './scripts/browser-text.ts';
import { writeCompletions } from './scripts/completions.ts';
import { thirdPartyNotices } from './scripts/notices.ts';
import { commanderWithoutPrograms, fastifyWithoutUnused, startChunks } from './scripts/quick-start.ts';

/** What stays an import: the native module, the test runner of whoever uses the fixtures, and Node itself. */
const external = ['better-sqlite3', 'vitest'];

/** What `/docs` runs in the browser: it comes bundled, so it is copied as it is. */
const REFERENCE = 'node_modules/@scalar/fastify-api-reference';

export default defineConfig({
  entry: { index: 'src/index.ts', vitest: 'src/vitest.ts', 'cli/main': 'src/cli/main.ts' },
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  fixedExtension: false,
  dts: { entry: ['src/index.ts', 'src/vitest.ts'] },
  sourcemap: false,
  clean: true,
  // Small, since the start pays for each byte; but an error that nobody caught shows the line it came from, and its class.
  minify: {
    compress: true,
    mangle: { keepNames: { class: true, function: false } },
    codegen: { removeWhitespace: false },
  },
  plugins: [browserText(), thirdPartyNotices(), commanderWithoutPrograms(), fastifyWithoutUnused()],
  outputOptions: { codeSplitting: startChunks },
  copy: ({ outDir }) => [
    { from: [`${REFERENCE}/dist/js/standalone.js`, `${REFERENCE}/LICENSE`], to: `${outDir}/docs` },
  ],
  // The dashboard is for browsers, so another tool makes it; wherever this build goes, it goes beside it.
  hooks: {
    async 'build:done'({ options: { outDir } }) {
      await build({ build: { outDir: join(outDir, 'web/dashboard') } });
      await writeCompletions(join(outDir, 'completion'));
    },
  },
  checks: { pluginTimings: false },
  deps: { neverBundle: external, alwaysBundle: [/.*/] },
});
