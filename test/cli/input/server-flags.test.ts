import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { serverOptions, simulatorOptions } from '../../../src/cli/input/server-flags.ts';

/** The options of a simulator that these flags ask for. */
function optionsOf(...flags: string[]) {
  const command = serverOptions(new Command(), { port: 4747, data: '.layaway' })
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .parse(flags, { from: 'user' });
  return simulatorOptions(command.opts(), () => 0);
}

describe('interface §2: each flag of serve is an option of the simulator', () => {
  test.each([
    [['--allow-http-localhost'], { allowHttpLocalhost: true }],
    [['--rate-limit', 'off'], { rateLimit: 'off' }],
    [['--rate-limit', '7'], { rateLimit: 7 }],
    // decisions §2: 0 = off
    [['--rate-limit', '0'], { rateLimit: 0 }],
    [['--chaos', '7'], { chaos: { seed: '7' } }],
    [['--chaos', 'a:100'], { chaos: { seed: 'a', percent: 100 } }],
    [['--no-request-log'], { requestLog: false }],
    [['--smtp', 'mail.test:65535'], { smtp: { host: 'mail.test', port: 65_535 } }],
    [['--smtp', '[::1]:1025'], { smtp: { host: '::1', port: 1025 } }],
  ])('%j', (flags, options) => {
    expect(optionsOf('--memory', '--port', '0', ...flags)).toEqual({ port: 0, ...options });
  });

  test.each([
    ['--smtp', 'localhost:65536'],
    ['--rate-limit', '-1'],
  ])('%s %s is refused', (flag, value) => {
    expect(() => optionsOf(flag, value)).toThrow('It must be a');
  });
});
