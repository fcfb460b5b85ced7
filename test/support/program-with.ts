import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';
import { browserText } from '../../scripts/browser-text.ts';

const ROOT = join(import.meta.dirname, '../..');
const TABLE = 'export const ASSUMPTIONS = {\n';

/**
 * Builds modules of `src` and `scripts` as if `src/domain/assumptions.ts` had one more entry. `modules` has their paths
 * by name.
 */
export async function programWith(entry: string, modules: Readonly<Record<string, string>>) {
  const folder = await mkdtemp(join(tmpdir(), 'layaway-with-'));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
  await writeFile(join(folder, 'package.json'), '{ "type": "module", "version": "0.0.0" }');
  await build({
    root: ROOT,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    build: {
      ssr: true,
      target: 'node20',
      outDir: join(folder, 'dist'),
      rolldownOptions: {
        input: Object.fromEntries(Object.entries(modules).map(([name, path]) => [name, join(ROOT, path)])),
        output: { entryFileNames: '[name].js' },
      },
    },
    plugins: [
      browserText(),
      {
        name: 'one-more-assumption',
        enforce: 'pre',
        transform(code, id) {
          if (!id.replaceAll('\\', '/').endsWith('/src/domain/assumptions.ts')) return null;
          if (!code.includes(TABLE)) throw new Error(`${id} has no table of assumptions.`);
          return code.replace(TABLE, `${TABLE}${entry}\n`);
        },
      },
    ],
  });
  return {
    folder,
    fileOf: (name: string) => join(folder, 'dist', `${name}.js`),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
