import type { Command } from 'commander';
import { KEY_PREFIX_LENGTH } from '../../domain/limits.ts';
import { suggestion } from '../../nearest.ts';
import { type Cli, run, verb } from '../command.ts';
import { describe } from '../describe.ts';
import { failure, usage } from '../exit.ts';
import { pastedArgument } from '../input/shell-quoted.ts';
import { parseBaseUrl } from '../server/address.ts';
import {
  type KnownProfiles,
  openProfiles,
  PROFILE_KEYS,
  type Profile,
  type ProfileKey,
  readProfiles,
  settingsFile,
} from '../server/profiles.ts';
import { asked, chosenOf, confirmed, wordChoices } from '../terminal/prompt.ts';

export default function config(noun: Command) {
  describe(
    noun,
    'Store addresses and keys in named profiles. --profile picks one; the default is the selected profile.',
    'layaway config set base-url http://127.0.0.1:4800',
  );

  verb(
    noun,
    'get <key>',
    `Print one of ${PROFILE_KEYS.join(', ')}; secrets are shortened.`,
    'layaway config get base-url',
  ).action(run(get));

  verb(
    noun,
    'set <key> <value>',
    'Store a value in the profile.',
    'layaway config set base-url http://127.0.0.1:4800',
  ).action(run(set));

  verb(noun, 'unset <key>', 'Remove a value from the profile.', 'layaway config unset api-key').action(run(unset));

  verb(noun, 'delete <profile>', 'Delete a profile and its values.', 'layaway config delete staging')
    .option('--yes', 'do not ask')
    .action(run(remove));

  verb(noun, 'list', 'List the profiles and their values.', 'layaway config list').action(run(list));

  verb(noun, 'path', 'Print the path of the profile file.', 'layaway config path').action(
    run(async (cli) => {
      const path = settingsFile();
      print(cli, { path }, () => cli.out.line(path));
    }),
  );

  verb(noun, 'use <profile>', 'Select a profile; create it if it does not exist.', 'layaway config use staging')
    .option('--yes', 'do not ask before creating one')
    .action(run(use));
}

async function get(cli: Cli, given: string | undefined) {
  const key = await chooseKey(given);
  const profiles = readProfiles();
  const name = profileName(cli, profiles);
  const value = profiles.get(name)?.[key];
  if (value === undefined) {
    throw failure(`${key} is not set in the profile ${name}. Set it with \`layaway config set ${key} <value>\`.`);
  }
  print(cli, { [key]: shown(key, value) }, () => cli.out.line(shown(key, value)));
}

async function set(cli: Cli, givenKey: string | undefined, givenValue: string | undefined) {
  const key = await chooseKey(givenKey);
  const value = await asked(givenValue, `Missing value for ${key}.`, {
    message: `Value of ${key}`,
    check: (text) => check(key, text),
    ...(key === 'api-key' ? { secret: true } : {}),
  });
  const checked = check(key, value);
  const profiles = await openProfiles();
  const name = profileName(cli, profiles);
  profiles.set(name, key, checked);
  print(cli, { [key]: shown(key, checked) }, () => cli.out.note(`Stored ${key} in the profile ${name}.`));
}

async function unset(cli: Cli, given: string | undefined) {
  const key = await chooseKey(given);
  const profiles = await openProfiles();
  const name = profileName(cli, profiles);
  const isSet = profiles.get(name)?.[key] !== undefined;
  if (isSet) profiles.unset(name, key);
  const said = isSet ? `Removed ${key} from the profile ${name}.` : `${key} is not set in the profile ${name}.`;
  print(cli, null, () => cli.out.note(said));
}

async function remove(cli: Cli, given: string | undefined, flags: { yes?: boolean }) {
  const profiles = await openProfiles();
  const name = await chosenOf(given, 'Missing profile name.', {
    message: 'Which profile?',
    choices: wordChoices(profiles.names),
  });
  if (!profiles.get(name)) throw usage(`There is no profile named ${name}. ${suggestion(name, profiles.names)}`);
  await confirmed(`Delete the profile ${name} and its values?`, flags);
  profiles.delete(name);
  const done = profiles.names.includes(name)
    ? `Removed all values of the profile ${name}`
    : `Deleted the profile ${name}`;
  print(cli, null, () => cli.out.note(`${done}. Selected: ${profiles.selected}.`));
}

async function list(cli: Cli) {
  const profiles = readProfiles();
  const all = profiles.names.map((name) => ({
    name,
    selected: name === profiles.selected,
    ...readable(profiles.get(name) ?? {}),
  }));
  print(cli, all, () =>
    cli.out.table(
      [{ title: '  PROFILE' }, { title: 'BASE URL' }, { title: 'CLIENT ID' }, { title: 'API KEY' }],
      all.map((profile) => [
        `${profile.selected ? '*' : ' '} ${profile.name}`,
        ...PROFILE_KEYS.map((key) => profile[key] ?? '—'),
      ]),
    ),
  );
}

async function use(cli: Cli, given: string | undefined, flags: { yes?: boolean }) {
  const name = await asked(given, 'Missing profile name.', { message: 'Name of the profile' });
  if (name.trim() === '') throw usage('The profile name must not be empty.');
  const profiles = await openProfiles();
  if (!profiles.get(name)) {
    const known = profiles.names.join(', ');
    await confirmed(`There is no profile named ${name}; the profiles are: ${known}. Create ${name}?`, flags);
  }
  profiles.use(name);
  print(cli, { selected: name }, () => cli.out.note(`Selected the profile ${name}.`));
}

function print({ out }: Cli, data: unknown, human: () => void) {
  if (out.json) return out.document(JSON.stringify({ data }));
  human();
}

async function chooseKey(given: string | undefined): Promise<ProfileKey> {
  const text = await chosenOf(given, `Missing key: ${PROFILE_KEYS.join(', ')}.`, {
    message: 'Which key?',
    choices: wordChoices(PROFILE_KEYS),
  });
  const key = PROFILE_KEYS.find((one) => one === text);
  if (key) return key;
  throw usage(`Unknown key "${text}". ${suggestion(text, PROFILE_KEYS)}`);
}

function profileName({ flags }: Cli, profiles: KnownProfiles): string {
  const asked = flags.profile || process.env.LAYAWAY_PROFILE || undefined;
  if (asked === undefined || profiles.get(asked)) return asked ?? profiles.selected;
  throw usage(`There is no profile named ${asked}. Create it with \`layaway config use ${pastedArgument(asked)}\`.`);
}

/** @throws CommandError when the value could never work */
function check(key: ProfileKey, value: string): string {
  if (key === 'base-url') return parseBaseUrl(value, key);
  const shape = key === 'client-id' ? /^mch_(test|live)_\w+$/ : /^sk_(test|live)_\w+$/;
  if (shape.test(value)) return value;
  const prefix = key === 'client-id' ? 'mch' : 'sk';
  throw usage(
    `Invalid ${key}: it must start with ${prefix}_test_ or ${prefix}_live_, and continue with letters and digits.`,
  );
}

const shown = (key: ProfileKey, value: string) => (key === 'api-key' ? `${value.slice(0, KEY_PREFIX_LENGTH)}…` : value);

const readable = (profile: Profile): Profile =>
  Object.fromEntries(PROFILE_KEYS.flatMap((key) => (profile[key] ? [[key, shown(key, profile[key])]] : [])));
