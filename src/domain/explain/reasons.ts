import type { Setting } from '../setting-note.ts';

interface Reasoned {
  /** Ends with what `settingNote` says of the setting. */
  readonly because: string;
  readonly setting: Setting | null;
}

/**
 * The reasons of a chain as a person reads them: what is known of a setting stands where it first decides, and later
 * links only name the setting until it changes. A delivery alone may have eight attempts.
 */
export function reasons(chain: readonly Reasoned[]): string[] {
  /** What was last said of each setting. */
  const told = new Map<string, string>();
  return chain.map(({ because, setting }) => {
    if (setting === null) return because;
    const at = because.lastIndexOf(`${setting.name} was `);
    if (at === -1) return because;
    const note = because.slice(at);
    if (told.get(setting.name) === note) return `${because.slice(0, at)}${setting.name}: see above.`;
    told.set(setting.name, note);
    return because;
  });
}
