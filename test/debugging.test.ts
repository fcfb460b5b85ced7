import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, inject, it } from 'vitest';
import { startUntilReady } from './support/child.ts';
import { needing } from './support/programs.ts';
import { answerPattern, blocksOf, sectionOf, stepsOf, userFolder } from './support/walk-through.ts';

const guide = await readFile(join(import.meta.dirname, '../docs/debugging.md'), 'utf8');
const program = join(inject('layaway'), 'bin/layaway.js');
const ROOT = join(import.meta.dirname, '..');
/** The contract of every example. */
const SHOWN = 'LAY-7K3M9QXAHD';

/** A store's suite: the second installment of its order goes past due, which it did not expect. */
const SUITE = `
  const { LAYAWAY_BASE_URL, LAYAWAY_CLIENT_ID, LAYAWAY_API_KEY } = process.env;
  const headers = { 'x-client-id': LAYAWAY_CLIENT_ID, 'x-api-key': LAYAWAY_API_KEY, 'content-type': 'application/json' };
  const call = async (method, path, body = {}) => {
    const answer = await fetch(LAYAWAY_BASE_URL + path, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(path + ' answered ' + answer.status);
    return (await answer.json()).data;
  };
  const urls = { return_url: 'https://shop.example/thanks', cancel_url: 'https://shop.example/cart' };
  const { id } = await call('POST', '/v1/sessions', { order_reference: 'A-1001', total_amount: 20000, ...urls });
  const { reference } = await call('POST', '/_sim/sessions/' + id + '/complete');
  await call('PUT', '/_sim/contracts/' + reference + '/outcomes', { outcomes: ['pay', 'fail', 'fail'] });
  await call('POST', '/_sim/clock/advance', { until: reference + '#2=past_due' });
  console.log(reference);
  process.exitCode = 1;
`;

/** A project with that suite, in which the guide's commands run as they stand. */
async function project() {
  const folder = await userFolder();
  const { path } = folder;
  await writeFile(join(path, 'package.json'), '{ "type": "module", "scripts": { "test": "node suite.mjs" } }');
  await writeFile(join(path, 'suite.mjs'), SUITE);
  const env = {
    HOME: path,
    NO_COLOR: '1',
    CI: '1',
    PATH: `${join(path, 'node_modules/.bin')}:${process.env.PATH}`,
  };
  return {
    ...folder,
    env,
    sh: (commands: string, more: Record<string, string> = {}) =>
      execa('sh', ['-c', commands], { cwd: path, env: { ...env, ...more }, extendEnv: false, reject: false }),
  };
}

/** What was printed, as the guide would show it: it breaks long lines. */
const unbroken = (text: string) => text.replace(/\s+/g, ' ').trim();
const shows = (printed: string, answer: string, reference: string) =>
  expect(unbroken(printed).replaceAll(reference, SHOWN)).toMatch(
    answerPattern(unbroken(answer).replace(/ ?… ?/g, '…')),
  );

describe('docs/debugging.md, as it stands', { timeout: 180_000, ...needing('sh') }, () => {
  it('Explain prints what the guide shows', async () => {
    await using user = await project();
    const clock = ['--clock', 'frozen', '--now', '2026-01-01T09:30:00Z'];
    await using server = await startUntilReady(
      process.execPath,
      [program, 'serve', '--port', '0', ...clock, '--json'],
      {
        cwd: user.path,
        env: { ...process.env, ...user.env },
      },
    );
    const { base_url: url, sandbox } = JSON.parse(server.ready);
    const its = { LAYAWAY_BASE_URL: url, LAYAWAY_CLIENT_ID: sandbox.client_id, LAYAWAY_API_KEY: sandbox.api_key };
    const { stdout: reference } = await user.sh('node suite.mjs', its);
    const [step] = stepsOf(sectionOf(guide, 'Explain'));
    expect(step?.commands).toContain(SHOWN);
    const { stdout, exitCode } = await user.sh(step?.commands.replaceAll(SHOWN, reference) as string, its);
    expect(exitCode).toBe(0);
    shows(stdout, step?.answer as string, reference);
  });

  it('Trace and From a trace to a scenario: saved by the failing suite, opened, shown and played', async () => {
    await using user = await project();
    const [whole, summary] = stepsOf(sectionOf(guide, 'Trace'));
    const lines = (whole?.commands ?? '').trim().split('\n');
    expect(lines.map((line) => line.split(' ').slice(0, 3).join(' '))).toEqual([
      'layaway exec --trace',
      'layaway trace open',
      'layaway trace show',
      'layaway trace save',
    ]);
    const [exec, open, show, save] = lines as [string, string, string, string];
    const failed = await user.sh(exec);
    expect(failed.exitCode).toBe(1);
    const [reference = ''] = /LAY-\w{10}/.exec(failed.stdout) ?? [];

    const [opened = ''] = open.split('#');
    const words = [...opened.trim().split(' ').slice(1), '--no-open', '--json'];
    await using server = await startUntilReady(process.execPath, [program, ...words], {
      cwd: user.path,
      env: { ...process.env, ...user.env },
    });
    const { base_url: url, control_token: token } = JSON.parse(server.ready);
    expect((await user.sh(save, { LAYAWAY_BASE_URL: url, LAYAWAY_CONTROL_TOKEN: token })).exitCode).toBe(0);
    expect(await readdir(user.path)).toEqual(expect.arrayContaining(['failed.layaway', 'now.layaway']));

    for (const command of [show, summary?.commands as string]) {
      const { stdout } = await user.sh(command);
      shows(stdout, summary?.answer as string, reference);
    }
    const [story] = stepsOf(sectionOf(guide, 'From a trace'));
    const played = await user.sh(story?.commands.replaceAll(SHOWN, reference) as string);
    expect(played.exitCode, played.stderr).toBe(0);
    shows(played.stdout, story?.answer as string, reference);
  });

  it('In tests: one trace for the test that fails', async () => {
    await using user = await project();
    await symlink(join(ROOT, 'node_modules/vitest'), join(user.path, 'node_modules/vitest'));
    await symlink('../vitest/vitest.mjs', join(user.path, 'node_modules/.bin/vitest'));
    await writeFile(
      join(user.path, 'orders.test.js'),
      `import { expect } from 'vitest';
       import { test } from 'layaway/vitest';
       test('nothing was ordered yet', async ({ shop }) => expect(await shop.sessions.list()).toEqual([]));
       test('an order is paid', async ({ shop }) => {
         const { status } = await shop.sessions.create({ order_reference: 'A-1001', total_amount: 20000 });
         expect(status).toBe('completed');
       });`,
    );
    const [step] = stepsOf(sectionOf(guide, 'In tests'));
    expect((await user.sh(step?.commands as string)).exitCode).toBe(1);
    expect(await readdir(join(user.path, 'traces'))).toHaveLength(1);
  });
});

interface Named {
  readonly name: string;
  readonly flags: readonly { readonly name: string }[];
  readonly commands: readonly Named[];
}

it('docs/debugging.md: every command and every flag that it names exists', async () => {
  const { stdout } = await execa(process.execPath, [program, '--help', '--json']);
  const root: Named = JSON.parse(stdout);
  const blocks = blocksOf(guide, 'sh', 'yaml').join('').split('\n');
  const spans = [...guide.replace(/^```.*?^```/gms, '').matchAll(/`([^`]+)`/g)].map(([, text]) => text as string);
  const commands = [...blocks, ...spans].flatMap((text) => {
    const [, words] = /\blayaway ((?:[a-z]+|<\w+>).*)$/.exec(text) ?? [];
    return words === undefined ? [] : [words.split(/ #| -- /)[0]?.split(' ') as string[]];
  });
  expect(commands.length).toBeGreaterThan(9);
  for (const words of commands) {
    let at = root;
    const flags = new Set(root.flags.map(({ name }) => name));
    for (const word of words) {
      const next: Named | undefined = at.commands.find(({ name }) => name === word);
      if (!next) break;
      at = next;
      for (const { name } of at.flags) flags.add(name);
    }
    expect(at, words.join(' ')).not.toBe(root);
    for (const word of words) if (word.startsWith('--')) expect([...flags], words.join(' ')).toContain(word);
  }
});
