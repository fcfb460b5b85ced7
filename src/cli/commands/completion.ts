import { existsSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { describe } from '../describe.ts';
import { usage } from '../exit.ts';

const SHELLS = ['bash', 'zsh', 'fish'];

/** Shells run this at every start, so it loads little and prints what the build has written. */
export default function completion(command: Command) {
  describe(
    command,
    'Print a script that completes commands, flags and ids in your shell.',
    'layaway completion fish > ~/.config/fish/completions/layaway.fish',
    'Load it in the startup file of your shell:' +
      '\n  bash  ~/.bashrc                   eval "$(layaway completion bash)"' +
      '\n  zsh   ~/.zshrc, after compinit    eval "$(layaway completion zsh)"' +
      '\n  fish  ~/.config/fish/config.fish  layaway completion fish | source',
  )
    .argument('[shell]', 'bash, zsh or fish')
    .usage('<shell> [options]')
    .action(async (given: string | undefined) => {
      const missing = `Name one of the shells ${SHELLS.join(', ')}.`;
      const shell = given ?? (await askShell(missing));
      if (!SHELLS.includes(shell)) throw usage(missing);
      const script = readFileSync(fileOf(shell), 'utf8');
      const { json } = command.optsWithGlobals();
      process.stdout.write(json ? `${JSON.stringify({ data: { shell, script } })}\n` : script);
    });
}

async function askShell(missing: string): Promise<string> {
  const { chosenOf, wordChoices } = await import('../terminal/prompt.ts');
  return chosenOf(undefined, missing, { message: 'Which shell?', choices: wordChoices(SHELLS) });
}

/** The script beside the built code, wherever the build puts this module. */
function fileOf(shell: string): URL {
  const homes = ['./completion/', '../completion/'].map((home) => new URL(`${home}layaway.${shell}`, import.meta.url));
  const file = homes.find((home) => existsSync(home));
  if (!file) throw new Error(`The completion scripts are not part of this build: ${homes.join(', ')} do not exist.`);
  return file;
}
