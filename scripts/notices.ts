import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Rolldown } from 'tsdown';

const FILE = 'THIRD-PARTY-NOTICES.md';

interface Package {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly author?: string | { readonly name: string };
}

/** Writes the licenses of all packages in the bundle next to it, as their terms require. */
export function thirdPartyNotices(): Rolldown.Plugin {
  return {
    name: 'third-party-notices',
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
      const roots = new Set(modules.map(packageRoot).filter((root) => root !== null));
      if (roots.size > 0) this.emitFile({ type: 'asset', fileName: FILE, source: notices([...roots]) });
    },
  };
}

/** The folder of the package that a module belongs to; null for our own code. */
function packageRoot(moduleId: string): string | null {
  const path = moduleId.replace(/^\0/, '').replace(/\?.*$/, '');
  if (!path.includes('/node_modules/')) return null;
  for (let folder = dirname(path); !folder.endsWith('/node_modules'); folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json')) && read(folder).name) return folder;
  }
  return null;
}

const read = (root: string): Package => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** @throws Error if a package has no license, because its code must not be shipped */
export function notices(roots: readonly string[]): string {
  const sections = new Map(roots.map((root) => [label(read(root)), section(root)]));
  const sorted = [...sections].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  return `# Third-party notices\n\nThe bundle contains code of these packages.\n\n${sorted.join('\n')}`;
}

const label = ({ name, version }: Package) => `${name} ${version}`;

function section(root: string): string {
  const about = read(root);
  const file = readdirSync(root).find((name) => /^licen[cs]e/i.test(name));
  const terms = file ? readFileSync(join(root, file), 'utf8').trim() : standardTerms(about);
  return `## ${label(about)} (${about.license})\n\n${terms}\n`;
}

/** A few packages name the MIT license without its text. */
function standardTerms(about: Package): string {
  if (about.license !== 'MIT')
    throw new Error(`${label(about)} comes without its license, so its code cannot be shipped.`);
  const holder = typeof about.author === 'object' ? about.author.name : (about.author ?? `the ${about.name} authors`);
  return readFileSync(new URL('../LICENSE', import.meta.url), 'utf8').replace(/^Copyright .*$/m, `Copyright ${holder}`);
}
