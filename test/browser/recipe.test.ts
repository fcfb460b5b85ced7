import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { launchOptions } from '../support/browser.ts';
import { needing } from '../support/programs.ts';
import { PLAYWRIGHT } from '../support/recipes.ts';
import { blocksOf, sectionOf } from '../support/walk-through.ts';

const root = join(import.meta.dirname, '../..');
const modules = join(root, 'node_modules');

describe('the recipe for Playwright', needing('chromium', 'sh'), () => {
  let store: string;

  /** A store where Playwright is set up, told of the browser that there is here. */
  beforeAll(async () => {
    store = await mkdtemp(join(tmpdir(), 'layaway-playwright-'));
    for (const name of ['tests', 'node_modules/.bin', 'node_modules/@playwright']) {
      await mkdir(join(store, name), { recursive: true });
    }
    await symlink(inject('layaway'), join(store, 'node_modules/layaway'));
    await symlink(join(modules, '@playwright/test'), join(store, 'node_modules/@playwright/test'));
    await symlink('../layaway/bin/layaway.js', join(store, 'node_modules/.bin/layaway'));
    await symlink('../@playwright/test/cli.js', join(store, 'node_modules/.bin/playwright'));
    const config = { testDir: 'tests', use: { launchOptions } };
    await writeFile(join(store, 'playwright.config.mjs'), `export default ${JSON.stringify(config)};\n`);
  });
  afterAll(() => rm(store, { recursive: true, force: true }));

  const play = (script: string) =>
    execa('sh', ['-e', '-c', script], { cwd: store, env: { HOME: store, CI: 'true' }, reject: false, stdin: 'ignore' });

  test('the shipped test pays on the hosted page', async () => {
    const { exitCode, stdout, stderr } = await play(PLAYWRIGHT);
    expect(exitCode, `${stdout}\n${stderr}`).toBe(0);
    expect(stdout).toContain('1 passed');
  });

  test('it says how to run it where the variables are missing', async () => {
    const { exitCode, stdout } = await play('npx playwright test');
    expect(exitCode).toBe(1);
    expect(stdout).toContain('LAYAWAY_BASE_URL is not set. Run the tests with: layaway exec -- npx playwright test');
  });

  test('with the configuration of docs/testing.md it needs no exec, and fails where the store may not sell', async () => {
    const fixture = { settings: { layaway_enabled: false } };
    await writeFile(join(store, 'closed.json'), JSON.stringify(fixture));
    const testing = await readFile(join(root, 'docs/testing.md'), 'utf8');
    const [config = ''] = blocksOf(sectionOf(testing, 'The hosted page in browser tests'), 'js');
    const next = `{ command: 'env; cat', stdout: 'pipe', wait: { stdout: /LAYAWAY_WEBHOOK_SECRET=whsec_/ } },`;
    await writeFile(
      join(store, 'playwright.config.mjs'),
      config
        .replace('--memory', '--memory --fixture closed.json')
        .replace('// Add your store', `${next} //`)
        .replace('testDir', `use: { launchOptions: ${JSON.stringify(launchOptions)} }, testDir`),
    );
    const { exitCode, stdout } = await play('npx playwright test');
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/Expected: 201\s+Received: 403/);
    expect(stdout).toMatch(/LAYAWAY_API_KEY=sk_test_/);
  });
});
