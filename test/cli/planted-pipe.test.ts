import { execFile } from 'node:child_process';
import { rename } from 'node:fs/promises';
import { promisify } from 'node:util';
import { test } from 'vitest';
import { needing } from '../support/programs.ts';
import { expectIgnored } from './planted.ts';

test('interface §6: a file that is a pipe is not believed, and nothing waits for it', needing('mkfifo'), () =>
  expectIgnored(piped, 'it is not a regular file'),
);

async function piped(path: string) {
  await rename(path, `${path}.gone`);
  await promisify(execFile)('mkfifo', ['-m', '600', path]);
}
