import { realpath } from 'node:fs/promises';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { needing } from '../../support/programs.ts';
import { quotedBin } from '../layaway.ts';
import { CASES, expectFullMarks, project } from './new-project.ts';

describe('interface §10: layaway new', () => {
  for (const each of CASES) {
    if (!each.needs) continue;
    test(`${each.framework}: its test passes with full marks`, needing(each.needs), () => expectFullMarks(each));
  }

  test('the step that enters the folder can be pasted, whatever its name', needing('sh'), async () => {
    const { layaway, file, cwd } = await project();
    for (const folder of ['my store', "it's $HOME; (new) & `old`"]) {
      const { json } = await layaway('new', 'python', folder, '--json');
      const { stdout } = await execa('sh', ['-c', `${json.data.steps[0]} && pwd -P`], { cwd });
      expect(stdout).toBe(await realpath(file(folder)));
    }
  });

  test(
    'without room for all files, it leaves none that would be in the way of the next try',
    needing('bash'),
    async () => {
      const { layaway, cwd, env } = await project();
      // Room for the receiver, not for the test.
      const command = `ulimit -f 2; exec ${quotedBin} new express`;
      const { exitCode, stderr } = await execa('bash', ['-c', command], { cwd, env, reject: false });
      expect({ exitCode, stderr }).toEqual({
        exitCode: 1,
        stderr: 'certify.test.mjs could not be written (the file would be larger than allowed). Nothing was written.',
      });
      expect((await layaway('new', 'express')).code).toBe(0);
    },
  );
});
