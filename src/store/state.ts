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
  /** Kept with the state; drawn where nothing is kept. */
  controlToken(draw: () => string): string;
  /** Tells the commands where the server is; in memory there is nowhere to look. */
  announce(server: RunningServer): void;
  close(): void;
}

/**
 * Opens a state directory, or a state in memory for undefined.
 * @throws CannotStart when the directory or its database cannot be used
 */
export function openState(path: string | undefined, endOfTurn: EndOfTurn): State {
  return path === undefined ? inMemory(endOfTurn) : inDirectory(openDirectory(path), endOfTurn);
}

/** Calls back when this turn of the event loop has nothing more to do. */
type EndOfTurn = (work: () => void) => void;

/** Does `work`. If it fails, the state is closed, so that a corrected start finds it free. */
export function closingOnFailure<T>(state: State, work: () => T): T {
  try {
    return work();
  } catch (error) {
    state.close();
    throw error;
  }
}

/** Snapshots are files even here, in a folder that goes with the state. */
function inMemory(endOfTurn: EndOfTurn): State {
  const snapshotFolder = join(tmpdir(), `layaway-${randomUUID()}`);
  const store = openStore(null, snapshotFolder, endOfTurn);
  return {
    store,
    controlToken: (draw) => draw(),
    announce: () => undefined,
    close() {
      store.close();
      rmSync(snapshotFolder, { recursive: true, force: true });
    },
  };
}

function inDirectory(directory: Directory, endOfTurn: EndOfTurn): State {
  const store = open(directory, endOfTurn);
  return {
    store,
    controlToken: directory.controlToken,
    announce: directory.announce,
    close() {
      directory.withdraw();
      store.close();
    },
  };
}

function open(directory: Directory, endOfTurn: EndOfTurn): Store {
  try {
    return openStore(directory.database, directory.snapshots, endOfTurn);
  } catch (error) {
    throw error instanceof DirectoryInUse ? directory.inUse() : error;
  }
}
