import { expect, test } from 'vitest';
import { SETTING_LINES, shellOf } from '../../../src/cli/input/shell-quoted.ts';

test('a quote in a value stays in the value, in a shell and in PowerShell', () => {
  expect(SETTING_LINES.shell('NAME', "it's")).toBe(`export NAME='it'\\''s'`);
  expect(SETTING_LINES.powershell('NAME', "it's")).toBe(`$env:NAME = 'it''s'`);
});

test.each([
  ['win32', {}, 'powershell'],
  ['win32', { MSYSTEM: 'MINGW64' }, 'shell'],
  ['linux', {}, 'shell'],
  ['darwin', {}, 'shell'],
] as const)('on %s with %j, what a person pastes is for a %s', (platform, env, shell) => {
  expect(shellOf(platform, env)).toBe(shell);
});
