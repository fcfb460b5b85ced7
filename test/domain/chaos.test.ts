import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { chaosText, drawChaos } from '../../src/domain/chaos.ts';

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

test('interface §7: a slow answer takes 200 to 1500 ms', () => {
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
