import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { expandPatterns } from '../../src/cli/input/patterns.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'layaway-patterns-'));
  for (const name of ['b.yaml', 'a.yaml', 'ab.yml', '.hidden.yaml', 'a+(1).yaml', '*.json']) {
    await writeFile(join(folder, name), 'name: empty\nsteps: []\n');
  }
});
afterAll(() => rm(folder, { recursive: true }));

describe('a pattern that the shell passed on, as those of Windows do', () => {
  test.each([
    ['*.yaml', ['a+(1).yaml', 'a.yaml', 'b.yaml']],
    ['?.yaml', ['a.yaml', 'b.yaml']],
    ['a*.y*ml', ['a+(1).yaml', 'a.yaml', 'ab.yml']],
    ['a+(?).yaml', ['a+(1).yaml']],
    ['.h*', ['.hidden.yaml']],
    ['b.yaml', ['b.yaml']],
    ['*.json', ['*.json']],
    ['*.toml', ['*.toml']],
    ['missing.yaml', ['missing.yaml']],
  ])('%s', (pattern, expected) => {
    expect(expandPatterns([join(folder, pattern)])).toEqual(expected.map((name) => join(folder, name)));
  });

  test('a folder that does not exist stays, for the reader to tell', () => {
    expect(expandPatterns(['nowhere/*.yaml', 'x'])).toEqual(['nowhere/*.yaml', 'x']);
  });

  test('layaway run plays every file of it', async () => {
    const bin = join(inject('layaway'), 'bin/layaway.js');
    const { stderr } = await execa(process.execPath, [bin, 'run', '?.yaml'], { cwd: folder, reject: false });
    expect(stderr).toMatch(/^a\.yaml:2.*\nb\.yaml:2/);
  });
});
