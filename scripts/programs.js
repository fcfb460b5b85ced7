import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { installedChromium, isProgram, knownChromium } from './chromium.js';

/**
 * Every program that the tests start and that comes neither with Node nor from the package registry: its Debian package,
 * and what needs it. A test that starts one declares it with `needing()`. `.ci/run` installs all except the optional
 * ones, which are too large to install for one test. Without them, that test is skipped, also in CI.
 */
export const PROGRAMS = {
  sh: { debian: 'dash', use: 'commands in the README, npm scripts' },
  bash: { debian: 'bash', use: 'completion, examples of commands, pipes, steps of CI recipes' },
  zsh: { debian: 'zsh', use: 'completion' },
  fish: { debian: 'fish', use: 'completion' },
  script: { debian: 'bsdutils', use: 'a pseudo-terminal for prompts' },
  ps: { debian: 'procps', use: 'finding leftover processes' },
  mkfifo: { debian: 'coreutils', use: 'a pipe in place of a file' },
  tar: { debian: 'tar', use: 'the packed tarball' },
  curl: { debian: 'curl', use: 'the README' },
  python3: { debian: 'python3', use: 'the receiver in Python; compiling better-sqlite3' },
  php: { debian: 'php-cli', use: 'the receiver in PHP' },
  pytest: { debian: 'python3-pytest', use: 'the helper for pytest' },
  phpunit: { debian: 'phpunit', use: 'the helper for PHPUnit' },
  rspec: { debian: 'ruby-rspec', use: 'the helper for RSpec' },
  go: { debian: 'golang-go', use: 'the helper for Go', isOptional: true },
  javac: {
    debian: 'default-jdk-headless junit5',
    use: 'the helper for JUnit',
    needs: 'with JUnit 5',
    isOptional: true,
  },
  chromium: { debian: 'chromium-headless-shell', use: 'pages' },
  unshare: {
    debian: 'util-linux',
    use: 'the image as its own user with a read-only root; nsenter comes with it',
    needs: 'as root',
  },
  make: { debian: 'make', use: 'compiling better-sqlite3' },
  'g++': { debian: 'g++', use: 'compiling better-sqlite3' },
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

/** Whether tests may be skipped without the program, even in CI. */
export const isOptional = (name) => PROGRAMS[name].isOptional === true;
