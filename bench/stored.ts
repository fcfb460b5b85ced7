import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Run } from './result.ts';

export const jsonOf = (run: Run) => JSON.stringify(run, null, 2);

/** Replaces the file at once, because the bench may be killed at any moment. */
export function storeRun(file: string, run: Run) {
  const unfinished = `${file}.unfinished`;
  writeFileSync(unfinished, `${jsonOf(run)}\n`);
  renameSync(unfinished, file);
}

/** @throws Error with a message for people if the file holds no run */
export function storedRun(file: string): Run {
  let stored: Run;
  try {
    stored = JSON.parse(readFileSync(file, 'utf8')) as Run;
  } catch (error) {
    throw new Error(`The run in ${file} cannot be read: ${(error as Error).message}`);
  }
  if (!Array.isArray(stored.figures)) throw new Error(`${file} was not written by --json or --output.`);
  return stored;
}
