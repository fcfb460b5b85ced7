import type { Command } from 'commander';
import { optionsOf } from '../describe.ts';
import { usage } from '../exit.ts';

/**
 * Makes the parsing of a command refuse a flag, and the two dashes, as the value of another flag. Commander takes the next
 * word whatever it is: `exec --data --memory` would keep the state in a folder of that name.
 */
export function refuseFlagsAsValues(command: Command): void {
  for (const { long, required } of command.options) {
    if (!long || !required) continue;
    command.on(`option:${long.slice(2)}`, (value: string) => {
      if (value !== '--' && !optionsOf(command).some(({ long, short }) => value === long || value === short)) return;
      if (process.argv.includes(`${long}=${value}`)) return;
      const advice = value === '--' ? '' : ` If ${value} is the value, write ${long}=${value}.`;
      throw usage(`${long} needs a value before ${value}.${advice}`);
    });
  }
}
