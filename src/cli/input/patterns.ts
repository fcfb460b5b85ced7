import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * The files that words such as `scenarios/*.yaml` stand for, in the last part of the path: the shells of Windows pass them on
 * as they were typed. A word that stands for no file stays, so that reading it tells.
 */
export function expandPatterns(words: readonly string[]): string[] {
  return words.flatMap((word) => {
    const name = basename(word);
    if (!/[*?]/.test(name) || existsSync(word)) return word;
    const files = namesIn(dirname(word)).filter((file) => matches(file, name));
    if (files.length === 0) return word;
    return files.sort().map((file) => (name === word ? file : join(dirname(word), file)));
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** As shells do it: `*` and `?` do not stand for the dot of a hidden file. */
function matches(file: string, pattern: string): boolean {
  if (file.startsWith('.') && !pattern.startsWith('.')) return false;
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll(/\*+/g, '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 'su').test(file);
}
