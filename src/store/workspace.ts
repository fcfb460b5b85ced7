import type { Platform } from '../domain/availability.ts';
import type { Database } from './database.ts';

interface Row {
  seed: string;
  platform_disabled: number;
  unavailable_states: string;
}

/** What there is one of: the seed of every id, if one was given, and the platform's switch and states. */
export function workspace(db: Database) {
  const select = db.prepare<[], Row>('SELECT * FROM workspace');
  const insert = db.prepare(
    'INSERT INTO workspace (id, seed, platform_disabled, unavailable_states) VALUES (1, ?, ?, ?)',
  );
  const update = db.prepare('UPDATE workspace SET platform_disabled = ?, unavailable_states = ?');
  let cached: Platform | null = null;

  return {
    /** The column takes no null; what stands for none is no seed. */
    create: (seed: string | null, platform: Platform) => {
      cached = null;
      insert.run(seed ?? '', ...columns(platform));
    },
    exists: () => select.get() !== undefined,
    seed: () => select.get()?.seed || null,
    platform(): Platform {
      if (!cached) {
        const row = select.get() as Row;
        cached = { disabled: row.platform_disabled === 1, unavailableStates: JSON.parse(row.unavailable_states) };
      }
      return cached;
    },
    setPlatform(platform: Platform) {
      cached = null;
      update.run(...columns(platform));
    },
    forget: () => {
      cached = null;
    },
  };
}

const columns = ({ disabled, unavailableStates }: Platform) =>
  [disabled ? 1 : 0, JSON.stringify(unavailableStates)] as const;
