import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { signedHeaders } from '../../../src/webhook/sign.ts';
import { openReceiver } from '../../support/receiver.ts';
import { bin, emptyPlace, oneProcess, plan } from '../layaway.ts';

const { runner, withSimulator } = oneProcess();

const SECRET = `whsec_${Buffer.from(Array.from({ length: 32 }, (_, index) => index)).toString('base64')}`;
/** The vector of decisions §6. */
const BODY =
  '{"id":"evt_01","type":"contract.cancelled","created_at":"2026-01-02T03:04:05.000000Z","livemode":false,"data":{"reference":"LAY-7K3M9QXAHD"}}';
const HEADERS = {
  'webhook-id': 'evt_01',
  'webhook-timestamp': '1767323045',
  'webhook-signature': 'v1,p6rS7YbyQR3rqLyjlhjW9+6heQsUGqv57K846AmFM08=',
};
/** Older than a receiver takes by default. */
const SIX_MINUTES_AGO = Math.floor(Date.now() / 1000) - 360;
/** The vector is older than any receiver would take. */
const ANY_TIME = ['--tolerance', '1000000h'];

describe('interface §2: layaway webhooks', () => {
  test('test: what the receiver answered, and what to check first', async () => {
    await using world = await withSimulator();
    await using receiver = await openReceiver();
    const { layaway } = world;
    const { id } = await world.sim.default.webhooks.add(receiver.url);
    receiver.script((response) => void response.writeHead(400).end('bad signature'), 404, 307, 419, 422, 403, 500);
    const notes = [];
    for (let sent = 0; sent < 8; sent += 1) notes.push((await layaway('webhooks', 'test', id)).stderr);
    const [refused, ...others] = notes;
    expect(refused).toBe(
      `It returned: bad signature\nIf it refused the signature, either its secret is not that of the endpoint, which \`layaway webhooks secret ${id}\` prints, or it does not verify the body byte for byte as received.`,
    );
    expect(others).toEqual([
      expect.stringContaining('Check the path'),
      expect.stringContaining('Redirects are not followed'),
      expect.stringMatching(/^The CSRF check refused it: /),
      'If a CSRF check refused it, exempt the route of the webhooks from it.',
      expect.stringMatching(/^If it refused the signature, .+ If a CSRF check refused it, exempt /),
      '',
      '',
    ]);
  });

  test('test: a response of 410 disables the endpoint, which the command says', async () => {
    await using world = await withSimulator();
    await using receiver = await openReceiver([410]);
    const { webhooks } = world.sim.default;
    const { id } = await webhooks.add(receiver.url);
    const { code, stderr } = await world.layaway('webhooks', 'test', id);
    expect([code, (await webhooks.list())[0]?.enabled]).toEqual([5, false]);
    expect(stderr).toBe(
      `410 disabled the endpoint. Once the receiver accepts events again, enable it: \`layaway webhooks enable ${id}\`.`,
    );
  });

  test('add, list, test, rotate, disable, enable, remove; the secret is shown on creation and rotation only', async () => {
    await using world = await withSimulator();
    await using receiver = await openReceiver([500]);
    const { layaway } = world;
    const added = await layaway('webhooks', 'add', receiver.url, '--events', 'contract.cancelled', '--json');
    expect(added.code).toBe(0);
    const { id, secret } = added.json.data;
    expect(added.json.data).toMatchObject({ url: receiver.url, events: ['contract.cancelled'], enabled: true });
    const both = ['contract.cancelled', 'session.expired'];
    const twice = both.flatMap((type) => ['--events', type]);
    const repeated = await layaway('webhooks', 'add', `${receiver.url}/both`, ...twice, '--json');
    expect(repeated.json.data.events, 'the flag once for each').toEqual(both);
    expect((await layaway('webhooks', 'remove', repeated.json.data.id)).code).toBe(0);
    expect(secret).toMatch(/^whsec_/);
    const listed = await layaway('webhooks', 'list', '--json');
    expect(listed.json.data).toMatchObject([{ id, url: receiver.url }]);
    expect(listed.stdout).not.toContain('whsec_');
    expect((await layaway('webhooks', 'list')).stdout).toContain(receiver.url);

    const failed = await layaway('webhooks', 'test', id);
    expect(failed.code, 'interface §1: no 2xx').toBe(5);
    expect(failed.stdout).toMatch(/: 500 \(\d+ ms\)$/);
    receiver.script(302);
    expect(await layaway('webhooks', 'test', id, '--json')).toMatchObject({
      code: 5,
      json: { data: { attempts: [{ status_code: 302 }] } },
    });
    const tested = await layaway('webhooks', 'test', id, '--json');
    expect(tested.code).toBe(0);
    expect(tested.json.data).toMatchObject({ status: 'delivered', attempts: [{ number: 1, status_code: 200 }] });

    const rotated = await layaway('webhooks', 'rotate', id, '--json');
    expect(rotated.json.data.secret).toMatch(/^whsec_/);
    expect(rotated.json.data.secret).not.toBe(secret);
    await world.sim.default.webhooks.test(id);
    expect(String(receiver.received.at(-1)?.headers['webhook-signature']).split(' ')).toHaveLength(2);

    expect((await layaway('webhooks', 'disable', id, '--json')).json.data).toMatchObject({ enabled: false });
    const refused = await layaway('webhooks', 'test', id, '--json');
    expect(refused).toMatchObject({ code: 3, json: { message: expect.stringContaining('disabled') } });
    expect((await layaway('webhooks', 'enable', id)).stderr).toBe(`Enabled ${id}.`);
    expect((await layaway('webhooks', 'remove', id, '--json')).json).toEqual({ data: null });
    expect((await layaway('webhooks', 'list', '--json')).json.data).toEqual([]);
    expect(await layaway('webhooks', 'remove', id)).toMatchObject({ code: 3, stdout: '' });
  });

  test('secret prints that of an endpoint and nothing else, ready for $(…); of another account: 3', async () => {
    await using world = await withSimulator();
    const { layaway, sim, place } = world;
    const added = await layaway('webhooks', 'add', 'http://localhost:3000/');
    const { id, secret } = await sim.default.webhooks.add('http://localhost:3000/other');
    const [first] = (await sim.default.webhooks.list()).filter((each) => each.id !== id);
    expect(added.stderr).toContain(`\`layaway webhooks secret ${first?.id}\``);
    expect(added.stderr).not.toContain('twice');
    expect(added.stdout).toContain((await layaway('webhooks', 'secret', first?.id as string)).stdout);
    expect(await layaway('webhooks', 'secret', id)).toMatchObject({ code: 0, stdout: secret, stderr: '' });
    expect((await layaway('webhooks', 'secret', id, '--json')).json.data).toMatchObject({ id, secret });
    const { secret: rotated } = await sim.default.webhooks.rotate(id);
    expect((await layaway('webhooks', 'secret', id)).stdout).toBe(rotated);

    expect((await layaway('webhooks', 'secret')).code).toBe(2);
    const other = runner({ ...place, env: { ...place.env, ...(await sim.merchant()).env } });
    expect(await other('webhooks', 'secret', id)).toMatchObject({ code: 3, stdout: '' });
  });

  test('a secret of one’s own; one of the wrong form is refused', async () => {
    await using world = await withSimulator();
    const own = await world.layaway('webhooks', 'add', '[::1]:1/', '--events', '*', '--secret', SECRET, '--json');
    expect(own.json.data).toMatchObject({ secret: SECRET, url: 'http://[::1]:1/', events: ['*'] });
    const bad = await world.layaway('webhooks', 'add', 'http://localhost:1/', '--secret', 'whsec_short');
    expect(bad).toMatchObject({ code: 3, stdout: '' });
    expect(bad.stderr).toContain('whsec_');
  });

  test('deliveries, and --failed those that were given up', async () => {
    await using world = await withSimulator();
    await using receiver = await openReceiver(Array.from({ length: 8 }, () => 500));
    const { layaway } = world;
    await world.sim.default.webhooks.add(receiver.url, { events: ['contract.activated'] });
    const { contract } = await plan(world.sim.default);
    await world.sim.default.clock.advance('3d');
    await world.sim.default.contracts.cancel(contract);
    const failed = await layaway('webhooks', 'deliveries', '--failed', '--json');
    expect(failed.json.data).toHaveLength(1);
    expect(failed.json.data[0]).toMatchObject({ status: 'failed', next_attempt_at: null });
    expect(failed.json.data[0].attempts).toHaveLength(8);
    expect((await layaway('webhooks', 'deliveries', '--pending', '--json')).json.data).toEqual([]);
    expect((await layaway('webhooks', 'deliveries', '--failed', '--pending')).code).toBe(2);
    expect((await layaway('webhooks', 'deliveries')).stdout).toMatch(/ failed +8 {2}500 /);
  });

  test('a delivery that was given up says why, also without an attempt', async () => {
    await using world = await withSimulator();
    const { layaway } = world;
    const { webhooks, faults } = world.sim.default;
    const { id } = await webhooks.add('http://127.0.0.1:1/', { events: ['contract.activated'] });
    await faults.add({ kind: 'delayed', by: '1d' });
    await plan(world.sim.default);
    await webhooks.disable(id);
    expect((await layaway('deliveries', 'list')).stdout).toMatch(
      / failed +0 {2}the endpoint was disabled by hand +—$/m,
    );
    const [delivery] = await webhooks.deliveries();
    const { stdout } = await layaway('deliveries', 'get', String(delivery?.id));
    expect(stdout).toMatch(/^given up +2026-01-01 00:00:00 UTC \(now\)\nbecause +the endpoint was disabled by hand$/m);
  });

  test('deliveries are narrowed by event, endpoint, --after and --limit', async () => {
    await using world = await withSimulator();
    const { layaway } = world;
    const { webhooks } = world.sim.default;
    const [one, two] = [await webhooks.add('http://127.0.0.1:1/one'), await webhooks.add('http://127.0.0.1:1/two')];
    for (const { id } of [one, two, two, two]) await webhooks.test(id);
    const [last, , first] = await webhooks.deliveries({ endpoint_id: two.id });
    const ids = async (...flags: string[]) => {
      const { json } = await layaway('deliveries', 'list', ...flags, '--json');
      return json.data.map(({ id }: { id: string }) => id);
    };
    expect(await ids('--event', last?.event_id ?? '')).toEqual([last?.id]);
    expect(await ids('--endpoint', two.id, '--limit', '1')).toEqual([last?.id]);
    expect(await ids('--endpoint', one.id, '--after', first?.id ?? '')).toEqual([]);
    expect(await layaway('deliveries', 'list', '--failed')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'No matching deliveries.',
    });
  });

  test('test, events resend: a delivery that a fault holds back is pending', async () => {
    await using world = await withSimulator();
    await using receiver = await openReceiver();
    const { faults, webhooks } = world.sim.default;
    await faults.add({ kind: 'delayed', times: 2 });
    const { id } = await webhooks.add(receiver.url, { events: ['contract.activated'] });
    const { code, stdout, stderr } = await world.layaway('webhooks', 'test', id);
    expect([code, stdout, stderr]).toEqual([5, '', expect.stringMatching(/^Pending: a fault holds it back/)]);
    await world.sim.default.contracts.create({ webhooks: false });
    const [event] = await world.sim.default.events.list({ type: 'contract.activated' });
    const again = await world.layaway('events', 'resend', String(event?.id));
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining(' pending '), stderr });
  });

  test('events resend: to all, one endpoint, any URL; same id and bytes, a new timestamp', async () => {
    await using world = await withSimulator();
    await using first = await openReceiver();
    await using second = await openReceiver();
    const { layaway } = world;
    const endpoint = (await world.sim.default.webhooks.add(first.url)).id;
    await plan(world.sim.default);
    await world.sim.default.clock.advance('0s');
    const [event] = (await layaway('events', 'list', '--json')).json.data;
    const original = first.received.find(({ headers }) => headers['webhook-id'] === event.id);

    const all = await layaway('events', 'resend', event.id, '--json');
    expect(all.json.data).toMatchObject([{ event_id: event.id, endpoint_id: endpoint, status: 'delivered' }]);
    expect(first.received.at(-1)).toMatchObject({ body: original?.body, headers: { 'webhook-id': event.id } });
    expect((await layaway('events', 'resend', event.id, '--endpoint', endpoint, '--json')).json.data).toHaveLength(1);
    const loose = await layaway('events', 'resend', event.id, '--to', second.url);
    expect(loose).toMatchObject({ code: 0, stderr: '' });
    expect(second.received).toMatchObject([{ body: original?.body, headers: { 'webhook-id': event.id } }]);
    const { port } = new URL(second.url);
    for (const short of [port, `localhost:${port}/x`]) {
      const { json } = await layaway('events', 'resend', event.id, '--to', short, '--json');
      expect(json?.data, short).toMatchObject([{ url: expect.stringMatching(`^http://localhost:${port}(/x)?$`) }]);
    }
    expect((await layaway('events', 'resend', event.id, '--to', second.url, '--endpoint', endpoint)).code).toBe(2);
    expect((await layaway('events', 'resend', 'evt_nowhere', '--json')).code).toBe(3);
    await world.sim.default.webhooks.remove(endpoint);
    expect(await layaway('events', 'resend', event.id)).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'No enabled webhook endpoint subscribes to this event. Name a URL with --to.',
    });
  });

  test.each([
    [['webhooks', 'add'], 'URL of the receiver'],
    [['webhooks', 'add', 'ftp://x'], 'URL'],
    [['webhooks', 'add', 'http://x', '--events', 'contract.lost'], 'contract.cancelled'],
    [['webhooks', 'add', 'http://x', '--events', ','], 'Name at least one event type'],
    [['webhooks', 'remove'], 'layaway webhooks list'],
    [['webhooks', 'verify'], '--secret'],
    [['webhooks', 'verify', '--secret', SECRET, '--headers', '-', '--body', '-'], 'stdin'],
    [['webhooks', 'verify', '--secret', SECRET, '--headers', '/nowhere', '--body', '-'], '/nowhere'],
    [['events', 'resend'], 'Missing event id'],
    [['events', 'resend', 'evt_1', '--to', 'ftp://x'], 'URL'],
    [['listen'], '--forward-to'],
    [['listen', '--forward-to', 'ftp://x'], 'URL'],
    [['listen', '--forward-to', 'http://x', '-H', 'no header'], 'Name: value'],
    [['listen', '--forward-to', 'http://x', '-H', 'a: b\nc: d'], 'Name: value'],
    [['listen', '--forward-to', 'http://x', '--events', 'contract.lost'], 'contract.cancelled'],
    [['logs', 'tail', '--status', '4x'], '404'],
    [['completion'], 'bash, zsh, fish'],
    [['completion', 'tcsh'], 'bash, zsh, fish'],
    [['serve', '--smtp', 'localhost'], 'host and a port'],
    [['serve', '--smtp', 'localhost:0'], 'host and a port'],
    [['serve', '--forward-to', 'mailto:a@b'], 'URL'],
  ])('interface §1: layaway %s is a usage error', async (args, says) => {
    const { code, stdout, stderr } = await runner(await emptyPlace())(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(says);
  });
});

describe('webhooks verify says whether it verifies, and if not, why', () => {
  /** Runs it on these headers and this body, the body from stdin. */
  async function verify(headers: string, body: string, ...args: string[]) {
    const { cwd, env } = await emptyPlace({ LAYAWAY_WEBHOOK_SECRET: SECRET });
    await writeFile(join(cwd, 'headers'), headers);
    const words = [bin, 'webhooks', 'verify', '--headers', 'headers', '--body', '-', '--json', ...args];
    const { exitCode, stdout, stderr } = await execa(process.execPath, words, {
      cwd,
      env: { PATH: process.env.PATH, ...env },
      extendEnv: false,
      reject: false,
      input: body,
    });
    return { code: exitCode, stderr, data: stdout === '' ? null : JSON.parse(stdout).data };
  }
  const CGI = Object.fromEntries(
    Object.entries(HEADERS).map(([name, value]) => [`HTTP_${name.toUpperCase().replaceAll('-', '_')}`, value]),
  );
  const LINES = Object.entries(HEADERS)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\r\n');

  test.each([
    ['a JSON object', JSON.stringify(HEADERS)],
    [
      'JSON of the whole request, as AWS Lambda gets it',
      JSON.stringify({ version: '2.0', headers: HEADERS, body: BODY }),
    ],
    ['JSON that an editor saved with a byte order mark', `\ufeff${JSON.stringify(HEADERS)}\n`],
    ['Name: value lines', LINES],
    [
      'JSON of what WSGI, Rack or PHP has',
      JSON.stringify({ ...CGI, 'wsgi.version': [1, 0], CONTENT_TYPE: 'text/plain' }),
    ],
    [
      'lines with the names of WSGI, Rack or PHP',
      Object.entries(CGI)
        .map((pair) => pair.join(': '))
        .join('\n'),
    ],
    ['a saved request', `POST /webhooks HTTP/1.1\r\nHost: localhost\r\n${LINES}\r\n\r\n`],
  ])('headers as %s; the secret is that of the environment', async (_form, headers) => {
    const { code, data } = await verify(headers, BODY, ...ANY_TIME);
    expect({ code, data }).toEqual({ code: 0, data: { verified: true, reason: null, event: JSON.parse(BODY) } });
  });

  const pretty = JSON.stringify(JSON.parse(BODY), null, 2);
  const wrong = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const { 'webhook-signature': _signature, ...unsigned } = HEADERS;
  test.each([
    ['stale_timestamp', JSON.stringify(signedHeaders('evt_01', SIX_MINUTES_AGO, BODY, [SECRET])), BODY, SECRET, []],
    ['wrong_signature', JSON.stringify(HEADERS), BODY, wrong, ANY_TIME],
    ['reserialized_body', JSON.stringify(HEADERS), pretty, SECRET, ANY_TIME],
    ['missing_header', JSON.stringify(unsigned), BODY, SECRET, ANY_TIME],
    ['wrong_signature', JSON.stringify(HEADERS), `${BODY}\n`.replace('LAY-7', 'LAY-8'), SECRET, ANY_TIME],
  ])('%s ends with 5', async (reason, headers, body, secret, args) => {
    const { code, data, stderr } = await verify(headers, body, '--secret', secret, ...args);
    expect({ code, data }).toEqual({ code: 5, data: { verified: false, reason, event: null } });
    expect(stderr).toContain(reason);
    expect(stderr).not.toContain(secret);
  });

  test('a webhook that was saved earlier: the message says how old it is and which flag accepts it', async () => {
    expect(await verify(JSON.stringify(HEADERS), BODY, '--secret', SECRET)).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(
        / is \d+ days in the past; the tolerance is 300 s\. .+ set a larger --tolerance\.$/,
      ),
    });
  });

  test.each([
    ['and a genuine request', JSON.stringify(HEADERS)],
    ['and no signature', JSON.stringify(unsigned)],
  ])('a malformed secret %s ends with 2', async (_what, headers) => {
    const { code, data, stderr } = await verify(headers, BODY, '--secret', 'whsec_not base64', ...ANY_TIME);
    expect({ code, data, stderr }).toEqual({
      code: 2,
      data: null,
      stderr: expect.stringContaining('The secret is not of the form whsec_ and base64.'),
    });
    expect(stderr).not.toContain('not base64');
  });

  test('an invalid header file: the message names the line', async () => {
    expect(await verify('webhook-id: a\nnonsense', BODY, '--secret', SECRET)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('line 2'),
    });
    expect(await verify(inspect(HEADERS), BODY, '--secret', SECRET)).toMatchObject({
      code: 2,
      stderr:
        '--headers: the file is not valid JSON. It may hold what console.log or print wrote. In Node, save JSON.stringify(req.headers), in Python json.dumps(dict(request.headers)); or save "Name: value" lines.',
    });
    const list = Object.entries(HEADERS).map(([name, value]) => ({ name, value }));
    expect(await verify(JSON.stringify(list), BODY, '--secret', SECRET)).toMatchObject({
      code: 2,
      stderr: '--headers: the file is a JSON list. Save the headers as a JSON object or as "Name: value" lines.',
    });
  });
});
