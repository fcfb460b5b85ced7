import { Command } from 'commander';
import { describe } from './describe.ts';
import { GLOBAL_FLAGS, VERSION_FLAG } from './globals.ts';
import { helpConfiguration } from './help.ts';
import { GROUPS, type Noun } from './manifest.ts';

/** The program as commander knows it. Its nouns have no verbs before they are loaded. */
export function createProgram(version: string, nouns: readonly Noun[]): Command {
  const program = describe(new Command('layaway'), 'Local sandbox for the Layaway Checkout Service.', 'layaway serve')
    .version(version, ...VERSION_FLAG)
    .helpCommand(false)
    .configureHelp(helpConfiguration)
    .showHelpAfterError('Use --help for usage.')
    .exitOverride();
  for (const [flags, summary] of GLOBAL_FLAGS) program.option(flags, summary);
  for (const { name, hidden = false, summary } of nouns) {
    program.command(name, { hidden }).description(summary).helpCommand(false).helpGroup(headingOf(name));
  }
  return program;
}

function headingOf(name: string): string {
  const [heading = 'Commands'] =
    Object.entries(GROUPS).find(([, nouns]) => nouns.some((noun) => noun.name === name)) ?? [];
  return `${heading}:`;
}
