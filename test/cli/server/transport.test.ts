import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { selfSigned } from '../../support/certificate.ts';
import { openReceiver } from '../../support/receiver.ts';
import { emptyPlace, oneProcess, otherServer, plan, start } from '../layaway.ts';

const { runner, withSimulator } = oneProcess();

const layaway = runner(await emptyPlace());
const list = (url: string, ...args: string[]) => layaway('contracts', 'list', '--base-url', url, ...args);

describe('interface §1: a service that cannot be reached ends with 4, on stderr only, and says what to do', () => {
  test('nothing listens', async () => {
    const { code, stdout, stderr } = await list('http://127.0.0.1:1', '--json');
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toContain('layaway serve');
  });

  test('a response that a fault lost', async () => {
    await using world = await withSimulator();
    await world.sim.default.faults.add({ kind: 'lost_answer' });
    const { code, stdout, stderr } = await world.layaway('contracts', 'list', '--json');
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toContain(`The connection to ${world.sim.url} ended without a response`);
    expect(stderr).toContain('`layaway faults list`');
  });

  test('a server error, which may be of a fault that was armed long ago', async () => {
    await using world = await withSimulator();
    const { layaway, sim } = world;
    await sim.default.faults.add({ kind: 'error', times: null });
    const hint =
      'If it is a simulator, `layaway faults list` shows whether a fault strikes this request. The faults of --chaos are not listed there; the simulator prints them.';
    expect(await layaway('contracts', 'list')).toMatchObject({ code: 3, stderr: `Server Error. ${hint}` });
    expect(await layaway('contracts', 'list', '--json')).toMatchObject({
      code: 3,
      stdout: '{"message":"Server Error"}',
      stderr: hint,
    });
    // A fault of a simulator that doctor can read is left to the store.
    await using service = await otherServer(({ url }, response) => {
      const [status, message] = url === '/v1/ping' ? [500, 'Server Error'] : [404, 'Not found.'];
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ message }));
    });
    const { stdout } = await layaway('doctor', '--json', '--base-url', service.url);
    expect(JSON.parse(stdout).data.checks).toContainEqual(
      expect.objectContaining({ name: 'key', detail: `Server Error. ${hint}`, advice: 'The pair was not checked.' }),
    );
  });

  test('a host that nobody knows', async () => {
    const { code, stderr } = await list('http://layaway.invalid');
    expect(code).toBe(4);
    expect(stderr).toContain('layaway.invalid');
  });

  test.each([
    ['a page', 'text/html', '<html>hello</html>', 200],
    ['JSON of another kind', 'application/json', '{"hello":"world"}', 200],
    ['a JSON list', 'application/json', '[]', 200],
    ['nothing', 'text/plain', '', 200],
    ['a refusal that is none of the service', 'application/json', '{"error":"not found"}', 404],
  ])('a server of another kind that answers with %s', async (_what, type, body, status) => {
    await using other = await otherServer((_request, response) => {
      response.writeHead(status, { 'content-type': type }).end(body);
    });
    for (const json of [[], ['--json']]) {
      const { code, stdout, stderr } = await list(other.url, ...json);
      expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
      expect(stderr).toContain(`The server at ${other.url} is not the Layaway Checkout Service`);
      expect(stderr.split('\n')).toHaveLength(1);
    }
  });

  test.each([
    [404, 'The service is not at', 'contracts list'],
    [502, 'A gateway at', 'contracts list'],
    [503, 'A gateway at', 'clock show'],
    [504, 'Try again later', 'clock show'],
    [504, 'which may still carry out the request', 'clock advance 14d'],
  ])('a gateway that answers %i with a page of its own is told apart: %s', async (status, said, command) => {
    await using gateway = await otherServer((_request, response) => {
      response.writeHead(status, { 'content-type': 'text/html' }).end('<html>gateway</html>');
    });
    const { code, stdout, stderr } = await layaway(...command.split(' '), '--base-url', gateway.url, '--json');
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toContain(said);
    expect(stderr).not.toContain('another program');
  });

  test('so is one that answers for a stream while its server is away', async () => {
    await using gateway = await otherServer(({ url = '' }, response) => {
      if (!url.includes('stream')) return response.setHeader('content-type', 'application/json').end('{"data":[]}');
      response.writeHead(502, { 'content-type': 'text/html' }).end('<html>gateway</html>');
    });
    const { code, stderr } = await layaway('events', 'tail', '--base-url', gateway.url);
    expect(code).toBe(4);
    expect(stderr).toContain(`A gateway at ${gateway.url} returned 502`);
    expect(stderr).not.toContain('another program');
  });

  test.each([
    ['contracts list', '{"data":"contracts"}'],
    ['contracts list', '{"data":[{"id":1}]}'],
    ['clock show', '{"data":{}}'],
    ['webhooks list', '{"data":{"url":1}}'],
    ['doctor', '{"data":{"status":"fine"}}'],
  ])('a server of another kind that answers %s with data of its own', async (command, body) => {
    await using other = await otherServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    });
    const { code, stderr, stdout } = await layaway(...command.split(' '), '--base-url', other.url);
    expect([4, 1]).toContain(code);
    expect(stderr + stdout).toContain(`The server at ${other.url} is not the Layaway Checkout Service`);
    expect(stderr).not.toContain('Unexpected error');
  });

  test.each([
    ['listen -f 3000'],
    ['listen --print-secret'],
    ['events tail'],
    ['contracts list'],
    ['contracts list --all'],
  ])('a server that answers everything with other data: %s ends with one sentence', async (command) => {
    await using other = await otherServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":{"now":5},"meta":{}}');
    });
    const { code, stdout, stderr } = await layaway(...command.split(' '), '--base-url', other.url);
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toMatch(/^The server at \S+ is not the Layaway Checkout Service: .+$/);
  });

  test('a server that answers everything with other data: doctor prints its report', async () => {
    await using other = await otherServer((request, response) => {
      const isRefused = request.url === '/v1/ping' && request.headers['x-api-key'] === 'refused';
      response.writeHead(isRefused ? 401 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isRefused ? { message: 'No.' } : { data: { now: 5 } }));
    });
    for (const key of ['other', 'refused']) {
      const { code, json, stderr } = await layaway('doctor', '--base-url', other.url, '--api-key', key, '--json');
      expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
      expect(json.data.checks.map(({ name }: { name: string }) => name)).toContain('disk');
      expect(json.data.checks.at(-1)).toMatchObject({
        name: 'server',
        ok: false,
        detail: expect.stringContaining('is not the Layaway Checkout Service'),
      });
    }
  });

  test.each([
    ['contracts list', 'application/json', 200],
    ['clock show', 'text/html', 500],
    ['events tail', 'application/json', 400],
  ])(
    'a server whose response to %s never ends is given up before it fills the memory, and not asked again',
    async (command, type, status) => {
      const chunk = Buffer.alloc(2 ** 20, ' ');
      let begun = 0;
      await using other = await otherServer((request, response) => {
        const isFirst = command === 'events tail' && !request.url?.includes('stream');
        if (isFirst) return response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}');
        begun += 1;
        response.writeHead(status, { 'content-type': type });
        const pour = () => {
          while (response.write(chunk));
          response.once('drain', pour);
        };
        pour();
      });
      const { code, stdout, stderr } = await layaway(...command.split(' '), '--base-url', other.url, '--json');
      expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
      expect(stderr).toContain(`The response of ${other.url} is larger than 256 MiB, so it was not read to the end.`);
      expect(begun).toBe(1);
    },
  );

  test('TLS is spoken to a server that speaks none', async () => {
    await using other = await otherServer((_request, response) => response.end());
    const { code, stderr } = await list(other.url.replace('http:', 'https:'));
    expect(code).toBe(4);
    expect(stderr).toContain('it does not speak HTTPS');
  });

  test('a certificate that Node does not trust, or that is for another host', async () => {
    const [own, another] = [selfSigned(), selfSigned('shop.example')];
    const place = await emptyPlace({ NODE_EXTRA_CA_CERTS: 'own.pem' });
    await writeFile(join(place.cwd, 'own.pem'), own.cert + another.cert);
    /** What a command says to a server with that certificate, which answers 404. */
    const said = async (https: typeof own, trusts: boolean) => {
      await using other = await openReceiver([404], { https });
      const url = new URL(other.url).origin.replace('127.0.0.1', 'localhost');
      const args = ['contracts', 'list', '--base-url', url];
      const { exitCode, stderr } = await start(trusts ? place : await emptyPlace(), args);
      expect(exitCode).toBe(4);
      return stderr.replaceAll(url, '<url>');
    };
    expect(await said(own, false)).toBe(
      'The certificate of <url> is not one that Node trusts. If it is yours, set NODE_EXTRA_CA_CERTS to a PEM file with it, or with the certificate of its authority.',
    );
    expect(await said(own, true)).toContain('The service is not at <url>.');
    expect(await said(another, true)).toBe(
      'The certificate of <url> is for another host. Use --base-url with the name that it is for.',
    );
  });

  test('a server that redirects is not followed: the pair is for nobody else', async () => {
    await using target = await otherServer((_request, response) => response.end('{"data":[]}'));
    await using other = await otherServer((_request, response) => {
      response.writeHead(302, { location: target.url }).end();
    });
    expect((await list(other.url)).code).toBe(4);
    expect(target.seen).toHaveLength(0);
  });

  test.each([
    ['speaks no HTTP', 'SSH-2.0-OpenSSH\r\n'],
    ['hangs up', ''],
  ])('a server that %s', async (_what, greeting) => {
    const server = createServer((socket) => socket.end(greeting));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { code, stdout, stderr } = await list(`http://127.0.0.1:${(server.address() as { port: number }).port}`);
    server.close();
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).not.toContain('    at ');
  });
});

test('interface §1: the real service has no control plane, and a lever says so in one sentence', async () => {
  await using service = await otherServer((_request, response) => {
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"message":"Not here."}');
  });
  const { code, stdout, stderr } = await layaway('clock', 'show', '--base-url', service.url);
  expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
  expect(stderr).toMatch(/^The server at \S+ has no control plane: .+$/);
  const json = await layaway('clock', 'show', '--base-url', service.url, '--json');
  expect(json).toMatchObject({ code: 3, json: { message: 'Not here.' }, stderr });
});

test.each([
  ['snapshots list', 404, 'text/html', '<html>not here</html>'],
  ['snapshots list', 404, 'application/json', '{"message":"Not here."}'],
  ['clock show', 404, 'text/html', '<html>not here</html>'],
  ['clock show', 401, 'application/json', '{"message":"Log in."}'],
  ['run a.yaml', 404, 'text/html', '<html>not here</html>'],
])(
  'interface §1: %s on a server that answers %i %s says that it has no control plane',
  async (command, status, type, body) => {
    await using service = await otherServer((_request, response) => {
      response.writeHead(status, { 'content-type': type }).end(body);
    });
    const place = await emptyPlace();
    await writeFile(
      join(place.cwd, 'a.yaml'),
      'name: a\nclock: 2026-01-01T00:00:00Z\nsteps:\n  - advance: { by: 1d }\n',
    );
    const { code, stderr } = await runner(place)(...command.split(' '), '--base-url', service.url);
    expect(stderr).toMatch(/^The server at \S+ has no control plane: .+$/);
    expect(code).toBe(3);
    expect(service.seen.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
  },
);

test('interface §1: a simulator that answers late is not taken for the service itself', {
  timeout: 30_000,
}, async () => {
  await using busy = await otherServer((_request, response) => {
    setTimeout(() => response.end('{"status":"ok"}'), 3_500);
  });
  const { code, stderr } = await layaway('merchants', 'list', '--base-url', busy.url);
  expect(stderr).toContain(`This command needs the control token of ${busy.url}.`);
  expect(code).toBe(2);
});

test('interface §1: a base URL that ends in /v1 is understood', async () => {
  await using world = await withSimulator();
  const { code } = await world.layaway('contracts', 'list', '--base-url', `${world.sim.url}/v1/`);
  expect(code).toBe(0);
});

describe('interface §1: what the service refused is said once', () => {
  test.each([
    [
      ['snapshots', 'save', 'No Name'],
      'The name field must be 1 to 64 characters, each a lowercase letter, a digit, ".", "_" or "-", and neither "." nor "..".',
    ],
    [['merchants', 'set', '--state', 't1'], 'The state field must be two capital letters.'],
    [['assumptions', 'set', 'excluded_states', 'CA,n1'], 'The excluded states.1 field must be two capital letters.'],
  ])('one field: the summary of %j says what is allowed', async (args, said) => {
    await using world = await withSimulator();
    const { code, stderr } = await world.layaway(...args);
    expect({ code, stderr }).toEqual({ code: 3, stderr: said });
  });

  test('several fields: a line for each', async () => {
    await using world = await withSimulator();
    const { stderr } = await world.layaway('sessions', 'create', '--order-reference', '', '--total-amount', '1');
    expect(stderr.split('\n')).toEqual([
      'The order reference field is required. (and 1 more error)',
      '  order_reference: The order reference field is required.',
      '  total_amount: The total amount field must be at least 5000.',
    ]);
  });

  test('with --json the body is alone on stdout, and what it cannot know is on stderr', async () => {
    await using world = await withSimulator();
    const stranger = { ...world.place, env: { ...world.place.env, LAYAWAY_API_KEY: 'sk_test_unknown' } };
    const { json, stderr } = await runner(stranger)('contracts', 'list', '--json');
    expect(Object.keys(json)).toEqual(['message']);
    expect(stderr).toContain('The key came from LAYAWAY_API_KEY');
  });

  test('a taken snapshot name is refused with the flag that replaces it', async () => {
    await using world = await withSimulator();
    await world.sim.snapshots.save('one');
    const { code, stderr } = await world.layaway('snapshots', 'save', 'one');
    expect([code, stderr]).toEqual([3, expect.stringContaining('--overwrite on the command line')]);
  });
});

test('interface §1: commands that mirror /v1 work against a service without a control plane', async () => {
  await using service = await otherServer((request, response) => {
    const known = request.url?.startsWith('/v1/checkout-sessions/');
    response.writeHead(known ? 200 : 404, {
      'content-type': 'application/json',
      date: 'Thu, 01 Jan 2026 00:00:00 GMT',
    });
    const data = {
      id: 'cs_1',
      status: 'pending',
      order_reference: 'A\u001b[31m',
      total_amount: 5000,
      expires_at: '2026-01-01T01:00:00Z',
      created_at: '2026-01-01T00:00:00Z',
      checkout_url: 'https://pay.example/cs_1',
      return_url: 'https://x.example',
      cancel_url: 'https://x.example',
      down_payment_amount: 1000,
      down_payment_percentage: 20,
      metadata: {},
    };
    response.end(JSON.stringify(known ? { data } : { message: 'Not here.' }));
  });
  const { code, stdout } = await layaway('sessions', 'get', 'cs_1', '--base-url', service.url);
  expect(code).toBe(0);
  expect(stdout).toContain('(in 1 hour)');
  expect(stdout).not.toContain('\u001b');
});

test.each([
  ['a control token', ['snapshots', 'list', '--control-token', 'a\nb']],
  [
    'an idempotency key',
    ['sessions', 'create', '--order-reference', 'A', '--total-amount', '20000', '--idempotency-key', 'a\nb'],
  ],
])('interface §1: %s that no HTTP header can hold is a usage error', async (_what, command) => {
  const { code, stdout, stderr } = await layaway(...command, '--base-url', 'http://127.0.0.1:1', '--json');
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toBe(
    'A client id, API key, control token or idempotency key contains a character that HTTP headers do not allow.',
  );
});

describe('interface §1: pipes and pipelines', () => {
  test('a reader that has seen enough ends the command quietly with 0', async () => {
    await using world = await withSimulator();
    for (let n = 0; n < 3; n += 1) await plan(world.sim.default);
    const child = start(world.place, ['contracts', 'list', '--all', '--json']);
    child.stdout.destroy();
    expect(await child).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('a one-shot command that was interrupted ends with 130', async () => {
    let asked = () => {};
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    await using silent = await otherServer(() => asked());
    const child = start(await emptyPlace(), ['contracts', 'list', '--base-url', silent.url]);
    await isAsked;
    child.kill('SIGINT');
    expect(await child).toMatchObject({ exitCode: 130, stdout: '' });
  });

  test('nothing is asked without a terminal, colour is nowhere, whatever FORCE_COLOR says', async () => {
    await using world = await withSimulator();
    await plan(world.sim.default);
    const forced = { ...world.place, env: { ...world.place.env, FORCE_COLOR: '3' } };
    const listed = await start(forced, ['contracts', 'list']);
    expect(listed.exitCode).toBe(0);
    expect(listed.stdout + listed.stderr).not.toContain('\u001b');
    expect((await start(forced, ['contracts', 'cancel'])).exitCode).toBe(2);
  });
});
