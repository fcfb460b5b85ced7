import type { Platform } from '../domain/assumptions.ts';
import type { Database } from './file/database.ts';
import { remembered } from './remembered.ts';

interface Row {
  seed: string;
  platform_disabled: number;
  unavailable_states: string;
  is_furnished: number;
}

/** The workspace's single row: the seed, if one was given, and the platform's switch and states. */
export function workspace(db: Database) {
  const select = db.prepare<[], Row>('SELECT * FROM workspace');
  const insert = db.prepare(
    'INSERT INTO workspace (id, seed, platform_disabled, unavailable_states, is_furnished) VALUES (1, ?, ?, ?, 0)',
  );
  const update = db.prepare('UPDATE workspace SET platform_disabled = ?, unavailable_states = ?');
  const furnish = db.prepare('UPDATE workspace SET is_furnished = 1');
  /** The cached row, under one name. */
  const known = remembered<'workspace', ReturnType<typeof toWorkspace>>();

  function find() {
    const there = known.get('workspace');
    if (there) return there;
    const row = select.get();
    return row && known.set('workspace', toWorkspace(row));
  }

  return {
    /** The column takes no null, so this value, which cannot be a seed, stands for none. */
    create: (seed: string | null, platform: Platform) => {
      known.clear();
      insert.run(seed ?? '', ...columns(platform));
    },
    exists: () => find() !== undefined,
    /** False until it has everything that it starts with. Nobody has used it before. */
    isFurnished: () => find()?.isFurnished ?? false,
    setFurnished() {
      known.clear();
      furnish.run();
    },
    seed: () => find()?.seed ?? null,
    platform: () => (find() as NonNullable<ReturnType<typeof find>>).platform,
    setPlatform(platform: Platform) {
      known.clear();
      update.run(...columns(platform));
    },
    forget: known.clear,
  };
}

const toWorkspace = (row: Row) => ({
  seed: row.seed || null,
  isFurnished: row.is_furnished === 1,
  platform: { disabled: row.platform_disabled === 1, unavailable_states: JSON.parse(row.unavailable_states) },
});

const columns = ({ disabled, unavailable_states }: Platform) =>
  [disabled ? 1 : 0, JSON.stringify(unavailable_states)] as const;
