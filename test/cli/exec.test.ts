import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { needing } from '../support/programs.ts';
import { bin, emptyPlace, lines, runner, start } from './layaway.ts';

const node = (script: string) => ['--', process.execPath, '--input-type=module', '-e', script];

/** Prints its pid and the address, then stays; a signal is answered with a line and its own exit code. */
const STAYS = `
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => { console.log(signal); process.exit(9); });
  }
  console.log(process.pid);
  console.log(process.env.LAYAWAY_BASE_URL);
  setInterval(() => {}, 1000);
`;
const DEAF = `
  process.on('SIGTERM', () => {});
  console.log(process.pid);
  setInterval(() => {}, 1000);
`;

async function isRunning(pid: number): Promise<boolean> {
  const { stdout } = await execa('ps', ['-o', 'stat=', '-p', String(pid)], { reject: false });
  return stdout !== '' && !stdout.startsWith('Z');
}

/** Resolves once the process is gone. */
async function gone(pid: number) {
  await expect.poll(() => isRunning(pid), { timeout: 10_000 }).toBe(false);
}

const answers = (url: string) =>
  fetch(`${url}/_sim/health`).then(
    () => true,
    () => false,
  );

describe('interface §2: layaway exec', () => {
  test('gives the command the variables of a simulator that answers, and passes its output and its code', async () => {
    const place = await emptyPlace();
    const layaway = runner(place);
    const { code, stdout, stderr } = await layaway(
      'exec',
      ...node(`
        const { env } = process;
        const ask = (id, key) => fetch(env.LAYAWAY_BASE_URL + '/v1/config', { headers: { 'x-client-id': id, 'x-api-key': key } });
        const modes = [];
        for (const prefix of ['LAYAWAY_', 'LAYAWAY_LIVE_']) {
          const { data } = await (await ask(env[prefix + 'CLIENT_ID'], env[prefix + 'API_KEY'])).json();
          modes.push(data.mode);
        }
        const merchants = await fetch(env.LAYAWAY_BASE_URL + '/_sim/merchants', {
          headers: { authorization: 'Bearer ' + env.LAYAWAY_CONTROL_TOKEN },
        });
        console.log(JSON.stringify({ modes, merchants: merchants.status, secret: env.LAYAWAY_WEBHOOK_SECRET.slice(0, 6) }));
        console.error('aside');
        process.exit(7);
      `),
    );
    expect(JSON.parse(stdout)).toEqual({ modes: ['sandbox', 'live'], merchants: 200, secret: 'whsec_' });
    expect(stderr).toBe('aside');
    expect(code).toBe(7);
    expect(existsSync(join(place.cwd, '.layaway'))).toBe(false);
  });

  test('what follows the two dashes is the command’s own, flags that layaway knows included', async () => {
    const echo = node("console.log(process.argv.slice(1).join(' '))");
    const args = ['exec', ...echo, '--', '--help', '--json', '--port', 'x', '--', '-V'];
    expect(await start(await emptyPlace(), args)).toMatchObject({
      stdout: '--help --json --port x -- -V',
      exitCode: 0,
    });
  });

  test('--public-url is the base URL that the command gets', async () => {
    const layaway = runner(await emptyPlace());
    const { stdout } = await layaway(
      'exec',
      '--public-url',
      'http://shop.localhost:8080',
      ...node('console.log(process.env.LAYAWAY_BASE_URL)'),
    );
    expect(stdout).toBe('http://shop.localhost:8080');
  });

  test('takes the flags of serve: clock, seed, directory', async () => {
    const place = await emptyPlace();
    const layaway = runner(place);
    const frozen = ['--clock', 'frozen', '--now', '2026-01-01T00:00:00Z', '--seed', '1', '--data', 'kept'];
    const show = [process.execPath, bin, 'clock', 'show', '--json'];
    const { stdout } = await layaway('exec', ...frozen, '--', ...show);
    expect(JSON.parse(stdout).data).toMatchObject({ now: '2026-01-01T00:00:00.000000Z', mode: 'frozen' });
    expect(existsSync(join(place.cwd, 'kept', 'layaway.db'))).toBe(true);
  });

  test('has every flag of serve except --open, and says so', async () => {
    const flagsOf = async (load: () => Promise<{ default(noun: Command): void }>) => {
      const command = new Command();
      (await load()).default(command);
      return command.options
        .filter(({ hidden }) => !hidden)
        .map(({ flags, description }) => `${flags}: ${description}`);
    };
    const [ofServe, ofExec] = [
      await flagsOf(() => import('../../src/cli/commands/serve.ts')),
      await flagsOf(() => import('../../src/cli/commands/exec.ts')),
    ];
    expect(ofServe.length).toBeGreaterThan(10);
    expect(ofExec).toEqual(expect.arrayContaining(ofServe.filter((flag) => !flag.startsWith('--open'))));
    const layaway = runner(await emptyPlace());
    expect((await layaway('exec', '--help')).stdout).toContain('every flag of `layaway serve` except --open');
    const { code, stdout, stderr } = await layaway('exec', '--open', '--', 'echo', 'ran');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^--open does not work with exec.+layaway serve --open/);
  });

  test('--workers gives each of them a merchant of its own', async () => {
    const layaway = runner(await emptyPlace());
    const { stdout } = await layaway(
      'exec',
      '--workers',
      '3',
      '--clock',
      'frozen',
      '--seed',
      '1',
      ...node(`
      const { env } = process;
      const order = { order_reference: 'A-1', total_amount: 20000, return_url: 'https://s.example/r', cancel_url: 'https://s.example/c' };
      const seen = [];
      for (let i = 1; i <= Number(env.LAYAWAY_WORKERS); i += 1) {
        const headers = {
          'x-client-id': env['LAYAWAY_WORKER_' + i + '_CLIENT_ID'],
          'x-api-key': env['LAYAWAY_WORKER_' + i + '_API_KEY'],
          'content-type': 'application/json',
        };
        const opened = await fetch(env.LAYAWAY_BASE_URL + '/v1/sessions', { method: 'POST', headers, body: JSON.stringify(order) });
        const own = await (await fetch(env.LAYAWAY_BASE_URL + '/_sim/sessions', { headers })).json();
        seen.push([opened.status, own.data.length]);
      }
      console.log(JSON.stringify({ seen, names: Object.keys(env).filter((name) => name.startsWith('LAYAWAY_WORKER_2')).sort() }));
    `),
    );
    expect(JSON.parse(stdout)).toEqual({
      seen: [
        [201, 1],
        [201, 1],
        [201, 1],
      ],
      names: ['API_KEY', 'CLIENT_ID', 'LIVE_API_KEY', 'LIVE_CLIENT_ID', 'WEBHOOK_SECRET'].map(
        (name) => `LAYAWAY_WORKER_2_${name}`,
      ),
    });
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s is passed on, and the command decides',
    needing('ps'),
    async (signal) => {
      const child = start(await emptyPlace(), ['exec', ...node(STAYS)]);
      const next = lines(child);
      const pid = Number(await next());
      const url = await next();
      expect(await answers(url)).toBe(true);
      child.kill(signal);
      expect(await next()).toBe(signal);
      expect((await child).exitCode).toBe(9);
      expect(await isRunning(pid)).toBe(false);
      expect(await answers(url)).toBe(false);
    },
  );

  test('a signal reaches what the command has started too', needing('sh', 'ps'), async () => {
    const child = start(await emptyPlace(), ['exec', '--', 'sh', '-c', 'sleep 600 & echo $!; wait']);
    const pid = Number(await lines(child)());
    child.kill('SIGTERM');
    expect((await child).exitCode).toBe(143);
    await gone(pid);
  });

  test.each([
    ['SIGKILL', 137],
    ['SIGTERM', 143],
  ] as const)('a command that %s ended makes it %i', async (signal, expected) => {
    const { code } = await runner(await emptyPlace())('exec', ...node(`process.kill(process.pid, '${signal}')`));
    expect(code).toBe(expected);
  });

  test('what the command left in the background is not left running', needing('sh', 'ps'), async () => {
    const { code, stdout } = await runner(await emptyPlace())(
      'exec',
      '--',
      'sh',
      '-c',
      'sleep 600 >&2 & echo $!; exit 3',
    );
    expect(code).toBe(3);
    await gone(Number(stdout));
  });

  test.each([
    ['a command', STAYS],
    ['a command that does not listen', DEAF],
  ])('killed outright, it takes %s and the simulator with it', needing('ps'), async (_name, script) => {
    const child = start(await emptyPlace(), ['exec', ...node(script)]);
    const pid = Number(await lines(child)());
    child.kill('SIGKILL');
    await gone(pid);
  });

  test('a command that does not end when told to is ended', { timeout: 30_000, ...needing('ps') }, async () => {
    const child = start(await emptyPlace(), ['exec', ...node(DEAF)]);
    const pid = Number(await lines(child)());
    process.kill(child.pid as number, 'SIGTERM');
    expect((await child).exitCode).toBe(137);
    expect(await isRunning(pid)).toBe(false);
  });

  test('at a terminal Ctrl-C reaches the command once, and its code is passed on', needing('script'), async () => {
    const place = await emptyPlace();
    const counting = `
      let count = 0;
      process.on('SIGINT', () => { count += 1; setTimeout(() => { console.log('count ' + count); process.exit(4); }, 300); });
      console.log('ready');
      setInterval(() => {}, 1000);
    `;
    await writeFile(join(place.cwd, 'counting.mjs'), counting);
    const command = `exec '${process.execPath}' '${bin}' exec -- '${process.execPath}' counting.mjs`;
    const terminal = execa('script', ['-qec', command, '/dev/null'], {
      cwd: place.cwd,
      env: { ...place.env },
      reject: false,
    });
    for await (const line of terminal.iterable()) {
      if (line.includes('ready')) terminal.stdin.write('\u0003');
      if (line.includes('count')) break;
    }
    const { stdout, exitCode } = await terminal;
    expect(stdout).toContain('count 1');
    expect(exitCode).toBe(4);
  });

  test.each([
    ['nothing to run', [], 2, 'Missing command'],
    ['a command that is not there', ['--', 'no-such-command'], 127, 'The command no-such-command was not found.'],
    ['a file that is no program', ['--', join(import.meta.dirname, 'layaway.ts')], 126, 'No permission to run'],
    ['no workers', ['--workers', '0', '--', 'true'], 2, 'whole number from 1'],
    ['a flag that serve has not', ['--prot', '1', '--', 'true'], 2, 'Did you mean --port?'],
    ['a clock that is none', ['--clock', 'stopped', '--', 'true'], 2, 'running, frozen'],
  ])('%s: a sentence on stderr and code', async (_name, args, expected, sentence) => {
    const { code, stdout, stderr } = await runner(await emptyPlace())('exec', ...args);
    expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
    expect(stderr).toContain(sentence);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test('a busy port is 1, and the command is not run', async () => {
    const place = await emptyPlace();
    const first = start(place, ['exec', ...node(STAYS)]);
    const next = lines(first);
    await next();
    const { port } = new URL(await next());
    const { code, stdout, stderr } = await runner(place)('exec', '--port', port, '--', 'echo', 'ran');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(port);
    first.kill('SIGTERM');
    await first;
  });
});
