/** One word for a POSIX shell, which takes it as it is. */
export const shellQuoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

const isPlain = (word: string) => /^[\w@%+=:,./-]+$/.test(word);

/** The same, without quotes where the shell needs none. */
export const shellWord = (text: string) => (isPlain(text) ? text : shellQuoted(text));

/** One word of a command line that a person pastes into the shell. */
export const pasted = (word: string) =>
  process.platform === 'win32' && !isPlain(word) ? `"${word}"` : shellWord(word);
