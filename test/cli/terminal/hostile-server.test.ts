import { beforeAll, describe, expect, test } from 'vitest';
import { needing } from '../../support/programs.ts';
import { atTerminal, ENTER } from '../../support/terminal.ts';
import { AFTER, expectHarmless, type Hostile, openHostile } from '../hostile.ts';
import { bin } from '../layaway.ts';

describe('interface §1: at a terminal, of what a hostile server sends', needing('script'), () => {
  let enemy: Hostile['enemy'];
  let place: Hostile['place'];
  let made: Hostile['made'];
  beforeAll(async () => {
    ({ enemy, place, made } = await openHostile());
    return () => enemy.close();
  });

  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are ours
  const OURS = /\u001b\[(?:1|2|22|3[1-6]|39)m/g;

  // biome-ignore lint/suspicious/noControlCharactersInRegex: a line that is written again and then erased
  const PROGRESS = /\rWorking… \d+ s|\r\u001b\[K/g;

  test.each([
    ['contracts', 'list'],
    ['contracts', 'get', 'REF'],
    ['sessions', 'list'],
    ['events', 'list'],
    ['webhooks', 'deliveries'],
    ['doctor'],
  ])('only our own colours are colours: layaway %s %s', async (...words) => {
    await enemy.sim.snapshots.restore('furnished');
    enemy.answers(AFTER);
    const args = words.map((word) => (word === 'REF' ? made.contract : word));
    const terminal = atTerminal([process.execPath, bin, ...args], {
      ...place,
      env: { ...place.env, FORCE_COLOR: '1' },
    });
    await terminal.ended;
    const shown = terminal.raw();
    expect(shown).toMatch(OURS);
    // A terminal ends its lines with both.
    const rest = shown.replace(OURS, '').replaceAll('\r\n', '\n').replaceAll(PROGRESS, '');
    expectHarmless({ stdout: rest, stderr: '' });
    // The server's red is shown, not obeyed.
    expect(rest.replaceAll('\n', '')).toContain('\\u{1b}[31m');
  });

  test('a list to choose from, and a question', async () => {
    await enemy.sim.snapshots.restore('furnished');
    enemy.answers(AFTER);
    const terminal = atTerminal([process.execPath, bin, 'contracts', 'cancel'], place, 200);
    await terminal.see('PWN');
    terminal.type(ENTER);
    await terminal.see('(y/N)');
    terminal.type(`n${ENTER}`);
    expect(await terminal.ended).toBe(0);
    for (const trap of ['\u001b]0;PWN', '\u001b[31m', '\u009b', '\u202e', '\u200f'])
      expect(terminal.raw()).not.toContain(trap);
  });
});
