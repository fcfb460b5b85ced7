'use strict';

const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { basename, dirname, join } = require('node:path');
const { Script } = require('node:vm');
const { crc32 } = require('node:zlib');

const HEAD = '(function (exports, require, module, __filename, __dirname) {';

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
    // V8 itself compares only the length of the code.
    const kept = join(ofThisNode, `${basename(file)}-${crc32(code).toString(16)}`);
    const cachedData = readIfThere(kept);
    const script = new Script(`${HEAD}${code}\n})`, {
      filename: file,
      columnOffset: -HEAD.length,
      cachedData,
    });
    if (!cachedData || script.cachedDataRejected) compiledNow.push({ kept, script });
    return script;
  }

  // By then V8 has also compiled the functions that were called.
  process.once('exit', () => {
    try {
      if (compiledNow.length > 0) mkdirSync(ofThisNode, { recursive: true });
      for (const { kept, script } of compiledNow) {
        const unfinished = `${kept}.${process.pid}`;
        writeFileSync(unfinished, script.createCachedData());
        renameSync(unfinished, kept);
      }
    } catch {
      // A full disk, for example. The next start compiles again.
    }
  });
  return load(entry);
};

/** V8 refuses what it compiled with other flags. */
function flags() {
  const given = process.execArgv.length > 0 || process.env.NODE_OPTIONS;
  return given ? [require('node:v8').cachedDataVersionTag().toString(16)] : [];
}

function readIfThere(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
