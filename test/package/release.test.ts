import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const read = async (file: string) => parse(await readFile(join('.github', file), 'utf8'));

test('CI tests every supported Node on Linux, macOS and Windows', async () => {
  const { engines } = JSON.parse(await readFile('package.json', 'utf8'));
  const { jobs } = await read('workflows/test.yml');
  const { os, node } = jobs.test.strategy.matrix;
  expect(os).toEqual(['ubuntu-latest', 'macos-latest', 'windows-latest']);
  expect(engines.node).toBe(`>=${node[0]}`);
  expect(node.slice(1)).toEqual([22, 24, 26]);
});

test('a release publishes only a tag that is the version of the package, tested, with provenance and without a token', async () => {
  const { jobs } = await read('workflows/release.yml');
  const { steps, permissions } = jobs.publish;
  const commands: string[] = steps.flatMap(({ run }: { run?: string }) => run ?? []);
  expect(commands[0]).toContain('package.json');
  expect(commands.at(-2)).toContain('.ci/run');
  expect(commands.at(-1)).toBe('npm publish --provenance --access public');
  expect(permissions).toEqual({ contents: 'read', 'id-token': 'write' });
  expect(JSON.stringify(jobs)).not.toMatch(/secrets\.|NODE_AUTH_TOKEN/);
});

test('no workflow has more rights than it needs, and every issue template is whole', async () => {
  for (const name of await readdir('.github/workflows')) {
    expect((await read(join('workflows', name))).permissions, name).toEqual({ contents: 'read' });
  }
  for (const name of ['bug.yml', 'feature.yml']) {
    const { body, description } = await read(join('ISSUE_TEMPLATE', name));
    expect(description).toMatch(/\.$/);
    for (const { id, attributes } of body) expect([id, attributes.label].every(Boolean), name).toBe(true);
  }
});
