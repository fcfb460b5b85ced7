import type { Command } from 'commander';
import { run } from '../command.ts';
import { bash } from '../completion/bash.ts';
import { fish } from '../completion/fish.ts';
import { collectWords } from '../completion/words.ts';
import { zsh } from '../completion/zsh.ts';
import { describe } from '../describe.ts';
import { usage } from '../exit.ts';

const SHELLS = { bash, zsh, fish };

export default function completion(command: Command) {
  command.addHelpText(
    'after',
    `
Put it into the file that your shell reads at its start:
  bash  ~/.bashrc                   eval "$(layaway completion bash)"
  zsh   ~/.zshrc, after compinit    eval "$(layaway completion zsh)"
  fish  ~/.config/fish/config.fish  layaway completion fish | source`,
  );
  describe(
    command,
    'Print what makes your shell complete commands, flags and ids.',
    'layaway completion fish > ~/.config/fish/completions/layaway.fish',
  )
    .argument('[shell]', 'bash, zsh or fish')
    .usage('<shell> [options]')
    .action(
      run(async (cli, shell: string | undefined) => {
        if (shell === undefined || !Object.hasOwn(SHELLS, shell)) {
          throw usage(`Say which shell: ${Object.keys(SHELLS).join(', ')}.`);
        }
        const script = SHELLS[shell as keyof typeof SHELLS](await collectWords(command.parent?.options ?? []));
        cli.out.document(cli.out.json ? JSON.stringify({ data: { shell, script } }) : script);
      }),
    );
}
