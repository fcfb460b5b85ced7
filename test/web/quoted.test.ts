import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quoted, variable } from '../../src/web/dashboard/parts/levers/quoted.ts';
import { needing } from '../support/programs.ts';

/** What a real shell hands to a program for these words. */
const throughShell = (words: readonly string[]) =>
  execFileSync('sh', ['-c', `printf '%s\\0' ${words.join(' ')}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);

/** Every character, and often the ones that mean something to a shell. */
const anyText = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom(...'\'"\\$`!;&|<>(){}[]*?~#=%^ \t\r\n\u001b\u007f\u0085\u200b\u202e'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    ),
    maxLength: 40,
  })
  .map((text) => text.replaceAll('\0', ''));

test('a shell reads back the very bytes', needing('sh'), () => {
  fc.assert(
    fc.property(fc.array(anyText, { minLength: 1, maxLength: 20 }), (texts) => {
      expect(throughShell(texts.map(quoted))).toEqual(texts);
    }),
    { numRuns: 150 },
  );
});

test('a paste contains nothing that a terminal acts on, and no backslash between quotes, which fish would read', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const word = quoted(text);
      expect(word.replace(/'\n+'$/, '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      const outside = word.replaceAll(/"\$\(printf '[\\0-7]+'\)"/g, '').replaceAll(/\\['\\]/g, '');
      for (const [inside] of outside.matchAll(/'[^']*'/g)) expect(inside).not.toContain('\\');
      expect(outside.replaceAll(/'[^']*'/g, '')).toMatch(/^[A-Za-z0-9_@+:,./-]*$/);
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  ['', "''"],
  ['/v1/ping', '/v1/ping'],
  ['$(touch x)', "'$(touch x)'"],
  ["it's", "'it'\\''s'"],
  ["x\\';touch pwned;'", "'x'\\\\\\'';touch pwned;'\\'"],
  ['a\u001b[201~b', `'a'"$(printf '\\033\\133')"'201~b'`],
  ['a\n\n', "'a''\n\n'"],
  ['a\0b', "'a\uFFFDb'"],
])('%j', (text, word) => {
  expect(quoted(text)).toBe(word);
});

test('a shell reads a variable, whatever its name holds', needing('sh'), () => {
  expect(variable('API_KEY_OF_mch_test_1')).toBe('$API_KEY_OF_mch_test_1');
  fc.assert(
    fc.property(anyText, (text) => {
      expect(throughShell([`"${variable(`API_KEY_OF_${text}`)}"`])).toEqual(['']);
    }),
    { numRuns: 50 },
  );
});
