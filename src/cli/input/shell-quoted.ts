/** One word for a POSIX shell, which takes it as it is. Backslashes stay outside the quotes, because fish interprets them there. */
export const shellQuoted = (text: string) => `'${text.replaceAll(/['\\]/g, "'\\$&'")}'`;

const isPlain = (word: string) => /^[\w@%+=:,./-]+$/.test(word);

/** The same, without quotes where the shell needs none. */
const shellWord = (text: string) => (isPlain(text) ? text : shellQuoted(text));

/**
 * The line that sets a variable, for a POSIX shell, for PowerShell, which also takes typographic quotes for quotes, and for
 * a program that reads a `.env` file.
 */
export const SETTING_LINES = {
  shell: (name: string, value: string) => `export ${name}=${shellWord(value)}`,
  powershell: (name: string, value: string) => `$env:${name} = '${value.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`,
  dotenv: (name: string, value: string) => `${name}=${shellWord(value)}`,
} as const;

/** Git Bash and other MSYS2 shells set MSYSTEM; otherwise Windows is taken to have PowerShell. */
export const shellOf = (platform: NodeJS.Platform, { MSYSTEM }: NodeJS.ProcessEnv) =>
  platform === 'win32' && !MSYSTEM ? 'powershell' : 'shell';

/** One word of a command line, by the shell that it is pasted into. The double quotes of PowerShell hold in cmd, too. */
export const WORDS = {
  shell: shellWord,
  powershell: (text: string) =>
    isPlain(text) ? text : `"${text.replaceAll(/[$`\u201c-\u201e]/g, '`$&').replaceAll('"', '""')}"`,
} as const;

/** One word of a command line that a person pastes into the shell. */
export const pasted = (word: string) => WORDS[shellOf(process.platform, process.env)](word);

/** The same for an argument of a command, with two dashes before what would be read as a flag. */
export const pastedArgument = (word: string) => (word.startsWith('-') ? `-- ${pasted(word)}` : pasted(word));
