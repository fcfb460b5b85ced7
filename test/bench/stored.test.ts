import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { storedRun, storeRun } from '../../bench/stored.ts';
import { aResult, aRun } from './result.ts';

async function folder() {
  const path = await mkdtemp(join(tmpdir(), 'stored-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

test('after each line, the file holds the run so far and nothing else is left beside it', async () => {
  const path = await folder();
  const file = join(path, 'run.json');
  for (const figures of [[], [aResult('first', 1)], [aResult('first', 1), aResult('second', 2)]]) {
    storeRun(file, aRun(figures));
    expect(storedRun(file)).toEqual(aRun(figures));
    expect(await readdir(path)).toEqual(['run.json']);
  }
});

test('a file without a run is refused in a sentence', async () => {
  const path = await folder();
  await writeFile(join(path, 'other.json'), '{}');
  expect(() => storedRun(join(path, 'other.json'))).toThrow('other.json was not written by --json or --output.');
  expect(() => storedRun(join(path, 'none.json'))).toThrow(/^The run in .*none\.json cannot be read: ENOENT/);
});
