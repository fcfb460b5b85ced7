import { expect, test } from 'vitest';
import { adviceFor, nativeFault } from '../src/sqlite.ts';

/** What version 13 says where it has no binary for the system, and none was compiled. */
const NO_BINARY =
  "Cannot find module '/store/node_modules/better-sqlite3/build/Release/better_sqlite3.node'\nRequire stack:";

test.each([
  [NO_BINARY, 'its compiled part is missing'],
  [
    'Could not locate the bindings file. Tried:\n → /store/node_modules/better-sqlite3/build/better_sqlite3.node',
    'its compiled part is missing',
  ],
  [
    "The module '/store/better_sqlite3.node'\nwas compiled against a different Node.js version using\n" +
      'NODE_MODULE_VERSION 115. This version of Node.js requires\nNODE_MODULE_VERSION 127. Please try re-compiling',
    'it was compiled for another version of Node',
  ],
  ["Cannot find module 'better-sqlite3/package.json'\nRequire stack:\n- /store/bundle.cjs", 'it is not installed'],
  ['/store/better_sqlite3.node: invalid ELF header', '/store/better_sqlite3.node: invalid ELF header'],
])('a database that does not load is told in one line: %j', (message, reason) => {
  expect(nativeFault(new Error(message))).toBe(`better-sqlite3 does not load: ${reason}`);
});

const NOT_INSTALLED = "Cannot find module 'better-sqlite3'";

test.each([
  // With `ignore-scripts=true` in .npmrc, plain `npm rebuild` says that it succeeded and compiles nothing.
  [{ node: '24.0.0' }, '/store/better_sqlite3.node: invalid ELF header', /npm rebuild .+ --ignore-scripts=false\./],
  [{ node: '24.0.0' }, NOT_INSTALLED, /npm install better-sqlite3\.$/],
  [{ node: '24.0.0' }, NO_BINARY, /^Compile it with npm explore better-sqlite3 -- npm run build-release\./],
  [{ node: '26.3.0', bun: '1.4.5' }, NOT_INSTALLED, /^Run layaway with Node\./],
  [{ node: '26.3.0', deno: '2.9.6' }, NOT_INSTALLED, /better-sqlite3@13\.$/],
])('the advice is for the runtime and the reason: %j %j', (versions, message, advice) => {
  expect(adviceFor(versions, new Error(message))).toMatch(advice);
});
