import { readFile } from 'node:fs/promises';
import { usage } from '../exit.ts';
import { asked } from '../terminal/prompt.ts';
import { expandPatterns } from './patterns.ts';

/**
 * The bytes of a file, named by `flag` if one is given, or of stdin for `-`.
 * @throws CommandError when it cannot be read
 */
export async function fileBytes(path: string, flag?: string): Promise<Buffer> {
  try {
    return path === '-' ? Buffer.concat(await process.stdin.toArray()) : await readFile(path);
  } catch (error) {
    const where = flag === undefined ? '' : `${flag}: `;
    throw usage(`${where}${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

/** Checks the path of an answer at the terminal, where stdin is not a file. */
export async function readableFile(path: string): Promise<void> {
  if (path.trim() === '' || path === '-') throw usage('Enter the path of a file.');
  await fileBytes(path);
}

/**
 * The files that the words of the command line name, or one answer in their place. Patterns are expanded.
 * @throws CommandError when there is neither
 */
export async function filesOf(words: readonly string[], missing: string, message: string): Promise<string[]> {
  if (words.length > 0) return expandPatterns(words);
  const check = (text: string) => Promise.all(expandPatterns([text]).map(readableFile));
  return expandPatterns([await asked(undefined, missing, { message: `${message} (a path, * and ? allowed)`, check })]);
}
