import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { fileReason, isDamage, isProgramGone } from '../../src/domain/file-error.ts';

const folder = mkdtempSync(join(tmpdir(), 'layaway-file-error-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'file');
writeFileSync(file, '');

const errorOf = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('It did not fail.');
};
const reading = (path: string) => errorOf(() => readFileSync(path));

describe('errors of the file system say in words what happened', () => {
  test.each<[what: string, error: unknown, reason: string]>([
    ['a file that is not there', reading(join(folder, 'none')), 'there is no such file or directory'],
    ['a directory', reading(folder), 'it is a directory'],
    ['a directory to remove', errorOf(() => rmSync(folder)), 'it is a directory'],
    ['a path through a file', reading(join(file, 'x')), 'a part of its path is not a directory'],
    ['a name that is taken', errorOf(() => mkdirSync(file)), 'a file of that name exists'],
    ['a long name', reading(join(folder, 'x'.repeat(300))), 'its name is too long'],
    ['a code without words', Object.assign(new Error('EBUSY: busy'), { code: 'EBUSY' }), 'EBUSY'],
    ['no code', new Error('It broke.'), 'It broke.'],
  ])('%s', (_what, error, reason) => {
    expect(fileReason(error)).toBe(reason);
  });

  test.skipIf(process.platform === 'win32')('a symbolic link to itself', () => {
    const link = join(folder, 'link');
    symlinkSync(link, link);
    expect(fileReason(reading(link))).toBe('a symbolic link leads back to itself');
  });
});

test.each([
  ['SQLITE_CORRUPT', true],
  ['SQLITE_CORRUPT_VTAB', true],
  ['SQLITE_FULL', false],
  [undefined, false],
])('an error of SQLite with the code %s is damage: %s', (code, isOne) => {
  expect(isDamage({ code })).toBe(isOne);
});

const load = createRequire(join(folder, 'program.cjs'));
test.each<[what: string, isGone: boolean, error: unknown]>([
  ['a chunk that require does not find', true, errorOf(() => load('./chunk.cjs'))],
  ['a chunk that import does not find', true, { code: 'ERR_MODULE_NOT_FOUND' }],
  ['a chunk that is read', true, reading(join(folder, 'chunk.cjs'))],
  ['a file of the user', false, reading(join(folder, 'fixture.json'))],
  ['a file of the user without permission', false, { code: 'EACCES', path: 'chunk.cjs' }],
])('%s shows that the program is gone: %s', (_what, isGone, error) => {
  expect(isProgramGone(error)).toBe(isGone);
});
