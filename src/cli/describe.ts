import type { Command, Option } from 'commander';

/** What comes after the options: sentences, or a list of terms under its heading. */
export type Notes = string | { readonly heading: string; readonly items: readonly (readonly [string, string])[] };

/** Adds the notes, if any, and one example that works to the end of the help. */
export const describe = (command: Command, summary: string, example: string, notes: Notes = '') =>
  command
    .description(summary)
    .configureOutput({ outputError: (text, write) => write(withBegunFlags(text, command)) })
    .addHelpText('after', () => {
      const { isTTY, columns } = process.stdout;
      const text = notes && `\n${laidOut(command, notes, isTTY ? columns : 80)}\n`;
      return `${text}\nExample:\n  $ ${example}`;
    });

/** Commander suggests the flag with the fewest other letters, although another one begins as what was typed. */
function withBegunFlags(text: string, command: Command): string {
  const [, error, typed] = /^(error: unknown option '(--[^'=]{3,})[^']*'\n)/.exec(text) ?? [];
  if (error === undefined || typed === undefined) return text;
  const flags = optionsOf(command).flatMap(({ long, hidden }) => (long && !hidden ? [long] : []));
  const begun = [...new Set(flags)].filter((flag) => flag.startsWith(typed));
  if (begun.length === 0) return text;
  return `${error}(Did you mean ${begun.length > 1 ? 'one of ' : ''}${begun.join(', ')}?)\n`;
}

/** The options of a command and of those around it. */
export const optionsOf = ({ options, parent }: Command): Option[] => [...options, ...(parent ? optionsOf(parent) : [])];

function laidOut(command: Command, notes: Notes, helpWidth: number): string {
  const help = command.createHelp();
  if (typeof notes === 'string') return help.boxWrap(notes, helpWidth);
  help.prepareContext({ helpWidth });
  const { heading, items } = notes;
  const width = Math.max(...items.map(([term]) => term.length));
  return [heading, ...items.map(([term, meaning]) => help.formatItem(term, width, meaning, help))].join('\n');
}
