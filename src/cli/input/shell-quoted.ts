/** One word for a POSIX shell, which takes it as it is. */
export const shellQuoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
