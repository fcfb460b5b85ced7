import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { build, type Plugin, type Rolldown } from 'vite';

const ASKED = '?browser';
/** Keeps other plugins from treating the module as a style sheet or a script. */
const PREFIX = '\0browser-text:';
const SUFFIX = '.text';

/**
 * Makes `import text from './script.ts?browser'` return the text that a browser loads: a script is bundled with its
 * imports into one classic script; any other file stays unchanged.
 */
export function browserText() {
  return {
    name: 'browser-text',
    enforce: 'pre',
    resolveId(source, importer) {
      if (!source.endsWith(ASKED) || importer === undefined) return null;
      return `${PREFIX}${resolve(dirname(importer), source.slice(0, -ASKED.length))}${SUFFIX}`;
    },
    async load(id) {
      if (!id.startsWith(PREFIX)) return null;
      const file = id.slice(PREFIX.length, -SUFFIX.length);
      const { text, files } = file.endsWith('.ts')
        ? await bundled(file)
        : { text: await readFile(file, 'utf8'), files: [file] };
      for (const each of files) this.addWatchFile(each);
      return { code: `export default ${JSON.stringify(text)};`, moduleType: 'js' };
    },
  } satisfies Plugin;
}

async function bundled(file: string): Promise<{ text: string; files: readonly string[] }> {
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    root: dirname(file),
    publicDir: false,
    build: {
      write: false,
      target: 'es2022',
      minify: false,
      modulePreload: false,
      rolldownOptions: { input: file, output: { format: 'iife' } },
    },
  });
  const [{ output }] = [built].flat() as [Rolldown.RolldownOutput];
  const [chunk] = output;
  return { text: chunk.code, files: chunk.moduleIds };
}
