import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromiumHint, findChromium } from './chromium.js';
import { imageContext } from './image.js';
import { debianPackages, PROGRAMS } from './programs.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = join(root, 'node_modules/.cache');
const report = join(cache, `vitest-${process.pid}.json`);
const underCi = Boolean(process.env.CI) && process.env.CI !== 'false';
const tally = { passed: 0, failed: 0, skipped: 0 };
/** The tests that need a program that this machine lacks. */
const lacking = [];

const ONLY_SUITES = '--only-suites';
const args = process.argv.slice(2);
/** Runs only the suites that import a changed file. Most of them need no build, so there is no build step. */
const onlyChanged = args.some((arg) => /^--changed(=|$)/.test(arg));
/** The folder of the build; null without one. */
let built = null;
if (!args.includes(ONLY_SUITES)) {
  const steps = [step('types', 'typecheck'), step('lint', 'lint')];
  if (!onlyChanged) steps.push(build());
  await Promise.all(steps);
}
await suites(args.filter((arg) => arg !== ONLY_SUITES));
tellLacking();

const { passed, failed, skipped } = tally;
process.stdout.write(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;

/** Builds from what the image is built from, so that it needs nothing else. Every suite uses this build. */
async function build() {
  const folder = mkdtempSync(join(tmpdir(), 'layaway-build-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  for (const name of imageContext(root)) cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  if (await step('build', 'build', folder)) built = folder;
}

/** Runs an npm script and shows its output only if it fails. Returns whether it succeeded. */
async function step(name, script, cwd = root) {
  const start = performance.now();
  const { code, output } = await run('npm', ['run', '--silent', script], 'pipe', { cwd });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  if (code === 0) tally.passed += 1;
  else tally.failed += 1;
  process.stdout.write(code === 0 ? `ok      ${name} (${seconds} s)\n` : `FAILED  ${name} (${seconds} s)\n${output}\n`);
  return code === 0;
}

async function suites(args) {
  const chromium = findChromium(cache);
  mkdirSync(cache, { recursive: true });
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const env = {
    ...process.env,
    ...(chromium ? { CHROMIUM_PATH: chromium } : {}),
    ...(built ? { BUILT_DIST: join(built, 'dist') } : {}),
  };
  const { code } = await run(process.execPath, [vitest, 'run', ...reporters, ...args], 'inherit', { env });
  count(code);
  rmSync(report, { force: true });
}

function count(code) {
  const failedBefore = tally.failed;
  const files = results();
  for (const { name, status, assertionResults } of files) {
    for (const test of assertionResults) {
      const { missing } = test.meta;
      if (missing)
        lacking.push({ title: [relative(root, name), ...test.ancestorTitles, test.title].join(' > '), missing });
      if (test.status === 'passed') tally.passed += 1;
      else if (test.status === 'failed' || (missing && underCi)) tally.failed += 1;
      else tally.skipped += 1;
    }
    // A file that could not be loaded, or whose hooks failed, has no failed test.
    if (status === 'failed' && !assertionResults.some((test) => test.status === 'failed')) tally.failed += 1;
  }
  // An error outside of all tests, or a run without tests, shows only in the exit code. `--changed` may find no suite.
  const ran = onlyChanged || files.some(({ assertionResults }) => assertionResults.length > 0);
  if ((code !== 0 && tally.failed === failedBefore) || !ran) tally.failed += 1;
}

function results() {
  try {
    return JSON.parse(readFileSync(report, 'utf8')).testResults;
  } catch {
    return [];
  }
}

/** Prints each test that could not run here and why, and what to install. */
function tellLacking() {
  const names = new Set(lacking.flatMap(({ missing }) => missing));
  if (names.size === 0) return;
  const named = (name) => (PROGRAMS[name].needs ? `${name} (${PROGRAMS[name].needs})` : name);
  const lines = lacking.map(({ title, missing }) => {
    const word = underCi ? 'FAILED ' : 'skipped';
    return `${word} ${title}: needs ${missing.map(named).join(' and ')}`;
  });
  lines.push(`On Debian these programs are installed with: apt-get install ${debianPackages([...names]).join(' ')}`);
  if (names.has('chromium')) lines.push(chromiumHint());
  process.stdout.write(`\n${lines.join('\n')}\n`);
}

function run(command, args, stdio, { cwd = root, env = process.env } = {}) {
  return new Promise((resolve) => {
    // On Windows, npm is a script, which only a shell can start.
    const shell = process.platform === 'win32' && command === 'npm';
    const child = spawn(command, args, { cwd, env, shell, stdio: ['ignore', stdio, stdio] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => resolve({ code: 1, output: String(error) }));
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}
