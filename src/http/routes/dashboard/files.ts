import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** The folder of the built pages: next to the built code, or in the last build when run from the sources. */
const HOMES = ['./web/dashboard/', '../web/dashboard/', '../../../../dist/web/dashboard/'];

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

interface BuiltFile {
  readonly type: string;
  readonly bytes: Buffer;
}

/** The files of the built dashboard by path, such as `assets/main-….js`; null if it has not been built. */
export function builtFiles(): ReadonlyMap<string, BuiltFile> | null {
  const home = HOMES.map((path) => new URL(path, import.meta.url)).find((url) =>
    existsSync(new URL('index.html', url)),
  );
  if (!home) return null;
  const names = readdirSync(new URL('assets/', home)).map((name) => `assets/${name}`);
  return new Map(['index.html', ...names].flatMap((name) => fileOf(home, name)));
}

function fileOf(home: URL, name: string): [string, BuiltFile][] {
  const type = TYPES[name.slice(name.lastIndexOf('.') + 1)];
  if (!type) return [];
  return [[name, { type, bytes: readFileSync(new URL(name, home)) }]];
}
