import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Expands `*` and `?` in the last part of each path, such as `scenarios/*.yaml`, because shells of Windows do not. A
 * word that matches no file stays, so that reading it gives an error.
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

/** As in shells, `*` and `?` do not match the dot of a hidden file. */
function matches(file: string, pattern: string): boolean {
  if (file.startsWith('.') && !pattern.startsWith('.')) return false;
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll(/\*+/g, '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 'su').test(file);
}
