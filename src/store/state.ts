import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DirectoryInUse } from './database.ts';
import { type Directory, openDirectory, type RunningServer } from './directory.ts';
import { openStore, type Store } from './store.ts';

/** Where a simulator keeps what it knows. */
export interface State {
  readonly store: Store;
  /** Tells the commands where the server is; in memory there is nowhere to look. */
  announce(server: RunningServer): void;
  close(): void;
}

/**
 * Opens a state directory, or a state in memory for undefined.
 * @throws CannotStart when the directory or its database cannot be used
 */
export function openState(path: string | undefined): State {
  return path === undefined ? inMemory() : inDirectory(openDirectory(path));
}

/** Snapshots are files even here, in a folder that goes with the state. */
function inMemory(): State {
  const snapshotFolder = join(tmpdir(), `layaway-${randomUUID()}`);
  const store = openStore(null, snapshotFolder);
  return {
    store,
    announce: () => undefined,
    close() {
      store.close();
      rmSync(snapshotFolder, { recursive: true, force: true });
    },
  };
}

function inDirectory(directory: Directory): State {
  const store = open(directory);
  return {
    store,
    announce: directory.announce,
    close() {
      directory.withdraw();
      store.close();
    },
  };
}

function open(directory: Directory): Store {
  try {
    return openStore(directory.database, directory.snapshots);
  } catch (error) {
    throw error instanceof DirectoryInUse ? directory.inUse() : error;
  }
}
