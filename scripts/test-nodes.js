/**
 * Runs the tests under newer versions of Node: `npm run test:nodes`, `npm run test:nodes -- 24 --project rooms`. Each run
 * has its own copy of the checkout and its own installation, because native code fits only one version of Node.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchNode, NEWER } from './nodes.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = join(root, 'node_modules/.cache');
const shell = process.platform === 'win32';
const args = process.argv.slice(2);
const count = args.findIndex((arg) => !/^\d+$/.test(arg));
const majors = (count === -1 ? args : args.slice(0, count)).map(Number);
const rest = count === -1 ? [] : args.slice(count);

const failed = [];
for (const major of majors.length > 0 ? majors : NEWER) {
  process.stdout.write(`\n=== Node ${major}\n`);
  const node = await fetchNode(major, cache);
  const folder = copy(major);
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  const run = (program, ...words) =>
    spawnSync(program, words, { cwd: folder, env, shell, stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund'];
  // The lockfile has the better-sqlite3 for Node 20. Users with a newer Node get this one.
  const passed =
    run('npm', 'ci', ...quiet) &&
    run('npm', 'install', '--no-save', ...quiet, 'better-sqlite3@13') &&
    run('npm', 'test', '--', ...rest);
  if (!passed) failed.push(major);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
const outcome = failed.length === 0 ? 'passed under every Node' : `failed under Node ${failed.join(' and ')}`;
process.stdout.write(`\n${outcome}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** Copies the checkout with its uncommitted changes. Outside node_modules, because nothing is compiled there. */
function copy(major) {
  const folder = mkdtempSync(join(tmpdir(), `layaway-node-${major}-`));
  // A test starts the program as another user.
  chmodSync(folder, 0o755);
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean);
  for (const file of files) if (existsSync(join(root, file))) cpSync(join(root, file), join(folder, file));
  return folder;
}
