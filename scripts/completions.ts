import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { completionScripts } from '../src/cli/completion/scripts.ts';

/** Writes what `layaway completion` prints: it is the same until the commands change, so the build makes it once. */
export async function writeCompletions(folder: string) {
  await mkdir(folder, { recursive: true });
  for (const [name, script] of Object.entries(await completionScripts())) await writeFile(join(folder, name), script);
}
