import { expect, test } from 'vitest';
import { createClockQueue } from '../../src/time/clock-queue.ts';

/** A piece of work that is under way until it is told to end. */
function work(name: string, log: string[]) {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return {
    end,
    run: async () => {
      log.push(`${name} begins`);
      await ended;
      log.push(`${name} ends`);
      return name;
    },
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('moves of one account follow each other, those of two do not', async () => {
  const [queue, log] = [createClockQueue(), [] as string[]];
  const [a, b, other] = [work('a', log), work('b', log), work('other', log)];
  const all = [queue.add(1, a.run), queue.add(1, b.run), queue.add(2, other.run)];
  await turn();
  expect(log).toEqual(['a begins', 'other begins']);
  b.end();
  other.end();
  await turn();
  expect(log).toEqual(['a begins', 'other begins', 'other ends']);
  a.end();
  expect(await Promise.all(all)).toEqual(['a', 'b', 'other']);
  expect(log.slice(3)).toEqual(['a ends', 'b begins', 'b ends']);
});

test('a move that comes after others have ended still waits for the one under way', async () => {
  const [queue, log] = [createClockQueue(), [] as string[]];
  const [a, b, c] = [work('a', log), work('b', log), work('c', log)];
  const first = [queue.add(1, a.run), queue.add(1, b.run)];
  a.end();
  await first[0];
  await turn();
  const all = [...first, queue.add(1, c.run)];
  await turn();
  expect(log).toEqual(['a begins', 'a ends', 'b begins']);
  c.end();
  b.end();
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c']);
  expect(log.slice(3)).toEqual(['b ends', 'c begins', 'c ends']);
});

test('one that fails passes its failure on to its caller, and the turn to the next', async () => {
  const queue = createClockQueue();
  const failed = queue.add(1, () => {
    throw new Error('no');
  });
  const next = queue.add(1, () => 'next');
  await expect(failed).rejects.toThrow('no');
  expect(await next).toBe('next');
  const all = queue.addForAll(() => Promise.reject(new Error('neither')));
  await expect(all).rejects.toThrow('neither');
  expect(await queue.add(1, () => 'after')).toBe('after');
});

test('a move of the workspace waits for everybody, and everybody for it', async () => {
  const [queue, log] = [createClockQueue(), [] as string[]];
  const [a, b, all, late] = [work('a', log), work('b', log), work('all', log), work('late', log)];
  const done = [
    queue.add(1, a.run),
    queue.add(2, b.run),
    queue.addForAll(all.run),
    queue.add(3, late.run),
    queue.addForAll(() => {
      log.push('second');
      return 'second';
    }),
  ];
  await turn();
  expect(log).toEqual(['a begins', 'b begins']);
  for (const one of [late, all, a]) one.end();
  await turn();
  expect(log).toEqual(['a begins', 'b begins', 'a ends']);
  b.end();
  expect(await Promise.all(done)).toEqual(['a', 'b', 'all', 'late', 'second']);
  expect(log.slice(3)).toEqual(['b ends', 'all begins', 'all ends', 'late begins', 'late ends', 'second']);
});

test('a move of the workspace that cancels tells the moves queued before it, and none after', async () => {
  const queue = createClockQueue();
  const signals: AbortSignal[] = [];
  const underWay = queue.add(1, (cancelled) => {
    signals.push(cancelled);
    return new Promise<unknown>((resolve) => cancelled.addEventListener('abort', () => resolve(cancelled.reason)));
  });
  const queued = queue.add(1, (cancelled) => cancelled.reason);
  await turn();
  const patient = queue.addForAll(() => signals[0]?.aborted);
  await turn();
  expect(signals[0]?.aborted).toBe(false);
  const cancelling = queue.addForAll(() => 'replaced', 'a reset');
  const later = queue.add(1, (cancelled) => cancelled.aborted);
  expect(await Promise.all([underWay, queued, patient, cancelling, later])).toEqual([
    'a reset',
    'a reset',
    true,
    'replaced',
    false,
  ]);
});

test('the end of all cancels every turn, later ones too', async () => {
  const queue = createClockQueue();
  const told = (accountId: number) => queue.add(accountId, (cancelled) => cancelled.reason);
  const earlier = told(1);
  const ended = queue.cancelAll('the shutdown');
  const later = [told(1), told(2)];
  await ended;
  expect(await Promise.all([earlier, ...later, told(1)])).toEqual(Array(4).fill('the shutdown'));
});

test('a turn that has ended is told nothing, and one that failed neither', async () => {
  const queue = createClockQueue();
  const signals: AbortSignal[] = [];
  await queue.add(1, (cancelled) => void signals.push(cancelled));
  await queue
    .add(2, (cancelled) => {
      signals.push(cancelled);
      throw new Error('no');
    })
    .catch(() => undefined);
  await turn();
  await queue.addForAll(() => undefined, 'a reset');
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
});
