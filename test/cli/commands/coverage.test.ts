import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { coverageHtml } from '../../../src/cli/report/coverage-html.ts';
import type { CoverageReport } from '../../../src/domain/coverage.ts';
import { createSimulator } from '../../../src/index.ts';
import { breaksOff, openReceiver } from '../../support/receiver.ts';
import { emptyPlace, oneProcess, type Place, withSimulator } from '../layaway.ts';

const { finish } = oneProcess();
const run = async (place: Place, ...args: string[]) => {
  const { exitCode: code, stdout, stderr } = await finish(place, args);
  return { code, stdout, stderr };
};
const metIn = ({ situations }: CoverageReport) => situations.filter(({ met }) => met > 0).map(({ id }) => id);

/** A store in one line: it pings, and opens a session without a key. */
const STORE = `
const headers = { 'x-client-id': process.env.LAYAWAY_CLIENT_ID, 'x-api-key': process.env.LAYAWAY_API_KEY, 'content-type': 'application/json' };
const url = process.env.LAYAWAY_BASE_URL;
await fetch(url + '/v1/ping', { headers });
await fetch(url + '/v1/sessions', { method: 'POST', headers, body: JSON.stringify({
  order_reference: 'A-1', total_amount: 20000, return_url: 'https://shop.example/r', cancel_url: 'https://shop.example/c' }) });
process.exitCode = Number(process.env.CODE ?? 0);
`;
const store = ['--', process.execPath, '--input-type=module', '-e', STORE];

describe('layaway coverage', () => {
  test('prints what is missing first, each with the way to reach it, then the findings and the sums', async () => {
    await using world = await withSimulator();
    await fetch(`${world.sim.url}/v1/ping`, { headers: world.sim.default.headers });
    const { code, stdout } = await run(world.place, 'coverage');
    expect(code).toBe(0);
    const lines = stdout.split('\n');
    expect(lines[0]).toBe('Not met: Operations that succeeded');
    expect(lines[1]).toMatch(/^ {2}operations\.getConfig {2}GET \/v1\/config: /);
    expect(lines[2]).toBe('    Have the store send GET /v1/config.');
    expect(stdout).not.toContain('operations.ping ');
    expect(lines.at(-1)).toMatch(/^1 of \d+ situations met \(1\.\d%\), no findings$/);
    expect(stdout).toContain('`layaway faults add lost_answer`, then');

    const { clientId, apiKey } = await world.sim.merchant();
    const flags = ['--base-url', world.sim.url, '--client-id', clientId, '--api-key', apiKey];
    const ofOther = await run(await emptyPlace(), 'coverage', ...flags);
    expect(ofOther.stdout).toContain(`\`layaway faults add lost_answer ${flags.join(' ')}\`, then`);
  });

  test('--json prints the body of the control plane unchanged; commands themselves count for nothing', async () => {
    await using world = await withSimulator();
    await run(world.place, 'sessions', 'create', '--order-reference', 'A-1', '--total-amount', '20000');
    await run(world.place, 'contracts', 'list');
    const { stdout } = await run(world.place, 'coverage', '--json', '--format', 'junit');
    const answer = await fetch(`${world.sim.url}/_sim/coverage`, { headers: world.sim.default.headers });
    expect(stdout).toBe(await answer.text());
    expect(JSON.parse(stdout).data.met).toBe(0);
    await fetch(`${world.sim.url}/v1/ping`, { headers: (await world.sim.merchant()).headers });
    expect(JSON.parse((await run(world.place, 'coverage', '--all', '--json')).stdout).data.met).toBe(1);
  });

  test('ends with 5 below --fail-under and, asked for, with findings; clear forgets both', async () => {
    await using world = await withSimulator();
    const { headers } = world.sim.default;
    await fetch(`${world.sim.url}/v1/sessions`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ order_reference: 'A-1', total_amount: 20_000 },
        ...{ return_url: 'https://shop.example/r', cancel_url: 'https://shop.example/c' },
      }),
    });
    const below = await run(world.place, 'coverage', '--fail-under', '100');
    expect([below.code, below.stderr]).toEqual([5, expect.stringMatching(/^The coverage is 1\.\d%, below the 100% /)]);
    const { percent } = await world.sim.default.coverage();
    expect((await run(world.place, 'coverage', '--fail-under', String(percent))).code).toBe(0);
    const found = await run(world.place, 'coverage', '--fail-on-findings');
    expect([found.code, found.stderr]).toEqual([5, 'The store has findings: create-without-key.']);
    const both = await run(world.place, 'coverage', '--fail-under', '100', '--fail-on-findings');
    expect(both.stderr).toBe(`${below.stderr} ${found.stderr}`);
    expect(found.stdout).toMatch(
      /must create-without-key {2}A session was opened without .*, 1 time, first request req_/,
    );
    expect(await run(world.place, 'coverage', 'clear')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Cleared the coverage of the account.',
    });
    expect((await run(world.place, 'coverage', '--fail-on-findings')).code).toBe(0);
    for (const wrong of [['--fail-under', '101'], ['--format', 'pdf'], ['mrge'], ['merge']]) {
      expect([wrong, (await run(world.place, 'coverage', ...wrong)).code]).toEqual([wrong, 2]);
    }
    expect((await run(world.place, 'coverage', 'mrge')).stderr).toContain('Did you mean coverage merge?');
  });

  test('--format junit and html: a case for each situation and finding, and a page that needs nothing else', async () => {
    await using world = await withSimulator();
    const ping = () => fetch(`${world.sim.url}/v1/ping`, { headers: world.sim.default.headers });
    await Promise.all(Array.from({ length: 6 }, ping));
    const { total } = await world.sim.default.coverage();
    const { stdout } = await run(world.place, 'coverage', '--format', 'junit');
    expect(stdout).toContain(
      `<testsuites name="layaway coverage" tests="${total + 1}" failures="1" skipped="${total - 1}"`,
    );
    expect(stdout.match(/<testcase /g)).toHaveLength(total + 1);
    expect(stdout.match(/<skipped /g)).toHaveLength(total - 1);
    expect(stdout).toMatch(/classname="findings\.retry-storm"[\s\S]*<failure message="should: /);
    const file = join(world.place.cwd, 'coverage.html');
    const written = await run(world.place, 'coverage', '--format', 'html', '--output', file, '--fail-on-findings');
    // A report in a file does not hide what it falls short of, and a `should` counts, too.
    expect(written).toEqual({ code: 5, stdout: '', stderr: 'The store has findings: retry-storm.' });
    const page = await readFile(file, 'utf8');
    expect(page).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(page).not.toMatch(/\b(src|href)=|@import|url\(|<script/);
    expect(page).toContain(`1 of ${total} situations met`);
    expect(page.match(/<span class="met">/g)).toHaveLength(1);
    expect(page).toMatch(/<td>[^<]*<code>layaway [^`]+<\/code>/);
  });

  test('without --format, the ending of --output chooses the format', async () => {
    await using world = await withSimulator();
    const written = async (name: string, ...more: string[]) => {
      const file = join(world.place.cwd, name);
      expect(await run(world.place, 'coverage', '--output', file, ...more)).toMatchObject({ code: 0, stdout: '' });
      return await readFile(file, 'utf8');
    };
    expect(await written('report.html')).toMatch(/^<!doctype html>/);
    expect(await written('report.xml')).toMatch(/^<\?xml /);
    expect(JSON.parse(await written('report.json')).data.met).toBe(0);
    expect(await written('report.txt')).toMatch(/^Not met: /);
    expect(await written('report')).toMatch(/^Not met: /);
    expect(await written('other.html', '--format', 'junit')).toMatch(/^<\?xml /);
    expect(await written('report.html', '--json')).toMatch(/^<!doctype html>/);
    expect(JSON.parse(await written('report', '--json')).data.met).toBe(0);
  });
});

test('the page puts the heads of numbers above the numbers', async () => {
  await using sim = await createSimulator();
  await fetch(`${sim.url}/v1/ping`, { headers: sim.default.headers });
  const heads = coverageHtml(await sim.default.coverage()).match(/(?<=<th scope="col" class="number">)\w+/g);
  expect(heads).toEqual(['Met', 'Of', 'Times']);
});

test('the page names no id of a first occurrence that was not logged', async () => {
  await using sim = await createSimulator({ requestLog: false });
  await fetch(`${sim.url}/v1/ping`, { headers: sim.default.headers });
  const report = await sim.default.coverage();
  expect(coverageHtml(report)).toMatch(/<td>not logged <span class="id instant">/);
});

test('the page shows texts, not markup', async () => {
  await using sim = await createSimulator();
  const report = await sim.default.coverage();
  const [situation] = report.situations;
  const hostile = { ...report, situations: [{ ...situation, title: '<b>"&' }] } as CoverageReport;
  expect(coverageHtml(hostile)).toContain('&lt;b&gt;&quot;&amp;');
});

test('whatever a server sends in the place of a number or a name stays text on the page', async () => {
  await using sim = await createSimulator();
  await fetch(`${sim.url}/v1/ping`, { headers: sim.default.headers });
  const report = await sim.default.coverage();
  const finding = { rule: 'a', severity: 'must', title: 'b', why: 'c', count: 1, first: { at: 'd', id: 'e' } };
  const markup = (_: string, value: unknown) => (['string', 'number'].includes(typeof value) ? '"><b>' : value);
  const page = coverageHtml(JSON.parse(JSON.stringify({ ...report, findings: [finding] }), markup) as CoverageReport);
  expect(page).toContain('&gt;&lt;b&gt;');
  expect(page).not.toContain('<b>');
});

describe('layaway coverage merge', () => {
  test('sums the shards of a run; a shard of another table is refused with 2', async () => {
    const place = await emptyPlace();
    const [one, two] = [join(place.cwd, 'one.json'), join(place.cwd, 'two.json')];
    for (const file of [one, two]) expect((await run(place, 'exec', '--coverage', file, ...store)).code).toBe(0);
    const text = await readFile(one, 'utf8');
    const single = JSON.parse(text).data as CoverageReport;
    // Some editors begin a file with a byte order mark.
    await writeFile(one, `\ufeff${text}`);
    const { code, stdout } = await run(place, 'coverage', 'merge', one, two, '--format', 'json');
    expect(code).toBe(0);
    await symlink('two.json', join(place.cwd, 'latest.json'));
    const again = await run(place, 'coverage', 'merge', one, './one.json', '*.json', '--format', 'json');
    expect(again.stdout, again.stderr).toBe(stdout);
    expect((await run(place, 'exec', '--coverage', one, ...store)).code).toBe(0);
    const { data } = JSON.parse(stdout);
    expect(metIn(data)).toEqual(metIn(single));
    expect([data.met, data.percent, data.total]).toEqual([single.met, single.percent, single.total]);
    expect(data.situations.map(({ met }: { met: number }) => met)).toEqual(single.situations.map(({ met }) => met * 2));
    expect(data.findings).toMatchObject([{ rule: 'create-without-key', count: 2 }]);
    expect((await run(place, 'coverage', 'merge', one, two, '--fail-on-findings')).code).toBe(5);
    expect((await run(place, 'coverage', 'merge', one, '--fail-under', '50')).code).toBe(5);

    const [finding] = single.findings;
    for (const damage of [{ first: { at: '2026-01-01' } }, { first: null }, { count: 0 }]) {
      await writeFile(two, JSON.stringify({ ...single, findings: [{ ...finding, ...damage }] }));
      const damaged = await run(place, 'coverage', 'merge', one, two, '--format', 'html');
      expect([damaged.code, damaged.stdout, damaged.stderr]).toEqual([
        ...[2, '', expect.stringContaining('is not a coverage report')],
      ]);
    }
    await writeFile(two, JSON.stringify({ ...single, situations: single.situations.slice(1) }));
    const other = await run(place, 'coverage', 'merge', one, two);
    expect([other.code, other.stdout]).toEqual([2, '']);
    expect(other.stderr).toContain('two.json was written by another version of layaway');
    await writeFile(two, '{"situations":[{"id":1}]}');
    expect(await run(place, 'coverage', 'merge', two)).toMatchObject({ code: 2 });
    for (const words of [
      ['merge', one, '--all'],
      ['--all', 'merge', one],
      ['clear', '--all'],
    ]) {
      const { code, stdout, stderr } = await run(place, 'coverage', ...words);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/^--all sums the accounts of a server. It does not work with (merge|clear).$/);
    }
    expect(await run(place, 'coverage', 'merge', join(place.cwd, 'none.json'))).toMatchObject({ code: 2 });
    expect(await run(place, 'coverage', 'merge', '/dev/zero')).toMatchObject({
      code: 2,
      stderr: 'coverage merge: /dev/zero is larger than 128 MiB. Check whether it is the right file.',
    });
  });
});

describe('layaway exec --coverage', () => {
  test('a file that cannot be written is 1, and the command is not run', async () => {
    const place = await emptyPlace();
    await writeFile(join(place.cwd, 'in-the-way'), '');
    const args = ['--coverage', 'in-the-way/report.html', '--', process.execPath, '-p', '"ran"'];
    expect(await run(place, 'exec', ...args)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'The report cannot be written to in-the-way/report.html (a part of its path is not a directory). Name another file.',
    });
  });

  test('without a file it tells on stderr; all accounts count, those of workers too', async () => {
    const place = await emptyPlace();
    const worker = STORE.replaceAll('LAYAWAY_C', 'LAYAWAY_WORKER_2_C').replaceAll('LAYAWAY_A', 'LAYAWAY_WORKER_2_A');
    const play = (suite: string) =>
      run(place, 'exec', '--workers', '2', '--coverage', '--', process.execPath, '--input-type=module', '-e', suite);
    const { code, stdout, stderr } = await play(worker);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(/^Not met: Operations that succeeded\n/);
    expect(stderr).toMatch(/, first request req_\w+\n/);
    expect(stderr).toMatch(/\n2 of \d+ situations met \(2\.\d%\), 1 finding$/);
    // An id says little without its account.
    const both = await play(`{${STORE}}{${worker}}`);
    expect(both.stderr).toMatch(/, 2 times, first request req_\w+ of mch_test_\w{32}\n/);
  });

  test('says what to do if nothing was counted, with a report on stderr or in a file', async () => {
    const place = await emptyPlace();
    const own = ['--', process.execPath, '-e', '0'];
    const note =
      'Nothing was counted: no request of the store named both a route of the service and an account of this simulator. ' +
      'Requests that a test makes itself, with a helper or a command, do not count. ' +
      'Its address is in LAYAWAY_BASE_URL, an account in LAYAWAY_CLIENT_ID and LAYAWAY_API_KEY. ' +
      'A simulator that the tests create themselves, with createSimulator or layaway/vitest, counts for itself: read `sim.coverage()` there.';
    const bare = await run(place, 'exec', '--coverage', ...own);
    expect(bare.stderr).toMatch(/\n0 of \d+ situations met \(0%\), no findings\n/);
    expect(bare.stderr.endsWith(`\n${note}`)).toBe(true);
    const short = await run(place, 'exec', '--coverage', 'none.txt', '--fail-under', '10', ...own);
    expect(short).toEqual({
      code: 5,
      stdout: '',
      stderr: `${note}\nThe coverage is 0%, below the 10% of --fail-under.`,
    });
    // Requests that came, but for nothing that is counted.
    for (const astray of [
      STORE.replace('process.env.LAYAWAY_CLIENT_ID', '"another"'),
      STORE.replaceAll('/v1', '/v2'),
      STORE.replace('headers = {', "headers = { 'x-layaway-tool': '1',"),
    ]) {
      const script = ['--', process.execPath, '--input-type=module', '-e', astray];
      expect((await run(place, 'exec', '--coverage', 'astray.json', ...script)).stderr).toBe(note);
    }
    expect((await run(place, 'exec', '--coverage', 'some.json', ...store)).stderr).toBe('');
  });

  test('ends with the child’s code, unless that is 0', async () => {
    const place = await emptyPlace();
    const bar = ['--coverage', '--fail-on-findings'];
    const failing = await run({ ...place, env: { ...place.env, CODE: '7' } }, 'exec', ...bar, ...store);
    expect(failing.code).toBe(7);
    expect(failing.stderr).toContain('The store has findings: create-without-key.');
    const { code, stderr } = await run(place, 'exec', ...bar, '--trace', 'found.layaway', ...store);
    expect([code, stderr]).toEqual([5, expect.stringMatching(/^Saved a trace\. /)]);
    // The finding names a request of a simulator that is gone.
    const { stdout } = await run(place, 'trace', 'show', 'found.layaway');
    expect(stdout).toMatch(/^Failed: .+\n {2}The store has findings: create-without-key\.$/m);
    expect(stdout).toMatch(/ {2}req_\w+$/m);
    expect((await run(place, 'exec', '--coverage', '--fail-under', '90', ...store)).code).toBe(5);
    // An empty file, such as mktemp makes, is no report that would be lost.
    await writeFile(join(place.cwd, 'empty.json'), '');
    expect((await run(place, 'exec', '--coverage', 'empty.json', '--fail-under', '1', ...store)).code).toBe(0);
  });

  test('flags that do not go together, and files that would be lost, are refused before anything runs', async () => {
    const place = await emptyPlace();
    const kept = join(place.cwd, 'package.json');
    await writeFile(kept, '{"name":"store"}');
    for (const args of [
      ['--fail-under', '80'],
      ['--fail-on-findings'],
      ['--coverage', kept],
      ['--coverage', 'a.yaml'],
      ['--coverage', 'a.json', '--trace', './a.json'],
    ]) {
      const refused = await run(place, 'exec', ...args, '--', 'echo', 'ran');
      expect([args, refused.code, refused.stdout]).toEqual([args, 2, '']);
    }
    expect(await readFile(kept, 'utf8')).toBe('{"name":"store"}');
  });
});

describe('layaway run --coverage', () => {
  const scenario = {
    name: 'as the store',
    steps: [
      { 'create-session': { order_reference: 'A-1', total_amount: 20_000 }, as: 'order' },
      { request: { method: 'GET', path: '/v1/ping' }, expect: { status: 200 } },
    ],
  };

  test('the scenario plays the store: its steps count, summed over the scenarios and all accounts', async () => {
    const place = await emptyPlace();
    const [one, two, file] = ['one.json', 'two.json', 'coverage.json'].map((name) => join(place.cwd, name)) as [
      string,
      string,
      string,
    ];
    await writeFile(one, JSON.stringify(scenario));
    const headers = { 'x-client-id': `\${other.sandbox.client_id}`, 'x-api-key': `\${other.sandbox.api_key}` };
    const asOther = [
      { request: { method: 'POST', path: '/_sim/merchants', body: {} }, as: 'other' },
      { request: { method: 'GET', path: '/v1/config', headers } },
    ];
    await writeFile(two, JSON.stringify({ ...scenario, steps: [...scenario.steps, ...asOther] }));
    const { code } = await run(place, 'run', one, two, '--coverage', file);
    expect(code).toBe(0);
    const { data } = JSON.parse(await readFile(file, 'utf8'));
    expect(data.situations.filter(({ met }: { met: number }) => met > 0)).toMatchObject([
      { id: 'operations.ping', met: 2 },
      { id: 'operations.getConfig', met: 1 },
      { id: 'operations.createSession', met: 2 },
    ]);
    expect((await run(place, 'run', one, '--coverage', '--fail-on-findings')).code).toBe(5);
    expect((await run(place, 'run', one, '--coverage', '--fail-under', '2')).code).toBe(0);
  });

  test('a scenario that fails does not hide what the coverage falls short of', async () => {
    const place = await emptyPlace();
    const one = join(place.cwd, 'one.json');
    const failing = {
      ...scenario,
      steps: [...scenario.steps, { request: { method: 'GET', path: '/v1/ping' }, expect: { status: 201 } }],
    };
    await writeFile(one, JSON.stringify(failing));
    const bar = ['--coverage', 'coverage.json', '--fail-under', '50', '--fail-on-findings'];
    expect(await run(place, 'run', one, ...bar)).toMatchObject({
      code: 5,
      stderr:
        '1 of 1 scenario failed. The coverage is 2.2%, below the 50% of --fail-under. ' +
        'The store has findings: create-without-key.',
    });
    expect(await run(place, 'run', one, '--coverage', 'coverage.json')).toMatchObject({
      code: 5,
      stderr: '1 of 1 scenario failed.',
    });
  });

  test('a scenario is not taken for the file to write', async () => {
    const place = await emptyPlace();
    const one = join(place.cwd, 'one.json');
    await writeFile(one, JSON.stringify(scenario));
    expect((await run(place, 'run', '--coverage', one, one)).code).toBe(2);
    expect(JSON.parse(await readFile(one, 'utf8'))).toEqual(scenario);
  });

  test('on a server that runs, only what the scenario’s own account has met', async () => {
    await using world = await withSimulator();
    const one = join(world.place.cwd, 'one.json');
    await writeFile(one, JSON.stringify(scenario));
    await fetch(`${world.sim.url}/v1/config`, { headers: world.sim.default.headers });
    const file = join(world.place.cwd, 'coverage.json');
    const token = ['--base-url', world.sim.url, '--control-token', world.sim.controlToken];
    expect((await run(world.place, 'run', one, '--coverage', file, ...token)).code).toBe(0);
    expect(metIn(JSON.parse(await readFile(file, 'utf8')).data)).toEqual([
      'operations.ping',
      'operations.createSession',
    ]);
  });
});

test('layaway webhooks test --forged ends with 0 when the endpoint refuses it, and with 5 when it does not', async () => {
  await using receiver = await openReceiver([401, 500, breaksOff, (response) => response.destroy(), 204]);
  await using world = await withSimulator();
  const { id } = await world.sim.default.webhooks.add(receiver.url);
  expect(await run(world.place, 'webhooks', 'test', id, '--forged')).toMatchObject({ code: 0, stderr: '' });
  for (const answer of ['500', '200, the response broke off']) {
    expect(await run(world.place, 'webhooks', 'test', id, '--forged')).toMatchObject({
      code: 5,
      stdout: expect.stringContaining(`: ${answer}`),
      stderr: expect.stringContaining('wrong on purpose'),
    });
  }
  const silent = await run(world.place, 'webhooks', 'test', id, '--forged');
  expect([silent.code, silent.stderr]).toEqual([5, 'The receiver gave no response, so this shows nothing about it.']);
  const accepted = await run(world.place, 'webhooks', 'test', id, '--forged');
  expect([accepted.code, accepted.stderr]).toEqual([5, expect.stringContaining('wrong on purpose')]);
  const found = await run(world.place, 'coverage', '--fail-on-findings');
  expect([found.code, found.stderr]).toEqual([5, 'The store has findings: signature-unchecked.']);
});

test('layaway webhooks test --forged says so if the response may not be due to the signature', async () => {
  await using receiver = await openReceiver([404, 405, 419, 400, 401, 403, 302]);
  await using world = await withSimulator();
  const { id } = await world.sim.default.webhooks.add(receiver.url);
  const unclear = (advice: string) => ({ code: 0, stderr: `This may not be due to the signature. ${advice}` });
  const path = 'Check the path of the URL: the receiver has to accept POST there.';
  const csrf = 'The CSRF check refused it: exempt the route of the webhooks from it.';
  const forged = () => run(world.place, 'webhooks', 'test', id, '--forged');
  for (const advice of [path, path, csrf]) expect(await forged()).toMatchObject(unclear(advice));
  for (const _ of [400, 401, 403]) expect(await forged()).toMatchObject({ code: 0, stderr: '' });
  const redirected = unclear('Redirects are not followed. Use the URL that it redirects to.');
  expect(await forged()).toMatchObject({ ...redirected, code: 5 });
});
