import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { expect, inject } from 'vitest';
import { bin, emptyPlace, runner } from '../layaway.ts';

export const ROOT = join(import.meta.dirname, '../../..');
export const source = (name: string) => readFile(join(inject('layaway'), 'fixtures/receivers', name), 'utf8');

/** An empty folder, the packages that a receiver imports, and the program on the PATH. */
export async function project() {
  const place = await emptyPlace();
  const tools = join(place.cwd, 'tools');
  await mkdir(tools);
  await symlink(bin, join(tools, 'layaway'));
  await symlink(join(ROOT, 'node_modules'), join(place.cwd, 'node_modules'));
  const file = (name: string) => join(place.cwd, name);
  const read = (name: string) => readFile(file(name), 'utf8');
  return {
    ...place,
    layaway: runner(place),
    file,
    read,
    edit: async (name: string, old: string | RegExp, text: string) =>
      writeFile(file(name), (await read(name)).replace(old, text)),
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
  /** What comes neither with Node nor from the package registry. */
  readonly needs?: 'php' | 'python3';
  /** Puts what stands in for a framework that is too large for tests. */
  readonly prepare?: (project: Project) => Promise<unknown>;
}

export const CASES: readonly Case[] = [
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
    needs: 'php',
    prepare: async ({ file }) => {
      const server = join(ROOT, 'test/support/laravel/server.php');
      await mkdir(file('cache'));
      const lines = [
        '<?php',
        `putenv('LARAVEL_ROUTES='.__DIR__.'/routes/layaway.php');`,
        `putenv('LARAVEL_CACHE='.__DIR__.'/cache');`,
        // Laravel does so where PHP fills $_ENV and there is a .env file.
        `if (! in_array('--no-reload', $argv)) putenv('LAYAWAY_WEBHOOK_SECRET');`,
        `$server = '${server.replaceAll(/['\\]/g, '\\$&')}';`,
        `passthru(PHP_BINARY.' -n -S 127.0.0.1:'.getenv('SERVER_PORT').' '.escapeshellarg($server).' 2>&1');`,
      ];
      await writeFile(file('artisan'), lines.join('\n'));
    },
  },
  {
    framework: 'python',
    files: { 'receive.py': 'receive.py' },
    start: 'python3 receive.py',
    needs: 'python3',
  },
];

/** Its test, as the command writes it, passes. */
export async function expectFullMarks({ framework, prepare }: Case) {
  const own = await project();
  await own.layaway('new', framework);
  await prepare?.(own);
  const { exitCode, all } = await own.runTest();
  expect(exitCode, all).toBe(0);
  expect(all).toMatch(/pass 1/);
}
