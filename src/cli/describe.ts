import type { Command } from 'commander';

/** What comes after the options: sentences, or a list of terms under its heading. */
export type Notes = string | { readonly heading: string; readonly items: readonly (readonly [string, string])[] };

/** Adds the notes, if any, and one example that works to the end of the help. */
export const describe = (command: Command, summary: string, example: string, notes: Notes = '') =>
  command.description(summary).addHelpText('after', () => {
    const { isTTY, columns } = process.stdout;
    const text = notes && `\n${laidOut(command, notes, isTTY ? columns : 80)}\n`;
    return `${text}\nExample:\n  $ ${example}`;
  });

function laidOut(command: Command, notes: Notes, helpWidth: number): string {
  const help = command.createHelp();
  if (typeof notes === 'string') return help.boxWrap(notes, helpWidth);
  help.prepareContext({ helpWidth });
  const { heading, items } = notes;
  const width = Math.max(...items.map(([term]) => term.length));
  return [heading, ...items.map(([term, meaning]) => help.formatItem(term, width, meaning, help))].join('\n');
}
