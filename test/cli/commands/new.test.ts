import { cp, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, inject, test } from 'vitest';
import { pasted } from '../../../src/cli/input/shell-quoted.ts';
import { hasIpv6 } from '../../support/ipv6.ts';
import { emptyPlace } from '../layaway.ts';
import { CASES, expectFullMarks, project, ROOT, source } from './new-project.ts';

describe('interface §10: layaway new', () => {
  test.each(CASES)('$framework: writes the receiver and its test', async ({ framework, files, start }) => {
    const { layaway, read } = await project();
    const { code, stdout, stderr } = await layaway('new', framework);
    expect(code, stderr).toBe(0);
    const written = [...Object.keys(files), 'certify.test.mjs'];
    expect(stdout.split('\n').sort()).toEqual(written.map((name) => `Wrote ${name}`).sort());
    for (const [name, from] of Object.entries(files)) expect(await read(name)).toBe(await source(from));
    expect(await read('certify.test.mjs')).toContain(`const START = '${start}';\n`);
    expect(stderr).toMatch(/^Next:\n( {2}.+\n)+ {2}npx layaway exec -- node --test certify\.test\.mjs$/);
  });

  test.each(CASES.filter(({ needs }) => !needs))('$framework: its test passes with full marks', expectFullMarks);

  test('its test passes with Vitest, too', async () => {
    const own = await project();
    await own.layaway('new', 'express');
    const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
    const { exitCode, all } = await own.runTest([process.execPath, vitest, 'run', '--no-cache']);
    expect(exitCode, all).toBe(0);
    expect(all).toMatch(/certify\.test\.mjs.*1 test/);
  });

  // Side by side, because an examination waits for an order that does not appear.
  test.concurrent('its test fails when the receiver does nothing with an event', async ({ expect }) => {
    const own = await project();
    await own.layaway('new', 'express');
    await own.edit('express.mjs', '  handle(event);', '');
    await own.edit('certify.test.mjs', ' --level should', ' --only duplicate-burst');
    const { exitCode, all } = await own.runTest();
    expect(exitCode).toBe(1);
    expect(all).toMatch(/http:\/\/localhost:\d+\/orders\/\{contract\} shows no order of an event\./);
    expect(all).toContain('✓ duplicate-burst');
  });

  test.concurrent('its test fails when the receiver reads too little', async ({ expect }) => {
    const own = await project();
    await own.layaway('new', 'express');
    await own.edit('express.mjs', "limit: '1mb'", "limit: '100kb'");
    const { exitCode, all } = await own.runTest();
    expect(exitCode).toBe(1);
    expect(all).toContain('✗ large');
  });

  test('its test fails at once when the receiver does not start, and says so', { timeout: 30_000 }, async () => {
    const own = await project();
    await own.layaway('new', 'express');
    await writeFile(own.file('express.mjs'), "import 'not-installed';");
    const { exitCode, all } = await own.runTest();
    expect(exitCode).toBe(1);
    expect(all).toMatch(/"node express\.mjs" exited with 1 before anything listened on port \d+\./);
    expect(all).toContain("Cannot find package 'not-installed'");
  });

  test('its test fails when the receiver ends while it is examined, and says so', async () => {
    const own = await project();
    await own.layaway('new', 'express');
    await own.edit('express.mjs', '  handle(event);', '  process.exit(3);');
    await own.edit('certify.test.mjs', / --observe "[^"]+"/, ' --only genuine');
    const { exitCode, all } = await own.runTest();
    expect(exitCode).toBe(1);
    expect(all).toContain('"node express.mjs" exited with 3 during the examination.');
  });

  test.runIf(hasIpv6)('its test finds a receiver that listens on ::1 alone', async () => {
    const own = await project();
    await own.layaway('new', 'express');
    await own.edit('express.mjs', 'process.env.PORT ?? 3000', "process.env.PORT, '::1'");
    // Without the orders: where the system takes `localhost` for 127.0.0.1 alone, only a receiver is found on ::1, too.
    await own.edit('certify.test.mjs', / --observe "[^"]+"/, ' --only genuine');
    const { exitCode, all } = await own.runTest();
    expect(exitCode, all).toBe(0);
  });

  test('into a folder that it makes; --json tells the files and the steps', async () => {
    const { layaway, read } = await project();
    const { code, json } = await layaway('new', 'next', 'shops/one', '--json');
    expect(code).toBe(0);
    expect(json.data).toEqual({
      framework: 'next',
      files: [
        'shops/one/app/webhooks/route.js',
        'shops/one/app/orders/[reference]/route.js',
        'shops/one/certify.test.mjs',
      ],
      steps: [
        'cd shops/one',
        'npm install standardwebhooks',
        `npm install --save-dev ${pasted(inject('layaway'))}`,
        'npx layaway exec -- node --test certify.test.mjs',
      ],
    });
    expect(await read('shops/one/app/webhooks/route.js')).toBe(await source('nextjs-route.mjs'));
  });

  test.each([
    [['src/app'], 'src/app/webhooks/route.js'],
    [['src/pages'], 'src/app/webhooks/route.js'],
    [['src/app', 'app'], 'app/webhooks/route.js'],
    [['src/components'], 'app/webhooks/route.js'],
  ])('a Next.js store with %s goes on serving its pages', async (folders, path) => {
    const { layaway, file } = await project();
    for (const folder of folders) await mkdir(file(folder), { recursive: true });
    expect((await layaway('new', 'next', '--json')).json.data.files).toContain(path);
  });

  test.each([
    ['installs from where it is installed, such as globally: no registry has the package yet', 'prefix/lib', true],
    ['does not install it in a project that has it, with --no-save, too', '.', false],
  ])('%s', async (_title, prefix, installs) => {
    const place = await emptyPlace();
    const own = join(place.cwd, prefix, 'node_modules/layaway');
    for (const part of ['bin', 'dist', 'fixtures', 'package.json']) {
      await cp(join(inject('layaway'), part), join(own, part), { recursive: true });
    }
    const args = [join(own, 'bin/layaway.js'), 'new', 'python', 'store', '--json'];
    const { stdout } = await execa(process.execPath, args, { cwd: place.cwd, env: place.env });
    expect(JSON.parse(stdout).data.steps).toEqual([
      'cd store',
      ...(installs ? [`npm install --save-dev ${pasted(own)}`] : []),
      'npx layaway exec -- node --test certify.test.mjs',
    ]);
  });

  test.each(['dependencies', 'devDependencies'])(
    'a project with layaway in its %s need not install it',
    async (kind) => {
      const { layaway, file } = await project();
      await writeFile(file('package.json'), JSON.stringify({ [kind]: { layaway: '^0.1.0' } }));
      const { json } = await layaway('new', 'express', 'store', '--json');
      expect(json.data.steps).toEqual([
        'cd store',
        'npm install express standardwebhooks',
        'npx layaway exec -- node --test certify.test.mjs',
      ]);
    },
  );

  test('changes no file that exists, and then writes nothing', async () => {
    const { layaway, read, file, cwd } = await project();
    await writeFile(file('certify.test.mjs'), 'mine');
    await symlink('nowhere', file('express.mjs'));
    const { code, stdout, stderr } = await layaway('new', 'express');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      'Nothing was written: express.mjs and certify.test.mjs exist already, and layaway does not change existing files. Name another folder, or move them away.',
    );
    expect(await read('certify.test.mjs')).toBe('mine');
    const python = await layaway('new', 'python');
    expect(python.stderr).toContain('Nothing was written: certify.test.mjs exists already');
    expect((await readdir(cwd)).sort()).toEqual(['certify.test.mjs', 'express.mjs', 'node_modules', 'tools']);
  });

  test.each([
    [['new', 'expres'], 2, 'There is no receiver for "expres". Did you mean express?'],
    [['new'], 2, 'Missing framework: express, fastify, next, laravel, python.'],
    [['new', 'python', 'tools/layaway'], 1, 'could not be written'],
  ])('%s', async (args, code, message) => {
    const { layaway } = await project();
    const ended = await layaway(...args);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain(message);
  });
});
