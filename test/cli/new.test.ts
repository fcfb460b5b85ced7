import { mkdir, readdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, inject, type TestOptions, test } from 'vitest';
import { needing } from '../support/programs.ts';
import { bin, emptyPlace, runner } from './layaway.ts';

const ROOT = join(import.meta.dirname, '../..');
const source = (name: string) => readFile(join(inject('layaway'), 'fixtures/receivers', name), 'utf8');

/** An empty folder, the packages that a receiver imports, and the program on the PATH. */
async function project() {
  const place = await emptyPlace();
  const tools = join(place.cwd, 'tools');
  await mkdir(tools);
  await symlink(bin, join(tools, 'layaway'));
  await symlink(join(ROOT, 'node_modules'), join(place.cwd, 'node_modules'));
  return {
    ...place,
    layaway: runner(place),
    file: (name: string) => join(place.cwd, name),
    read: (name: string) => readFile(join(place.cwd, name), 'utf8'),
    addTool: (name: string, text: string) => writeFile(join(tools, name), text, { mode: 0o755 }),
    /** Runs its test: as the command tells to in the end, or otherwise. */
    runTest: (by = [process.execPath, '--test', 'certify.test.mjs']) =>
      execa(process.execPath, [bin, 'exec', '--', ...by], {
        cwd: place.cwd,
        env: {
          ...place.env,
          PATH: `${tools}${delimiter}${process.env.PATH}`,
          NODE_TEST_CONTEXT: undefined,
          VITEST: undefined,
        },
        reject: false,
        all: true,
      }),
  };
}
type Project = Awaited<ReturnType<typeof project>>;

interface Case {
  readonly framework: string;
  readonly files: Readonly<Record<string, string>>;
  readonly start: string;
  readonly needs?: TestOptions;
  /** Puts what stands in for a framework that is too large for tests. */
  readonly prepare?: (project: Project) => Promise<unknown>;
}

const CASES: readonly Case[] = [
  { framework: 'express', files: { 'express.mjs': 'express.mjs' }, start: 'node express.mjs' },
  { framework: 'fastify', files: { 'fastify.mjs': 'fastify.mjs' }, start: 'node fastify.mjs' },
  {
    framework: 'next',
    files: {
      'app/orders/[reference]/route.js': 'nextjs-orders-route.mjs',
      'app/webhooks/route.js': 'nextjs-route.mjs',
    },
    start: 'next dev',
    // Next.js compiles what it loads; a package of modules does the same for a route file.
    prepare: async ({ file, addTool }) => {
      await writeFile(file('package.json'), '{"type":"module"}');
      const routes = JSON.stringify(join(ROOT, 'test/support/next-routes.js'));
      await addTool(
        'next',
        [
          '#!/usr/bin/env node',
          `import(${routes}).then(async ({ serveRoutes }) => {`,
          `  const load = (path) => import(process.cwd() + '/app/' + path + '/route.js');`,
          `  await serveRoutes({ webhooks: await load('webhooks') }, { orders: await load('orders/[reference]') }, process.env.PORT);`,
          '});',
        ].join('\n'),
      );
    },
  },
  {
    framework: 'laravel',
    files: { 'routes/layaway.php': 'laravel.php' },
    start: 'php artisan serve --no-reload',
    needs: needing('php'),
    prepare: async ({ file }) => {
      const server = join(ROOT, 'test/support/laravel/server.php');
      await mkdir(file('cache'));
      const lines = [
        '<?php',
        `putenv('LARAVEL_ROUTES='.__DIR__.'/routes/layaway.php');`,
        `putenv('LARAVEL_CACHE='.__DIR__.'/cache');`,
        // Laravel does so where PHP fills $_ENV and there is a .env file.
        `if (! in_array('--no-reload', $argv)) putenv('LAYAWAY_WEBHOOK_SECRET');`,
        `passthru(PHP_BINARY.' -n -S 127.0.0.1:'.getenv('SERVER_PORT').' ${server} 2>&1');`,
      ];
      await writeFile(file('artisan'), lines.join('\n'));
    },
  },
  {
    framework: 'python',
    files: { 'receive.py': 'receive.py' },
    start: 'python3 receive.py',
    needs: needing('python3'),
  },
];

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

  for (const { framework, needs = {}, prepare } of CASES) {
    test(`${framework}: its test passes with full marks`, needs, async () => {
      const own = await project();
      await own.layaway('new', framework);
      await prepare?.(own);
      const { exitCode, all } = await own.runTest();
      expect(exitCode, all).toBe(0);
      expect(all).toMatch(/pass 1/);
    });
  }

  test('its test passes with Vitest, too', async () => {
    const own = await project();
    await own.layaway('new', 'express');
    const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
    const { exitCode, all } = await own.runTest([process.execPath, vitest, 'run', '--no-cache']);
    expect(exitCode, all).toBe(0);
    expect(all).toMatch(/certify\.test\.mjs.*1 test/);
  });

  test('its test fails when the receiver reads too little', async () => {
    const own = await project();
    await own.layaway('new', 'express');
    const receiver = await own.read('express.mjs');
    await writeFile(own.file('express.mjs'), receiver.replace("limit: '1mb'", "limit: '100kb'"));
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
    expect(all).toMatch(/"node express\.mjs" ended with 1 before anything listened on port \d+\./);
    expect(all).toContain("Cannot find package 'not-installed'");
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
        `npm install --save-dev ${inject('layaway')}`,
        'npx layaway exec -- node --test certify.test.mjs',
      ],
    });
    expect(await read('shops/one/app/webhooks/route.js')).toBe(await source('nextjs-route.mjs'));
  });

  test('the step that enters the folder can be pasted, whatever its name', needing('sh'), async () => {
    const { layaway, file, cwd } = await project();
    for (const folder of ['my store', "it's $HOME; (new) & `old`"]) {
      const { json } = await layaway('new', 'python', folder, '--json');
      const { stdout } = await execa('sh', ['-c', `${json.data.steps[0]} && pwd -P`], { cwd });
      expect(stdout).toBe(await realpath(file(folder)));
    }
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
      'Nothing was written: express.mjs and certify.test.mjs exist already, and layaway changes no existing file. Name another folder, or move them away.',
    );
    expect(await read('certify.test.mjs')).toBe('mine');
    const python = await layaway('new', 'python');
    expect(python.stderr).toContain('Nothing was written: certify.test.mjs exists already');
    expect((await readdir(cwd)).sort()).toEqual(['certify.test.mjs', 'express.mjs', 'node_modules', 'tools']);
  });

  test(
    'without room for all files, it leaves none that would be in the way of the next try',
    needing('bash'),
    async () => {
      const { layaway, cwd, env } = await project();
      // Room for the receiver, not for the test.
      const command = `ulimit -f 2; exec "${process.execPath}" "${bin}" new express`;
      const { exitCode, stderr } = await execa('bash', ['-c', command], { cwd, env, reject: false });
      expect({ exitCode, stderr }).toEqual({
        exitCode: 1,
        stderr: 'certify.test.mjs could not be written (the file would be larger than allowed). Nothing was written.',
      });
      expect((await layaway('new', 'express')).code).toBe(0);
    },
  );

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
