/** One word for a POSIX shell, which takes it as it is. */
export const shellQuoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** One word of a command line that a person pastes into the shell. */
export function pasted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return process.platform === 'win32' ? `"${word}"` : shellQuoted(word);
}
