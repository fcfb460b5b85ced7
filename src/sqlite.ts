import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';
import { CannotStart } from './domain/cannot-start.ts';
import { codeOf } from './domain/error-code.ts';

/** The installed better-sqlite3 does not run here: it is compiled for one system and version of Node. */
export class WrongSqlite extends CannotStart {
  readonly fault: string;
  readonly advice: string;

  constructor(fault: string, advice: string) {
    super(`${fault}. ${advice}`);
    this.fault = fault;
    this.advice = advice;
  }
}

/**
 * Opens a database, in memory for `:memory:`.
 * @throws WrongSqlite when better-sqlite3 does not load
 */
export function openSqlite(file: string, options: BetterSqlite3.Options = {}): BetterSqlite3.Database {
  try {
    return new (loadSqlite())(file, options);
  } catch (error) {
    if (codeOf(error) === 'ERR_DLOPEN_DISABLED') {
      throw new WrongSqlite(
        'better-sqlite3 does not load: this process loads no native addons',
        'Leave out --no-addons, or add --allow-addons to --permission.',
      );
    }
    if (!isNativeFault(error)) throw error;
    throw new WrongSqlite(nativeFault(error), adviceFor(process.versions, error));
  }
}

/** Loads better-sqlite3 on first use, through require: it is native and CommonJS. */
function loadSqlite(): typeof BetterSqlite3 {
  const load = createRequire(import.meta.url);
  const { node } = process.versions;
  if (lacksNodeApi10(node)) {
    const { version } = load('better-sqlite3/package.json') as { readonly version: string };
    // It would end the process without a word.
    if (Number.parseInt(version, 10) > 12) {
      throw new WrongSqlite(
        `better-sqlite3 ${version} needs Node 22.14 or later; this is ${node}`,
        'Use a newer Node, or run npm install better-sqlite3@12 with this one.',
      );
    }
  }
  return load('better-sqlite3');
}

/** Version 13 is compiled for Node-API 10, which Node 22.14 and 23.6 introduced. */
function lacksNodeApi10(node: string): boolean {
  const [major = 0, minor = 0] = node.split('.').map(Number);
  return major < 22 || (major === 22 && minor < 14) || (major === 23 && minor < 6);
}

const isNativeFault = (error: unknown): error is Error =>
  error instanceof Error &&
  /NODE_MODULE_VERSION|bindings file|better_sqlite3\.node|'better-sqlite3['/]/.test(error.message);

/** Version 13 looks for a compiled part if it has no prebuilt one for this system. */
const lacksBinary = ({ message }: Error) => /^Cannot find module '[^']*better_sqlite3\.node'/.test(message);
const isMissing = (error: Error) => error.message.startsWith('Cannot find module') && !lacksBinary(error);

/** In one line, because the system's own message may have several. */
export const nativeFault = (error: Error): string =>
  `better-sqlite3 does not load: ${isMissing(error) ? 'it is not installed' : reasonIn(error).replace(/\.$/, '')}`;

function reasonIn(error: Error): string {
  const { message: text } = error;
  const versions = [...text.matchAll(/NODE_MODULE_VERSION \d+/g)];
  if (versions.length > 1) return 'it was compiled for another version of Node';
  // What follows is a list of all the places where it could be.
  if (text.includes('Could not locate the bindings file') || lacksBinary(error)) return 'its compiled part is missing';
  return text.split('\n')[0] ?? '';
}

/** What helps depends on the runtime: none but Node can load what is compiled for Node alone. */
export function adviceFor({ bun, deno }: Readonly<Record<string, string | undefined>>, error: Error): string {
  if (bun) return 'Run layaway with Node. Your store and its tests can run on Bun: npx layaway exec -- bun test.';
  if (deno) return 'Deno loads version 13: npm install better-sqlite3@13.';
  if (isMissing(error)) return 'Install it where this program runs, also beside a bundle: npm install better-sqlite3.';
  if (lacksBinary(error))
    return 'Compile it with npm explore better-sqlite3 -- npm run build-release. That needs python3, make and a C++ compiler.';
  return 'Rebuild it for the current version of Node with npm rebuild better-sqlite3 --ignore-scripts=false. The package manager must be allowed to run its install script: newer versions of npm ask for npm install-scripts approve better-sqlite3 first, pnpm asks for pnpm approve-builds.';
}
