'use strict';

const { fstatSync, readFileSync, writeSync } = require('node:fs');
const { join } = require('node:path');

/**
 * Prints `layaway --help` as the build formatted it, and ends the process. Returns without a word where a terminal needs
 * other line breaks or the output fails: the program itself then formats it, or says what failed.
 */
module.exports = () => {
  try {
    const text = formatted();
    if (text === null) return;
    const bytes = Buffer.from(text);
    // A pipe takes as little as this whole or not at all.
    if (writeSync(1, bytes) === bytes.length) process.exit();
  } catch {
    // The program meets the same failure.
  }
};

function formatted() {
  const read = (name) => readFileSync(join(__dirname, '../dist/help', name), 'utf8');
  // To ask a pipe whether it is a terminal loads the network module of Node.
  if (!fstatSync(1).isCharacterDevice() || !process.stdout.isTTY) return read('piped');
  const wide = read('wide');
  return wide.split('\n').every((line) => line.length <= process.stdout.columns) ? wide : null;
}
