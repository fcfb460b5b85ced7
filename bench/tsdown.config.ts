import { defineConfig } from 'tsdown';

/** The bench's programs, one file each, so that the bare server is what a user would write: one file and its imports. */
export default defineConfig({
  entry: [
    'run.ts',
    'bare.ts',
    'bare-sender.ts',
    'bare-writer.ts',
    'simulator.ts',
    'library.ts',
    'load.ts',
    'receiver.ts',
    'at-rest.ts',
  ],
  outDir: '../node_modules/.cache/layaway-bench',
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  fixedExtension: false,
  dts: false,
  clean: true,
  deps: { skipNodeModulesBundle: true },
});
