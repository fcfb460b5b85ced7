import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, inject, test } from 'vitest';
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
