import { randomUUID } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UnusableDirectory } from '../../domain/cannot-start.ts';
import { isDamage } from '../../domain/file-error.ts';
import { Refusal } from '../../domain/refusal.ts';
import { openStore, type Store } from '../store.ts';
import { DirectoryInUse } from './database.ts';
import { type Directory, openDirectory, type RunningServer } from './directory.ts';
import type { Sealed } from './dump.ts';

/** The state of a simulator, in a directory or in memory. */
export interface State {
  readonly store: Store;
  /** Stored with the state in a directory; drawn for each state in memory. */
  controlToken(draw: () => string): string;
  /** Records where the server is, for commands. Does nothing for a state in memory. */
  announce(server: RunningServer): void;
  close(): void;
}

/**
 * Opens a state directory, or a state in memory for undefined and for what is sealed.
 * @throws CannotStart when the directory or its database cannot be used
 */
export function openState(path: string | undefined, endOfTurn: EndOfTurn, sealed: Sealed | null): State {
  return path === undefined || sealed ? inMemory(endOfTurn, sealed) : inDirectory(openDirectory(path), endOfTurn);
}

/** Calls back at the end of this turn of the event loop. */
type EndOfTurn = (work: () => void) => void;

/** Turns a full disk and a damaged database into a CannotStart, for a start that they end. Other errors stay as they are. */
export function startFault(error: unknown): unknown {
  if (isDamage(error)) {
    return new UnusableDirectory('layaway.db in the state directory is damaged.', 'Move it away');
  }
  if (!(error instanceof Refusal && error.is('disk_full'))) return error;
  return new UnusableDirectory('The disk of the state directory is full or cannot be written.', 'Free some space');
}

/**
 * Runs `work`, which starts the simulator. If it fails, closes the state, so that the next start finds it free.
 * @throws CannotStart when the disk is full or the database is damaged
 */
export function closingOnFailure<T>(state: Pick<State, 'close'>, work: () => T): T {
  try {
    return work();
  } catch (error) {
    state.close();
    throw startFault(error);
  }
}

/** Snapshots are files even for a state in memory, in a folder that is removed with it. */
function inMemory(endOfTurn: EndOfTurn, sealed: Sealed | null): State {
  const snapshotFolder = join(tmpdir(), `layaway-${randomUUID()}`);
  const store = openStore(null, snapshotFolder, endOfTurn, sealed);
  if (snapshotFolders.size === 0) process.once('exit', removeSnapshots);
  snapshotFolders.add(snapshotFolder);
  return {
    store,
    controlToken: (draw) => draw(),
    announce: () => undefined,
    close() {
      store.close();
      remove(snapshotFolder);
      snapshotFolders.delete(snapshotFolder);
      if (snapshotFolders.size === 0) process.off('exit', removeSnapshots);
    },
  };
}

/** Those of the states in memory that are open. A program may end without closing them. */
const snapshotFolders = new Set<string>();
/** Most states have no snapshot and thus no folder; a process that may not write can close them, too. */
const remove = (folder: string) => existsSync(folder) && rmSync(folder, { recursive: true, force: true });

function removeSnapshots() {
  for (const folder of snapshotFolders) remove(folder);
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
