'use strict';

const {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  statSync,
  unlinkSync,
  writeFileSync,
} = require('node:fs');
const { basename, dirname, join } = require('node:path');
const { Script } = require('node:vm');
const { crc32 } = require('node:zlib');

const HEAD = '(function (exports, require, module, __filename, __dirname) {';

/** V8 compiles less than this sooner than a file is read. */
const BYTES_MIN = 4096;

/**
 * Loads the built program with what V8 compiled before, for Node 20, which cannot do so itself. The files of the program
 * load only each other by relative path. `folder` keeps what was compiled.
 */
module.exports = (entry, folder) => {
  const ofThisNode = join(folder, [process.version, process.arch, ...flags()].join('-'));
  const modules = new Map();
  const compiledNow = [];

  function load(file) {
    const known = modules.get(file);
    if (known) return known.exports;
    const module = { exports: {} };
    modules.set(file, module);
    const requireFrom = (id) => (id.startsWith('.') ? load(join(dirname(file), id)) : require(id));
    try {
      compile(file).runInThisContext().call(module.exports, module.exports, requireFrom, module, file, dirname(file));
    } catch (error) {
      modules.delete(file);
      throw error;
    }
    return module.exports;
  }

  function compile(file) {
    const code = readFileSync(file, 'utf8');
    if (code.length < BYTES_MIN) return scriptOf(file, code);
    const kept = join(ofThisNode, `${basename(file)}-${versionOf(file, code)}`);
    const cachedData = readKept(kept);
    const script = scriptOf(file, code, cachedData);
    if (!cachedData || script.cachedDataRejected) compiledNow.push({ kept, script });
    return script;
  }

  /**
   * V8 itself compares only the length of the code. Most names contain a hash of it, so that only a change by hand could go
   * unnoticed, and the time of the file shows that. What V8 compiled names its file, such as in a stack, so another
   * installation of the same version keeps its own.
   */
  function versionOf(file, code) {
    const isHashed = /-[\w-]{8}\.cjs$/.test(file);
    const content = isHashed ? statSync(file).mtimeMs : code;
    return crc32(`${file}\n${content}`).toString(16);
  }

  // By then V8 has also compiled the functions that were called.
  process.once('exit', () => {
    try {
      if (compiledNow.length > 0) mkdirSync(ofThisNode, { recursive: true });
      for (const { kept, script } of compiledNow) {
        const unfinished = `${kept}.${process.pid}`;
        // V8 crashes on data that is damaged inside, so it is on the disk before it has its name.
        writeFileSync(unfinished, script.createCachedData(), { flush: true });
        renameSync(unfinished, kept);
      }
      if (compiledNow.length > 0) removeUnused(folder);
    } catch {
      // A full disk, for example. The next start compiles again.
    }
  });
  return load(entry);
};

/** What other versions of Node and of this program have left. Node 22 and later name their own folders differently. */
const FOLDER = /^v\d+\.\d+\.\d+-[a-z\d]+(?:-[\da-f]{1,8})?$/;
const FILE = /\.cjs-[\da-f]+(?:\.\d+)?$/;
const UNUSED_MS = 30 * 24 * 3600 * 1000;

function removeUnused(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory() || !FOLDER.test(entry.name)) continue;
    const path = join(folder, entry.name);
    const names = readdirSync(path);
    const unused = names.filter((name) => FILE.test(name) && isUnused(join(path, name)));
    for (const name of unused) unlinkSync(join(path, name));
    if (unused.length === names.length) rmdirSync(path);
  }
}

/** Some disks do not note when a file is read. There, what is still used is compiled again once in a while. */
function isUnused(file) {
  const stats = lstatSync(file);
  return stats.isFile() && Math.max(stats.atimeMs, stats.mtimeMs) < Date.now() - UNUSED_MS;
}

const scriptOf = (file, code, cachedData) =>
  new Script(`${HEAD}${code}\n})`, { filename: file, columnOffset: -HEAD.length, cachedData });

/** V8 refuses what it compiled with other flags. */
function flags() {
  const given = process.execArgv.length > 0 || process.env.NODE_OPTIONS;
  return given ? [require('node:v8').cachedDataVersionTag().toString(16)] : [];
}

function readKept(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
