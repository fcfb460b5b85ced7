import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { execa } from 'execa';
import { describe, expect, inject, test } from 'vitest';
import { MANIFEST } from '../../src/cli/manifest.ts';
import { FAULT_KINDS } from '../../src/domain/faults.ts';
import { needing } from '../support/programs.ts';
import { atTerminal } from '../support/terminal.ts';
import { bin, emptyPlace, start } from './layaway.ts';

/** The program itself, which formats its help. The build has prepared some of it for `bin`. */
const program = join(inject('layaway'), 'dist/cli/main.cjs');

describe('layaway --help is the same whether the build or the program formatted it', () => {
  test('piped, and then the program is not even loaded', async () => {
    const { cwd, env } = await emptyPlace();
    const cache = join(cwd, 'cache');
    const { stdout } = await execa(process.execPath, [program, '--help'], { cwd, env });
    for (const flag of ['--help', '-h']) {
      const help = await start({ cwd, env: { ...env, XDG_CACHE_HOME: cache } }, [flag]);
      expect(help).toMatchObject({ exitCode: 0, stderr: '', stdout });
    }
    expect(existsSync(cache)).toBe(false);
  });

  test.each([40, 79, 80, 90, 200])('at a terminal of %i columns', needing('script'), async (columns) => {
    const place = await emptyPlace();
    const [kept, formatted] = [bin, program].map((file) =>
      atTerminal([process.execPath, file, '--help'], place, columns),
    );
    expect([await kept?.ended, await formatted?.ended]).toEqual([0, 0]);
    expect(kept?.text()).toContain('Usage: layaway');
    expect(kept?.text()).toBe(formatted?.text());
  });
});

describe('help is read from the top, in a terminal of 80 columns', () => {
  const helpOf = (command: Command) => {
    const help: string[] = [];
    command.configureOutput({ writeOut: (text) => void help.push(text) }).outputHelp();
    return help.join('');
  };

  test.each(MANIFEST.map(({ name, load }) => ({ name, load })))('layaway $name', async ({ name, load }) => {
    const noun = new Command(name);
    (await load()).default(noun);
    for (const command of [noun, ...noun.commands]) {
      const help = helpOf(command);
      expect(help).toMatch(/^Usage: /);
      const [beforeExample = ''] = help.split('\nExample:\n');
      // The usage of a command with many arguments is one line.
      const lines = beforeExample.split('\n').filter((line) => !line.startsWith('Usage: '));
      expect(lines.filter((line) => line.length > 80)).toEqual([]);
    }
  });

  test.each([
    ['sessions list', 100],
    ['events list', 100],
    ['deliveries list', 100],
    ['emails list', 100],
    ['logs list', 20],
  ])('layaway %s says how many it shows: %i', async (words, count) => {
    const [name, verb] = words.split(' ');
    const noun = new Command(name);
    (await MANIFEST.find((each) => each.name === name)?.load())?.default(noun);
    const list = noun.commands.find((each) => each.name() === verb) as Command;
    expect(helpOf(list).replace(/\s+/g, ' ')).toContain(`maximum number of results, up to 1000 (default: ${count})`);
  });

  test('layaway faults add explains every kind, each with its terms below one another', async () => {
    const noun = new Command('faults');
    (await MANIFEST.find(({ name }) => name === 'faults')?.load())?.default(noun);
    const add = noun.commands.find((command) => command.name() === 'add') as Command;
    const [, kinds = ''] = helpOf(add).match(/\nKinds:\n((?: {2}.+\n)+)\nExample:\n/) ?? [];
    const terms = kinds.split('\n').flatMap((line) => line.match(/^ {2}(\w+)/)?.[1] ?? []);
    expect(terms).toEqual(FAULT_KINDS);
  });
});
