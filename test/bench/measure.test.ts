import { expect, test } from 'vitest';
import { CannotMeasure, type Line } from '../../bench/figure.ts';
import { abandon, endWhenAbandoned } from '../../bench/leftovers.ts';
import { measureAll } from '../../bench/measure.ts';
import { interleave, repeat } from '../../bench/rounds.ts';
import { aLine } from './result.ts';

async function measured(figures: Parameters<typeof measureAll>[0], limitMs = 10_000) {
  const log: string[] = [];
  await measureAll(
    figures,
    {
      begun: (figure) => log.push(`${figure} …`),
      measured: (figure, { name }) => log.push(`${figure}: ${name}`),
      failed: ({ figure, reason }) => log.push(`${figure} failed: ${reason}`),
      skipped: ({ figure, reason }) => log.push(`${figure} skipped: ${reason}`),
    },
    { limitMs, cleanUpMs: 10_000, abandon },
  );
  return log;
}

async function* good(): AsyncGenerator<Line> {
  yield aLine('one', 1);
  yield aLine('two', 1);
}

test('a figure that fails keeps its lines, and the rest goes on', async () => {
  async function* bad() {
    yield aLine('early', 1);
    throw new Error('It broke.');
  }
  expect(await measured({ bad, good })).toEqual([
    'bad …',
    'bad: early',
    'bad failed: It broke.',
    'good …',
    'good: one',
    'good: two',
  ]);
});

test('each line is told before the next one is measured', async () => {
  const log: string[] = [];
  async function* figure() {
    yield aLine('one', 1);
    log.push('measures two');
    yield aLine('two', 1);
  }
  const listener = { begun() {}, failed() {}, skipped() {}, measured: (_: string, { name }: Line) => log.push(name) };
  await measureAll({ figure }, listener, { limitMs: 10_000, cleanUpMs: 10_000, abandon });
  expect(log).toEqual(['one', 'measures two', 'two']);
});

test('a figure that hangs is given up, cleans up, and the rest goes on', async () => {
  const ended: string[] = [];
  async function* hangs() {
    try {
      yield aLine('early', 1);
      // What it waits for is a program of its own, which is ended.
      await new Promise((_resolve, reject) => {
        endWhenAbandoned(() => reject(new Error('The program ended.')));
      });
    } finally {
      ended.push('cleaned up');
    }
  }
  expect(await measured({ hangs, good }, 20)).toEqual([
    'hangs …',
    'hangs: early',
    'hangs failed: It had no result after 0.02 seconds.',
    'good …',
    'good: one',
    'good: two',
  ]);
  expect(ended).toEqual(['cleaned up']);
});

test('a figure that this machine cannot measure does not fail the run', async () => {
  // biome-ignore lint/correctness/useYield: it has nothing to answer.
  async function* impossible(): AsyncGenerator<Line> {
    throw new CannotMeasure('There is no browser.');
  }
  expect(await measured({ impossible })).toEqual(['impossible …', 'impossible skipped: There is no browser.']);
});

test('a program that ended by itself is not ended again', () => {
  let ends = 0;
  endWhenAbandoned(() => {
    ends += 1;
  })();
  abandon();
  expect(ends).toBe(0);
});

const limits = { rounds: 2, lineLimitMs: 0 };

test('ours, the reference and its twin take turns', async () => {
  const turns: string[] = [];
  const turn = (name: string, value: number) => async () => {
    turns.push(name);
    return value;
  };
  const { ours, reference } = await interleave(limits, turn('A', 1), turn('B', 2), turn("B'", 3));
  expect(turns.join(' ')).toBe("A B A B' A B A B'");
  expect({ ours, reference }).toEqual({
    ours: [1, 1, 1, 1],
    reference: [
      [2, 2],
      [3, 3],
    ],
  });
});

test('rounds go on until both references agree', async () => {
  let round = 0;
  const reference = async () => (round < 3 ? 1 : 2);
  const twin = async () => {
    round += 1;
    return 2;
  };
  const measured = await interleave({ rounds: 2, lineLimitMs: 600_000 }, async () => 1, reference, twin);
  // The first three are off by half: an interval of 15 leaves three off at either end.
  expect(measured.reference[0]).toHaveLength(15);
});

test('values are repeated until they agree', async () => {
  const values = [1, 9, 5, 5, 5, 5, 5, 5, 5, 5];
  let next = 0;
  const measure = async () => values[next++] as number;
  expect(await repeat({ rounds: 3, lineLimitMs: 600_000 }, measure)).toHaveLength(9);
});
