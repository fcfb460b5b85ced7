import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { execa } from 'execa';
import { describe, expect, inject, it } from 'vitest';
import { assumptionTable } from '../scripts/assumption-table.ts';
import { OUTPUTS } from '../src/cli/machine/outputs.ts';
import { treeOf } from '../src/cli/machine/tree.ts';
import { GROUPS } from '../src/cli/manifest.ts';
import { createSimulator } from '../src/index.ts';
import { COUNT, GITHUB, GITLAB } from './support/recipes.ts';
import { blocksOf, sectionOf, userFolder } from './support/walk-through.ts';

const README = join(import.meta.dirname, '../README.md');
const readme = await readFile(README, 'utf8');
const program = join(inject('layaway'), 'bin/layaway.js');

const section = (title: string) => sectionOf(readme, title);

/** The rows of the table that follows a sentence. */
const rows = (text: string) =>
  [...text.matchAll(/^\| ([^|]+) \| `(layaway assumptions set [^`]+)` \|$/gm)].map(([, answer, command]) => ({
    answer: answer as string,
    command: command as string,
  }));

describe('meeting every refusal', () => {
  const table = rows(section('Triggering every refusal'));

  it('shows a lever for each of the six reasons of §2.3', () => {
    const reasons = table.flatMap(({ answer }) => /^403 `(\w+)`$/.exec(answer)?.[1] ?? []);
    expect(reasons).toEqual([
      'platform_disabled',
      'merchant_overridden',
      'state_unavailable',
      'state_excluded',
      'merchant_disabled',
      'merchant_inactive',
    ]);
  });

  it.each(table)('$answer after $command', async ({ answer, command }) => {
    await using sim = await createSimulator({ seed: 1 });
    await execa(process.execPath, [program, ...command.split(' ').slice(1)], { env: { ...sim.default.env } });
    const response = await sim.inject({
      method: 'POST',
      url: '/v1/sessions',
      headers: sim.default.headers,
      payload: {
        order_reference: 'A-1001',
        total_amount: 20000,
        return_url: 'https://shop.example/thanks',
        cancel_url: 'https://shop.example/cart',
      },
    });
    const { message, reason } = response.json<{ message: string; reason?: string }>();
    expect(`${response.statusCode} ${reason ? `\`${reason}\`` : message}`).toBe(answer);
  });
});

describe('the library', () => {
  it('does what its example shows', async () => {
    await using folder = await userFolder();
    const [example = ''] = blocksOf(section('In your tests'), 'js');
    await writeFile(join(folder.path, 'example.mjs'), example);
    const { stdout } = await execa(process.execPath, ['example.mjs'], { cwd: folder.path });
    expect(stdout).toBe('200 sandbox 5000');
  });
});

describe('the recipes for CI', () => {
  it('are all tried: in test/package, on the hosted page, as a container', () => {
    expect(COUNT).toBe(6);
  });

  it('keep their artifacts of a failed run, too, on GitHub Actions and GitLab', () => {
    expect(GITHUB.when).toMatch(/^\$\{\{ !cancelled\(\) \}\}$/);
    expect(GITLAB.when).toBe('always');
  });
});

describe('the pictures', () => {
  const pictures = [...readme.matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g)].map(([, words, path]) => ({ words, path }));

  it('are those that are drawn, each with words for those who cannot see it', async () => {
    const drawn = await readdir(join(import.meta.dirname, '../docs/pictures'));
    expect(pictures.map(({ path }) => path).sort()).toEqual(drawn.map((name) => `docs/pictures/${name}`).sort());
    expect(pictures.filter(({ words }) => (words as string).length < 20)).toEqual([]);
  });
});

describe('the tables', () => {
  const between = (text: string, name: string, table: string) =>
    text.replace(new RegExp(`(<!-- ${name}:.*?-->\n).*?(<!-- /${name} -->)`, 's'), (_all, open, close) =>
      [open, table, '\n', close].join(''),
    );

  it('tell the commands and the assumed values that exist (npx vitest run test/readme.test.ts --update rewrites them)', async () => {
    const current = between(between(readme, 'commands', await commandTable()), 'assumptions', assumptionTable());
    await expect(current).toMatchFileSnapshot(README);
  });
});

describe('the text of every document', () => {
  it('names commands that can run, not nouns that need a verb', async () => {
    const docs = join(import.meta.dirname, '../docs');
    const guides = (await readdir(docs)).filter((name) => name.endsWith('.md'));
    const texts = await Promise.all(guides.map((name) => readFile(join(docs, name), 'utf8')));
    const named = [readme, ...texts].flatMap((text) => [...text.matchAll(/`layaway ([a-z]+(?: [a-z]+)?)/g)]);
    expect(named.length).toBeGreaterThan(50);
    const broken = new Set<string>();
    for (const [quoted, words] of named) {
      const path = (words as string).split(' ');
      const command = await treeOf(path);
      if (!command || (command.commands.length > 0 && !Object.hasOwn(OUTPUTS, command.name))) broken.add(quoted);
    }
    expect([...broken]).toEqual([]);
  });
});

describe('the commands of every document', () => {
  it('can be pasted into a terminal together: none of them asks for confirmation', async () => {
    const docs = join(import.meta.dirname, '../docs');
    const guides = (await readdir(docs)).filter((name) => name.endsWith('.md'));
    const texts = await Promise.all(guides.map((name) => readFile(join(docs, name), 'utf8')));
    const lines = [readme, ...texts].flatMap((text) => blocksOf(text, 'sh').join('').split('\n'));
    const asking =
      /layaway (contracts cancel|reset|snapshots (restore|delete)|keys revoke|config (delete|use (?!default)))/;
    const confirmed = lines.filter((line) => asking.test(line));
    expect(confirmed.length).toBeGreaterThan(1);
    expect(confirmed.filter((line) => !line.includes(' --yes'))).toEqual([]);
  });
});

async function commandTable(): Promise<string> {
  const lines: string[] = [];
  for (const [heading, nouns] of Object.entries(GROUPS)) {
    lines.push(`| **${heading}** | |`);
    for (const { name, load } of nouns) {
      const noun = new Command(name);
      (await load()).default(noun);
      if (noun.commands.length === 0 || Object.hasOwn(OUTPUTS, name)) lines.push(commandRow(name, noun));
      for (const verb of noun.commands) lines.push(commandRow(`${name} ${verb.name()}`, verb));
    }
  }
  return ['| `layaway …` | |', '|---|---|', ...lines].join('\n');
}

function commandRow(name: string, command: Command): string {
  const args = command
    .usage()
    .split(' ')
    .filter((word) => word !== '' && word !== '[options]' && word !== '[command]');
  return `| \`${[name, ...args].join(' ').replaceAll('|', '\\|')}\` | ${command.description()} |`;
}
