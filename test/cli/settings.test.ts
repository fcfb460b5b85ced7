import { mkdir, readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { emptyPlace, runner } from './layaway.ts';

test('commands that change the settings at the same time lose nothing, and leave nothing', async () => {
  const layaway = runner(await emptyPlace());
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const used = await Promise.all(names.map((name) => layaway('config', 'use', name)));
  expect(used.map(({ code }) => code)).toEqual(names.map(() => 0));
  const { json } = await layaway('config', 'list', '--json');
  expect(json.data.map(({ name }: { name: string }) => name).sort()).toEqual([...names, 'default'].sort());
  const { stdout } = await layaway('config', 'path');
  expect(await readdir(dirname(stdout.trim()))).toEqual(['config.json']);
});

test('a lock of a command that was killed is passed over', async () => {
  const layaway = runner(await emptyPlace());
  const file = (await layaway('config', 'path')).stdout.trim();
  await mkdir(`${file}.lock`, { recursive: true });
  expect((await layaway('config', 'use', 'real')).code).toBe(0);
  expect((await layaway('config', 'list', '--json')).json.data).toMatchObject([{}, { name: 'real', selected: true }]);
  expect(await readdir(dirname(file))).toEqual(['config.json']);
});
