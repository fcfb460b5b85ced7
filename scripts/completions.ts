import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runnerImport } from 'vite';
import { browserText } from './browser-text.ts';

/** Writes what `layaway completion` prints. It changes only with the commands, so the build generates it once. */
export async function writeCompletions(folder: string) {
  // A static import would load the whole simulator into the build configuration.
  const { module } = await runnerImport<typeof import('./completion-scripts.ts')>('./scripts/completion-scripts.ts', {
    configFile: false,
    plugins: [browserText()],
  });
  await mkdir(folder, { recursive: true });
  for (const [name, script] of Object.entries(module.default)) await writeFile(join(folder, name), script);
}
