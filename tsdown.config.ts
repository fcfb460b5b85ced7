import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { defineConfig, type Rolldown, type UserConfig } from 'tsdown';
import { build } from 'vite';
import { asciiSource } from './scripts/ascii-source.ts';
import { boundImports } from './scripts/bound-imports.ts';
import { browserText } from './scripts/browser-text.ts';
import { thirdPartyNotices } from './scripts/notices.ts';
import {
  commanderWithoutPrograms,
  confWithoutSchemas,
  fastifyWithoutUnused,
  routerWithoutChecks,
  startChunks,
  typeboxWithoutKinds,
} from './scripts/quick-start.ts';
import { realTimers, textCoders } from './scripts/real-timers.ts';
import { writeTexts } from './scripts/texts.ts';

/** What stays an import: the native module, the test runner of whoever uses the fixtures, and Node itself. */
const external = ['better-sqlite3', 'vitest'];

/** What `/docs` runs in the browser: it comes bundled, so it is copied as it is. */
const REFERENCE = 'node_modules/@scalar/fastify-api-reference';

const shared = {
  platform: 'node',
  target: 'node20.19',
  fixedExtension: false,
  sourcemap: false,
  // Small, since the start pays for each byte; but an error that nobody caught shows the line it came from, and its class.
  minify: {
    compress: true,
    mangle: { keepNames: { class: true, function: false } },
    codegen: { removeWhitespace: false },
  },
  checks: { pluginTimings: false },
  deps: { neverBundle: external, alwaysBundle: [/.*/] },
} satisfies UserConfig;

/** The commands and the library: CommonJS, which Node starts in less time. */
const program = {
  ...shared,
  entry: { index: 'src/index.ts', 'cli/main': 'src/cli/main.ts' },
  format: 'cjs',
  dts: false,
  clean: true,
  inputOptions: { transform: { inject: { ...realTimers, ...textCoders } } },
  plugins: [
    asciiSource(),
    boundImports(),
    browserText(),
    thirdPartyNotices(),
    commanderWithoutPrograms(),
    confWithoutSchemas(),
    fastifyWithoutUnused(),
    routerWithoutChecks(),
    typeboxWithoutKinds(),
  ],
  outputOptions: { codeSplitting: startChunks, comments: { jsdoc: false } },
  copy: ({ outDir }) => [
    { from: [`${REFERENCE}/dist/js/standalone.js`, `${REFERENCE}/LICENSE`], to: `${outDir}/docs` },
  ],
  hooks: {
    async 'build:done'({ chunks, options: { outDir } }) {
      await writeModule(chunks, outDir);
      // The dashboard is for browsers, so another tool makes it; wherever this build goes, it goes beside it.
      await build({ build: { outDir: join(outDir, 'web/dashboard') } });
      await writeTexts('./scripts/completion-scripts.ts', join(outDir, 'completion'));
      await writeTexts('./scripts/help-texts.ts', join(outDir, 'help'));
    },
  },
} satisfies UserConfig;

/**
 * The library as an ES module: the same objects, whichever way it is loaded. An import of CommonJS reads the whole file for
 * its names first, so it imports a small one, and that one requires the library, in a way that bundlers follow.
 */
async function writeModule(output: readonly (Rolldown.OutputChunk | Rolldown.OutputAsset)[], outDir: string) {
  const library = output.find((file) => file.type === 'chunk' && file.fileName === 'index.cjs');
  if (library?.type !== 'chunk') throw new Error('The build has no index.cjs.');
  // In two statements, because Node would look for the names behind `module.exports = require('./index.cjs')`, too.
  const required = ["const library = require('./index.cjs');", 'module.exports = library;'];
  const imported = [
    "import library from './library.cjs';",
    `export const { ${library.exports.join(', ')} } = library;`,
  ];
  await writeFile(join(outDir, 'library.cjs'), `${required.join('\n')}\n`);
  await writeFile(join(outDir, 'index.js'), `${imported.join('\n')}\n`);
}

/** Vitest itself is an ES module, so its fixtures are one, too. */
const fixtures = {
  ...shared,
  entry: { vitest: 'src/vitest.ts' },
  format: 'esm',
  dts: false,
  clean: false,
  plugins: [
    {
      name: 'built-library',
      resolveId: (source) => (source === './index.ts' ? { id: './index.js', external: true } : null),
    },
  ],
} satisfies UserConfig;

/** tsc emits the declarations of all modules, and the bundler puts those that are public into three files. */
async function types(): Promise<UserConfig[]> {
  const cache = join(import.meta.dirname, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  const emitted = await mkdtemp(join(cache, 'declarations-'));
  process.once('exit', () => rmSync(emitted, { recursive: true, force: true }));
  // `npm run typecheck` checks; the build only emits.
  const options = ['-p', 'src/tsconfig.declarations.json', '--singleThreaded', '--noCheck', '--outDir', emitted];
  await execa('tsc', options, { preferLocal: true, stdout: 'inherit' });
  const bundle = {
    ...shared,
    format: 'esm',
    dts: { dtsInput: true, emitDtsOnly: true },
    clean: false,
    // The library of a project that compiles for ES2022 has no Symbol.asyncDispose.
    banner: { dts: '/// <reference lib="esnext.disposable" />' },
    // It would name the files in the folder above.
    inputOptions: { experimental: { attachDebugInfo: 'none' } },
  } satisfies UserConfig;
  const [index, vitest] = [join(emitted, 'index.d.ts'), join(emitted, 'vitest.d.ts')];
  return [
    { ...bundle, entry: { index, vitest } },
    { ...bundle, entry: { 'index.d.cts': index } },
  ];
}

/** `--no-dts` leaves out the type declarations. */
export default defineConfig(async ({ dts }) => [program, fixtures, ...(dts === false ? [] : await types())]);
