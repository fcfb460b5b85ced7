import { bash } from './bash.ts';
import { fish } from './fish.ts';
import { collectWords } from './words.ts';
import { zsh } from './zsh.ts';

/**
 * The script of each shell, by the name of its file. The build writes them down: a shell that asks for one at its every
 * start should not wait until all commands are loaded.
 */
export async function completionScripts(): Promise<Readonly<Record<string, string>>> {
  const words = await collectWords();
  return { 'layaway.bash': bash(words), 'layaway.zsh': zsh(words), 'layaway.fish': fish(words) };
}
