import { readFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { exchange } from '../../../src/exchange.ts';
import { createSimulator, type SimulatorOptions } from '../../../src/index.ts';
import { oneProcess, otherServer, plan } from '../layaway.ts';

const { withSimulator } = oneProcess();

interface Reply {
  status: number;
  headers: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: a change may reach into any answer
  body: any;
}
type Change = (
  asked: { method: string; path: string; body: string; headers: IncomingHttpHeaders },
  reply: Reply,
) => void;

/** The real service's stand-in: another simulator, behind a proxy that changes single answers. */
async function openService(change: Change, options: SimulatorOptions) {
  const sim = await createSimulator({ seed: 2, clock: { frozenAt: '2027-03-04T05:06:07Z' }, ...options });
  const proxy = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const { host, connection, 'content-length': _, 'transfer-encoding': __, ...headers } = request.headers;
    const method = request.method ?? 'GET';
    const keys = request.headersDistinct['idempotency-key'];
    const answer = await exchange({
      method,
      url: `${sim.url}${request.url}`,
      headers: { ...(headers as Record<string, string>), ...(keys ? { 'idempotency-key': keys } : {}) },
      ...(body === '' ? {} : { body }),
      timeoutMs: 10_000,
    });
    const reply: Reply = {
      status: answer.status,
      headers: answer.headers as Record<string, string>,
      body: JSON.parse(answer.text),
    };
    change({ method, path: request.url ?? '', body, headers: request.headers }, reply);
    const { 'content-length': ___, 'transfer-encoding': ____, connection: _____, ...kept } = reply.headers;
    response.writeHead(reply.status, kept).end(JSON.stringify(reply.body));
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    sim,
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    async close() {
      proxy.closeAllConnections();
      proxy.close();
      await sim.close();
    },
  };
}

/** The same for one test. */
async function service(change: Change = () => undefined, options: SimulatorOptions = {}) {
  const opened = await openService(change, options);
  onTestFinished(opened.close);
  return opened;
}

const places = (json: { differences: { request: { method: string; path: string }; at: string }[] }) =>
  json.differences.map(({ request, at }) => `${request.method} ${request.path} ${at}`);

describe('layaway compare', () => {
  test('two servers that answer alike differ in nothing, whatever their accounts hold', async () => {
    await using cli = await withSimulator();
    // The case of a charset means nothing.
    const there = await service((_, { headers }) => {
      headers['content-type'] = 'application/json; charset=UTF-8';
    });
    await plan(cli.sim.default);
    const shop = there.sim.default;
    for (let index = 0; index < 40; index += 1) {
      await shop.contracts.create({ total_amount: 30_000, status: index % 2 === 0 ? 'completed' : 'active' });
    }
    const compared = await cli.layaway('compare', '--against', there.url, '--write', '--json');
    expect(compared.json).toMatchObject({ differences: [] });
    expect(compared.json.probes).toBeGreaterThan(60);
    expect(compared.code).toBe(0);
    const people = await cli.layaway('compare', '--against', there.url);
    expect(people).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+ requests, no difference\.$/) });
  });

  test('contracts with other metadata do not differ', async () => {
    await using cli = await withSimulator();
    const there = await service();
    await cli.sim.default.contracts.create({ metadata: { table: '7', size: 'XL' } });
    await there.sim.default.contracts.create({ metadata: { available: 'yes', reason: 'none' } });
    const compared = await cli.layaway('compare', '--against', there.url, '--json');
    expect(compared.json).toMatchObject({ differences: [] });
  });

  test('a reason that no setting explains has no advice, whatever it is called', async () => {
    await using cli = await withSimulator();
    const there = await service(({ path }, { body }) => {
      const { data } = body as { data?: { layaway?: object } };
      if (path === '/v1/ping' && data?.layaway) data.layaway = { available: false, reason: 'constructor' };
    });
    const { json } = await cli.layaway('compare', '--against', there.url, '--json');
    expect(json.differences.map(({ assumption }: { assumption: unknown }) => assumption)).toEqual([null]);
  });

  test('without --write nothing is created on either server', async () => {
    await using cli = await withSimulator();
    const there = await service();
    await cli.layaway('compare', '--against', there.url);
    expect(await cli.sim.default.sessions.list()).toEqual([]);
    expect(await there.sim.default.sessions.list()).toEqual([]);
  });

  test('--output writes each report to a file, in a folder that it makes, and prints none', async () => {
    await using cli = await withSimulator();
    const change: Change = ({ path }, { headers }) => {
      if (path === '/v1/config') headers['cache-control'] = 'public, max-age=60';
    };
    const there = await service(change);
    const compare = (...args: string[]) => cli.layaway('compare', '--against', there.url, ...args);
    for (const args of [[], ['--reporter', 'junit'], ['--json']]) {
      const printed = await compare(...args);
      const written = await compare(...args, '--output', 'reports/compare');
      expect(written).toMatchObject({ code: 5, stdout: '', stderr: printed.stderr });
      const text = await readFile(join(cli.place.cwd, 'reports/compare'), 'utf8');
      expect(text).toContain('max-age=60');
      expect(text.trimEnd()).toBe(printed.stdout.trimEnd());
    }
  });

  test('faults of the account that strike requests are told of', async () => {
    await using cli = await withSimulator();
    const there = await service();
    const { faults } = cli.sim.default;
    await faults.add({ kind: 'lost', times: null });
    expect((await cli.layaway('compare', '--against', there.url)).stderr).not.toContain('fault');
    await faults.add({ kind: 'error', operation: 'listContracts', skip: 1, times: null });
    const { code, stderr } = await cli.layaway('compare', '--against', there.url);
    expect(code).toBe(5);
    expect(stderr).toContain('Your account has 1 fault for requests, which the comparison can meet.');
  });

  test('with --output, it still says that there is no difference', async () => {
    await using cli = await withSimulator();
    const there = await service();
    const written = await cli.layaway('compare', '--against', there.url, '--output', 'report');
    expect(written).toMatchObject({ code: 0, stdout: '' });
    expect(written.stderr).toMatch(/^\d+ requests, no difference\.$/m);
  });

  test('a report that could not be written is refused before the first request', async () => {
    await using cli = await withSimulator();
    const asked: string[] = [];
    const there = await service(({ path }) => void asked.push(path));
    expect(await cli.layaway('compare', '--against', there.url, '--output', '.')).toMatchObject({
      ...{ code: 1, stdout: '' },
      stderr: 'The report cannot be written to . (it is a directory). Name another file.',
    });
    expect(asked).toEqual([]);
  });

  test('what one server has no contract for is named, not compared', async () => {
    await using cli = await withSimulator();
    const there = await service();
    const compared = await cli.layaway('compare', '--against', there.url, '--reporter', 'junit');
    expect(compared.stderr).toContain('Not compared: a contract (');
    expect(compared.stdout).toContain('<skipped/>');
    expect(compared.code).toBe(0);
  });
});

const isCreate = (asked: { method: string; path: string }) => asked.method === 'POST' && asked.path === '/v1/sessions';

describe('every change is found, and nothing else', () => {
  const changes: readonly [string, Change, readonly string[]][] = [
    [
      'a header of one answer',
      ({ path }, { status, headers }) => {
        if (path === '/v1/config' && status === 200) headers['cache-control'] = 'public, max-age=60';
      },
      ['GET /v1/config headers.cache-control'],
    ],
    [
      'a missing Allow',
      ({ method }, { headers }) => {
        if (method === 'DELETE') delete headers.allow;
      },
      ['DELETE /v1/ping headers.allow'],
    ],
    [
      'the content type',
      ({ path }, { headers }) => {
        if (path === '/v1/ping') headers['content-type'] = 'application/json';
      },
      [...Array(3).fill('GET /v1/ping headers.content-type'), 'DELETE /v1/ping headers.content-type'],
    ],
    [
      'a status',
      ({ path }, reply) => {
        if (path === '/v1/contracts?page=0') reply.status = 200;
      },
      ['GET /v1/contracts?page=0 status'],
    ],
    [
      'a validation text',
      ({ body }, reply) => {
        if (isFirst(reply, 'The order reference field must be a string.') && body.includes('7'))
          reply.body.errors.order_reference = ['The order reference must be text.'];
      },
      ['POST /v1/sessions body.errors.order_reference.0'],
    ],
    [
      'a 404 before the validation',
      ({ method, path }, reply) => {
        if (method === 'PATCH' && path.startsWith('/v1/contracts/')) reply.body.message = 'No query results.';
      },
      ['PATCH /v1/contracts/LAY-0000000000 body.message'],
    ],
    [
      'a field more in a contract',
      ({ path }, { body }) => {
        if (/contracts\/LAY-[^0]/.test(path)) body.data.currency = 'USD';
      },
      ['GET /v1/contracts/{contract} body.data.currency'],
    ],
    [
      'a term as text, which no assumption gives',
      ({ path }, { status, body }) => {
        if (path === '/v1/config' && status === 200) body.data.session_ttl_minutes = '60';
      },
      ['GET /v1/config body.data.session_ttl_minutes'],
    ],
    [
      'a figure as text in a schedule',
      ({ path }, { body }) => {
        if (/contracts\/LAY-[^0]/.test(path))
          body.data.installments[1].amount = String(body.data.installments[1].amount);
      },
      ['GET /v1/contracts/{contract} body.data.installments.1.amount'],
    ],
    [
      'metadata with a number',
      ({ path }, { body }) => {
        if (/contracts\/LAY-[^0]/.test(path)) body.data.metadata = { table: 7 };
      },
      ['GET /v1/contracts/{contract} body.data.metadata'],
    ],
    [
      'metadata as a list',
      ({ path }, { body }) => {
        if (/contracts\/LAY-[^0]/.test(path)) body.data.metadata = [];
      },
      ['GET /v1/contracts/{contract} body.data.metadata'],
    ],
    [
      'a status that does not exist',
      ({ path }, { body }) => {
        if (/contracts\/LAY-[^0]/.test(path)) body.data.status = 'ACTIVE';
      },
      ['GET /v1/contracts/{contract} body.data.status'],
    ],
    [
      'timestamps without fractions',
      ({ path }, { body }) => {
        if (/contracts\/LAY-[^0]/.test(path)) body.data.created_at = body.data.created_at.replace('.000000', '');
      },
      ['GET /v1/contracts/{contract} body.data.created_at'],
    ],
    [
      'the size of a page',
      ({ path }, { body }) => {
        if (path === '/v1/contracts') body.meta.per_page = 25;
      },
      ['GET /v1/contracts body.meta.per_page'],
    ],
    [
      'a link without the status',
      ({ path }, { body }) => {
        if (path.startsWith('/v1/contracts?status=active'))
          body.links.first = body.links.first.replace('status=active&', '');
      },
      ['GET /v1/contracts?status=active&page=1 body.links.first'],
    ],
    [
      'a replay that is not marked',
      (asked, { headers }) => {
        if (isCreate(asked)) delete headers['idempotent-replayed'];
      },
      ['POST /v1/sessions headers.idempotent-replayed'],
    ],
    [
      'another rounding of the down payment',
      (asked, reply) => {
        if (isCreate(asked) && reply.status === 201 && !reply.headers['idempotent-replayed'])
          reply.body.data.down_payment_amount -= 1;
      },
      ['POST /v1/sessions body.data.down_payment_amount'],
    ],
    [
      'a return URL that is not as sent',
      ({ path }, { body }) => {
        if (/checkout-sessions\/cs_(?!0{32})/.test(path)) body.data.return_url += '/';
      },
      ['GET /v1/checkout-sessions/{session} body.data.return_url'],
    ],
    [
      'ids of another form',
      ({ path }, { body }) => {
        if (/checkout-sessions\/cs_(?!0{32})/.test(path)) body.data.id = body.data.id.slice(0, -4);
      },
      ['GET /v1/checkout-sessions/{session} body.data.id'],
    ],
  ];

  let change: Change;
  let cli: Awaited<ReturnType<typeof withSimulator>>;
  let there: Awaited<ReturnType<typeof openService>>;
  beforeAll(async () => {
    cli = await withSimulator();
    there = await openService((asked, reply) => change(asked, reply), {});
    await plan(cli.sim.default);
    await there.sim.default.contracts.create({ total_amount: 30_000, status: 'active' });
    return async () => {
      await there.close();
      await cli.sim.close();
    };
  });

  test.each(changes)('%s', async (_, changing, expected) => {
    change = changing;
    const { json, code } = await cli.layaway('compare', '--against', there.url, '--write', '--json');
    expect(places(json)).toEqual(expected);
    expect(code).toBe(5);
    expect(json.differences[0]).toMatchObject({
      here: { status: expect.any(Number) },
      there: { status: expect.any(Number) },
      decision: expect.stringMatching(/^(decisions|service) §/),
      assumption: null,
    });
  });
});

const isFirst = ({ status, body }: Reply, message: string) => status === 422 && body.message.startsWith(message);

test('other terms name the assumption that removes each difference, and following them removes it', async () => {
  await using cli = await withSimulator();
  const there = await service(() => undefined, {
    fixture: {
      settings: {
        legal_name: "Ann's Goods LLC",
        min_order_amount: 7_000,
        max_order_amount: 90_000,
        down_payment_percentage: 35,
        reservation_fee_percentage: 3,
        session_ttl_minutes: 30,
        installment_count: 6,
        installment_cadence: 'monthly',
        layaway_enabled: false,
      },
    },
  });
  const first = await cli.layaway('compare', '--against', there.url, '--json');
  const commands = first.json.differences.map(({ assumption }: { assumption: string }) => assumption);
  expect(commands).toContain("layaway assumptions set legal_name 'Ann'\\''s Goods LLC'");
  expect(commands).toContain('layaway assumptions set layaway_enabled false');
  expect(
    first.json.differences.every(({ decision }: { decision: string }) => decision.startsWith('decisions §2, ')),
  ).toBe(true);

  const set = ([, , , name = '', value = '']: string[]) => cli.layaway('assumptions', 'set', name, value);
  for (const command of new Set<string>(commands)) {
    await set(command.replace("'Ann'\\''s Goods LLC'", 'Ann’s').split(' '));
  }
  await set(['layaway', 'assumptions', 'set', 'legal_name', "Ann's Goods LLC"]);
  expect((await cli.layaway('compare', '--against', there.url, '--json')).json.differences).toEqual([]);

  await cli.sim.default.assumptions.set({ layaway_enabled: true });
  await there.sim.default.assumptions.set({ layaway_enabled: true });
  const second = await cli.layaway('compare', '--against', there.url, '--write', '--json');
  const named = second.json.differences.map(({ assumption }: { assumption: string }) => assumption);
  expect(named).toEqual([
    'layaway assumptions set reservation_fee_percentage 3',
    'layaway assumptions set installment_count 6',
    'layaway assumptions set installment_cadence monthly',
  ]);
  for (const command of named) await set(command.split(' '));
  expect((await cli.layaway('compare', '--against', there.url, '--write', '--json')).json.differences).toEqual([]);
});

test('what it tells to run can be run as it stands, in its order', async () => {
  await using cli = await withSimulator();
  const settings = { dba: '-Shop', min_order_amount: 600_000, max_order_amount: 900_000 };
  const there = await service(() => undefined, { fixture: { settings } });
  const { json } = await cli.layaway('compare', '--against', there.url, '--json');
  const commands = new Set<string>(json.differences.map(({ assumption }: { assumption: string }) => assumption));
  expect(commands.size).toBe(3);
  for (const command of commands) {
    const { code, stderr } = await cli.layaway(...command.split(' ').slice(1));
    expect(code, `${command}: ${stderr}`).toBe(0);
  }
  expect((await cli.layaway('compare', '--against', there.url, '--json')).json.differences).toEqual([]);
});

test('a minimum that allows fewer installments than here names their number first', async () => {
  await using cli = await withSimulator();
  const settings = { min_order_amount: 300, installment_count: 2 };
  const there = await service(() => undefined, { fixture: { settings } });
  const named = async (...args: string[]) => {
    const { json } = await cli.layaway('compare', '--against', there.url, '--json', ...args);
    return json.differences.map(({ assumption }: { assumption: string }) => assumption);
  };
  const lower = 'layaway assumptions set installment_count 3 && layaway assumptions set min_order_amount 300';
  expect(await named()).toEqual([lower]);
  const all = await named('--write');
  expect(new Set(all)).toEqual(new Set([lower, 'layaway assumptions set installment_count 2']));
  for (const command of new Set(all.flatMap((each: string) => each.split(' && ')))) {
    const { code, stderr } = await cli.layaway(...(command as string).split(' ').slice(1));
    expect(code, `${command}: ${stderr}`).toBe(0);
  }
  expect(await named('--write')).toEqual([]);
});

test('a shop name that is missing there, and a refusal that is only here, can be followed, too', async () => {
  await using cli = await withSimulator();
  const there = await service(() => undefined, { fixture: { settings: { dba: null } } });
  await cli.sim.default.assumptions.set({ layaway_activated: false, layaway_overridden: true });
  const named = async () => {
    const { json } = await cli.layaway('compare', '--against', there.url, '--json');
    return new Set<string>(json.differences.map(({ assumption }: { assumption: string }) => assumption));
  };
  expect(await named()).toEqual(
    new Set(["layaway assumptions set dba ''", 'layaway assumptions set layaway_overridden false']),
  );
  await cli.layaway('assumptions', 'set', 'dba', '');
  await cli.layaway('assumptions', 'set', 'layaway_overridden', 'false');
  expect(await named()).toEqual(new Set(['layaway assumptions set layaway_activated true']));
  await cli.layaway('assumptions', 'set', 'layaway_activated', 'true');
  expect(await named()).toEqual(new Set());
});

test('a session that only one of them opens names the switch, too', async () => {
  await using cli = await withSimulator();
  const there = await service(() => undefined, { fixture: { settings: { layaway_activated: false } } });
  const opening = async () => {
    const { json } = await cli.layaway('compare', '--against', there.url, '--write', '--json');
    type Difference = { at: string; request: { title: string }; decision: string; assumption: string | null };
    const of = (json.differences as Difference[]).find(({ request }) => request.title === 'a session');
    return [of?.at, of?.decision, of?.assumption];
  };
  expect(await opening()).toEqual([
    'status',
    'decisions §2, layaway_activated',
    'layaway assumptions set layaway_activated false',
  ]);
  await there.sim.default.assumptions.set({ layaway_activated: true });
  await cli.sim.default.assumptions.set({ layaway_overridden: true });
  expect(await opening()).toEqual([
    'status',
    'decisions §2, layaway_overridden',
    'layaway assumptions set layaway_overridden false',
  ]);
});

test('a person reads each difference once, with what would remove it', async () => {
  await using cli = await withSimulator();
  const there = await service((_, { headers }) => {
    headers.allow = 'PURGE';
  });
  await there.sim.default.assumptions.set({ min_order_amount: 7_000 });
  const { stdout, stderr, code } = await cli.layaway('compare', '--against', there.url);
  // One for the answers without the header, and one for each of its values.
  expect(stdout.match(/headers\.allow$/gm)).toHaveLength(3);
  expect(stdout).toMatch(
    /GET \/v1\/config \(names, terms and availability and \d+ more\)|GET \/v1\/ping \(the key and \d+ more\)/,
  );
  expect(stdout).toContain('here   5000\n    there  7000');
  expect(stdout).toContain('To get the same response here: layaway assumptions set min_order_amount 7000');
  expect(stderr).toMatch(/answers \d+ of \d+ requests differently from/);
  expect(code).toBe(5);

  const flags = ['--base-url', cli.sim.url];
  const named = await cli.layaway('compare', '--against', there.url, ...flags);
  expect(named.stdout).toContain(
    `To get the same response here: layaway assumptions set ${flags.join(' ')} min_order_amount 7000`,
  );
});

test('what no response holds in one field is shown as it was compared', async () => {
  await using cli = await withSimulator();
  const there = await service(() => undefined, {
    fixture: { settings: { installment_count: 6, installment_cadence: 'monthly' } },
  });
  const compared = async (reporter: string) =>
    (await cli.layaway('compare', '--against', there.url, '--write', '--reporter', reporter)).stdout;
  const text = await compared('spec');
  expect(text).toContain('body.data.installments.count\n    here   4\n    there  6');
  expect(text).toContain('body.data.installments.cadence\n    here   "biweekly"\n    there  "monthly"');
  expect(await compared('junit')).toContain('body.data.installments.count: here 4, there 6 (');
  const { differences } = JSON.parse(await compared('json'));
  expect(Object.keys(differences[0])).toEqual(['request', 'at', 'here', 'there', 'decision', 'assumption']);
});

describe('what it cannot compare', () => {
  test('a live key, the same server and an unknown profile are mistakes of the command', async () => {
    await using cli = await withSimulator();
    const said = async (...args: string[]) => {
      const { code, stderr } = await cli.layaway('compare', ...args);
      return `${code} ${stderr}`;
    };
    expect(await said()).toContain('2 Missing --against');
    expect(await said('--against', cli.sim.url)).toContain('2 --against:');
    expect(await said('--against', 'reel')).toContain('2 --against: there is no profile named reel');
    expect(await said('--against', 'https://pay.example.com')).toContain('2 --against: no API key is known for');
    expect(await said('--against', 'default')).toContain('2 --against: the profile default has no base-url.');
    const { clientId, apiKey } = cli.sim.default.live;
    expect(await said('--against', 'http://127.0.0.1:1', '--client-id', clientId, '--api-key', apiKey)).toContain(
      '2 The API key from --api-key is a live key.',
    );
    await cli.layaway('config', 'set', 'base-url', 'https://pay.example.com');
    await cli.layaway('config', 'set', 'api-key', `sk_live_${'a'.repeat(32)}`);
    expect(await said('--against', 'default')).toContain(
      '--against: the API key of the profile default is a live key.',
    );
  });

  test('a server that refuses the pair, or is not there', async () => {
    await using cli = await withSimulator();
    const there = await service();
    await cli.layaway('config', 'set', 'base-url', there.url);
    await cli.layaway('config', 'set', 'api-key', `sk_test_${'a'.repeat(32)}`);
    expect(await cli.layaway('compare', '--against', there.url)).toMatchObject({ code: 3 });
    const dead = 'http://127.0.0.1:1';
    expect(await cli.layaway('compare', '--against', dead)).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/^Nothing answers at .* use --against for another address\.$/),
    });
    expect(await cli.layaway('compare', '--base-url', dead, '--against', there.url)).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/^Nothing answers at .* use --base-url for another address\.$/),
    });
  });

  test.each([
    ['its response to GET /v1/config contains no data', '/v1/config', { data: null }],
    ['its response to GET /v1/config has no terms', '/v1/config', { data: {} }],
    ['its response to GET /v1/contracts is not a list', '/v1/contracts', { data: {} }],
  ])('a response without what a comparison needs: %s', async (said, odd, body) => {
    await using cli = await withSimulator();
    const there = await service(({ path }, reply) => {
      if (path === odd) reply.body = body;
    });
    const { code, stderr } = await cli.layaway('compare', '--against', there.url);
    expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining(said) });
    expect(stderr).toContain('use --against for another address.');
  });

  test('names that are missing in the terms are a difference', async () => {
    await using cli = await withSimulator();
    const there = await service(({ path }, { body }) => {
      if (path === '/v1/config') delete body.data?.merchant;
    });
    const { code, stdout } = await cli.layaway('compare', '--write', '--against', there.url, '--json');
    expect(code).toBe(5);
    expect(places(JSON.parse(stdout))).toContain('GET /v1/config body.data.merchant');
  });

  test('an availability that is missing there, or a schedule that is not one, is a difference', async () => {
    await using cli = await withSimulator();
    const there = await service((asked, { body }) => {
      if (asked.path === '/v1/ping') delete body.data?.layaway;
      if (/\/v1\/sessions\/cs_(?!0{32})/.test(asked.path)) body.data.installments[1] = null;
    });
    const { code, stdout, stderr } = await cli.layaway('compare', '--write', '--against', there.url, '--json');
    expect(stderr).not.toContain('Unexpected error');
    expect(code).toBe(5);
    const json = JSON.parse(stdout);
    expect(places(json)).toEqual([
      'GET /v1/ping body.data.layaway',
      'GET /v1/sessions/{session} body.data.installments',
    ]);
    expect(json.differences.map(({ assumption }: { assumption: unknown }) => assumption)).toEqual([null, null]);
  });

  test('what the key of one server may not do is told', async () => {
    await using cli = await withSimulator();
    const there = await service();
    const { default: shop } = there.sim;
    const { key } = await shop.keys.create({ scopes: ['checkout:read', 'contracts:read'] });
    for (const [name, value] of [
      ['base-url', there.url],
      ['client-id', shop.clientId],
      ['api-key', key],
    ] as const) {
      await cli.layaway('config', 'set', name, value);
    }
    const { code, stderr } = await cli.layaway('compare', '--against', there.url);
    expect(code).toBe(5);
    const told = `The key for ${there.url} does not have checkout:write, contracts:write: its 403 differs for that reason alone.`;
    expect(stderr.split('\n').filter((line) => line.startsWith('The key'))).toEqual([told]);
  });

  test.each(['0', '-3', 'soon', 'Thu, 01 Jan 1970 00:00:00 GMT'])(
    'a limit with Retry-After: %s is waited for, a second at a time',
    async (retryAfter) => {
      await using cli = await withSimulator();
      let limited = 0;
      const there = await service(({ path }, reply) => {
        if (path !== '/v1/contracts' || limited === 1) return;
        limited += 1;
        reply.status = 429;
        reply.headers = { ...reply.headers, 'retry-after': retryAfter };
      });
      const { code, stderr } = await cli.layaway('compare', '--against', there.url);
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('limits requests: waiting 1 s.') });
    },
  );

  test('a server that goes on limiting requests is given up', async () => {
    await using cli = await withSimulator();
    const there = await service();
    const fault = { kind: 'throttled', path: '/v1/contracts', retry_after: 61, times: null } as const;
    await there.sim.default.faults.add(fault);
    const givenUp = {
      code: 3,
      stderr: expect.stringMatching(/ limits requests for more than a minute\. Try again later\.$/),
    };
    expect(await cli.layaway('compare', '--against', there.url)).toMatchObject(givenUp);
    const asJson = await cli.layaway('compare', '--against', there.url, '--json');
    expect(asJson).toMatchObject({ ...givenUp, json: { message: 'Too Many Attempts.' } });
  });

  test('a gateway that loses the service midway ends the comparison, instead of differing from it', async () => {
    await using cli = await withSimulator();
    const there = await service(({ path }, reply) => {
      if (path.startsWith('/v1/contracts/')) Object.assign(reply, { status: 502, body: '<html>Bad Gateway' });
    });
    expect(await cli.layaway('compare', '--against', there.url)).toMatchObject({
      code: 4,
      stdout: '',
      stderr: expect.stringContaining('returned 502: the service behind it does not respond. Try again later'),
    });
  });

  test('a gateway that goes on limiting requests with a page of its own is given up', async () => {
    await using cli = await withSimulator();
    await using gateway = await otherServer((_, response) =>
      response.writeHead(429, { 'retry-after': '61' }).end('<html>'),
    );
    const given = await cli.layaway('compare', '--against', gateway.url, '--json');
    expect(given).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('limits requests for more than a minute'),
    });
  });
});
