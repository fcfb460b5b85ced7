import type { Command } from 'commander';

/** Adds the notes, if any, and one example that works to the end of the help. */
export const describe = (command: Command, summary: string, example: string, notes = ''): Command =>
  command.description(summary).addHelpText('after', () => {
    const { isTTY, columns } = process.stdout;
    const text = notes && `\n${command.createHelp().boxWrap(notes, isTTY ? columns : 80)}\n`;
    return `${text}\nExample:\n  $ ${example}`;
  });
