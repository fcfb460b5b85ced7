import { Command, Option } from 'commander';
import { OUTCOMES } from '../../domain/contract.ts';
import { EVENT_TYPES } from '../../domain/event.ts';
import { FAULT_KINDS } from '../../domain/faults.ts';
import { SCOPES } from '../../domain/scope.ts';
import { CHECKS_IN_HELP } from '../commands/certify.ts';
import { GLOBAL_FLAGS, VERSION_FLAG } from '../globals.ts';
import { ASSUMPTION_NAMES } from '../input/assign.ts';
import { WITH_SCHEMA } from '../machine/outputs.ts';
import { MANIFEST } from '../manifest.ts';
import { PROFILE_KEYS } from '../server/profiles.ts';

/**
 * What can stand in a place: fixed words (several, with commas between them, when it is a list), what
 * `layaway __complete <kind>` lists (`<kind>:<argument>` when it is `of` the first argument), or a file.
 */
export type Place =
  | { readonly words: readonly string[]; readonly isList?: boolean }
  | { readonly live: string; readonly of?: true }
  | { readonly files: true };

export interface Named {
  readonly name: string;
  readonly summary: string;
}

export interface Flag extends Named {
  /** `-H` of `--header`. */
  readonly short: string | null;
  readonly takesValue: boolean;
  readonly value: Place | null;
}

/** What can follow `layaway <noun> <verb>`; the verb is empty for a noun by itself. */
export interface CommandWords {
  readonly noun: string;
  readonly verb: string;
  readonly verbs: readonly Named[];
  readonly flags: readonly Flag[];
  readonly argument: Place | null;
  /** What follows the first argument. */
  readonly rest: Place | null;
}

export interface Words {
  readonly nouns: readonly Named[];
  readonly globals: readonly Flag[];
  readonly commands: readonly CommandWords[];
}

const HELP_FLAG = ['-h, --help', 'show help'] as const;

/** What the first argument can be, for commands where that is known. */
const ARGUMENTS: Readonly<Record<string, Place>> = {
  run: { files: true },
  completion: { words: ['bash', 'zsh', 'fish'] },
  new: { words: ['express', 'fastify', 'next', 'laravel', 'python'] },
  'events wait': { words: EVENT_TYPES },
  'faults add': { words: FAULT_KINDS },
  'assumptions set': { words: ASSUMPTION_NAMES },
  'assumptions reset': { words: ASSUMPTION_NAMES },
  'config get': { words: PROFILE_KEYS },
  'config set': { words: PROFILE_KEYS },
  'config unset': { words: PROFILE_KEYS },
  'config use': { live: 'profiles' },
  'config delete': { live: 'profiles' },
  'snapshots restore': { live: 'snapshots' },
  'snapshots delete': { live: 'snapshots' },
  explain: { live: 'explain' },
  schema: { words: [...new Set(WITH_SCHEMA.map((name) => name.split(' ', 1)[0] as string))] },
  'trace save': { files: true },
  'trace open': { files: true },
  'trace show': { files: true },
  'trace scenario': { files: true },
  'coverage merge': { files: true },
};

/** What follows the first argument. */
const REST: Readonly<Record<string, Place>> = {
  run: { files: true },
  new: { files: true },
  'coverage merge': { files: true },
  'contracts outcomes': { words: OUTCOMES },
  'assumptions set': { live: 'values', of: true },
  schema: { live: 'verbs', of: true },
};

/** Nouns whose `<id>` and `<ref>` the server can list. */
const LIVE_NOUNS = [
  'sessions',
  'contracts',
  'webhooks',
  'deliveries',
  'events',
  'emails',
  'merchants',
  'keys',
  'faults',
];

/** By flag, or by command and flag. */
const VALUES: Readonly<Record<string, Place>> = {
  '--contract': { live: 'contracts' },
  '--reference': { live: 'contracts' },
  '--session': { live: 'sessions' },
  '--endpoint': { live: 'webhooks' },
  '--event': { live: 'events' },
  '--profile': { live: 'profiles' },
  '--events': { words: EVENT_TYPES, isList: true },
  '--scopes': { words: SCOPES, isList: true },
  'certify --only': { words: CHECKS_IN_HELP.split(' '), isList: true },
  'certify --skip': { words: CHECKS_IN_HELP.split(' '), isList: true },
  'import --from': { live: 'profiles' },
  'compare --against': { live: 'profiles' },
  'faults add --status': { words: ['500', '502', '503', '504'] },
  '--status': { words: ['2xx', '3xx', '4xx', '5xx'] },
  '--trace': { files: true },
  '--coverage': { files: true },
  '--data': { files: true },
  '--fixture': { files: true },
  '--output': { files: true },
  '--headers': { files: true },
  '--body': { files: true },
};

/** Collects every noun, verb and flag from the commands themselves. */
export async function collectWords(): Promise<Words> {
  const shown = MANIFEST.filter(({ hidden }) => !hidden);
  const nouns = await Promise.all(
    shown.map(async ({ name, load }) => {
      const noun = new Command(name);
      (await load()).default(noun);
      return noun;
    }),
  );
  return {
    nouns: shown.map(({ name, summary }) => ({ name, summary })),
    globals: flagsOf([...GLOBAL_FLAGS, VERSION_FLAG, HELP_FLAG].map(([flags, summary]) => new Option(flags, summary))),
    commands: nouns.flatMap((noun) => [
      wordsOf(noun.name(), '', noun),
      ...noun.commands.map((verb) => wordsOf(noun.name(), verb.name(), verb)),
    ]),
  };
}

function wordsOf(noun: string, verb: string, command: Command): CommandWords {
  return {
    noun,
    verb,
    verbs: command.commands.map((each) => ({ name: each.name(), summary: each.description() })),
    flags: flagsOf(command.options, `${noun} ${verb}`),
    argument: argumentOf(noun, verb, command),
    rest: REST[`${noun} ${verb}`.trim()] ?? null,
  };
}

function argumentOf(noun: string, verb: string, { registeredArguments: [first] }: Command): Place | null {
  if (!first) return null;
  const known = ARGUMENTS[`${noun} ${verb}`.trim()];
  if (known) return known;
  return LIVE_NOUNS.includes(noun) && ['id', 'ref'].includes(first.name()) ? { live: noun } : null;
}

const flagsOf = (options: readonly Option[], command = ''): Flag[] =>
  options
    .filter(({ hidden }) => !hidden)
    .map((option) => {
      const name = option.long ?? '';
      return {
        name,
        short: option.short ?? null,
        summary: option.description,
        takesValue: option.required || option.optional,
        value: option.argChoices
          ? { words: option.argChoices }
          : (VALUES[`${command.trim()} ${name}`] ?? VALUES[name] ?? null),
      };
    });

/** The nouns that a verb follows, with a space between them. */
export const nounsWithVerbs = ({ commands }: Words): string =>
  commands
    .filter(({ verbs }) => verbs.length > 0)
    .map(({ noun }) => noun)
    .join(' ');

/** All flags that are followed by a value, short forms included. */
export const valuedFlags = ({ globals, commands }: Words): Flag[] => {
  const byName = new Map([...globals, ...commands.flatMap(({ flags }) => flags)].map((flag) => [flag.name, flag]));
  return [...byName.values()].filter(({ takesValue }) => takesValue);
};

/** Where a flag has values to offer: `<noun> <verb> <flag>`, or `* <flag>` for one that every command takes. */
export function offeringFlags({ globals, commands }: Words): { at: string; value: Place }[] {
  const offered = (where: string, flags: readonly Flag[]) =>
    flags.flatMap(({ value, ...flag }) =>
      value === null ? [] : namesOf(flag).map((name) => ({ at: `${where} ${name}`, value })),
    );
  return [...commands.flatMap(({ noun, verb, flags }) => offered(`${noun} ${verb}`, flags)), ...offered('*', globals)];
}

/** The flags that choose the server. Completion of live ids passes them on, to ask the same server. */
export const ADDRESS_FLAGS = ['--base-url', '--client-id', '--api-key', '--profile', '--control-token'];

export const namesOf = ({ name, short }: Pick<Flag, 'name' | 'short'>): string[] =>
  short === null ? [name] : [short, name];
