import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { emptyPlace, oneProcess, otherServer, writesItsArgument } from '../layaway.ts';

const { runner, withSimulator } = oneProcess();

const world = await withSimulator();
const { sim, layaway, place } = world;
afterAll(() => world[Symbol.asyncDispose]());

const create = (...args: string[]) =>
  layaway('sessions', 'create', '--order-reference', 'A-1', '--total-amount', '20000', ...args);
const opened = async (...args: string[]) => (await create('--json', ...args)).json.data.id as string;
const fetched = async (path: string) =>
  await (await fetch(`${sim.url}${path}`, { headers: sim.default.headers })).text();

describe('§4.3: sessions create', () => {
  test('one flag per body field; --json prints the API’s body', async () => {
    const { code, json } = await layaway(
      ...['sessions', 'create', '--order-reference', 'A-2', '--total-amount', '12345', '--json'],
      ...['--return-url', 'https://shop.example/back', '--cancel-url', 'https://shop.example/out'],
      ...['--customer-email', 'ada@example.com', '--customer-state', 'ca'],
      ...['--metadata', 'cart=77', '--metadata', 'note=a=b', '--metadata', '__proto__=x'],
    );
    expect(code).toBe(0);
    expect(json.data).toMatchObject({
      order_reference: 'A-2',
      total_amount: 12345,
      return_url: 'https://shop.example/back',
      cancel_url: 'https://shop.example/out',
      status: 'pending',
    });
    expect(Object.entries(json.data.metadata)).toEqual([
      ['cart', '77'],
      ['note', 'a=b'],
      ['__proto__', 'x'],
    ]);
    expect(JSON.stringify(json)).toBe(await fetched(`/v1/checkout-sessions/${json.data.id}`));
  });

  test('interface §1: the two URLs default to example.com', async () => {
    expect((await create('--json')).json.data).toMatchObject({
      return_url: 'https://example.com/return',
      cancel_url: 'https://example.com/cancel',
    });
  });

  test('§4.3 rule 2: the same --idempotency-key opens the same session', async () => {
    expect(await opened('--idempotency-key', 'k-1')).toBe(await opened('--idempotency-key', 'k-1'));
    const other = await create('--idempotency-key', 'k-1', '--customer-state', 'CA', '--json');
    expect(other).toMatchObject({ code: 3, stderr: '' });
    expect(other.json.message).toContain('Idempotency-Key');
  });

  test('without --json: money, and dates relative to the account clock', async () => {
    const { stdout, stderr } = await create();
    expect(stdout).toContain('total            $200.00\n');
    expect(stdout).toContain('down payment     $40.00 (20%)\n');
    expect(stdout).toContain('expires          2026-01-01 01:00:00 UTC (in 1 hour)\n');
    expect(stdout).toMatch(/checkout +http:\/\/127\.0\.0\.1:\d+\//);
    expect(stdout).not.toContain('\u001b');
    expect(stderr).toBe('');
  });

  test('without --json: a session that was cancelled does not expire in an hour', async () => {
    const id = await opened('--order-reference', 'A-1');
    await layaway('sessions', 'cancel', id);
    expect((await layaway('sessions', 'get', id)).stdout).toContain('expires          2026-01-01 01:00:00 UTC\n');
    expect((await layaway('sessions', 'list', '--status', 'cancelled')).stdout).toMatch(/ {2}\$200\.00 {2}—$/m);
  });
});

describe('interface §1: a refusal ends with 3', () => {
  test('with --json its body is on stdout, to the byte, and stderr is empty', async () => {
    const { code, stdout, stderr } = await layaway('sessions', 'get', 'cs_unknown', '--json');
    expect({ code, stdout, stderr }).toEqual({
      code: 3,
      stdout: '{"message":"Checkout session not found."}',
      stderr: '',
    });
  });

  test('without --json the sentence and each field’s errors are on stderr', async () => {
    const { code, stdout, stderr } = await layaway(
      ...['sessions', 'create', '--order-reference', 'A', '--total-amount', '1', '--return-url', 'http://x.example'],
    );
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain('(and 1 more error)');
    expect(stderr).toContain('  total_amount: The total amount field must be at least 5000.\n');
    expect(stderr).toContain('  return_url: The return url field must start with one of the following: https://.');
  });

  test('§2.9: the reason of a layaway refusal is printed', async () => {
    const { code, stderr } = await create('--customer-state', 'MD');
    expect(code).toBe(3);
    expect(stderr).toContain('reason: state_unavailable');
  });

  test('§5: for a rejected pair, the message says where the key came from', async () => {
    const { code, stderr } = await layaway('sessions', 'get', 'cs_1', '--api-key', 'sk_test_wrong');
    expect(code).toBe(3);
    expect(stderr).toContain('Unauthenticated.');
    expect(stderr).toContain('--api-key');
  });
});

describe('interface §2: the customer’s steps', () => {
  test('accept, then a declined pay, then pay', async () => {
    const id = await opened();
    const customer = ['--customer-name', 'Ada Byron', '--customer-email', 'ada@example.com'];
    const accepted = await layaway('sessions', 'accept', id, ...customer, '--json');
    expect(accepted.json.data).toMatchObject({ status: 'pending', customer_name: 'Ada Byron' });
    const declined = await layaway('sessions', 'pay', id, '--outcome', 'fail', '--json');
    expect(declined).toMatchObject({ code: 0, json: { data: { status: 'pending' } }, stderr: '' });
    const toldTo = await layaway('sessions', 'pay', id, '--outcome', 'fail');
    expect(toldTo).toMatchObject({ code: 0, stderr: expect.stringContaining('declined') });
    expect(toldTo.stdout).toMatch(/^status +pending$/m);
    const paid = await layaway('sessions', 'pay', id, '--json');
    expect(paid.json.data).toMatchObject({ status: 'active', paid_amount: 5000 });
    expect((await layaway('sessions', 'get', id, '--json')).json.data.status).toBe('completed');
    expect(await layaway('sessions', 'pay', id)).toMatchObject({ code: 3, stdout: '' });
  });

  test('complete does both, with defaults', async () => {
    const { json } = await layaway('sessions', 'complete', await opened(), '--json');
    expect(json.data).toMatchObject({
      status: 'active',
      customer_name: 'Test Customer',
      customer_email: 'customer@example.com',
    });
  });

  test('complete with a customer and an outcome of one’s own', async () => {
    const customer = ['--customer-name', 'Ada Byron', '--customer-email', 'ada@example.com', '--outcome', 'fail'];
    const { json } = await layaway('sessions', 'complete', await opened(), ...customer, '--json');
    expect(json.data).toMatchObject({
      status: 'pending',
      customer_name: 'Ada Byron',
      customer_email: 'ada@example.com',
    });
  });

  test('cancel backs out', async () => {
    const { json } = await layaway('sessions', 'cancel', await opened(), '--json');
    expect(json.data.status).toBe('cancelled');
  });

  test('list: newest first; --after pages forward', async () => {
    const [older, newer] = [await opened(), await opened()];
    const newest = await layaway('sessions', 'list', '--limit', '2', '--json');
    expect(newest.json.data.map(({ id }: { id: string }) => id)).toEqual([newer, older]);
    const after = await layaway('sessions', 'list', '--after', older, '--json');
    expect(after.json.data.map(({ id }: { id: string }) => id)).toEqual([newer]);
    expect((await layaway('sessions', 'list', '--limit', '2')).stdout.split('\n')).toHaveLength(3);
  });

  test('open starts the browser on the checkout page and prints its URL', async () => {
    const browser = join(place.cwd, 'browser');
    const visited = join(place.cwd, 'visited');
    await writeFile(browser, writesItsArgument(visited), { mode: 0o755 });
    const id = await opened();
    const { code, stdout } = await runner({ ...place, env: { ...place.env, BROWSER: browser } })(
      'sessions',
      'open',
      id,
    );
    expect(code).toBe(0);
    expect(stdout).toContain(id);
    await expect.poll(() => readFile(visited, 'utf8').catch(() => null)).toBe(stdout);
  });

  test.each([
    ['--new tab', (url: string) => ['--new', 'tab', url]],
    ['--url=%s --new', (url: string) => [`--url=${url}`, '--new']],
  ])('open with the arguments of BROWSER: %s', async (args, expected) => {
    const browser = join(place.cwd, 'worded-browser');
    const words = join(place.cwd, 'words');
    await writeFile(browser, `#!/bin/sh\nprintf '%s\\n' "$@" > '${words}'\n`, { mode: 0o755 });
    const worded = runner({ ...place, env: { ...place.env, BROWSER: `${browser}  ${args}` } });
    const { code, stdout, stderr } = await worded('sessions', 'open', await opened());
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect((await readFile(words, 'utf8')).trimEnd().split('\n')).toEqual(expected(stdout));
  });

  test.skipIf(process.platform === 'win32')('open without BROWSER starts the opener of the system', async () => {
    const bin = join(place.cwd, 'opener');
    const visited = join(place.cwd, 'opened');
    await mkdir(bin);
    const name = process.platform === 'darwin' ? 'open' : 'xdg-open';
    await writeFile(join(bin, name), writesItsArgument(visited), { mode: 0o755 });
    const PATH = `${bin}${delimiter}${process.env.PATH}`;
    const usual = runner({ ...place, env: { ...place.env, PATH, BROWSER: '' } });
    const { code, stdout } = await usual('sessions', 'open', await opened());
    expect(code).toBe(0);
    await expect.poll(() => readFile(visited, 'utf8').catch(() => null)).toBe(stdout);
  });

  test('open with a browser whose path holds a space', async () => {
    const browser = join(place.cwd, 'a browser');
    await writeFile(browser, '#!/bin/sh\n', { mode: 0o755 });
    const spaced = runner({ ...place, env: { ...place.env, BROWSER: browser } });
    expect(await spaced('sessions', 'open', await opened())).toMatchObject({ code: 0, stderr: '' });
  });

  test('open without a browser says so, and the URL is there all the same', async () => {
    const without = runner({ ...place, env: { ...place.env, BROWSER: join(place.cwd, 'none') } });
    const { code, stdout, stderr } = await without('sessions', 'open', await opened());
    expect(code).toBe(1);
    expect(stdout).toMatch(/^http/);
    expect(stderr).toContain('Open the URL yourself');
  });

  test.each([
    ['ends at once with an error', '#!/bin/sh\nexit 3\n', 1],
    ['ends at once and well', '#!/bin/sh\n', 0],
    ['goes on', '#!/bin/sh\nexec sleep 5\n', 0],
  ])('open with a browser that %s', async (_what, text, ends) => {
    const browser = join(place.cwd, 'odd-browser');
    await writeFile(browser, text, { mode: 0o755 });
    const odd = runner({ ...place, env: { ...place.env, BROWSER: browser } });
    const { code, stdout, stderr } = await odd('sessions', 'open', await opened());
    expect({ code, stderr }).toEqual({
      code: ends,
      stderr: ends === 0 ? '' : 'The browser could not be started. Open the URL yourself.',
    });
    expect(stdout).toMatch(/^http/);
  });
});

test.each([
  'http:file:///etc/passwd',
  'http:/etc/passwd',
  'http:////etc/passwd',
  'file:///etc/passwd',
  'javascript:alert(1)',
  '--version',
  ' http://a.example',
  'ht\ntp://a.example',
])('a checkout URL of %j is not opened', async (checkout_url) => {
  await using server = await otherServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ data: { id: 'cs_1', checkout_url } }));
  });
  const own = await emptyPlace({ LAYAWAY_BASE_URL: server.url });
  const browser = join(own.cwd, 'browser');
  await writeFile(browser, `#!/bin/sh\nprintf %s "$1" > '${own.cwd}/visited'\n`, { mode: 0o755 });
  const { code, stderr } = await runner({ ...own, env: { ...own.env, BROWSER: browser } })('sessions', 'open', 'cs_1');
  expect({ code, stderr }).toEqual({
    code: 4,
    stderr: 'The server sent a URL that is not a web page. It was not opened.',
  });
  expect(existsSync(join(own.cwd, 'visited'))).toBe(false);
});

describe('decisions §2: a store on http during development', () => {
  test('the refusal of an http URL on localhost says what to do; any other refusal does not', async () => {
    await using run = await withSimulator();
    const { layaway } = run;
    const create = (...urls: string[]) =>
      layaway('sessions', 'create', '--order-reference', 'A-1', '--total-amount', '20000', ...urls);
    const hint =
      'The service takes https URLs only. For a store on http during development, run `layaway assumptions set allow_http_localhost true`.';
    const refused = await create('--return-url', 'http://localhost:3100/thanks');
    expect([refused.code, refused.stderr.split('\n')[0]]).toEqual([3, hint]);
    expect((await create('--return-url', 'http://shop.example/thanks')).stderr).not.toContain(hint);
    expect((await layaway('assumptions', 'set', 'allow_http_localhost', 'true')).code).toBe(0);
    expect((await create('--return-url', 'http://localhost:3100/thanks')).code).toBe(0);
    const tooLittle = await create('--return-url', 'http://localhost:3100/thanks', '--total-amount', '1');
    expect([tooLittle.code, tooLittle.stderr]).toEqual([3, expect.not.stringContaining(hint)]);
  });
});
