import { describe, expect, test } from 'vitest';
import { automaticName, isAutomatic, superfluous } from '../../src/domain/automatic-snapshot.ts';

const MIB = 2 ** 20;
const named = (count: number, bytes: number) =>
  Array.from({ length: count }, (_, n) => ({
    name: automaticName('travel', Date.parse('2026-01-05T09:30:00Z') - n),
    bytes,
  }));

describe('automatic snapshots', () => {
  test('are named by what they came before and when', () => {
    const name = automaticName('reset', Date.parse('2026-01-05T09:30:00.007Z'));
    expect(name).toBe('auto.20260105t093000.007z.before-reset');
    expect(isAutomatic(name)).toBe(true);
  });

  test.each(['auto', 'auto.mine', 'before-travel', 'auto.20260105t093000.007z.before-lunch', 'x'])(
    '%s is the name of somebody’s own snapshot',
    (name) => expect(isAutomatic(name)).toBe(false),
  );

  test('five are kept; the snapshots that people saved do not count and stay', () => {
    const all = [{ name: 'mine', bytes: 1 }, ...named(7, 1), { name: 'older', bytes: 1 }];
    expect(superfluous(all)).toEqual([all[6]?.name, all[7]?.name]);
  });

  test('large ones are fewer, but the newest always stays', () => {
    expect(superfluous(named(5, 100 * MIB))).toHaveLength(2);
    expect(superfluous(named(5, 300 * MIB))).toHaveLength(4);
    expect(superfluous(named(1, 900 * MIB))).toEqual([]);
  });
});
