import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { createSimulator, type Simulator } from '../../../src/index.ts';
import { startUntilReady } from '../../support/child.ts';
import { order } from '../../support/shop.ts';
import { emptyPlace, oneProcess, type Place, bin as program } from '../layaway.ts';

const { finish } = oneProcess();
let place: Place;
const layaway = (...args: string[]) => finish(place, args);
/** A suite that opens an order, and fails. */
const SUITE = `
  const { LAYAWAY_BASE_URL, LAYAWAY_CLIENT_ID, LAYAWAY_API_KEY } = process.env;
  const answer = await fetch(LAYAWAY_BASE_URL + '/v1/sessions', {
    method: 'POST',
    headers: { 'x-client-id': LAYAWAY_CLIENT_ID, 'x-api-key': LAYAWAY_API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ order_reference: 'A-1', total_amount: 20000, return_url: 'https://a.example/', cancel_url: 'https://b.example/' }),
  });
  process.exit(answer.status === 201 ? Number(process.argv[2]) : 99);
`;
/** A suite that meets a fault, removes it with the command at this path, and goes on. */
const FAULTS = `
  import { execFileSync } from 'node:child_process';
  const { LAYAWAY_BASE_URL, LAYAWAY_CLIENT_ID, LAYAWAY_API_KEY } = process.env;
  const layaway = (...words) => execFileSync(process.execPath, [process.argv[2], ...words]);
  async function open() {
    const answer = await fetch(LAYAWAY_BASE_URL + '/v1/sessions', {
      method: 'POST',
      headers: { 'x-client-id': LAYAWAY_CLIENT_ID, 'x-api-key': LAYAWAY_API_KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ order_reference: 'A-1', total_amount: 20000, return_url: 'https://a.example/', cancel_url: 'https://b.example/' }),
    });
    console.log(answer.status);
  }
  layaway('faults', 'add', 'error', '--operation', 'createSession', '--times', 'always');
  await open();
  layaway('faults', 'clear');
  await open();
`;

let cwd: string;
beforeAll(async () => {
  place = await emptyPlace({ CI: '1' });
  cwd = place.cwd;
  await writeFile(join(cwd, 'suite.mjs'), SUITE);
});

const exec = (file: string, code: number, ...flags: string[]) =>
  layaway('exec', '--seed', '1', '--trace', file, ...flags, '--', process.execPath, 'suite.mjs', String(code));

let oneOrder: ReturnType<typeof exec> | undefined;
/** The file of a trace of one order, for what can be done with it. */
async function traceOfOneOrder() {
  oneOrder ??= exec('one-order.layaway', 1);
  await oneOrder;
  return 'one-order.layaway';
}

describe('interface §11: layaway trace', () => {
  test('exec --trace keeps one when the command fails, and passes its code; --trace-always in any case', async () => {
    expect((await exec('passed.layaway', 0)).exitCode).toBe(0);
    await expect(stat(join(cwd, 'passed.layaway'))).rejects.toThrow();
    expect((await exec('always.layaway', 0, '--trace-always')).exitCode).toBe(0);
    const { size, mode } = await stat(join(cwd, 'always.layaway'));
    expect(size).toBeGreaterThan(100);
    expect(mode & 0o777).toBe(0o600);
    const failed = await exec('failed.layaway', 7, '--api-key=typed', '--control-token', 'typed');
    expect(failed.exitCode).toBe(7);
    expect(failed.stderr).toContain('layaway trace open failed.layaway');
    const shown = JSON.parse((await layaway('trace', 'show', 'failed.layaway', '--json')).stdout);
    expect(shown).toMatchObject({
      seed: '1',
      failure: { what: `${process.execPath} suite.mjs 7`, exit_code: 7 },
      flags: ['exec', '--seed', '1', '--trace', 'failed.layaway', '--api-key=…', '--control-token', '…'],
      sessions: 1,
      requests: 1,
    });
  });

  test('exec --trace says when the tests asked nothing of its simulator', async () => {
    const suite = ['--', process.execPath, '-e', 'process.exitCode = 1'];
    const { stderr } = await layaway('exec', '--trace', 'unused.layaway', ...suite);
    expect(stderr).toBe(
      'Saved a trace. To look at it, run `layaway trace open unused.layaway`.\n' +
        'It is empty: no request reached this simulator. Its address is in LAYAWAY_BASE_URL. ' +
        'Tests with layaway/vitest have simulators of their own: LAYAWAY_TRACE names the folder for their traces.',
    );
    // Without a request log, nobody can tell.
    const unlogged = await layaway('exec', '--no-request-log', '--trace', 'unused.layaway', ...suite);
    expect(unlogged.stderr).not.toContain('It is empty');
  });

  test('--trace-always says that it needs --trace', async () => {
    await writeFile(join(cwd, 'always.yaml'), 'name: always\nsteps: [{ advance: { by: 1d } }]\n');
    for (const words of [
      ['exec', '--trace-always', '--', 'true'],
      ['run', 'always.yaml', '--trace-always'],
    ]) {
      const { exitCode, stdout, stderr } = await layaway(...words);
      expect([exitCode, stdout, stderr]).toEqual([2, '', '--trace-always needs --trace.']);
    }
  });

  test('trace open serves it on a free port; the pair of the command works, and the request log is there', async () => {
    const file = await traceOfOneOrder();
    const server = await startUntilReady(
      process.execPath,
      [program, 'trace', 'open', file, '--no-open', '--json'],
      { cwd },
      () => true,
    );
    try {
      const ready = JSON.parse(server.printed()[0] as string);
      const headers = { 'x-client-id': ready.sandbox.client_id, 'x-api-key': ready.sandbox.api_key };
      const answer = await fetch(`${ready.base_url}/_sim/requests`, { headers });
      expect(((await answer.json()) as { data: unknown[] }).data).toHaveLength(1);
      server.signal('SIGHUP');
      server.signal('SIGHUP');
      expect(await server.ended).toMatchObject({ exitCode: 0, stderr: '' });
    } finally {
      await server.stop();
    }
  });

  test('trace open prints how commands reach it', async () => {
    const file = await traceOfOneOrder();
    const server = await startUntilReady(
      process.execPath,
      [program, 'trace', 'open', file, '--no-open'],
      { cwd },
      (line) => line.startsWith('Press'),
    );
    try {
      const printed = server.printed().join('\n');
      const [, words] = /commands {3}layaway explain <id> (--base-url \S+)$/m.exec(printed) ?? [];
      const listed = await layaway('logs', 'list', '--json', ...(words as string).split(' '));
      const [{ id }] = JSON.parse(listed.stdout).data;
      const flags = (words as string).split(' ');
      const explained = await layaway('explain', id, ...flags);
      expect(explained).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('POST /v1/sessions') });
      const [, accept = ''] = /Unless .*: `layaway (.+)`$/m.exec(explained.stdout) ?? [];
      const pasted = accept.match(/"[^"]+"|\S+/g)?.map((word) => word.replaceAll('"', '')) ?? [];
      expect(pasted.slice(-2)).toEqual(flags);
      expect(await layaway(...pasted)).toMatchObject({ exitCode: 0 });
      // Coverage suggests commands of the whole server, too, with the flags that it was given.
      const [, token = ''] = / {2}token {6}(\S+), for commands that need --control-token$/m.exec(printed) ?? [];
      const { stdout } = await layaway('coverage', ...flags, '--control-token', token);
      const [, set = ''] = /`layaway (assumptions set disabled true .+?)`/.exec(stdout.replaceAll(/\n +/g, ' ')) ?? [];
      expect(await layaway(...set.split(' '))).toMatchObject({ exitCode: 0 });
      // A browser that could not be started would be told of.
      expect(await server.stop()).toMatchObject({ exitCode: 0, stderr: '' });
    } finally {
      await server.stop();
    }
  });

  test('trace open gives commands a key of the account that was used last, or of a contract', async () => {
    await using sim = await createSimulator();
    const [one, two] = [await sim.merchant(), await sim.merchant()];
    const { reference } = await one.sessions.complete((await one.v1.createSession(order())).id);
    const { id } = await two.v1.createSession(order());
    await writeFile(join(cwd, 'merchants.layaway'), gzipSync(JSON.stringify(await sim.trace())));
    const open = (...flags: string[]) =>
      startUntilReady(
        process.execPath,
        [program, 'trace', 'open', 'merchants.layaway', '--no-open', ...flags],
        { cwd },
        (line) => line.startsWith('Press') || line.startsWith('{'),
      );
    const explained = async (server: Awaited<ReturnType<typeof open>>, subject: string) => {
      const [, words = ''] =
        /commands {3}layaway explain <id> (--base-url .+)$/m.exec(server.printed().join('\n')) ?? [];
      const flags = words.split(' ');
      const { stdout, stderr, exitCode } = await layaway('explain', subject, ...flags);
      return { exitCode, shown: stdout || stderr };
    };
    {
      await using server = await open();
      expect(server.printed().join('\n')).toContain(`account    ${two.clientId}, the account that was used last`);
      expect(await explained(server, id)).toEqual({ exitCode: 0, shown: expect.stringContaining('POST /v1/sessions') });
    }
    {
      await using server = await open('--contract', reference);
      expect(server.printed().join('\n')).toContain(`account    ${one.clientId}, the account of ${reference}`);
      expect(await explained(server, reference)).toEqual({ exitCode: 0, shown: expect.stringContaining('active') });
    }
    {
      await using server = await open('--json');
      const { base_url: url, account } = JSON.parse(server.ready);
      const headers = { 'x-client-id': account.client_id, 'x-api-key': account.api_key };
      expect((await fetch(`${url}/v1/checkout-sessions/${id}`, { headers })).status).toBe(200);
    }
    // A summary names the account of each request, which may have neither a session nor a contract.
    const { stdout } = await layaway('trace', 'show', 'merchants.layaway');
    const [, request = '', owner = ''] = / {2}(req_\S+) {2}(\S+)$/m.exec(stdout) ?? [];
    expect(owner).toBe(one.clientId);
    {
      await using server = await open('--client-id', owner);
      expect(server.printed().join('\n')).toContain(
        `account    ${owner}. For another one, use --contract or --client-id.`,
      );
      expect(await explained(server, request)).toEqual({
        exitCode: 0,
        shown: expect.stringContaining('POST /v1/sessions'),
      });
    }
    const refused: [flags: string[], why: string][] = [
      [['--contract', 'LAY-0000000000'], 'The trace contains no contract LAY-0000000000.'],
      [['--client-id', 'mch_test_0'], 'The trace contains no account mch_test_0.'],
      [
        ['--contract', reference, '--client-id', owner],
        '--contract and --client-id both choose the account. Use one of them.',
      ],
    ];
    for (const [flags, stderr] of refused) {
      expect(await layaway('trace', 'open', 'merchants.layaway', '--no-open', ...flags)).toMatchObject({
        exitCode: 2,
        stderr,
      });
    }
  });

  test('trace scenario prints a scenario that layaway run plays and passes; run --trace keeps what fails', async () => {
    const { stdout } = await layaway('trace', 'scenario', await traceOfOneOrder());
    await writeFile(join(cwd, 'played.yaml'), stdout);
    const played = await layaway('run', 'played.yaml');
    expect(played.exitCode, played.stdout).toBe(0);
    for (const name of ['broken', 'later']) {
      const broken = stdout.replace('status: 201', 'status: 409').replace(/^name: .*$/m, `name: ${name}`);
      await writeFile(join(cwd, `${name}.yaml`), broken);
    }
    expect((await layaway('run', 'broken.yaml', 'later.yaml', '--trace', 'run.layaway')).exitCode).toBe(5);
    const shown = JSON.parse((await layaway('trace', 'show', 'run.layaway', '--json')).stdout);
    const messages = [expect.stringContaining('status')];
    expect(shown.failure).toMatchObject({ what: 'broken', exit_code: 5, messages });
  });

  test('a trace of run says what was expected and what came, as run itself does, but not without end', async () => {
    const differing = (body: string) => `name: differs
clock: 2026-01-01T00:00:00Z
steps:
  - create-session: { order_reference: A-1, total_amount: 20000 }
    as: order
  - request: { method: GET, path: "/v1/checkout-sessions/\${order.id}" }
    expect: { body: { data: ${body} } }
`;
    await writeFile(join(cwd, 'differs.yaml'), differing('{ status: expired, total_amount: 1 }'));
    expect((await layaway('run', 'differs.yaml', '--trace', 'differs.layaway')).exitCode).toBe(5);
    const shown = await layaway('trace', 'show', 'differs.layaway');
    expect(shown.stdout).toContain(`
Failed: differs (exit code 5)
  ✗ request GET /v1/checkout-sessions/\${order.id}
      differs.yaml:7:31 body.data.status
      - expected: expired
      + actual:   pending
      differs.yaml:7:48 body.data.total_amount
      - expected: 1
      + actual:   20000
`);

    const fields = Array.from({ length: 40 }, (_, index) => `f${index}: 1`).join(', ');
    await writeFile(join(cwd, 'long.yaml'), differing(`{ ${fields} }`));
    await layaway('run', 'long.yaml', '--trace', 'long.layaway');
    const { failure } = JSON.parse((await layaway('trace', 'show', 'long.layaway', '--json')).stdout);
    expect(failure.messages[0].split('\n')).toHaveLength(31);
    expect(failure.messages[0]).toMatch(/\n91 more lines\. To see them, run the scenario again\.$/);
  });

  test('run --trace: a trace that cannot be written costs neither the report nor the scenarios after it', async () => {
    const steps = (least: number) =>
      `steps:\n  - settings: { grace_days: ${least} }\n    expect: { body: { data: { grace_days: 3 } } }\n`;
    await writeFile(join(cwd, 'fails.yaml'), `name: fails\n${steps(4)}`);
    await writeFile(join(cwd, 'passes.yaml'), `name: passes\n${steps(3)}`);
    const run = (...words: string[]) => layaway('run', '--json', '--trace', 'suite.mjs/no.layaway', ...words);

    const failed = await run('fails.yaml', 'passes.yaml');
    expect(JSON.parse(failed.stdout || '{}')).toMatchObject({ passed: 1, failed: 1 });
    expect(failed.exitCode).toBe(5);
    expect(failed.stderr).toMatch(
      /^The trace could not be written to suite\.mjs\/no\.layaway \(.+\)\.\n1 of 2 scenarios failed\.$/,
    );

    const passed = await run('passes.yaml', '--trace-always');
    expect(JSON.parse(passed.stdout || '{}')).toMatchObject({ passed: 1, failed: 0 });
    expect(passed.exitCode).toBe(1);
    expect(passed.stderr).toMatch(/^The trace could not be written to .+$/);
  });

  test('trace show prints flags to paste, each line of a message in its own, and control characters as codes', async () => {
    await using sim = await createSimulator();
    const failure = { what: 'suite', exit_code: 1, messages: ['expected\n  5\u0007', 'second'] };
    const flags = ['run', 'one of two.yaml', '--seed', '1'];
    await writeFile(join(cwd, 'lines.layaway'), gzipSync(JSON.stringify({ ...(await sim.trace()), failure, flags })));
    const { stdout } = await layaway('trace', 'show', 'lines.layaway');
    expect(stdout).toContain('\n  expected\n    5\\u{7}\n  second\n');
    expect(stdout).toMatch(/^Flags: run ['"]one of two\.yaml['"] --seed 1$/m);
  });

  test('a scenario that names what no step of it makes says so', async () => {
    const note = async (sim: Simulator) => {
      await writeFile(join(cwd, 'unmade.layaway'), gzipSync(JSON.stringify(await sim.trace())));
      return (await layaway('trace', 'scenario', 'unmade.layaway')).stderr;
    };
    const why = 'layaway run cannot play it. The fixture made it, or its request is not in the log.';
    // The session of a lost answer, which the customer pays nevertheless, is looked up.
    await using losing = await createSimulator();
    const shop = losing.default;
    await shop.faults.add({ kind: 'lost_answer', operation: 'createSession' });
    await shop.v1.createSession(order()).catch(() => undefined);
    const [lost] = await shop.sessions.list();
    await shop.sessions.complete(String(lost?.id));
    expect(await note(losing)).toBe('');
    await using unlogged = await createSimulator({ requestLog: false });
    const { id } = await unlogged.default.sessions.create(order());
    await unlogged.default.sessions.complete(id);
    expect(await note(unlogged)).toBe(`No step of this scenario makes ${id}, so ${why}`);
    // The 404 of another account's session is played as it was.
    await using whole = await createSimulator();
    const foreign = await (await whole.merchant()).sessions.create(order());
    await whole.default.sessions.complete((await whole.default.v1.createSession(order())).id);
    await whole.default.v1.getSession(foreign.id).catch(() => undefined);
    expect(await note(whole)).not.toContain('No step');
  });

  test('a scenario of one account says what it leaves out of others', async () => {
    await using sim = await createSimulator();
    const shop = sim.default;
    const { reference } = await shop.sessions.complete((await shop.v1.createSession(order())).id);
    await writeFile(join(cwd, 'one.layaway'), gzipSync(JSON.stringify(await sim.trace())));
    expect((await layaway('trace', 'scenario', 'one.layaway')).stderr).toBe('');
    await shop.live.v1.ping();
    await writeFile(join(cwd, 'two.layaway'), gzipSync(JSON.stringify(await sim.trace())));
    const { stderr } = await layaway('trace', 'scenario', 'two.layaway');
    expect(stderr).toBe(
      `This scenario covers ${shop.live.clientId}, the account that was used last. It leaves out 1 session of other accounts. To print another story, use --client-id or --contract.`,
    );
    const told = await layaway('trace', 'scenario', 'two.layaway', '--contract', reference);
    expect([told.exitCode, told.stderr]).toEqual([0, '']);
    expect(told.stdout).toContain('total_amount: 20000');
    const account = await layaway('trace', 'scenario', 'two.layaway', '--client-id', shop.clientId);
    expect([account.exitCode, account.stderr]).toEqual([0, '']);
    expect(account.stdout).toContain('total_amount: 20000');
  });

  test('the trace of a failed test is about its account, although another was asked later', async () => {
    await using sim = await createSimulator();
    const [one, two] = [await sim.merchant(), await sim.merchant()];
    await one.v1.createSession(order({ order_reference: 'FAILED' }));
    await two.v1.createSession(order());
    const failure = { what: 'a store > opens an order', exit_code: null, messages: [], client_id: one.clientId };
    await writeFile(join(cwd, 'test.layaway'), gzipSync(JSON.stringify(await sim.trace(failure))));
    const { stdout, stderr } = await layaway('trace', 'scenario', 'test.layaway');
    expect(stderr).toBe(
      `This scenario covers ${one.clientId}, the account of the failed test or scenario. It leaves out 1 session of other accounts. To print another story, use --client-id or --contract.`,
    );
    expect(stdout).toContain('order_reference: FAILED');
    await using server = await startUntilReady(
      process.execPath,
      [program, 'trace', 'open', 'test.layaway', '--no-open'],
      { cwd },
      (line) => line.startsWith('Press'),
    );
    expect(server.printed().join('\n')).toContain(
      `account    ${one.clientId}, the account of the failed test or scenario. For another`,
    );
  });

  test('a scenario that is too large for layaway run says so', async () => {
    await using sim = await createSimulator();
    const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`key_${n}`, 'v'.repeat(500)]));
    for (let n = 0; n < 6; n += 1) await sim.default.v1.createSession(order({ metadata }));
    await writeFile(join(cwd, 'large.layaway'), gzipSync(JSON.stringify(await sim.trace())));
    const { stdout, stderr, exitCode } = await layaway('trace', 'scenario', 'large.layaway');
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr:
        'This scenario is larger than 128 KiB, and layaway run refuses it. Print the story of one contract with --contract.',
    });
    await writeFile(join(cwd, 'large.yaml'), stdout);
    expect((await layaway('run', 'large.yaml')).stderr).toContain('large.yaml is larger than 128 KiB.');
  });

  test('trace save keeps the flags of the server, and no secret of them', async () => {
    const flags = ['serve', '--memory', '--port', '0', '--clock', 'frozen', '--now', '2026-01-01', '--seed', '7'];
    const server = await startUntilReady(
      process.execPath,
      [program, ...flags, '--forward-to', 'http://ada:pl4nted@127.0.0.1:9/', '--control-token', 'pl4nted', '--json'],
      { cwd },
    );
    try {
      const { base_url: url, control_token: token } = JSON.parse(server.printed()[0] as string);
      const saved = await layaway('trace', 'save', 'now.layaway', '--base-url', url, '--control-token', token);
      expect(saved.exitCode, saved.stderr).toBe(0);
      expect(JSON.parse((await layaway('trace', 'show', 'now.layaway', '--json')).stdout)).toMatchObject({
        seed: '7',
        flags: [...flags, '--forward-to', 'http://…@127.0.0.1:9/', '--control-token', '…', '--json'],
      });
    } finally {
      await server.stop();
    }
  });

  test('replaces an older trace, but no file of another kind', async () => {
    await exec('older.layaway', 1);
    await exec('older.layaway', 3);
    expect((await layaway('trace', 'show', 'older.layaway')).stdout).toContain('(exit code 3)');

    for (const [mine, content] of Object.entries({ 'mine.yaml': 'mine', 'mine.gz': gzipSync('mine') })) {
      await writeFile(join(cwd, mine), content);
      const commands = [
        ['exec', '--trace', mine, '--', process.execPath, 'suite.mjs', '0'],
        ['trace', 'save', mine],
      ];
      for (const words of commands) {
        const { exitCode, stderr } = await layaway(...words);
        expect(stderr).toMatch(
          /^(--trace|trace save) would overwrite mine\.\w+, which is not a trace\. Name another file\.$/,
        );
        expect(exitCode).toBe(2);
      }
      expect(await readFile(join(cwd, mine))).toEqual(Buffer.from(content));
    }
  });

  test('a folder that does not exist is made, because a failed run cannot be repeated', async () => {
    const saved = await exec('failures/first/suite.layaway', 1);
    expect([saved.exitCode, saved.stderr]).toEqual([1, expect.stringContaining('Saved a trace.')]);
    expect((await layaway('trace', 'show', 'failures/first/suite.layaway')).exitCode).toBe(0);
  });

  test('faults that were removed are not met again by the scenario', async () => {
    await writeFile(join(cwd, 'faults.mjs'), FAULTS);
    const flags = ['--clock', 'frozen', '--now', '2026-01-01', '--trace', 'faults.layaway', '--trace-always'];
    const lived = await layaway('exec', ...flags, '--', process.execPath, 'faults.mjs', program);
    expect(lived.stdout.split('\n'), lived.stderr).toEqual(['503', '201']);
    const shown = JSON.parse((await layaway('trace', 'show', 'faults.layaway', '--json')).stdout);
    expect(shown.latest_requests).toMatchObject([
      { status: 503, fault: { kind: 'error' } },
      { status: 201, fault: null },
    ]);
    const lines = (await layaway('trace', 'show', 'faults.layaway')).stdout.split('\n').slice(-2);
    expect(lines.map((line) => /fault: .*/.exec(line)?.[0])).toEqual(['fault: error', undefined]);
    const { stdout } = await layaway('trace', 'scenario', 'faults.layaway');
    await writeFile(join(cwd, 'faults.yaml'), stdout);
    const played = await layaway('run', 'faults.yaml');
    expect(played.exitCode, played.stdout).toBe(0);
  });

  test('a file that is not there is a wrong argument: exit 2, as for every file that a command reads', async () => {
    for (const verb of ['show', 'open', 'scenario']) {
      const { exitCode, stderr } = await layaway('trace', verb, 'none.layaway');
      expect([exitCode, stderr]).toEqual([2, 'none.layaway cannot be read (there is no such file or directory).']);
    }
  });

  test('a damaged file is refused with what to do, exit 2', async () => {
    await writeFile(join(cwd, 'damaged.layaway'), (await readFile(join(cwd, 'suite.mjs'))).subarray(0, 50));
    for (const verb of ['show', 'open', 'scenario']) {
      const { exitCode, stderr } = await layaway('trace', verb, 'damaged.layaway');
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('damaged.layaway is damaged or is not a trace.')]);
    }
  });

  test('so is a trace with rows missing, or with something else in the place of its flags', async () => {
    const file = await traceOfOneOrder();
    const whole = JSON.parse(gunzipSync(await readFile(join(cwd, file))).toString());
    const { accounts } = whole.tables;
    const cases = [
      [
        'open',
        { ...whole, tables: { ...whole.tables, accounts: { ...accounts, rows: [] } } },
        'the accounts of its default merchant are missing or have other client ids',
      ],
      ['show', { ...whole, flags: 'no', failure: 7 }, 'its field flags is missing or not valid'],
    ] as const;
    for (const [verb, document, why] of cases) {
      await writeFile(join(cwd, 'bad.layaway'), gzipSync(JSON.stringify(document)));
      const { exitCode, stderr, stdout } = await layaway('trace', verb, 'bad.layaway');
      expect({ exitCode, stderr, stdout }).toEqual({
        exitCode: 2,
        stderr: `bad.layaway is damaged: ${why}. Save it again with \`layaway trace save\`.`,
        stdout: '',
      });
    }
  });

  test('and a trace of a newer layaway, also when only the schema of its state is newer', async () => {
    const file = await traceOfOneOrder();
    const whole = JSON.parse(gunzipSync(await readFile(join(cwd, file))).toString());
    for (const newer of [{ layaway: '999.0.0' }, { schema: 999 }]) {
      await writeFile(join(cwd, 'newer.layaway'), gzipSync(JSON.stringify({ ...whole, ...newer })));
      const { exitCode, stderr } = await layaway('trace', 'open', 'newer.layaway');
      expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/was saved by a newer layaway.*Update layaway/)]);
    }
  });

  test('and a file that never ends', async () => {
    for (const verb of ['show', 'open', 'scenario']) {
      const { exitCode, stderr } = await layaway('trace', verb, '/dev/zero');
      expect([exitCode, stderr]).toEqual([2, '/dev/zero is larger than 128 MiB. Check whether it is the right file.']);
    }
  });
});
