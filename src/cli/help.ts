import { type Command, Help, type HelpConfiguration, type Option } from 'commander';

/** The least width for a description beside its term. With less, the description goes below. */
const DESCRIPTION_MIN = 24;
const INDENT = 2;

export const helpConfiguration: HelpConfiguration = {
  showGlobalOptions: true,
  minWidthToWrap: 20,

  /** A verb with its arguments, or with `…` if they have several forms; a noun without arguments. */
  subcommandTerm(command: Command): string {
    const isNoun = command.parent?.parent === null;
    const follows = isNoun
      ? ''
      : command
          .usage()
          .replace('[options]', '')
          .replace(/\(.*\)/, '…');
    return `${command.name()} ${follows.trim()}`.trim();
  },

  /** Those of the program. A verb takes none of its noun. */
  visibleGlobalOptions(command: Command): Option[] {
    let program = command;
    while (program.parent) program = program.parent;
    return program === command ? [] : program.options.filter(({ hidden }) => !hidden);
  },

  /** Commands come before the options, which are the same for every noun. */
  formatHelp(command: Command, helper: Help): string {
    const sections = Help.prototype.formatHelp.call(helper, command, helper).trimEnd().split('\n\n');
    const isOptions = (section: string) => /^(?:Global )?Options:/.test(section);
    const others = sections.filter((section) => !isOptions(section));
    return `${[...others, ...sections.filter(isOptions)].join('\n\n')}\n`;
  },

  formatItem(term: string, termWidth: number, description: string, helper: Help): string {
    const width = helper.helpWidth ?? 80;
    if (description === '' || width - termWidth - 2 * INDENT >= DESCRIPTION_MIN) {
      return Help.prototype.formatItem.call(helper, term, termWidth, description, helper);
    }
    const below = helper.boxWrap(description, width - 2 * INDENT);
    return `${' '.repeat(INDENT)}${term}\n${below.replace(/^/gm, ' '.repeat(2 * INDENT))}`;
  },
};
