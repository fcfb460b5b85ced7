import { bash } from './bash.ts';
import { fish } from './fish.ts';
import { collectWords } from './words.ts';
import { zsh } from './zsh.ts';

/**
 * The completion scripts by file name. The build writes them, so that a shell that loads one at every start does not
 * wait until all commands are loaded.
 */
export async function completionScripts(): Promise<Readonly<Record<string, string>>> {
  const words = await collectWords();
  return { 'layaway.bash': bash(words), 'layaway.zsh': zsh(words), 'layaway.fish': fish(words) };
}
