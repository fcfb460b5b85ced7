import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runnerImport } from 'vite';
import { browserText } from './browser-text.ts';

/**
 * Writes each text that a script exports into a file of its name. What the program prints of itself changes only with its
 * commands, so the build generates it once.
 */
export async function writeTexts(script: string, folder: string) {
  // A static import would load the whole simulator into the build configuration.
  const { module } = await runnerImport<{ readonly default: Readonly<Record<string, string>> }>(script, {
    configFile: false,
    plugins: [browserText()],
  });
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(module.default)) await writeFile(join(folder, name), text);
}
