import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { fetchedChromium } from '../scripts/chromium.js';
import { PROGRAMS } from '../scripts/programs.js';
import { needing } from './support/programs.ts';

const ROOT = join(import.meta.dirname, '..');

/** A folder with Node and nothing else: all that is left of a PATH. */
let bin: string;
/** What vitest tells its own processes is not for a run within the run. */
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  bin = await mkdtemp(join(tmpdir(), 'layaway-bin-'));
  await symlink(process.execPath, join(bin, 'node'));
  const outer = Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV|NODE_OPTIONS|CI$)/.test(name));
  env = { ...Object.fromEntries(outer), PATH: bin, CHROMIUM_PATH: join(bin, 'chromium'), NO_COLOR: '1' };
});
afterAll(() => rm(bin, { recursive: true }));

/**
 * `npm test` of some suites on a machine without any program but Node. Suites that share modules load sooner, and one worker
 * loads them once.
 */
async function npmTest(suites: readonly string[], more: NodeJS.ProcessEnv = {}) {
  const { stdout, exitCode } = await execa(
    process.execPath,
    ['scripts/test.js', '--only-suites', '--no-isolate', '--no-file-parallelism', ...suites],
    {
      cwd: ROOT,
      env: { ...env, BUILT_PACKAGE: inject('layaway'), ...more },
      extendEnv: false,
      reject: false,
      stdin: 'ignore',
    },
  );
  return { stdout, exitCode, last: stdout.split('\n').at(-1) };
}

/** Every suite but this one, which would start itself. */
async function otherSuites() {
  const paths = await readdir(join(ROOT, 'test'), { recursive: true });
  return paths
    .filter((path) => path.endsWith('.test.ts') && path !== 'programs.test.ts')
    .map((path) => join('test', path));
}

async function suitesThatNeedPrograms() {
  const suites = await otherSuites();
  const texts = await Promise.all(suites.map((path) => readFile(join(ROOT, path), 'utf8')));
  return suites.filter((_, index) => /\bneeding\(/.test(texts[index] as string));
}

test('every program that a suite starts is in the list, and the suite says that it needs it', async () => {
  const comesWithNode = ['node', 'npm', 'npx'];
  const started: string[] = [];
  for (const path of await otherSuites()) {
    const text = await readFile(join(ROOT, path), 'utf8');
    const calls = text.matchAll(/\b(?:spawn|spawnSync|exec\w*|run|ask)\)?\(\s*'([a-z][\w+-]*)',/g);
    const names = [...calls].map(([, name]) => name);
    if (text.includes('support/terminal.ts')) names.push('script');
    for (const name of names) {
      if (comesWithNode.includes(name as string)) continue;
      started.push(name as string);
      expect(Object.keys(PROGRAMS), path).toContain(name);
      // Named in the call and in what needs it; `needing` can be given a list, too.
      expect(text, path).toMatch(/\bneeding\(/);
      expect(text.split(`'${name}'`).length, `${path}: ${name}`).toBeGreaterThan(name === 'script' ? 1 : 2);
    }
  }
  expect(started.length).toBeGreaterThan(10);
});

/** What only `npm ci` needs. */
const TO_COMPILE = ['make', 'g++'];

describe('on a machine with Node and no other program', () => {
  test('nothing fails, and the summary names what was skipped and why', { timeout: 360_000 }, async () => {
    const suites = await suitesThatNeedPrograms();
    expect(suites.length).toBeGreaterThan(10);
    const { stdout, exitCode, last } = await npmTest(suites);
    expect(last, stdout).toMatch(/^[1-9]\d* passed, 0 failed, [1-9]\d* skipped$/);
    expect(exitCode).toBe(0);
    const told = [...stdout.matchAll(/^skipped (test\/\S+) > .+: needs (.+)$/gm)];
    expect(told).toHaveLength(Number(/(\d+) skipped$/.exec(last as string)?.[1]));
    expect(stdout).toMatch(
      /^skipped test\/cli\/commands\/completion.test.ts > .*in a real zsh.*: needs zsh and script$/m,
    );
    // So every program of the list is one that a test needs.
    const needed = new Set(told.flatMap(([, , names]) => (names as string).replace(/ \(.+?\)/g, '').split(' and ')));
    expect([...needed, ...TO_COMPILE].sort()).toEqual(Object.keys(PROGRAMS).sort());
  });

  test('under CI it is a failure', async () => {
    const { stdout, exitCode, last } = await npmTest(['test/browser/text.test.ts'], { CI: 'true' });
    expect(stdout).toMatch(/^FAILED {2}test\/browser\/text.test.ts > .+: needs chromium$/m);
    expect(last).toBe('0 passed, 1 failed');
    expect(exitCode).toBe(1);
  });

  test('.ci/run installs every program of the list, then installs and tests', needing('bash'), async () => {
    const folder = await mkdtemp(join(tmpdir(), 'layaway-ci-'));
    await symlink(process.execPath, join(folder, 'node'));
    for (const name of ['apt-get', 'npm']) {
      await writeFile(join(folder, name), `#!/bin/sh\necho ${name} "$@"\n`, { mode: 0o755 });
    }
    const { stdout: bash } = await execa('bash', ['-c', 'command -v bash']);
    const { stdout } = await execa(bash, [join(ROOT, '.ci/run')], { env: { ...env, PATH: folder }, extendEnv: false });
    await rm(folder, { recursive: true });
    const [update, install, ...rest] = stdout.split('\n');
    expect(update).toMatch(/^apt-get update/);
    const packages = Object.values(PROGRAMS).flatMap(({ debian }) => debian.split(' '));
    expect(
      install
        ?.split(' ')
        .filter((word) => packages.includes(word))
        .sort(),
    ).toEqual(packages.sort());
    expect(rest).toEqual(['npm ci', 'npm test']);
  });
});

test('a browser that was fetched and set up in another way is not taken', async () => {
  const cache = await mkdtemp(join(tmpdir(), 'layaway-cache-'));
  await mkdir(join(cache, 'chromium'));
  await writeFile(join(cache, 'chromium/run'), '#!/bin/sh\n', { mode: 0o755 });
  expect(fetchedChromium(cache)).toBeNull();
  await rm(cache, { recursive: true });
});
