import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { failure, usage } from '../exit.ts';

export const PROFILE_KEYS = ['base-url', 'client-id', 'api-key'] as const;
export type ProfileKey = (typeof PROFILE_KEYS)[number];
export type Profile = { readonly [Key in ProfileKey]?: string };

export const DEFAULT_PROFILE = 'default';

type Kept = { selected: string; profiles: Record<string, Profile> };

/** The profiles of this user, and which of them is selected. */
export interface Profiles {
  readonly path: string;
  readonly selected: string;
  readonly names: readonly string[];
  /** Undefined when there is no profile of that name. */
  get(name: string): Profile | undefined;
  set(name: string, key: ProfileKey, value: string): void;
  unset(name: string, key: ProfileKey): void;
  /** The default profile is selected when the selected one is deleted. */
  delete(name: string): void;
  /** Selects the profile; one that does not exist is created. */
  use(name: string): void;
}

const file = () => join(directory(), 'config.json');

/** Where each system keeps settings. Found here, so that without a settings file its library need not be loaded. */
function directory(): string {
  const { env, platform } = process;
  if (platform === 'darwin') return join(homedir(), 'Library', 'Preferences', 'layaway');
  if (platform === 'win32') return join(env.APPDATA || join(homedir(), 'AppData', 'Roaming'), 'layaway', 'Config');
  return join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'layaway');
}

/** People edit this file, so it is checked before anything is read from it. */
const SCHEMA = {
  selected: { type: 'string' },
  profiles: { type: 'object', additionalProperties: { type: 'object', additionalProperties: { type: 'string' } } },
} as const;

/** Reads the profiles of this user. Without a file there is one, which is empty. */
export async function openProfiles(): Promise<Profiles> {
  const { default: Conf } = await import('conf');
  const path = file();
  let kept: InstanceType<typeof Conf<Kept>>;
  try {
    kept = new Conf<Kept>({
      projectName: 'layaway',
      cwd: directory(),
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
      schema: SCHEMA,
    });
  } catch (error) {
    throw failure(`The settings file ${path} cannot be read. Fix it or delete it.`, error);
  }
  const selected = () => kept.get('selected', DEFAULT_PROFILE);
  const all = (): Record<string, Profile> => ({ [DEFAULT_PROFILE]: {}, ...kept.get('profiles', {}) });
  const write = (changes: Partial<Kept>) => {
    try {
      kept.set(changes);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw failure(`The settings file ${path} cannot be written (${code}). Check its permissions.`, error);
    }
  };
  return {
    path,
    get selected() {
      return selected();
    },
    get names() {
      return Object.keys(all());
    },
    get: (name) => (Object.hasOwn(all(), name) ? all()[name] : undefined),
    set(name, key, value) {
      write({ profiles: { ...all(), [name]: { ...all()[name], [key]: value } } });
    },
    unset(name, key) {
      const { [key]: _, ...rest } = all()[name] ?? {};
      write({ profiles: { ...all(), [name]: rest } });
    },
    delete(name) {
      const { [name]: _, ...rest } = all();
      write({ selected: selected() === name ? DEFAULT_PROFILE : selected(), profiles: rest });
    },
    use(name) {
      write({ selected: name, profiles: { ...all(), [name]: all()[name] ?? {} } });
    },
  };
}

/**
 * The profile to take addresses and keys from: the one asked for, otherwise the selected one.
 * @throws CommandError when the one asked for does not exist
 */
export async function chosenProfile(asked: string | undefined): Promise<Profile> {
  if (asked === undefined && !existsSync(file())) return {};
  const profiles = await openProfiles();
  const name = asked ?? profiles.selected;
  const profile = profiles.get(name);
  if (profile) return profile;
  throw usage(
    `There is no profile named ${name}. Available: ${profiles.names.join(', ')}. Create it with \`layaway config use ${name}\`.`,
  );
}
