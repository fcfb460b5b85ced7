import type { Command } from 'commander';

/** Every command's help ends with one example that works, after what `notes` there are. */
export const describe = (command: Command, summary: string, example: string, notes = ''): Command =>
  command.description(summary).addHelpText('after', () => {
    const { isTTY, columns } = process.stdout;
    const text = notes && `\n${command.createHelp().boxWrap(notes, isTTY ? columns : 80)}\n`;
    return `${text}\nExample:\n  $ ${example}`;
  });
