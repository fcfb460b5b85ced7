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
