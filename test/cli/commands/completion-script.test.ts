import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { emptyPlace, otherServer, plan, runner, start, withSimulator } from '../layaway.ts';

describe('the script is the one that the build has prepared', () => {
  test.each(['bash', 'zsh', 'fish'])('%s, and the program is not even loaded', async (shell) => {
    const { cwd, env } = await emptyPlace();
    const { json } = await runner({ cwd, env })('completion', shell, '--json');
    const cache = join(cwd, 'cache');
    const printed = await start({ cwd, env: { ...env, XDG_CACHE_HOME: cache } }, ['completion', shell]);
    expect(printed).toMatchObject({ exitCode: 0, stderr: '', stdout: json.data.script.trimEnd() });
    expect(existsSync(cache)).toBe(false);
  });
});

describe('what the shells ask', () => {
  test('ids of what ids are made of, and nothing that a shell would run', async () => {
    await using world = await withSimulator();
    const { contract } = await plan(world.sim.default);
    const { stdout } = await world.layaway('__complete', 'contracts');
    expect(stdout).toBe(`${contract}\tactive, A-1, Test Customer`);
    expect(await world.layaway('__complete', 'nonsense')).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  test('a server that does not answer, or is not there, holds up no line', { timeout: 25_000 }, async () => {
    await using silent = await otherServer(() => undefined);
    for (const url of [silent.url, 'http://127.0.0.1:1']) {
      const layaway = runner(await emptyPlace({ LAYAWAY_BASE_URL: url }));
      expect(await layaway('__complete', 'contracts')).toMatchObject({ code: 0, stdout: '', stderr: '' });
    }
    expect(silent.seen).toHaveLength(1);
  });

  test('every noun and verb there is, is in every script', async () => {
    const layaway = runner(await emptyPlace());
    const { stdout: help } = await layaway('--help');
    const [commands = ''] = help.split('\nOptions:');
    const nouns = [...commands.matchAll(/^ {2}(\w+)/gm)].map(([, noun]) => noun as string);
    expect(nouns.length).toBeGreaterThan(18);
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { json } = await layaway('completion', shell, '--json');
      for (const noun of nouns) expect(json.data.script).toContain(noun);
    }
  });
});
