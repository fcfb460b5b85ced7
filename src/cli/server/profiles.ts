import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { codeOf } from '../../domain/error-code.ts';
import { fileReason } from '../../domain/file-error.ts';
import { isRecord, parsed } from '../../domain/json.ts';
import { CommandError, EXIT, failure, usage } from '../exit.ts';
import { makeFolder } from '../folder.ts';
import { pastedArgument } from '../input/shell-quoted.ts';

export const PROFILE_KEYS = ['base-url', 'client-id', 'api-key'] as const;
export type ProfileKey = (typeof PROFILE_KEYS)[number];
export type Profile = { readonly [Key in ProfileKey]?: string };

const DEFAULT_PROFILE = 'default';

/** The content of the settings file. */
interface Kept {
  readonly selected?: string;
  readonly profiles?: Readonly<Record<string, Profile>>;
}

export interface KnownProfiles {
  readonly selected: string;
  readonly names: readonly string[];
  /** Undefined when there is no profile of that name. */
  get(name: string): Profile | undefined;
}

/** The profiles of this user, and which of them is selected. */
interface Profiles extends KnownProfiles {
  set(name: string, key: ProfileKey, value: string): void;
  unset(name: string, key: ProfileKey): void;
  /** The default profile is selected when the selected one is deleted. */
  delete(name: string): void;
  /** Selects the profile; one that does not exist is created. */
  use(name: string): void;
}

/** The settings file, whether it exists or not. */
export const settingsFile = (): string => join(directory(), 'config.json');

/** Where each system keeps settings. A relative XDG_CONFIG_HOME does not count, as its specification says. */
function directory(): string {
  const { env, platform } = process;
  const { XDG_CONFIG_HOME: given = '' } = env;
  if (platform === 'darwin') return join(home(), 'Library', 'Preferences', 'layaway');
  if (platform === 'win32') return join(env.APPDATA || join(homedir(), 'AppData', 'Roaming'), 'layaway', 'Config');
  return join(isAbsolute(given) ? given : join(home(), '.config'), 'layaway');
}

/** Where HOME is empty or relative, the folder that the system knows for this user. */
function home(): string {
  try {
    const given = homedir();
    return isAbsolute(given) ? given : userInfo().homedir;
  } catch {
    // The system does not know this user. Docker gives such a user the same.
    return '/';
  }
}

/**
 * People edit this file, so it is checked before anything is read from it.
 * @throws Error when it does not hold what `openProfiles` writes
 */
function parseKept(text: string): Kept {
  // Some editors begin a file with a byte order mark, which counts as white space here.
  const kept = parsed(text.trim(), undefined);
  if (kept === undefined) throw new Error('it is not valid JSON');
  if (!isRecord(kept)) throw new Error('it is not an object');
  const { selected = DEFAULT_PROFILE, profiles = {} } = kept;
  if (typeof selected !== 'string') throw new Error('selected is not a string');
  if (!isRecord(profiles)) throw new Error('profiles is not an object');
  for (const [name, profile] of Object.entries(profiles)) {
    const isProfile = isRecord(profile) && Object.values(profile).every((value) => typeof value === 'string');
    if (!isProfile) throw new Error(`the profile ${name} is not an object of strings`);
  }
  return kept;
}

/** The settings file is there and no profile can be read from it. */
export class UnreadableSettings extends CommandError {
  readonly fault: string;
  readonly advice: string;

  constructor(cause: unknown) {
    const isForbidden = ['EACCES', 'EPERM'].includes(codeOf(cause));
    const fault = `${settingsFile()} cannot be read (${fileReason(cause)})`;
    const advice = isForbidden
      ? 'Give this user access to it, or set HOME to a folder of this user.'
      : 'Fix it or delete it.';
    super(EXIT.failure, `The settings file ${fault}. ${advice}`, { cause });
    this.fault = fault;
    this.advice = advice;
  }
}

const allOf = ({ profiles }: Kept): Record<string, Profile> => ({ [DEFAULT_PROFILE]: {}, ...profiles });

const known = (kept: () => Kept): KnownProfiles => ({
  get selected() {
    return kept().selected ?? DEFAULT_PROFILE;
  },
  get names() {
    return Object.keys(allOf(kept()));
  },
  get(name) {
    const all = allOf(kept());
    return Object.hasOwn(all, name) ? all[name] : undefined;
  },
});

/**
 * The profiles of this user, read without the library that writes them, which takes long to load.
 * @throws UnreadableSettings
 */
export function readProfiles(): KnownProfiles {
  try {
    const kept = parseKept(readFileSync(settingsFile(), 'utf8'));
    return known(() => kept);
  } catch (error) {
    // ENOTDIR: the home of this user is a file or a device, such as /dev/null.
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return known(() => ({}));
    throw new UnreadableSettings(error);
  }
}

/**
 * The profiles of this user, to be changed. Without a file there is one, which is empty.
 * @throws UnreadableSettings
 */
export async function openProfiles(): Promise<Profiles> {
  readProfiles();
  // The library asks for the home of the user while it loads, and fails for one that the system does not know.
  if (process.env.HOME === undefined) process.env.HOME = home();
  const { default: Conf } = await import('conf');
  let conf: InstanceType<typeof Conf<Kept & Record<string, unknown>>>;
  try {
    // The library would make it, too, but in a way that may never end.
    makeFolder(directory(), 0o700);
    conf = new Conf({
      projectName: 'layaway',
      cwd: directory(),
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
      deserialize: (text) => ({ ...parseKept(text) }),
    });
  } catch (error) {
    // It could be read, so this is the folder, which is made now.
    throw unwritable(error);
  }
  const profiles = known(() => conf.store);
  const write = (changesOf: (all: Record<string, Profile>) => Kept) => {
    try {
      alone(() => conf.set({ ...changesOf(allOf(conf.store)) }));
    } catch (error) {
      throw unwritable(error);
    }
  };
  return Object.assign(profiles, {
    set(name: string, key: ProfileKey, value: string) {
      write((all) => ({ profiles: { ...all, [name]: { ...all[name], [key]: value } } }));
    },
    unset(name: string, key: ProfileKey) {
      write((all) => {
        const { [key]: _, ...rest } = all[name] ?? {};
        return { profiles: { ...all, [name]: rest } };
      });
    },
    delete(name: string) {
      write(({ [name]: _, ...rest }) => ({
        selected: profiles.selected === name ? DEFAULT_PROFILE : profiles.selected,
        profiles: rest,
      }));
    },
    use(name: string) {
      write((all) => ({ selected: name, profiles: { ...all, [name]: profiles.get(name) ?? {} } }));
    },
  });
}

/** How long a command waits for another one that changes the settings. A lock that is still there then was left behind. */
const TRIES = 100;
const PAUSE_MS = 20;

/** Reads and writes the settings while no other command does: of two that read the same, one would undo the other. */
function alone(change: () => void) {
  const lock = `${settingsFile()}.lock`;
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let tries = 0; tries < TRIES && !isMade(lock); tries++) Atomics.wait(pause, 0, 0, PAUSE_MS);
  try {
    change();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

/** @throws what the system answers, unless the folder exists. On Windows, one that is being removed answers EPERM. */
function isMade(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (['EEXIST', 'EPERM'].includes(codeOf(error))) return false;
    throw error;
  }
}

function unwritable(cause: unknown) {
  const fault = `The settings file ${settingsFile()} cannot be written (${fileReason(cause)}).`;
  return failure(`${fault} Check its permissions, its folder and the space on its disk.`, cause);
}

/**
 * The profile to take addresses and keys from: the one asked for, otherwise the selected one.
 * @throws CommandError when the one asked for does not exist, or the settings cannot be read
 */
export function chosenProfile(asked: string | undefined): Profile {
  const profiles = readProfiles();
  const name = asked ?? profiles.selected;
  const profile = profiles.get(name);
  if (profile) return profile;
  throw usage(
    `There is no profile named ${name}. Available: ${profiles.names.join(', ')}. Create it with \`layaway config use ${pastedArgument(name)}\`.`,
  );
}
