import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { needing } from '../support/programs.ts';
import { run } from './packed.ts';

const read = async (file: string) => parse(await readFile(join('.github', file), 'utf8'));

test('CI tests every supported Node on Linux, macOS and Windows', async () => {
  const { engines } = JSON.parse(await readFile('package.json', 'utf8'));
  const { jobs } = await read('workflows/test.yml');
  const { os, node } = jobs.test.strategy.matrix;
  expect(os).toEqual(['ubuntu-latest', 'macos-latest', 'windows-latest']);
  expect(engines.node).toBe(`^${node[0]} || >=22.3`);
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

test(
  'a release names the repository that it comes from, which its provenance has to match',
  needing('sh'),
  async () => {
    const { steps } = (await read('workflows/release.yml')).jobs.publish;
    const [naming] = steps.filter(({ run = '' }: { run?: string }) => run.includes('npm pkg set'));
    const folder = await mkdtemp(join(tmpdir(), 'layaway-release-'));
    const file = join(folder, 'package.json');
    const before = JSON.parse(await readFile('package.json', 'utf8'));
    await writeFile(file, JSON.stringify(before));
    const env = { ...process.env, GITHUB_SERVER_URL: 'https://git.example', GITHUB_REPOSITORY: 'shop/layaway' };
    await run('sh', ['-e', '-c', naming.run], { cwd: folder, env });
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      ...before,
      repository: { type: 'git', url: 'git+https://git.example/shop/layaway.git' },
      bugs: { url: 'https://git.example/shop/layaway/issues' },
      homepage: 'https://git.example/shop/layaway#readme',
    });
    await rm(folder, { recursive: true });
  },
);

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

const UNTRACKED = ['.git', '.layaway', '.mutation', 'coverage', 'dist', 'node_modules'];

test('no file contains a literal API key, which scanners of secrets report (decisions §5)', async () => {
  const tops = (await readdir('.')).filter((name) => !UNTRACKED.includes(name));
  const files = await Promise.all(
    tops.map(async (top) => {
      if (!(await stat(top)).isDirectory()) return [top];
      return (await readdir(top, { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name));
    }),
  );
  const all = files.flat();
  expect(all.length).toBeGreaterThan(500);
  // One after the other: a system may limit how many files are open.
  const hasKey = (file: string) => /sk_(test|live)_[A-Za-z0-9]{32}/.test(readFileSync(file, 'latin1'));
  expect(all.filter(hasKey)).toEqual([]);
});
