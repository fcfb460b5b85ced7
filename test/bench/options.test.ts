import { expect, test } from 'vitest';
import { optionsOf } from '../../bench/options.ts';

const NAMES = ['start', 'help'];

test('figures and options come in any order', () => {
  expect(
    optionsOf(['start', '--quick', '--limit', '2', '--compare', 'run.json', 'help', '--output', 'new.json'], NAMES),
  ).toEqual({
    names: ['start', 'help'],
    quick: true,
    json: false,
    markdown: false,
    peers: false,
    output: 'new.json',
    compare: 'run.json',
    from: undefined,
    limitMs: 2000,
  });
});

test.each([
  [['begin'], 'No figure is called begin.'],
  [['--limit', 'soon'], '--limit takes a number of seconds above 0.'],
  [['--fast'], "Unknown option '--fast'"],
])('%j is refused', (args, message) => {
  expect(() => optionsOf(args, NAMES)).toThrow(message);
});
