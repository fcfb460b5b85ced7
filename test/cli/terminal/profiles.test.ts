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
