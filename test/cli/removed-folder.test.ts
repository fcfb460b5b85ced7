import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { createSimulator } from '../../src/index.ts';
import { needing } from '../support/programs.ts';
import { bin, emptyPlace } from './layaway.ts';

// Windows removes no folder that a process is in.
describe('interface §1: a current folder that was removed', needing('sh'), () => {
  /** Runs the program in a folder that is removed before it starts. */
  const inRemoved = async (...args: string[]) => {
    const place = await emptyPlace();
    const gone = join(place.cwd, 'gone');
    await mkdir(gone);
    const { exitCode, stdout, stderr } = await execa(
      'sh',
      ['-c', 'rmdir "$0" && exec "$@"', gone, process.execPath, bin, ...args],
      { cwd: gone, env: { PATH: process.env.PATH, ...place.env }, extendEnv: false, reject: false, stdin: 'ignore' },
    );
    return { code: exitCode, stdout, stderr };
  };
  const SAYS = 'The current directory does not exist. Change to another directory, then try again.';

  test('has no server', async () => {
    await using sim = await createSimulator();
    const listed = await inRemoved('contracts', 'list', '--base-url', sim.url);
    expect(listed).toMatchObject({ code: 0, stderr: 'There are no contracts.' });
  });

  test.each([
    [['run', 'a.yaml']],
    [['new', 'express']],
    [['new', 'express', tmpdir()]],
    [['trace', 'show', 'a.trace']],
    [['exec', '--', 'true']],
    [['exec', '--data', 'state', '--', 'true']],
    [['serve', '--port', '0']],
  ])('stops layaway %s with a sentence', async (args) => {
    expect(await inRemoved(...args)).toEqual({ code: 1, stdout: '', stderr: SAYS });
  });

  test('is something to fix for doctor', async () => {
    const { code, stdout, stderr } = await inRemoved('doctor', '--base-url', 'http://127.0.0.1:1', '--json');
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(JSON.parse(stdout).data.checks).toContainEqual({
      name: 'directory',
      ok: false,
      detail: 'the current directory does not exist',
      advice: 'Change to another directory.',
    });
  });
});
