import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { CHAOS_ID, chaosOf, chaosText, drawChaos } from '../../src/domain/chaos.ts';

const draw = (percent: number, target: 'request' | 'delivery', operation: string, number: number, seed = '7') => {
  const chaos = { seed, percent };
  return drawChaos(
    chaos,
    target,
    createHash('sha256')
      .update(chaosText(chaos, operation, number))
      .digest(),
  );
};
const many = Array.from({ length: 2_000 }, (_, n) => n + 1);

test('interface §7: chance is the same under one seed, on every Node and machine', () => {
  const drawn = many.slice(0, 40).map((n) => draw(10, 'request', 'createSession', n)?.kind ?? '-');
  expect(drawn.join(' ')).toMatchInlineSnapshot(
    `"- - error slow - - - lost_answer - - slow - - - - - - - - - - - error - - - - - lost_answer - error - - - lost_answer - - - - -"`,
  );
});

test('interface §7: of 100 draws as many strike as the percentage says, with every kind', () => {
  for (const [percent, target] of [
    [10, 'request'],
    [35, 'delivery'],
  ] as const) {
    const struck = many.flatMap((n) => draw(percent, target, 'ping', n) ?? []);
    expect(struck.length / many.length).toBeCloseTo(percent / 100, 1);
    expect([...new Set(struck.map(({ kind }) => kind))].sort()).toEqual(
      target === 'request' ? ['error', 'lost_answer', 'slow'] : ['duplicate', 'lost_ack', 'reordered'],
    );
  }
  expect(many.every((n) => draw(100, 'request', 'ping', n) !== null)).toBe(true);
});

test('interface §7: a slow response takes 200 to 1500 ms', () => {
  const delays = many.map((n) => draw(100, 'request', 'ping', n)?.delayMs ?? 0);
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(200);
  expect(Math.max(...delays)).toBeLessThanOrEqual(1_500);
  expect(new Set(delays).size).toBeGreaterThan(500);
});

test('another seed, another operation: other draws', () => {
  const of = (operation: string, seed?: string) => many.map((n) => draw(10, 'request', operation, n, seed) !== null);
  expect(of('ping')).not.toEqual(of('getConfig'));
  expect(of('ping')).not.toEqual(of('ping', '8'));
});

test('interface §7: one request of ten is struck, unless the user says how many', () => {
  expect(chaosOf({ seed: 7 })).toEqual({ seed: '7', percent: 10 });
  expect(chaosOf({ seed: 'a', percent: 0.5 })).toEqual({ seed: 'a', percent: 0.5 });
  expect(chaosOf({ seed: 'a', percent: 100 })).toEqual({ seed: 'a', percent: 100 });
  expect(CHAOS_ID).toBe('chaos');
});

test.each([0, -1, 100.5, 101, Number.NaN])('interface §7: %d percent cannot be drawn', (percent) => {
  expect(() => chaosOf({ seed: 7, percent })).toThrow(
    expect.objectContaining({
      name: 'CannotStart',
      message: `${percent} is not a percentage above 0 and up to 100.`,
    }),
  );
});

test('the bounds of chance: half of all numbers strike at 50 percent, and both ends of the delay are drawn', () => {
  const drawn = (first: number, third: number) => {
    // Within a larger buffer, as digests come.
    const bytes = new DataView(new ArrayBuffer(20));
    bytes.setUint32(4, first);
    bytes.setUint32(12, third);
    return drawChaos({ seed: '7', percent: 50 }, 'request', new Uint8Array(bytes.buffer, 4, 12));
  };
  expect(drawn(2 ** 31 - 1, 0)).toEqual({ kind: 'lost_answer', delayMs: 200 });
  expect(drawn(2 ** 31, 0)).toBeNull();
  expect(drawn(0, 1_300)?.delayMs).toBe(1_500);
  expect(drawn(0, 1_301)?.delayMs).toBe(200);
});
