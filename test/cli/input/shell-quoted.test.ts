import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { pasted, SETTING_LINES, shellOf, WORDS } from '../../../src/cli/input/shell-quoted.ts';
import { needing } from '../../support/programs.ts';

test('a quote in a value stays in the value, in a shell and in PowerShell', () => {
  expect(SETTING_LINES.shell('NAME', "it's")).toBe(`export NAME='it'\\''s'`);
  expect(SETTING_LINES.powershell('NAME', "it's")).toBe(`$env:NAME = 'it''s'`);
  // PowerShell reads typographic quotes as quotes.
  expect(SETTING_LINES.powershell('NAME', 'it\u2019s')).toBe("$env:NAME = 'it\u2019\u2019s'");
});

const HOSTILE = ["\\';echo run;#", 'a\\', '\\\\', '\'"$(echo run)`echo run`$HOME!!\\', ';echo run', "'", '*'];

describe.each(['sh', 'zsh', 'fish'] as const)('pasted into %s', (shell) => {
  test.each(HOSTILE)('what a service sent stays one word: %s', needing(shell), async (word) => {
    const { stdout } = await execa(shell, ['-c', `printf '%s|' ${pasted(word)} end`]);
    expect(stdout).toBe(`${word}|end|`);
  });
});

test.each([
  ['plain', 'plain'],
  ["it's", '"it\'s"'],
  ['a & "b" & c', '"a & ""b"" & c"'],
  ['$(a)`b`', '"`$(a)``b``"'],
  ['a\u201d;b', '"a`\u201d;b"'],
])('what is pasted into PowerShell stays one word: %s', (text, word) => {
  expect(WORDS.powershell(text)).toBe(word);
});

test.each([
  ['win32', {}, 'powershell'],
  ['win32', { MSYSTEM: 'MINGW64' }, 'shell'],
  ['linux', {}, 'shell'],
  ['darwin', {}, 'shell'],
] as const)('on %s with %j, what a person pastes is for a %s', (platform, env, shell) => {
  expect(shellOf(platform, env)).toBe(shell);
});
