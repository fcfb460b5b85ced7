/** The global flags whose values are secret. */
const SECRET = ['--api-key', '--control-token'];

/** What was typed before `--`, which starts the words of another program. */
export function ownWords(): string[] {
  const all = process.argv.slice(2);
  const end = all.indexOf('--');
  return end === -1 ? all : all.slice(0, end);
}

/** The same without secrets, for a trace (interface §11). */
export const givenFlags = (): string[] =>
  ownWords().map((word, index, words) => {
    if (SECRET.includes(words[index - 1] ?? '')) return '…';
    const name = SECRET.find((each) => word.startsWith(`${each}=`));
    return name === undefined ? word : `${name}=…`;
  });
