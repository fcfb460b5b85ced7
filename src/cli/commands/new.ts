import { lstatSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { fileReason } from '../../domain/file-error.ts';
import { isRecord, parsed } from '../../domain/json.ts';
import { suggestion } from '../../nearest.ts';
import { type Cli, run } from '../command.ts';
import { needCurrentFolder } from '../current-folder.ts';
import { describe } from '../describe.ts';
import { failure, usage } from '../exit.ts';
import { makeFolder } from '../folder.ts';
import { pasted } from '../input/shell-quoted.ts';
import { shippedFile } from '../shipped.ts';
import { chosenOf, wordChoices } from '../terminal/prompt.ts';

/** What is written for a framework, and what is left to do. */
interface Framework {
  /** The files of `fixtures/receivers`, by where they go. */
  readonly files: Readonly<Record<string, string>>;
  /** Where these files belong in the folder of a store, if not at its top. */
  readonly home?: (folder: string) => string;
  /** Starts the store on the port in PORT. */
  readonly start: string;
  /** The path at the beginning of every URL of the store, if there is one. */
  readonly basePath?: string;
  readonly steps: readonly string[];
}

const FRAMEWORKS: Readonly<Record<string, Framework>> = {
  express: {
    files: { 'express.mjs': 'express.mjs' },
    start: 'node express.mjs',
    steps: ['npm install express standardwebhooks'],
  },
  fastify: {
    files: { 'fastify.mjs': 'fastify.mjs' },
    start: 'node fastify.mjs',
    steps: ['npm install fastify standardwebhooks'],
  },
  next: {
    files: {
      'app/webhooks/route.js': 'nextjs-route.mjs',
      'app/orders/[reference]/route.js': 'nextjs-orders-route.mjs',
    },
    // Beside a folder `app`, Next.js would no longer serve what is in `src`.
    home: (folder) => {
      const hasRoutes = (home: string) => ['app', 'pages'].some((name) => isThere(join(folder, home, name)));
      return hasRoutes('src') && !hasRoutes('.') ? 'src' : '.';
    },
    start: 'next dev',
    steps: ['npm install standardwebhooks'],
  },
  laravel: {
    files: { 'routes/layaway.php': 'laravel.php' },
    // Without the flag, Laravel may keep the variables of `layaway exec` from the process that answers.
    start: 'php artisan serve --no-reload',
    basePath: '/api',
    steps: [
      "Add this line to routes/api.php (in Laravel 11 and later, `php artisan install:api` creates it): require __DIR__.'/layaway.php';",
    ],
  },
  python: { files: { 'receive.py': 'receive.py' }, start: 'python3 receive.py', steps: [] },
};
const NAMES = Object.keys(FRAMEWORKS);
const TEST = 'certify.test.mjs';

export default function create(command: Command) {
  describe(
    command,
    'Write a webhook receiver for your framework, and a test that examines it.',
    'layaway new express store',
    `Frameworks: ${NAMES.join(', ')}. The folder is the current one unless you name another. Existing files are never changed: if one is in the way, nothing is written.`,
  )
    .argument('[framework]')
    .argument('[folder]')
    .usage('<framework> [folder] [options]')
    .action(run(work));
}

async function work(cli: Cli, named: string | undefined, folder = '.') {
  needCurrentFolder();
  const name = await chosenOf(named, `Missing framework: ${NAMES.join(', ')}.`, {
    message: 'Which framework?',
    choices: wordChoices(NAMES),
  });
  const framework = Object.hasOwn(FRAMEWORKS, name) ? FRAMEWORKS[name] : undefined;
  if (!framework) throw usage(`There is no receiver for "${name}". ${suggestion(name, NAMES)}`);

  const home = join(folder, framework.home?.(folder) ?? '.');
  const files = [
    ...Object.entries(framework.files).map(([to, from]) => ({ path: join(home, to), text: textOf(from) })),
    { path: join(folder, TEST), text: testOf(framework) },
  ];
  const inTheWay = files.map(({ path }) => path).filter(isThere);
  if (inTheWay.length > 0) {
    throw failure(
      `Nothing was written: ${list(inTheWay)} ${inTheWay.length === 1 ? 'exists' : 'exist'} already, and layaway does not change existing files. Name another folder, or move ${inTheWay.length === 1 ? 'it' : 'them'} away.`,
    );
  }
  await write(files);

  const steps = [
    ...(relative('.', folder) === '' ? [] : [`cd ${pasted(relative('.', folder))}`]),
    ...framework.steps,
    ...(isInstalled(folder) ? [] : [`npm install --save-dev ${installable()}`]),
    `npx layaway exec -- node --test ${TEST}`,
  ];
  const paths = files.map(({ path }) => path);
  if (cli.out.json) return cli.out.document(JSON.stringify({ data: { framework: name, files: paths, steps } }));
  for (const path of paths) cli.out.line(`Wrote ${cli.out.paint.bold(path)}`);
  for (const line of ['Next:', ...steps.map((step) => `  ${step}`)]) cli.out.note(line);
}

/** Whether the project around the folder names layaway among its dependencies, or this program is installed in it. */
function isInstalled(folder: string): boolean {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const { dependencies, devDependencies } = manifestIn(at);
    if (dependencies?.layaway !== undefined || devDependencies?.layaway !== undefined) return true;
    // With `npm install --no-save`, for one. npm would link the package to itself.
    if (join(at, 'node_modules/layaway') === ownFolder()) return true;
    if (at === dirname(at)) return false;
  }
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, unknown>>;
  readonly devDependencies?: Readonly<Record<string, unknown>>;
}

function manifestIn(folder: string): Manifest {
  try {
    const manifest = parsed(readFileSync(join(folder, 'package.json'), 'utf8'), null);
    return isRecord(manifest) ? manifest : {};
  } catch {
    return {};
  }
}

/** The clone or the package that this program runs from. */
const ownFolder = () => dirname(dirname(fileURLToPath(shippedFile('fixtures/openapi.json'))));

/** What npm installs. No registry has it under its name. */
const installable = () => pasted(ownFolder());

const textOf = (name: string) => readFileSync(shippedFile(`fixtures/receivers/${name}`), 'utf8');

/** The shipped test, which is for Express, changed for this framework. */
const testOf = ({ start, basePath = '' }: Framework) =>
  textOf(TEST)
    .replace(/^const START = .*$/m, `const START = '${start}';`)
    .replace(/^const BASE_PATH = .*$/m, `const BASE_PATH = '${basePath}';`);

/** True for a dangling link too. */
function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

async function write(files: readonly { readonly path: string; readonly text: string }[]) {
  const made: string[] = [];
  for (const { path, text } of files) {
    try {
      makeFolder(dirname(path));
      // Fails if the file has been created in the meantime.
      await writeFile(path, '', { flag: 'wx' });
      made.push(path);
      await writeFile(path, text);
    } catch (error) {
      // They would be in the way of the next try.
      for (const each of made) await rm(each, { force: true });
      throw failure(`${path} could not be written (${fileReason(error)}). Nothing was written.`, error);
    }
  }
}

const list = (names: readonly string[]) =>
  names.length === 1 ? names[0] : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
