import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { bin, emptyPlace, lines, runner, start } from '../layaway.ts';

const node = (script: string) => ['--', process.execPath, '--input-type=module', '-e', script];

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

  test.each([[['vitest', 'run', '--coverage']], [['npm', '--version']], [['node', '-e', '1']]])(
    'without the two dashes, the flags of %j are not taken for those of exec',
    async (words) => {
      const { code, stdout, stderr } = await runner(await emptyPlace())('exec', ...words);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toBe(
        `Write two dashes before the command, so that its flags are its own: layaway exec -- ${words.join(' ')}`,
      );
    },
  );

  test.each([
    [
      ['--seed', '1'],
      ['ls', '-la'],
    ],
    [
      ['--memory', '--seed=1'],
      ['npm', '--version'],
    ],
    [
      ['-p', '0', '--coverage', 'report.json'],
      ['vitest', 'run', '--coverage'],
    ],
    [
      ['--coverage', '--trace-always'],
      ['echo', '--seed', '2'],
    ],
  ])('the same after flags of exec: %j %j', async (flags, words) => {
    const { code, stdout, stderr } = await runner(await emptyPlace())('exec', ...flags, ...words);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`: layaway exec ${flags.join(' ')} -- ${words.join(' ')}`);
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

    // What serve notes on stderr, exec does, too: each note once, however often a test suite causes it.
    const refused = `
      const { LAYAWAY_BASE_URL, LAYAWAY_CLIENT_ID, LAYAWAY_API_KEY } = process.env;
      const headers = { 'x-client-id': LAYAWAY_CLIENT_ID, 'x-api-key': LAYAWAY_API_KEY, 'content-type': 'application/json' };
      const body = JSON.stringify({ order_reference: 'A-1', total_amount: 20000, return_url: 'http://localhost/r', cancel_url: 'http://localhost/c' });
      const open = () => fetch(LAYAWAY_BASE_URL + '/v1/sessions', { method: 'POST', headers, body });
      open().then(open).then(({ status }) => { process.exitCode = status === 422 ? 0 : 1; });
    `;
    const again = await layaway('exec', '--clock', 'running', '--data', 'kept', ...node(refused));
    expect(again.stderr.split('\n')).toEqual([
      'The stored clock stays frozen. To let it run, run `layaway clock resume`.',
      expect.stringMatching(/^The return_url http:\/\/localhost\/r was refused: .* --allow-http-localhost\.$/),
    ]);
    expect(again.code).toBe(0);
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
      await flagsOf(() => import('../../../src/cli/commands/serve.ts')),
      await flagsOf(() => import('../../../src/cli/commands/exec.ts')),
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
      console.log(JSON.stringify({ seen, names: Object.keys(env).filter((name) => /^LAYAWAY_WORKER_[24]/.test(name)).sort() }));
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

  test.each([
    [{ HTTP_PROXY: 'http://proxy.corp:3128' }, { no_proxy: '127.0.0.1', NO_PROXY: '127.0.0.1' }],
    [{ http_proxy: 'http://proxy.corp:3128', no_proxy: '.corp' }, { no_proxy: '.corp,127.0.0.1' }],
    [{ ALL_PROXY: 'socks5://proxy.corp', NO_PROXY: 'localhost, 127.0.0.1' }, { NO_PROXY: 'localhost, 127.0.0.1' }],
    [{ HTTP_PROXY: 'http://proxy.corp:3128', NO_PROXY: '*' }, { NO_PROXY: '*' }],
    [{}, {}],
  ])('no proxy is between the command and the simulator: %j', async (proxies, expected) => {
    const place = await emptyPlace();
    const show = node(
      'const { no_proxy, NO_PROXY } = process.env; console.log(JSON.stringify({ no_proxy, NO_PROXY }))',
    );
    const { stdout } = await runner({ ...place, env: { ...place.env, ...proxies } })('exec', ...show);
    expect(JSON.parse(stdout)).toEqual(expected);
  });

  test('inside another exec, the command does not get the workers of the outer one', async () => {
    const names = node(
      `console.log(Object.keys(process.env).filter((name) => name.startsWith('LAYAWAY_WORKER')).join())`,
    );
    const inner = [process.execPath, bin, 'exec', ...names];
    const { stdout } = await runner(await emptyPlace())('exec', '--workers', '2', '--', ...inner);
    expect(stdout).toBe('');
  });

  test.each([
    ['SIGKILL', 137],
    ['SIGTERM', 143],
  ] as const)('a command that %s ended makes it %i', async (signal, expected) => {
    const { code } = await runner(await emptyPlace())('exec', ...node(`process.kill(process.pid, '${signal}')`));
    expect(code).toBe(expected);
  });

  test.each([
    ['nothing to run', [], 2, 'Missing command'],
    ['a command that is not there', ['--', 'no-such-command'], 127, 'The command no-such-command was not found.'],
    ['a command in quotes', ['--', 'npm test'], 127, "let a shell read it: layaway exec -- sh -c 'npm test'"],
    ['a file that is no program', ['--', join(import.meta.dirname, '../layaway.ts')], 126, 'No permission to run'],
    ['no workers', ['--workers', '0', '--', 'true'], 2, 'whole number from 1'],
    ['a flag that serve has not', ['--prot', '1', '--', 'true'], 2, 'Did you mean --port?'],
    ['a clock that is none', ['--clock', 'stopped', '--', 'true'], 2, 'running, frozen'],
  ])('%s: a sentence on stderr and code', async (_name, args, expected, sentence) => {
    const { code, stdout, stderr } = await runner(await emptyPlace())('exec', ...args);
    expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
    expect(stderr).toContain(sentence);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test('a command that is not in a PATH with an unreadable folder, and a folder of its name, is not found', async () => {
    const place = await emptyPlace();
    const [unreadable, other] = [join(place.cwd, 'unreadable'), join(place.cwd, 'other')];
    await mkdir(unreadable, { mode: 0 });
    await mkdir(join(other, 'no-such-command'), { recursive: true });
    const env = { ...place.env, PATH: [unreadable, other].join(delimiter) };
    const { code, stderr } = await runner({ ...place, env })('exec', '--', 'no-such-command');
    expect({ code, stderr }).toMatchObject({ code: 127, stderr: expect.stringContaining('was not found') });
  });

  test('a busy port is 1, and the command is not run', async () => {
    const place = await emptyPlace();
    const stays = 'console.log(process.env.LAYAWAY_BASE_URL); setInterval(() => {}, 1000);';
    const first = start(place, ['exec', ...node(stays)]);
    const { port } = new URL(await lines(first)());
    const { code, stdout, stderr } = await runner(place)('exec', '--port', port, '--', 'echo', 'ran');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(port);
    first.kill('SIGTERM');
    await first;
  });
});
