import type { Command } from 'commander';
import { suggestion } from '../../nearest.ts';
import { run } from '../command.ts';
import { describe } from '../describe.ts';
import { usage } from '../exit.ts';
import { chosenOf, wordChoices } from '../terminal/prompt.ts';

export default function schema(command: Command) {
  describe(
    command,
    'Print the JSON Schema of what a command prints with --json.',
    'layaway schema contracts get',
    '`layaway --help --json` prints every command with its schema.',
  )
    .argument('[command...]')
    .usage('<command...> [options]')
    .action(
      run(async ({ out }, words: readonly string[]) => {
        const { OUTPUTS, outputSchema, WITH_SCHEMA } = await import('../machine/outputs.ts');
        const name = await chosenOf(
          words.join(' ') || undefined,
          'Missing command, such as `layaway schema contracts get`.',
          { message: 'Which command?', choices: wordChoices(WITH_SCHEMA) },
        );
        const found = outputSchema(name);
        if (found === null) throw usage(`\`layaway ${name}\` prints no JSON of its own.`);
        if (found === undefined) throw unknown(name, Object.keys(OUTPUTS));
        out.document(JSON.stringify(found, null, 2));
      }),
    );
}

const nounsOf = (names: readonly string[]) => new Set(names.flatMap((name) => name.split(' ').slice(0, -1)));

function unknown(name: string, known: readonly string[]) {
  const verbs = known.filter((each) => each.startsWith(`${name} `));
  return verbs.length > 0
    ? usage(`"${name}" is several commands. Name one: ${verbs.join(', ')}.`)
    : usage(`There is no command "${name}". ${suggestion(name, [...nounsOf(known), ...known])}`);
}
