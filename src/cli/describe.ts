import type { Command } from 'commander';

/** Every command's help ends with one example that works. */
export const describe = (command: Command, summary: string, example: string): Command =>
  command.description(summary).addHelpText('after', `\nExample:\n  $ ${example}`);
