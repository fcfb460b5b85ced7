'use strict';

const { fstatSync, readFileSync, writeSync } = require('node:fs');
const { join } = require('node:path');

/**
 * Prints the text that the build has prepared for these words, and ends the process. Prints nothing and returns if there is
 * none, if a terminal needs other line breaks, or if the output fails: the program then prints it, or says what failed.
 */
module.exports = (words) => {
  try {
    const text = textOf(words);
    if (text !== null) print(Buffer.from(text));
  } catch {
    // The program meets the same failure.
  }
};

function textOf([word, shell, ...others]) {
  if (word !== 'completion') return shell === undefined ? help() : null;
  return others.length === 0 && /^(?:bash|zsh|fish)$/.test(shell) ? read(`completion/layaway.${shell}`) : null;
}

function help() {
  // Asking a pipe whether it is a terminal loads the network module of Node.
  if (!fstatSync(1).isCharacterDevice() || !process.stdout.isTTY) return read('help/piped');
  const wide = read('help/wide');
  return wide.split('\n').every((line) => line.length <= process.stdout.columns) ? wide : null;
}

const read = (name) => readFileSync(join(__dirname, '../dist', name), 'utf8');

const PAUSE_MS = 5;

function print(bytes) {
  let written = writeSync(1, bytes);
  while (written < bytes.length) {
    try {
      written += writeSync(1, bytes, written);
    } catch ({ code }) {
      if (code === 'EPIPE') break;
      if (code !== 'EAGAIN') {
        console.error(`The output could not be written: ${code}.`);
        process.exit(1);
      }
      // The pipe is full, and writing to it does not block.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
  process.exit();
}
