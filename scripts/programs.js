import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { installedChromium, isProgram, knownChromium } from './chromium.js';

/**
 * Every program that the tests start and that comes neither with Node nor from the package registry: its Debian package,
 * and what else it needs. A test that starts one declares it with `needing()`. `.ci/run` installs them all.
 */
export const PROGRAMS = {
  sh: { debian: 'dash' },
  bash: { debian: 'bash' },
  zsh: { debian: 'zsh' },
  fish: { debian: 'fish' },
  // A pseudo-terminal.
  script: { debian: 'bsdutils' },
  ps: { debian: 'procps' },
  mkfifo: { debian: 'coreutils' },
  tar: { debian: 'tar' },
  curl: { debian: 'curl' },
  python3: { debian: 'python3' },
  php: { debian: 'php-cli' },
  pytest: { debian: 'python3-pytest' },
  phpunit: { debian: 'phpunit' },
  rspec: { debian: 'ruby-rspec' },
  go: { debian: 'golang-go' },
  javac: { debian: 'default-jdk-headless junit5', needs: 'with JUnit 5' },
  chromium: { debian: 'chromium-headless-shell' },
  // Runs the Windows build of Node.
  wine: { debian: 'wine wine64' },
  // nsenter comes with it.
  unshare: { debian: 'util-linux', needs: 'as root' },
  make: { debian: 'make' },
  'g++': { debian: 'g++' },
};

/**
 * The programs among `names` that this machine lacks.
 * @param cache the folder of a fetched Chromium; without it, only an installed one counts
 */
export function missingPrograms(names = Object.keys(PROGRAMS), cache = null) {
  return names.filter((name) => {
    if (name === 'unshare') return !mayUnshare();
    if (name === 'javac' && !existsSync('/usr/share/java/junit-platform-console.jar')) return true;
    if (name === 'chromium') return !(cache ? knownChromium(cache) : installedChromium());
    const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
    return !folders.some((folder) => isProgram(join(folder, name)));
  });
}

let unshares;
/** In most containers, and for users other than root, unshare exists but is not permitted. */
function mayUnshare() {
  unshares ??= spawnSync('unshare', ['--mount', '--pid', '--fork', 'mount', '--make-rprivate', '/']).status === 0;
  return unshares;
}

/** The arguments of `apt-get install` for these programs. */
export const debianPackages = (names) => [...new Set(names.map((name) => PROGRAMS[name].debian))];
