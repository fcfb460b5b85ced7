import { Command, Option } from 'commander';
import { EVENT_TYPES } from '../../domain/event.ts';
import { FAULT_KINDS } from '../../domain/faults.ts';
import { GLOBAL_FLAGS } from '../globals.ts';
import { ASSUMPTION_NAMES } from '../input/assign.ts';
import { MANIFEST } from '../manifest.ts';
import { PROFILE_KEYS } from '../server/profiles.ts';

/** What can stand in a place: fixed words, what the server has (`layaway __complete <kind>`), or a file. */
export type Place = { readonly words: readonly string[] } | { readonly live: string } | { readonly files: true };

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
export interface Spot {
  readonly noun: string;
  readonly verb: string;
  readonly verbs: readonly Named[];
  readonly flags: readonly Flag[];
  readonly argument: Place | null;
}

export interface Words {
  readonly nouns: readonly Named[];
  readonly globals: readonly Flag[];
  readonly spots: readonly Spot[];
}

/** What the first argument is, where it is nothing that only the user knows. */
const ARGUMENTS: Readonly<Record<string, Place>> = {
  run: { files: true },
  completion: { words: ['bash', 'zsh', 'fish'] },
  'events wait': { words: EVENT_TYPES },
  'faults add': { words: FAULT_KINDS },
  'assumptions set': { words: ASSUMPTION_NAMES },
  'config get': { words: PROFILE_KEYS },
  'config set': { words: PROFILE_KEYS },
  'config use': { live: 'profiles' },
  'snapshots restore': { live: 'snapshots' },
  'snapshots delete': { live: 'snapshots' },
};

/** Nouns whose `<id>` and `<ref>` the server can list. */
export const LIVE_NOUNS = ['sessions', 'contracts', 'webhooks', 'events', 'emails', 'keys', 'faults'];

const VALUES: Readonly<Record<string, Place>> = {
  '--contract': { live: 'contracts' },
  '--session': { live: 'sessions' },
  '--endpoint': { live: 'webhooks' },
  '--event': { live: 'events' },
  '--profile': { live: 'profiles' },
  '--data': { files: true },
  '--fixture': { files: true },
  '--output': { files: true },
  '--headers': { files: true },
  '--body': { files: true },
};

/** Every noun, verb and flag there is, from the commands themselves. */
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
    globals: flagsOf(GLOBAL_FLAGS.map(([flags, summary]) => new Option(flags, summary))),
    spots: nouns.flatMap((noun) => [
      spot(noun.name(), '', noun),
      ...noun.commands.map((verb) => spot(noun.name(), verb.name(), verb)),
    ]),
  };
}

function spot(noun: string, verb: string, command: Command): Spot {
  return {
    noun,
    verb,
    verbs: command.commands.map((each) => ({ name: each.name(), summary: each.description() })),
    flags: flagsOf(command.options),
    argument: argumentOf(noun, verb, command),
  };
}

function argumentOf(noun: string, verb: string, { registeredArguments: [first] }: Command): Place | null {
  if (!first) return null;
  const known = ARGUMENTS[`${noun} ${verb}`.trim()];
  if (known) return known;
  return LIVE_NOUNS.includes(noun) && ['id', 'ref'].includes(first.name()) ? { live: noun } : null;
}

const flagsOf = (options: readonly Option[]): Flag[] =>
  options
    .filter(({ hidden }) => !hidden)
    .map((option) => {
      const name = option.long ?? '';
      return {
        name,
        short: option.short ?? null,
        summary: option.description,
        takesValue: option.required || option.optional,
        value: option.argChoices ? { words: option.argChoices } : (VALUES[name] ?? null),
      };
    });

/** All flags that are followed by a value, short forms included. */
export const valuedFlags = ({ globals, spots }: Words): Flag[] => {
  const byName = new Map([...globals, ...spots.flatMap(({ flags }) => flags)].map((flag) => [flag.name, flag]));
  return [...byName.values()].filter(({ takesValue }) => takesValue);
};

/** The flags that say which server is meant: a live completion asks the same one. */
export const ADDRESS_FLAGS = ['--base-url', '--client-id', '--api-key', '--profile', '--control-token'];

export const namesOf = ({ name, short }: Flag): string[] => (short === null ? [name] : [short, name]);
