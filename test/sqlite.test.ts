import { expect, test } from 'vitest';
import { adviceFor, nativeFault } from '../src/sqlite.ts';

test.each([
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

test.each([
  [{ node: '24.0.0' }, /npm rebuild better-sqlite3/],
  [{ node: '26.3.0', bun: '1.4.5' }, /^Run layaway with Node\./],
  [{ node: '26.3.0', deno: '2.9.6' }, /better-sqlite3@13\.$/],
])('the advice is for the runtime: %j', (versions, advice) => {
  expect(adviceFor(versions)).toMatch(advice);
});
