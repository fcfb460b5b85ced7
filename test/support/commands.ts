import { Command } from 'commander';
import { MANIFEST, type Noun } from '../../src/cli/manifest.ts';

/** Every registered command, in alphabetical order. */
export async function everyCommand(isMeant: (noun: Noun) => boolean = () => true): Promise<string[]> {
  const names = await Promise.all(
    MANIFEST.filter(isMeant).map(async ({ name, load }) => {
      const noun = new Command(name);
      (await load()).default(noun);
      const verbs = noun.commands.map((verb) => `${name} ${verb.name()}`);
      // A noun with arguments also works without a verb.
      return verbs.length === 0 || noun.registeredArguments.length > 0 ? [name, ...verbs] : verbs;
    }),
  );
  return names.flat().sort();
}
