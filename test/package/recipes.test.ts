import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { withCertificates } from '../../scripts/nodes.js';
import { needing } from '../support/programs.ts';
import { BESIDE, GITHUB, GITLAB, INSTALL, SHELL } from '../support/recipes.ts';
import { emptyFolder, ownBuildOfSqlite, packBuild, root, run, userEnv } from './packed.ts';

const MINUTES = 60_000;
/** Saved only if a test of the store fails. */
const TRACE = 'failed.layaway';

/** What a store tests: that it can open a session where it is told to. */
const TEST_OF_THE_STORE = `
  import assert from 'node:assert/strict';
  import { test } from 'node:test';

  test('the checkout opens a session', async () => {
    const { LAYAWAY_BASE_URL, LAYAWAY_CLIENT_ID, LAYAWAY_API_KEY, TOTAL = '20000' } = process.env;
    const response = await fetch(LAYAWAY_BASE_URL + '/v1/sessions', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-client-id': LAYAWAY_CLIENT_ID, 'x-api-key': LAYAWAY_API_KEY },
      body: JSON.stringify({
        order_reference: 'A-1001',
        total_amount: Number(TOTAL),
        return_url: 'https://shop.example/thanks',
        cancel_url: 'https://shop.example/cart',
      }),
    });
    console.log('asked', LAYAWAY_BASE_URL);
    assert.equal(response.status, 201);
  });
`;

let folder: Awaited<ReturnType<typeof emptyFolder>>;
let store: string;
let env: NodeJS.ProcessEnv;

/** A store's repository, with the package kept in it and a lockfile that knows it. */
beforeAll(async () => {
  folder = await emptyFolder();
  store = join(folder.path, 'store');
  const prebuilt = await ownBuildOfSqlite(join(folder.path, 'builds'));
  const ofRunner = { ...userEnv(process.execPath), ...prebuilt, CI: 'true', npm_config_prefer_offline: 'true' };
  env = withCertificates(ofRunner);
  for (const name of ['vendor', 'test', 'scenarios']) await mkdir(join(store, name), { recursive: true });
  await writeFile(join(store, 'package.json'), '{ "private": true, "scripts": { "test": "node --test" } }\n');
  await writeFile(join(store, 'test/checkout.test.mjs'), TEST_OF_THE_STORE);
  for (const name of ['happy-path.yaml', 'decline-and-retry.yaml']) {
    await cp(join(root, 'fixtures/scenarios', name), join(store, 'scenarios', name));
  }
  await packBuild(inject('layaway'), join(store, 'vendor'));
  await run('sh', ['-c', INSTALL], { cwd: store, env });
}, 3 * MINUTES);
afterAll(() => folder[Symbol.asyncDispose]());

/** The repository as a runner finds it. */
async function checkout(name: string): Promise<string> {
  const path = join(folder.path, name);
  await cp(store, path, { recursive: true, filter: (source) => basename(source) !== 'node_modules' });
  return path;
}

const play = (shell: string, script: string, cwd: string, more: NodeJS.ProcessEnv = {}) =>
  execa(shell, ['-e', '-c', script], {
    cwd,
    env: { ...env, ...more },
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
  });

describe.each([
  ['the shell', { shell: 'sh', scripts: [SHELL], kept: ['layaway.xml', TRACE] }],
  ['GitHub Actions', { shell: 'bash', ...GITHUB }],
  ['GitLab', { shell: 'bash', ...GITLAB }],
])('the recipe for %s', (name, { shell, scripts, kept }) => {
  const options = { timeout: 2 * MINUTES, ...needing('sh', 'tar', shell) };
  it('installs, tests and plays, and keeps the report that was written', options, async () => {
    const cwd = await checkout(name);
    const said: string[] = [];
    for (const script of scripts) {
      const { exitCode, stdout, stderr } = await play(shell, script, cwd);
      expect(exitCode, `${script}\n${stdout}\n${stderr}`).toBe(0);
      said.push(stdout);
    }
    expect(said.join('\n')).toMatch(/^\S* ?pass 1$/m);
    expect(kept).toEqual(['layaway.xml', TRACE]);
    const report = await readFile(join(cwd, 'layaway.xml'), 'utf8');
    expect(report).toMatch(/^<testsuites [^>]*failures="0" [^>]*errors="0"/m);
    expect(report.match(/<testsuite /g)).toHaveLength(2);
  });
});

const failing = { timeout: 2 * MINUTES, ...needing('sh', 'tar') };
it('a recipe fails where a test of the store fails, and keeps the trace that shows it', failing, async () => {
  // Here, the packages are installed already.
  const { exitCode, stdout } = await play('sh', SHELL.replace(/^npm ci\n/, ''), store, { TOTAL: '1' });
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^\S* ?fail 1$/m);
  const shown = await play('sh', `npx layaway trace show ${TRACE}`, store);
  expect(shown.stdout).toContain('Failed: npm test (exit code 1)');
  expect(shown.stdout).toMatch(/ 422 {2}POST {3}\/v1\/sessions /);
});

describe('the recipe for a server beside the steps', needing('sh', 'tar'), () => {
  const answers = (url: string) =>
    fetch(`${url}/_sim/health`).then(
      () => true,
      () => false,
    );

  it.each([
    ['a test that passes', '20000', 0],
    ['a test that fails', '1', 1],
  ])('%s: its exit code, and no server is left', async (_name, total, expected) => {
    const { exitCode, stdout, stderr } = await play('sh', BESIDE, store, { TOTAL: total });
    expect(exitCode, `${stdout}\n${stderr}`).toBe(expected);
    const url = /asked (http:\S+)/.exec(stdout)?.[1] as string;
    await expect.poll(() => answers(url)).toBe(false);
  });

  it('a server that cannot start ends it', async () => {
    const { exitCode, stdout, stderr } = await play(
      'sh',
      BESIDE.replace('--port 0', '--port 0 --host 192.0.2.1').replace('--wait 30s', '--wait 1s'),
      store,
    );
    expect(exitCode).toBe(1);
    expect(stderr).toContain('192.0.2.1 is not an address of this machine.');
    expect(stdout).toBe('');
  });
});
