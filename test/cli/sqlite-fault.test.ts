import { expect, test } from 'vitest';
import { isNativeFault, nativeFault } from '../../src/cli/sqlite-fault.ts';

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
  ['/store/better_sqlite3.node: invalid ELF header', '/store/better_sqlite3.node: invalid ELF header'],
])('a database that does not load is told in one line: %j', (message, reason) => {
  const error = new Error(message);
  expect(isNativeFault(error)).toBe(true);
  expect(nativeFault(error)).toBe(`better-sqlite3 does not load: ${reason}`);
});
