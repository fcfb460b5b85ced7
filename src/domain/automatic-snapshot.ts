/** What people do by hand and may want to undo. */
export const UNDOABLE = ['travel', 'restore', 'reset', 'undo'] as const;
export type Undoable = (typeof UNDOABLE)[number];

/** The number of automatic snapshots that are kept. */
const KEPT = 5;
/** Together, all but the newest take at most this much of the disk. */
const OLDER_MAX_BYTES = 256 * 2 ** 20;
/** A larger state is not saved before a travel, which would take noticeably longer. */
export const TRAVEL_MAX_BYTES = 64 * 2 ** 20;

const NAME = new RegExp(`^auto\\.\\d{8}t\\d{6}\\.\\d{3}z\\.before-(?:${UNDOABLE.join('|')})$`);

/** `auto.20260105t093000.000z.before-travel`, `savedAt` being real time. */
export const automaticName = (before: Undoable, savedAt: number): string =>
  `auto.${new Date(savedAt).toISOString().replaceAll(/[-:]/g, '').toLowerCase()}.before-${before}`;

export const isAutomatic = (name: string): boolean => NAME.test(name);

/** The automatic snapshots to delete, from a list that begins with the newest. */
export function superfluous(newestFirst: readonly { readonly name: string; readonly bytes: number }[]): string[] {
  let olderBytes = 0;
  return newestFirst
    .filter(({ name }) => isAutomatic(name))
    .filter(({ bytes }, place) => {
      if (place > 0) olderBytes += bytes;
      return place >= KEPT || olderBytes > OLDER_MAX_BYTES;
    })
    .map(({ name }) => name);
}
