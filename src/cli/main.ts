import { inspect } from 'node:util';
import { Command, CommanderError, type Option } from 'commander';
import { codeOf } from '../domain/error-code.ts';
import { VERSION } from '../version.ts';
import { FOLDER_GONE, isFolderGone } from './current-folder.ts';
import { CommandError, EXIT, Refused, usage } from './exit.ts';
import { GLOBAL_FLAGS } from './globals.ts';
import { refuseFlagsAsValues } from './input/flag-values.ts';
import { givenFlags, ownWords } from './input/given-flags.ts';
import { pasted } from './input/shell-quoted.ts';
import { MANIFEST, type Noun } from './manifest.ts';
import { createProgram } from './program.ts';
import { leave, watchPipes } from './terminal/pipes.ts';
import { printable, printableJson } from './terminal/printable.ts';

/** Looks for --json here, because commander prints the version before it reads the flags that follow. */
const version = ownWords().includes('--json') ? JSON.stringify({ name: 'layaway', version: VERSION }) : VERSION;

const typed = commandWords(ownWords());
const isHelp = asksForHelp();
/** The noun, the verb, and what follows them. */
const words = isHelp ? typed.filter((word) => word !== 'help') : typed;
const nouns = new Map(MANIFEST.map((noun): [string, Noun] => [noun.name, noun]));
// Commander takes a while for thirty commands, and only one of them runs.
const asked = nouns.get(process.argv[2] ?? '');
const program = createProgram(version, asked ? [asked] : MANIFEST);
refuseFlagsAsValues(program);
program.hook('preSubcommand', async (_program, command) => {
  const noun = await nouns.get(command.name())?.load();
  noun?.default(command);
  for (const each of [command, ...command.commands]) refuseFlagsAsValues(each);
  const [, verb] = words;
  const verbs = command.commands.map((each) => each.name());
  if (verb !== undefined && verbs.length > 0 && !verbs.includes(verb)) throw await unknownCommand();
});

watchPipes();
main();

async function main() {
  try {
    const [noun] = words;
    if (noun !== undefined && !nouns.has(noun)) throw await unknownCommand();
    if (noun === 'exec' && !isHelp) await refuseMixed();
    if (isHelp && ownWords().includes('--json')) await printTree();
    else await program.parseAsync(isHelp ? [...words, '--help'] : process.argv.slice(2), { from: 'user' });
  } catch (error) {
    process.exitCode = report(error, program.opts());
  }
  leave();
}

/** `help` before or after a noun means `--help`. */
function asksForHelp(): boolean {
  const all = ownWords();
  return all.includes('--help') || all.includes('-h') || typed.slice(0, 2).includes('help');
}

async function unknownCommand() {
  const [noun = '', verb = ''] = words;
  const [{ OUTPUTS }, { suggestion }] = await Promise.all([import('./machine/outputs.ts'), import('../nearest.ts')]);
  const shown = MANIFEST.filter(({ hidden }) => !hidden).map(({ name }) => name);
  // Other programs have it as a command.
  const meant = noun === 'version' ? 'Did you mean --version?' : suggestion(noun, shown);
  if (!nouns.has(noun)) return usage(`There is no command "${noun}". ${meant}`);
  const verbs = Object.keys(OUTPUTS).flatMap((name) =>
    name.startsWith(`${noun} `) ? [name.split(' ')[1] as string] : [],
  );
  return usage(`There is no command "${noun} ${verb}". ${suggestion(verb, verbs, `${noun} `)}`);
}

/**
 * Without two dashes, the flags of the command that `exec` runs would count as those of `exec`.
 * @throws CommandError
 */
async function refuseMixed() {
  const all = process.argv.slice(2);
  if (all.includes('--')) return;
  const exec = new Command();
  (await nouns.get('exec')?.load())?.default(exec);
  const first = all.indexOf('exec') + 1;
  const at = operandAt(all, first, [...program.options, ...exec.options]);
  const line = all.slice(at);
  if (!line.some((word) => /^-./.test(word))) return;
  const own = givenFlags().slice(first, at);
  throw usage(
    `Write two dashes before the command, so that its flags are its own: layaway exec ${[...own.map(pasted), '--', ...line.map(pasted)].join(' ')}`,
  );
}

/** Where the first word is that is neither one of these flags nor the value of one. */
function operandAt(all: readonly string[], first: number, flags: readonly Option[]): number {
  let at = first;
  for (let word = all[at]; word?.startsWith('-'); word = all[at]) {
    const [name, given] = word.split('=', 2);
    const flag = flags.find(({ short, long }) => name === short || name === long);
    const hasValue = flag?.required || (flag?.optional && !all[at + 1]?.startsWith('-'));
    at += hasValue && given === undefined ? 2 : 1;
  }
  return at;
}

async function printTree() {
  const { treeOf } = await import('./machine/tree.ts');
  const tree = await treeOf(words);
  if (tree === null) throw await unknownCommand();
  process.stdout.write(`${printableJson(JSON.stringify(tree, null, 2))}\n`);
}

/** Those that are neither a global flag nor its value, up to a flag of the command. */
function commandWords(all: readonly string[]): string[] {
  const found: string[] = [];
  for (let index = 0; index < all.length; index += 1) {
    const word = all[index] as string;
    if (!word.startsWith('-')) {
      found.push(word);
      continue;
    }
    const [name, given] = word.split('=', 2);
    const flag = GLOBAL_FLAGS.find(([flags]) => flags.split(' ', 1)[0] === name);
    if (!flag) break;
    if (flag[0].includes('<') && given === undefined) index += 1;
  }
  return found;
}

/** Prints what went wrong and returns the exit code. */
function report(error: unknown, { json, debug }: { json?: boolean; debug?: boolean }): number {
  // bin/layaway.js prints it, as it does for those that are thrown elsewhere.
  if (codeOf(error) === 'ERR_ACCESS_DENIED') throw error;
  // Commander has already printed it, with the nearest name that exists.
  if (error instanceof CommanderError) {
    if (error.code === 'commander.excessArguments' && ownWords().includes('#')) console.error(COMMENT);
    if (error.code === 'commander.unknownOption' && isBackwards()) console.error(FORWARD);
    return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  }
  if (debug) console.error(lines(inspect(error)));
  if (error instanceof Refused && json) {
    process.stdout.write(`${printableJson(error.body.trimEnd())}\n`);
    if (error.hint !== null && !debug) console.error(printable(error.hint));
  } else if (!debug) console.error(sentence(error));
  if (error instanceof CommandError) return error.code;
  return error instanceof Error && 'isUsage' in error ? EXIT.usage : EXIT.failure;
}

/** At the prompt, zsh knows no comments unless it is told so, and examples that people paste have some. */
const COMMENT =
  'Your shell does not treat the text after "#" as a comment. Leave it out or, in zsh, run: setopt interactive_comments';

/** A negative duration, which commander takes for an option. */
const isBackwards = () => words.join(' ') === 'clock advance' && ownWords().some((word) => /^-\d/.test(word));

const FORWARD = 'Clocks only move forward. To return to an earlier time, restore a snapshot.';

function sentence(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const text = lines(message);
  const isExpected = error instanceof CommandError || (error instanceof Error && error.name === 'CannotStart');
  if (isExpected) return text;
  if (isFolderGone(error)) return FOLDER_GONE;
  return `Unexpected error: ${text} (Use --debug for a stack trace.)`;
}

function lines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}
