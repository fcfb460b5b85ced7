import { chmod, chown, link, mkdtemp, open, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { writeWhole } from '../../src/cli/whole-file.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'layaway-'));
  file = join(folder, 'report.json');
});

test('of several that write one file at once, one is there as a whole', async () => {
  const reports = Array.from({ length: 8 }, (_, index) => `${index}`.repeat(200_000 - index * 20_000));
  for (let round = 0; round < 3; round++) {
    await Promise.all(reports.map((report) => writeWhole(file, report)));
    expect(reports).toContain(await readFile(file, 'utf8'));
  }
  expect(await readdir(folder)).toEqual(['report.json']);
});

test('who has opened the older one reads it to its end', async () => {
  await writeWhole(file, 'the older one');
  await using reader = await open(file);
  await writeWhole(file, 'new');
  expect(await reader.readFile('utf8')).toBe('the older one');
  expect(await readFile(file, 'utf8')).toBe('new');
});

test('an older file keeps its mode, and a new one gets what was asked for', async () => {
  await writeWhole(file, 'private', { mode: 0o600 });
  const modeOf = async () => (await stat(file)).mode & 0o777;
  expect(await modeOf()).toBe(0o600);
  await chmod(file, 0o664);
  await writeWhole(file, 'for the group', { mode: 0o600 });
  expect(await modeOf()).toBe(0o664);
});

test('an older file keeps its owner and its group', async ({ skip }) => {
  if (process.getuid?.() !== 0) skip('only root can give a file away');
  await writeFile(file, 'older');
  await chown(file, 65_534, 65_533);
  await writeWhole(file, 'new');
  expect(await stat(file)).toMatchObject({ uid: 65_534, gid: 65_533, size: 3 });
  await chown(file, 0, 65_533);
  await writeWhole(file, 'newer');
  expect(await stat(file)).toMatchObject({ uid: 0, gid: 65_533, size: 5 });
});

test('a link leads to what is written, whether symbolic or hard', async () => {
  const kept = join(folder, 'kept.json');
  await writeFile(kept, 'older');
  await symlink(kept, file);
  await writeWhole(file, 'through a symbolic link');
  expect(await readFile(kept, 'utf8')).toBe('through a symbolic link');
  const other = join(folder, 'other.json');
  await link(kept, other);
  await writeWhole(other, 'through a hard link');
  expect(await readFile(kept, 'utf8')).toBe('through a hard link');
  expect((await readdir(folder)).sort()).toEqual(['kept.json', 'other.json', 'report.json']);
});
