#!/usr/bin/env node
'use strict';

// CommonJS: Node starts it in less time. Each function loads what it needs for the same reason.
const { existsSync } = require('node:fs');
const { dirname, join } = require('node:path');

const [major, minor] = process.versions.node.split('.').map(Number);
// The program loads Node's modules with `getBuiltinModule`, which Node 21 and 22.0 to 22.2 lack.
if (major < 20 || (major === 20 && minor < 19) || !process.getBuiltinModule) {
  console.error(
    `layaway needs Node 20.19, or 22.3 or later; this is ${process.versions.node}. Install a newer one from nodejs.org.`,
  );
  process.exit(1);
}
if (process.permission) process.on('uncaughtException', tellDenied);
const words = process.argv.slice(2);
if (/^(?:--help|-h|completion)$/.test(words[0])) require('./prepared.js')(words);
const program = join(__dirname, '../dist/cli/main.cjs');
if (!existsSync(program)) {
  console.error(
    `layaway is not built yet. In ${dirname(__dirname)}, run npm ci && npm start, which also starts the server, or npm run build.`,
  );
  process.exit(1);
}
start(program);

function start(program) {
  const { enableCompileCache } = require('node:module');
  const cache = process.env.NODE_DISABLE_COMPILE_CACHE ? null : ownCacheFolder();
  // Node 22 and later keep what they compiled for the next start.
  if (cache && enableCompileCache) enableCompileCache(cache);
  if (cache && !enableCompileCache) require('./compiled.js')(program, cache);
  else require(program);
}

/** Under `--permission`, what Node does not allow may throw anywhere. */
function tellDenied(error) {
  console.error(error.code === 'ERR_ACCESS_DENIED' ? deniedSentence(error) : error);
  process.exit(1);
}

function deniedSentence({ permission, resource, message }) {
  const what = [permission, resource].filter(Boolean).join(', ');
  const [flag] = /--allow-[a-z-]+/.exec(message) ?? ['the flag that allows it'];
  return `Node runs with --permission, which does not allow this${what && ` (${what})`}. Add ${flag}, or leave out --permission.`;
}

/** Node would take a folder that all users share, where another user can put code. Null where there is no own one. */
function ownCacheFolder() {
  const { lstatSync } = require('node:fs');
  const { isAbsolute } = require('node:path');
  try {
    const folder = join(cacheHome(), 'layaway');
    if (!isAbsolute(folder)) return null;
    makeFolder(folder);
    const stats = lstatSync(folder);
    if (!stats.isDirectory()) return null;
    // Windows tells neither owner nor mode; the folder is in the profile of the user.
    const isOwn = !process.getuid || (stats.uid === process.getuid() && (stats.mode & 0o022) === 0);
    return isOwn ? folder : null;
  } catch {
    return null;
  }
}

/**
 * Node's own `recursive` never ends if an existing folder answers ENOENT to a new folder in it, as /proc and automounters
 * do.
 */
function makeFolder(folder) {
  const { mkdirSync } = require('node:fs');
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another command that starts now may have made it.
    if (!existsSync(folder)) throw error;
  }
}

function cacheHome() {
  const { homedir } = require('node:os');
  const { env, platform } = process;
  if (platform === 'darwin') return join(homedir(), 'Library', 'Caches');
  if (platform === 'win32') return env.LOCALAPPDATA || join(homedir(), 'AppData', 'Local');
  return env.XDG_CACHE_HOME || join(homedir(), '.cache');
}
