/** The global flags whose values are secret. */
const SECRET = ['--api-key', '--control-token'];

/** The words of this process in front of `--`, without secrets, for a trace (interface §11). */
export function givenFlags(): string[] {
  const separator = process.argv.indexOf('--');
  const words = process.argv.slice(2, separator === -1 ? undefined : separator);
  return words.map((word, index) => {
    if (SECRET.includes(words[index - 1] ?? '')) return '…';
    const name = SECRET.find((each) => word.startsWith(`${each}=`));
    return name === undefined ? word : `${name}=…`;
  });
}
