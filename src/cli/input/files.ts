import { createReadStream } from 'node:fs';
import { fileReason } from '../../domain/file-error.ts';
import { needFolderOf } from '../current-folder.ts';
import { usage } from '../exit.ts';
import { asked } from '../terminal/prompt.ts';
import { notEmpty, parsed } from './arguments.ts';
import { expandPatterns } from './patterns.ts';

/** More than any file of ours. A device or a pipe may never end. */
const BYTES_MAX = 128 * 2 ** 20;

/**
 * The bytes of a file, named by `flag` if one is given, or of stdin for `-`.
 * @throws CommandError when it cannot be read, or is too large
 */
export async function fileBytes(path: string, flag?: string): Promise<Buffer> {
  const where = flag === undefined ? path : `${flag}: ${path}`;
  needFolderOf(parsed(notEmpty, path));
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of path === '-' ? process.stdin : createReadStream(path)) {
      length += chunk.length;
      if (length > BYTES_MAX) break;
      chunks.push(chunk);
    }
  } catch (error) {
    throw usage(`${where} cannot be read (${fileReason(error)}).`);
  }
  if (length > BYTES_MAX) {
    throw usage(`${where} is larger than ${BYTES_MAX / 2 ** 20} MiB. Check whether it is the right file.`);
  }
  return Buffer.concat(chunks);
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
  for (const word of words) needFolderOf(parsed(notEmpty, word));
  if (words.length > 0) return expandPatterns(words);
  const check = (text: string) => Promise.all(expandPatterns([text]).map(readableFile));
  return expandPatterns([await asked(undefined, missing, { message: `${message} (a path, * and ? allowed)`, check })]);
}
