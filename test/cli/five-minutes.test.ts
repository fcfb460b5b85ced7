import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { startUntilReady } from '../support/child.ts';
import { needing } from '../support/programs.ts';
import { answerPattern, sectionOf, stepsOf, userFolder } from '../support/walk-through.ts';
import { bin } from './layaway.ts';

const readme = await readFile(join(import.meta.dirname, '../../README.md'), 'utf8');

/** `layaway serve` as a person starts it, until it has printed what to paste. */
async function serveForPerson(cwd: string) {
  const isLast = (line: string) => line.startsWith('Press Ctrl-C');
  const server = await startUntilReady(process.execPath, [bin, 'serve', '--port', '0'], { cwd }, isLast);
  const exports = server.printed().flatMap((line) => (/^\s*export /.test(line) ? [line.trim()] : []));
  return { exports, [Symbol.asyncDispose]: () => server.stop().then(() => undefined) };
}

test(
  'the five minutes of the README run as written, in order, against a server started as they say',
  needing('sh', 'curl'),
  async () => {
    await using folder = await userFolder();
    await using server = await serveForPerson(folder.path);
    expect(server.exports.map((line) => line.split(/[ =]/)[1])).toContain('LAYAWAY_BASE_URL');

    const tour = stepsOf(sectionOf(readme, 'Five minutes'));
    expect(tour.length).toBeGreaterThan(5);
    const script = ['set -eu', ...server.exports, ...tour.map(({ commands }) => `${commands}\nprintf '\\036'`)];
    const { stdout } = await execa('sh', ['-c', script.join('\n')], {
      cwd: folder.path,
      env: { HOME: folder.path, NO_COLOR: '1' },
    });
    const answers = stdout.split('\x1e').map((text) => text.trim());
    for (const [index, { commands, answer }] of tour.entries()) {
      expect(answers[index], commands).toMatch(answerPattern(answer));
    }
  },
);
