import type { Command } from 'commander';
import { optionsOf } from '../describe.ts';
import { usage } from '../exit.ts';
import { pasted } from './shell-quoted.ts';

/**
 * Makes the parsing of a command refuse a flag, even a mistyped one, and the two dashes, as the value of another flag.
 * Commander takes the next word whatever it is: `exec --data --memory` would keep the state in a folder of that name. It
 * takes out the flags of parent commands first, so that the value would be the word after them.
 */
export function refuseFlagsAsValues(command: Command): void {
  for (const { long, short, required, flags } of command.options) {
    if (!long || !required) continue;
    command.on(`option:${long.slice(2)}`, () => {
      const next = wordsAfter([long, short]).find((word) => looksLikeFlag(word, command));
      if (next === undefined) return;
      const [name = ''] = next.split('=', 1);
      // What has an equals sign can be the value only of a flag that takes pairs.
      const mayBeValue = next !== '--' && (name === next || flags.includes('='));
      const advice = mayBeValue ? ` If ${next} is the value, write ${pasted(`${long}=${next}`)}.` : '';
      throw usage(`${long} needs a value before ${name}.${advice}`);
    });
  }
}

/** The words that follow these in the command line, up to the two dashes. */
function wordsAfter(flags: readonly (string | undefined)[]): string[] {
  const end = process.argv.indexOf('--');
  const words = end === -1 ? process.argv : process.argv.slice(0, end + 1);
  return words.filter((_word, at) => flags.includes(words[at - 1]));
}

const looksLikeFlag = (word: string, command: Command) =>
  word === '--' || /^--[a-z][\w-]*(?:=|$)/.test(word) || optionsOf(command).some(({ short }) => word === short);
