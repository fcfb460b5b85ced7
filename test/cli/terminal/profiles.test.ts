import { mkdir, readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { needing } from '../../support/programs.ts';
import { atTerminal, ENTER } from '../../support/terminal.ts';
import { bin, emptyPlace, runner } from '../layaway.ts';

test('interface §1: at a terminal, config use asks before it creates a profile', needing('script'), async () => {
  const place = await emptyPlace();
  const no = atTerminal([process.execPath, bin, 'config', 'use', 'stagin'], place);
  await no.see('(y/N)');
  no.type(ENTER);
  expect(await no.ended).toBe(0);
  expect(no.text()).toContain('There is no profile named stagin');
  const { json } = await runner(place)('config', 'list', '--json');
  expect(json.data).toMatchObject([{ name: 'default', selected: true }]);
});

test('interface §1: at 80 columns, config list shows each value with its name', needing('script'), async () => {
  const place = await emptyPlace();
  const layaway = runner(place);
  await layaway('config', 'use', 'real');
  const clientId = `mch_test_${'0'.repeat(32)}`;
  await layaway('config', 'set', 'base-url', 'http://127.0.0.1:4801');
  await layaway('config', 'set', 'client-id', clientId);
  const list = atTerminal([process.execPath, bin, 'config', 'list'], place, 80);
  expect(await list.ended).toBe(0);
  expect(list.text().trimEnd().split('\n')).toEqual([
    'profile    default',
    'base url   —',
    'client id  —',
    'api key    —',
    '',
    'profile    * real',
    'base url   http://127.0.0.1:4801',
    `client id  ${clientId}`,
    'api key    —',
  ]);
});

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
