import type { Command } from 'commander';

/** Every command's help ends with one example that works, after what `notes` there are. */
export const describe = (command: Command, summary: string, example: string, notes = ''): Command =>
  command.description(summary).addHelpText('after', `${notes && `\n${notes}\n`}\nExample:\n  $ ${example}`);
