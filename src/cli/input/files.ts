import { readFile } from 'node:fs/promises';
import { usage } from '../exit.ts';

/**
 * The bytes of a file named by a flag, or of stdin for `-`.
 * @throws CommandError when it cannot be read
 */
export async function fileBytes(path: string, flag: string): Promise<Buffer> {
  try {
    return path === '-' ? Buffer.concat(await process.stdin.toArray()) : await readFile(path);
  } catch (error) {
    throw usage(`${flag}: ${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}
