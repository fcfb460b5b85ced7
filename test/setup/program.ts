import { cp, mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the package as it would be installed, built from these sources for this run alone. */
    layaway: string;
  }
}

const root = join(import.meta.dirname, '../..');
/** The rest of the package. */
const BESIDE_BUILD = ['package.json', 'fixtures', 'docs', 'README.md', 'CHANGELOG.md', 'SECURITY.md', 'LICENSE'];

/**
 * Puts the built package beside its dependencies, so that tests start the program that users start. Each run has its own:
 * another run's build cannot pull the files from under it.
 */
export default async function setup(project: TestProject) {
  // A run within a run tests the same package, and `npm test` hands over what `npm run build` made.
  const { BUILT_PACKAGE, BUILT_DIST } = process.env;
  if (BUILT_PACKAGE) return project.provide('layaway', BUILT_PACKAGE);
  const folder = join(root, 'node_modules', '.cache', `layaway-${process.pid}`);
  const dist = join(folder, 'dist');
  await mkdir(folder, { recursive: true });
  if (BUILT_DIST) await cp(BUILT_DIST, dist, { recursive: true });
  else await execa('npx', ['tsdown', '--no-dts', '--log-level', 'error', '--out-dir', dist], { cwd: root });
  await cp(join(root, 'bin'), join(folder, 'bin'), { recursive: true });
  for (const name of BESIDE_BUILD) await symlink(join(root, name), join(folder, name));
  // Programs of the tests neither read the settings of who runs them nor leave anything among their files.
  Object.assign(process.env, { XDG_CACHE_HOME: join(folder, 'compiled'), XDG_CONFIG_HOME: join(folder, 'config') });
  project.provide('layaway', folder);
  return () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
