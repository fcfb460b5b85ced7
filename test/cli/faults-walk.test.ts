import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createSimulator, runScenario } from '../../src/index.ts';
import { needing } from '../support/programs.ts';
import { answerPattern, blocksOf, stepsOf } from '../support/walk-through.ts';
import { bin } from './layaway.ts';

const doc = await readFile(join(import.meta.dirname, '../../docs/faults.md'), 'utf8');
const walk = stepsOf(doc);

const sim = await createSimulator({ clock: { frozenAt: '2026-01-01T00:00:00Z' } });
afterAll(() => sim.close());

describe('docs/faults.md', () => {
  test('the walk-through runs as written, and answers what it says', needing('sh'), async () => {
    const folder = await mkdtemp(join(tmpdir(), 'layaway-faults-'));
    for (const text of blocksOf(doc, 'js')) {
      const name = /^\/\/ (\w+\.mjs)\n/.exec(text)?.[1] as string;
      await writeFile(join(folder, name), text);
    }
    expect(walk.filter(({ answer }) => answer !== '')).toHaveLength(4);
    const script = [
      'set -eu',
      `layaway() { ${JSON.stringify(process.execPath)} ${JSON.stringify(bin)} "$@"; }`,
      ...walk.map(({ commands }) => `${commands}\nprintf '\\036'`),
    ];
    const { stdout } = await execa('sh', ['-c', script.join('\n')], {
      cwd: folder,
      env: { HOME: folder, NO_COLOR: '1', COLUMNS: '200', ...sim.default.env },
    });
    const answers = stdout.split('\x1e').map((text) => text.trim());
    for (const [index, { commands, answer }] of walk.entries()) {
      if (answer !== '') expect(answers[index], commands).toMatch(answerPattern(answer));
    }
  });

  test('its scenario passes', async () => {
    const [scenario] = blocksOf(doc, 'yaml');
    expect((await runScenario(parse(scenario as string))).status).toBe('passed');
  });
});
