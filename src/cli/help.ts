import { type Command, Help, type HelpConfiguration } from 'commander';

/** What a description needs beside its term; where there is less, it stands below. */
const DESCRIPTION_MIN = 24;
const INDENT = 2;

/** How help looks, at whatever width. */
export const helpConfiguration: HelpConfiguration = {
  showGlobalOptions: true,
  minWidthToWrap: 20,

  /** A verb with what must follow it; of several ways to say it, none. A noun stands for itself. */
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

  formatItem(term: string, termWidth: number, description: string, helper: Help): string {
    const width = helper.helpWidth ?? 80;
    if (description === '' || width - termWidth - 2 * INDENT >= DESCRIPTION_MIN) {
      return Help.prototype.formatItem.call(helper, term, termWidth, description, helper);
    }
    const below = helper.boxWrap(description, width - 2 * INDENT);
    return `${' '.repeat(INDENT)}${term}\n${below.replace(/^/gm, ' '.repeat(2 * INDENT))}`;
  },
};
