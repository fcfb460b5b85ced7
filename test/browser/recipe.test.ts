import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { launchOptions } from '../support/browser.ts';
import { needing } from '../support/programs.ts';
import { PLAYWRIGHT } from '../support/recipes.ts';

const modules = join(import.meta.dirname, '../../node_modules');

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

  test('it fails where the store may not sell', async () => {
    const fixture = { settings: { layaway_enabled: false } };
    await writeFile(join(store, 'closed.json'), JSON.stringify(fixture));
    const { exitCode, stdout } = await play(PLAYWRIGHT.replace('exec --', 'exec --fixture closed.json --'));
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/Expected: 201\s+Received: 403/);
  });
});
