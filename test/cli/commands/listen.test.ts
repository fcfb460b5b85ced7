import { createHmac } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createSimulator, verifyWebhook } from '../../../src/index.ts';
import { selfSigned } from '../../support/certificate.ts';
import { listenOnlyOn } from '../../support/half-port.ts';
import { hasIpv6 } from '../../support/ipv6.ts';
import { openReceiver, silence } from '../../support/receiver.ts';
import { emptyPlace, lines, oneProcess, otherServer, plan, planByCommand, start, startReady } from '../layaway.ts';

const { runner, withSimulator } = oneProcess();

type World = Awaited<ReturnType<typeof withSimulator>>;

const hangUp = (response: ServerResponse) => response.destroy();

/** Starts `layaway listen --json` and waits until it is connected. */
async function listen(world: Pick<World, 'place'>, ...args: string[]) {
  const child = start(world.place, ['listen', '--json', ...args]);
  const said: string[] = [];
  child.stderr.on('data', (chunk) => said.push(String(chunk)));
  /** Resolves when it has said that, or has ended. */
  async function hears(text: string) {
    const heard = new Promise<void>((resolve) => {
      const look = () => said.join('').includes(text) && resolve();
      child.stderr.on('data', look);
      look();
    });
    await Promise.race([heard, child]);
  }
  await hears('Forwarding events');
  const next = lines(child);
  return {
    child,
    said: () => said.join(''),
    hears,
    next: async () => JSON.parse(await next()),
    async stop(signal: NodeJS.Signals = 'SIGTERM') {
      child.kill(signal);
      return (await child).exitCode;
    },
  };
}

/** A server that can go away and come back with its state, and a place whose commands know its port. */
async function lostServer() {
  const place = await emptyPlace();
  const options = { data: `${place.cwd}/.layaway`, seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } };
  const first = await createSimulator(options);
  const port = Number(new URL(first.url).port);
  return {
    first,
    place: { ...place, env: { ...place.env, LAYAWAY_BASE_URL: first.url } },
    /** The same state, on another port. */
    elsewhere: () => createSimulator(options),
    back: () => createSimulator({ ...options, port }),
  };
}

describe('layaway listen', () => {
  test('forwards byte for byte, signed, with -H; each attempt is a line and is recorded by the server', async () => {
    await using world = await withSimulator();
    await using receiver = await openReceiver([503]);
    const headers = ['-H', 'X-Shop: seven', '-H', 'X-Two: 2', '-H', 'User-Agent: shop'];
    const listener = await listen(world, '--forward-to', receiver.url, ...headers);
    await plan(world.sim.default);
    await world.sim.default.clock.advance('1m');
    const attempts = [await listener.next(), await listener.next(), await listener.next(), await listener.next()];
    expect(attempts.map(({ type, status_code, attempt, verified }) => [type, status_code, attempt, verified])).toEqual([
      ['session.decision_made', 503, 1, true],
      ['contract.activated', 200, 1, true],
      ['session.completed', 200, 1, true],
      ['session.decision_made', 200, 2, true],
    ]);
    for (const { headers, body } of receiver.received) {
      expect(headers).toMatchObject({ 'x-shop': 'seven', 'x-two': '2', 'user-agent': 'shop' });
      expect(headers['content-type']).toBe('application/json');
      verifyWebhook(body, headers, world.sim.default.webhookSecret);
    }
    const [endpoint] = await world.sim.default.webhooks.list();
    expect(endpoint).toMatchObject({ url: receiver.url, transport: 'listener' });
    const recorded = (await world.sim.default.webhooks.deliveries()).at(-1);
    expect(recorded).toMatchObject({
      status: 'delivered',
      attempts: [
        { number: 1, status_code: 503 },
        { number: 2, status_code: 200 },
      ],
    });
    expect(await listener.stop('SIGINT')).toBe(0);
    expect(listener.said()).not.toContain('at ');
  });

  test('without --json: time, status, type, subject, attempt and latency of each, in columns; a failure says why', async () => {
    await using world = await withSimulator();
    await using receiver = await openReceiver([200, hangUp, hangUp, 500]);
    const child = start(world.place, ['listen', '--forward-to', receiver.url]);
    const next = lines(child);
    await new Promise((resolve) => child.stderr.once('data', resolve));
    const { session, contract } = await plan(world.sim.default);
    const told = [await next(), await next(), await next()];
    const AT = '2026-01-01 00:00:00 UTC';
    expect(told.map((line) => line.replace(/\d+ ms/, '4 ms'))).toEqual([
      `${AT}  200  session.decision_made       ${session}  attempt 1, 4 ms`,
      `${AT}  ---  contract.activated          ${contract}  the receiver closed the connection, attempt 1, 4 ms`,
      `${AT}  500  session.completed           ${session}  attempt 1, 4 ms`,
    ]);
    child.kill('SIGTERM');
    expect((await child).exitCode).toBe(0);
  });

  test('a response whose headers include an empty one is recorded as it came', async () => {
    await using world = await withSimulator();
    const answer = (response: ServerResponse) => response.writeHead(200, { 'x-empty': '' }).end();
    await using receiver = await openReceiver([answer, answer]);
    const listener = await listen(world, '--forward-to', receiver.url, '--events', 'contract.activated');
    await plan(world.sim.default);
    await plan(world.sim.default);
    expect([(await listener.next()).status_code, (await listener.next()).status_code]).toEqual([200, 200]);
    expect(await listener.stop()).toBe(0);
    const recorded = await world.sim.default.webhooks.deliveries();
    expect(recorded.map(({ attempts: [only] }) => only?.response_headers['x-empty'])).toEqual(['', '']);
  });

  test('a redirect is a failure and is not followed', async () => {
    await using world = await withSimulator();
    await using elsewhere = await openReceiver();
    await using receiver = await openReceiver([
      (response) => response.writeHead(302, { location: elsewhere.url }).end(),
    ]);
    const listener = await listen(world, '--forward-to', receiver.url);
    await plan(world.sim.default);
    expect(await listener.next()).toMatchObject({ status_code: 302, attempt: 1 });
    expect(elsewhere.received).toEqual([]);
    expect(await listener.stop()).toBe(0);
  });

  test.skipIf(!hasIpv6)('refused on one loopback address, it tries the other and says what it did', async () => {
    await using world = await withSimulator();
    const seen: string[] = [];
    const receiver = createServer((request, response) => {
      seen.push(String(request.headers.host));
      response.end();
    });
    const port = await listenOnlyOn(receiver, '::1');
    const listener = await listen(world, '--forward-to', `http://127.0.0.1:${port}/hooks`);
    await plan(world.sim.default);
    expect(await listener.next()).toMatchObject({ status_code: 200 });
    expect(await listener.next()).toMatchObject({ status_code: 200 });
    expect(
      listener.said().match(/127\.0\.0\.1 refused the connection\. Events go to (localhost|\[::1\])/g),
    ).toHaveLength(1);
    expect(seen[0]).toBe(`127.0.0.1:${port}`);
    expect(await listener.stop()).toBe(0);
    receiver.close();
  });

  test('nobody there: it says so once, the attempt is recorded, and the ladder goes on when somebody is', async () => {
    await using world = await withSimulator();
    const gone = await openReceiver();
    await gone.close();
    const listener = await listen(world, '--forward-to', gone.url);
    await plan(world.sim.default);
    expect(await listener.next()).toMatchObject({ status_code: null, error: expect.stringContaining('refused') });
    expect(await listener.next()).toMatchObject({ status_code: null });
    expect(listener.said().match(/Nothing listens at/g)).toHaveLength(1);
    expect(listener.said()).toContain('[::1]');
    expect(await listener.stop()).toBe(0);
  });

  test('the server goes away and comes back: it says so, reconnects, and misses nothing', async () => {
    const { first, place, elsewhere, back } = await lostServer();
    await using receiver = await openReceiver();
    // What is dropped is dropped at the start only.
    const flags = ['--events', 'session.decision_made', '--skip-missed'];
    const listener = await listen({ place }, '--forward-to', receiver.url, ...flags);
    await first.close();

    // Meanwhile it is somewhere else, and something happens.
    const away = await elsewhere();
    const { id } = await away.default.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
    await away.default.sessions.accept(id, { customer_name: 'Ada', customer_email: 'ada@example.com' });
    await away.close();
    await using second = await back();
    expect(await listener.next()).toMatchObject({ type: 'session.decision_made', status_code: 200, subject: id });
    expect(listener.said()).toContain('Lost the connection to the server.');
    expect(listener.said()).toContain('Reconnected to the server.');
    expect(await second.default.webhooks.list()).toHaveLength(1);
    expect(await listener.stop()).toBe(0);
  });

  test('the server of the folder is started again on another port: it is found there', async () => {
    const place = await emptyPlace();
    // Otherwise a server at the default address would answer while none runs here.
    await runner(place)('config', 'set', 'base-url', 'http://127.0.0.1:9');
    await using receiver = await openReceiver();
    const serve = () => startReady(place, ['serve', '--port', '0', '--json', '--memory']);
    const first = await serve();
    const listener = await listen({ place }, '--forward-to', receiver.url);
    // Both run for a moment, so that their ports differ.
    const second = await serve();
    await first.stop();
    await listener.hears('Reconnected to the server');
    const { base_url } = JSON.parse(second.ready);
    expect(listener.said()).toContain(`Reconnected to the server, now at ${base_url}.`);
    const layaway = runner(place);
    const { session } = await planByCommand(layaway);
    expect(await listener.next()).toMatchObject({ type: 'session.decision_made', status_code: 200, subject: session });
    expect(await listener.stop()).toBe(0);
    await second.stop();
  });

  test('a second one for the same URL takes over: the first one says so and ends with 1', async () => {
    await using world = await withSimulator();
    await using receiver = await openReceiver();
    const first = await listen(world, '--forward-to', receiver.url);
    const second = await listen(world, '--forward-to', receiver.url);
    expect((await first.child).exitCode).toBe(1);
    expect(first.said()).toContain(`Another \`layaway listen\` now forwards to ${receiver.url}. This one stops.`);
    expect(await second.stop()).toBe(0);
  });

  test('its endpoint is removed: it says so and ends with 1', async () => {
    await using world = await withSimulator();
    await using receiver = await openReceiver();
    const listener = await listen(world, '--forward-to', receiver.url);
    const { sessions, webhooks } = world.sim.default;
    const id = (await webhooks.list())[0]?.id ?? '';
    const { reached, answer } = silence(receiver);
    const session = await sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
    await sessions.cancel(session.id);
    await reached;
    await webhooks.remove(id);
    answer();
    expect((await listener.child).exitCode).toBe(1);
    expect(listener.said()).toMatch(/^The server no longer accepts the result of dlv_\w+\.$/m);
    expect(listener.said()).toContain(
      `The webhook endpoint ${id} was removed, so events are no longer forwarded to ${receiver.url}.`,
    );
    expect(await world.sim.default.webhooks.list()).toEqual([]);
  });

  test('its endpoint is disabled and enabled while it runs: it says so, and goes on', async () => {
    await using world = await withSimulator();
    await using receiver = await openReceiver([410]);
    const listener = await listen(world, '--forward-to', receiver.url, '--events', 'session.decision_made');
    const id = (await world.sim.default.webhooks.list())[0]?.id ?? '';
    await plan(world.sim.default);
    await listener.hears('layaway webhooks enable');
    expect(listener.said()).toContain(
      `The webhook endpoint ${id} no longer gets events: it answered 410 Gone.\n` +
        `To enable it again: layaway webhooks enable ${id}\n`,
    );
    await world.sim.default.webhooks.enable(id);
    await world.sim.default.webhooks.disable(id);
    await listener.hears('disabled by hand');
    expect(listener.said()).toContain(`The webhook endpoint ${id} is enabled again.\n`);
    await world.sim.default.webhooks.enable(id);
    await world.sim.default.webhooks.test(id);
    expect([(await listener.next()).status_code, (await listener.next()).type]).toEqual([410, 'webhook.test']);
    expect(await listener.stop()).toBe(0);
  });

  test('what does not verify is not forwarded, with --skip-verify neither', async () => {
    let streams = 0;
    const letter = {
      delivery_id: 'dlv_1',
      url: 'http://localhost/',
      attempt: 1,
      headers: { 'webhook-id': 'evt_1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,forged' },
      body: JSON.stringify({ id: 'evt_1', type: 'webhook.test', created_at: '2026-01-01T00:00:00.000000Z', data: {} }),
    };
    await using server = await otherServer((request, response) => {
      if (request.url?.endsWith('/stream')) {
        streams += 1;
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        return response.write(`id: dlv_1\nevent: delivery\ndata: ${JSON.stringify(letter)}\n\n`);
      }
      const secret = `whsec_${Buffer.alloc(32).toString('base64')}`;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ data: { id: 'we_1', secret } }));
    });
    await using receiver = await openReceiver();
    const place = await emptyPlace({ LAYAWAY_BASE_URL: server.url });
    const careful = await listen({ place }, '--forward-to', receiver.url);
    expect(await careful.next()).toMatchObject({ status_code: null, verified: false, error: /signature/ });
    expect(await careful.stop()).toBe(0);
    expect(receiver.received).toEqual([]);
    const trusting = await listen({ place }, '--forward-to', receiver.url, '--skip-verify');
    expect(await trusting.next()).toMatchObject({ status_code: null, verified: false, error: /signature/ });
    expect(receiver.received).toEqual([]);
    expect(await trusting.stop()).toBe(0);
    expect(streams).toBe(2);
  });

  test('webhooks test --forged says that it forwards none, and what to do instead', async () => {
    await using world = await withSimulator();
    await using receiver = await openReceiver();
    const listener = await listen(world, '--forward-to', receiver.url);
    const [endpoint] = await world.sim.default.webhooks.list();
    const { code, stderr } = await world.layaway('webhooks', 'test', String(endpoint?.id), '--forged');
    expect([code, stderr]).toEqual([5, expect.stringContaining('`layaway listen` forwards no forged event')]);
    expect(receiver.received).toEqual([]);
    const [, advised = ''] = /: `layaway (certify [^`]+)`/.exec(stderr) ?? [];
    const told = await world.layaway(...advised.split(' '));
    expect([told.code, told.stdout]).toEqual([5, expect.stringContaining('✗ wrong-secret')]);
    // Refusals show nothing about a receiver that takes no genuine event either.
    expect(told.stdout).toContain('✓ genuine');
    expect(receiver.received.length).toBeGreaterThan(0);
    await listener.stop();
  });

  test('of the headers that a server names, only those of a webhook are forwarded', async () => {
    const body = JSON.stringify({
      ...{ id: 'evt_1', type: 'webhook.test', created_at: '2026-01-01T00:00:00.000000Z', data: {} },
    });
    const sentAt = String(Math.floor(Date.now() / 1000));
    const mac = createHmac('sha256', Buffer.alloc(32)).update(`evt_1.${sentAt}.${body}`).digest('base64');
    const letter = {
      delivery_id: 'dlv_1',
      url: 'http://localhost/',
      attempt: 1,
      headers: {
        'Webhook-Id': 'evt_1',
        'webhook-timestamp': sentAt,
        'webhook-signature': `v1,${mac}`,
        'webhook-broken': 'a\r\nx-injected: yes',
        'Content-Type': 'application/json; charset=utf-8',
        'user-agent': 'a-server/1',
        Host: 'admin.internal',
        Authorization: 'Bearer stolen',
        cookie: 'session=1',
        'Transfer-Encoding': 'chunked',
        'content-length': '1',
        'x-forwarded-for': '127.0.0.1',
        'x-webhook-id': 'evt_2',
        'x-shop': 'of the server',
        expect: '100-continue',
      },
      body,
    };
    await using server = await otherServer((request, response) => {
      if (request.url?.endsWith('/stream')) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        return response.write(`id: dlv_1\nevent: delivery\ndata: ${JSON.stringify(letter)}\n\n`);
      }
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ data: { id: 'we_1', secret: `whsec_${Buffer.alloc(32).toString('base64')}` } }));
    });
    await using receiver = await openReceiver();
    const place = await emptyPlace({ LAYAWAY_BASE_URL: server.url });
    const own = ['-H', 'X-Shop: of the user', '-H', 'Cookie: of=user'];
    const listener = await listen({ place }, '--forward-to', receiver.url, ...own);
    expect(await listener.next()).toMatchObject({ status_code: 200 });
    expect(await listener.stop()).toBe(0);
    const [{ headers, body: received } = { headers: {}, body: '' }] = receiver.received;
    expect(received).toBe(body);
    expect(headers).toEqual({
      'webhook-id': 'evt_1',
      'webhook-timestamp': sentAt,
      'webhook-signature': `v1,${mac}`,
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'a-server/1',
      host: new URL(receiver.url).host,
      'content-length': String(Buffer.byteLength(letter.body)),
      connection: expect.any(String),
      'x-shop': 'of the user',
      cookie: 'of=user',
    });
  });

  test('--print-secret prints the account’s secret, ends, and leaves nothing behind', async () => {
    await using world = await withSimulator();
    const { sim, layaway } = world;
    expect(await layaway('listen', '--print-secret')).toMatchObject({ code: 0, stdout: sim.default.webhookSecret });
    const other = await layaway('listen', '--print-secret', '--forward-to', 'localhost:3000', '--json');
    expect(other.json).toEqual({ data: { secret: sim.default.webhookSecret } });
    expect(await sim.default.webhooks.list()).toEqual([]);
  });

  test('--print-secret leaves a disabled endpoint disabled', async () => {
    await using world = await withSimulator();
    const { webhooks } = world.sim.default;
    const url = 'http://localhost:3000/';
    expect(await (await listen(world, '--forward-to', url)).stop()).toBe(0);
    const [endpoint] = await webhooks.list();
    const { secret } = await webhooks.rotate(endpoint?.id ?? '');
    await webhooks.disable(endpoint?.id ?? '');
    const before = await webhooks.list();
    expect(await world.layaway('listen', '--print-secret', '--forward-to', url)).toMatchObject({
      code: 0,
      stdout: secret,
    });
    expect(await webhooks.list()).toEqual(before);
    expect(before).toMatchObject([{ enabled: false, disabled_reason: 'disabled by hand' }]);
  });

  test('no server at the start: 4; a wrong key: 3; the service itself has no control plane: 3 in one sentence', async () => {
    const place = await emptyPlace({ LAYAWAY_BASE_URL: 'http://127.0.0.1:1' });
    const away = await start(place, ['listen', '--forward-to', 'http://localhost:3000']);
    expect(away).toMatchObject({ exitCode: 4, stdout: '' });
    await using world = await withSimulator();
    const wrong = await world.layaway('listen', '--forward-to', 'http://localhost:3000', '--api-key', 'wrong');
    expect(wrong).toMatchObject({ code: 3, stdout: '' });
    await using service = await otherServer((_request, response) => {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"message":"Not Found"}');
    });
    const real = await start(await emptyPlace({ LAYAWAY_BASE_URL: service.url }), ['listen', '--forward-to', 'x:1']);
    expect(real).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('no control plane') });
    expect(real.stderr.split('\n')).toHaveLength(1);
  });
});

describe('interface §2: an endpoint that outlives its listen', () => {
  const to = (receiver: { url: string }) => ['--forward-to', receiver.url];

  test('doctor and serve say how to listen again, in words that a shell takes', async () => {
    const data = await mkdtemp(join(tmpdir(), 'layaway-listen-'));
    await using world = await withSimulator({ data });
    const url = 'http://127.0.0.1:1/hook?a=1&b=2';
    expect(await (await listen(world, '--forward-to', url)).stop()).toBe(0);
    const { stdout } = await world.layaway('doctor');
    expect(stdout).toContain(`Run \`layaway listen --forward-to '${url}'\`, or \`layaway webhooks remove we_`);

    const { webhooks } = world.sim.default;
    const [{ id } = expect.unreachable()] = await webhooks.list();
    await webhooks.disable(id);
    expect((await world.layaway('webhooks', 'list')).stdout).toContain('disconnected, disabled by hand');
    expect((await world.layaway('doctor')).stdout).toContain(`${url} is disconnected, disabled by hand\n`);
    await webhooks.enable(id);
    await world.sim.close();
    const isTold = (line: string) => line.includes('webhooks wait');
    const server = await startReady(await emptyPlace(), ['serve', '--port', '0', '--data', data], isTold);
    expect(server.printed().find(isTold)).toContain(`for layaway listen --forward-to '${url}'; 0 waiting`);
    await server.stop();
  });

  test('a listen that starts again says how much it forwards; --skip-missed drops it', async () => {
    await using world = await withSimulator();
    await using receiver = await openReceiver();
    const { sim, layaway } = world;
    expect(await (await listen(world, ...to(receiver))).stop()).toBe(0);
    await plan(world.sim.default);
    expect((await layaway('webhooks', 'list')).stdout).toContain('disconnected, 3 events waiting');
    const doctor = await layaway('doctor', '--json');
    expect(doctor.json.data.checks).toContainEqual(
      expect.objectContaining({ name: 'webhooks', ok: true, detail: expect.stringContaining('3 events waiting') }),
    );

    const again = await listen(world, ...to(receiver));
    await again.next();
    expect(again.said()).toContain('Forwarding 3 events that happened while nobody listened.');
    await again.next();
    await again.next();
    expect(await again.stop()).toBe(0);
    await plan(world.sim.default);

    const skipping = await listen(world, ...to(receiver), '--skip-missed');
    await layaway('webhooks', 'test', (await sim.default.webhooks.list())[0]?.id ?? '');
    expect(await skipping.next()).toMatchObject({ type: 'webhook.test' });
    expect(skipping.said()).toContain('Dropped 3 events that happened while nobody listened.');
    expect(await skipping.stop()).toBe(0);
    expect(receiver.received).toHaveLength(4);
  });

  test('a retry of what it forwarded is neither announced nor dropped', async () => {
    await using world = await withSimulator({ clock: { frozenAt: '2026-01-01T00:00:00Z' } });
    await using receiver = await openReceiver([500, 500, 500]);
    const first = await listen(world, ...to(receiver));
    await plan(world.sim.default);
    for (let event = 0; event < 3; event += 1) expect(await first.next()).toMatchObject({ attempt: 1 });
    expect(await first.stop()).toBe(0);

    for (const flags of [[], ['--skip-missed']]) {
      const again = await listen(world, ...to(receiver), ...flags);
      expect(await again.stop()).toBe(0);
      expect(again.said()).not.toContain('while nobody listened');
    }
    const pending = await world.sim.default.webhooks.deliveries({ status: 'pending' });
    expect(pending.map(({ attempts }) => attempts.length)).toEqual([1, 1, 1]);
  });

  test('a listen whose secret was rotated says that LAYAWAY_WEBHOOK_SECRET is another one', async () => {
    await using world = await withSimulator();
    const { webhooks, webhookSecret } = world.sim.default;
    const text = 'That is not the LAYAWAY_WEBHOOK_SECRET that `layaway serve` prints';
    const said: string[] = [];
    for (let time = 0; time < 3; time += 1) {
      const each = await listen(world, '--forward-to', 'http://localhost:3000/');
      expect(await each.stop()).toBe(0);
      said.push(each.said());
      if (time === 1) await webhooks.rotate((await webhooks.list())[0]?.id ?? '');
    }
    expect(said.map((each) => [each.includes(webhookSecret), each.includes(text)])).toEqual([
      [true, false],
      [true, false],
      [false, true],
    ]);
  });

  test('a listen says that its secret is rotated, also while it had lost the server, and forwards what the new one signs', async () => {
    const { first, place, elsewhere, back } = await lostServer();
    await using receiver = await openReceiver();
    const listener = await listen({ place }, ...to(receiver));
    const id = (await first.default.webhooks.list())[0]?.id ?? '';
    const rotated = await first.default.webhooks.rotate(id);
    await listener.hears(rotated.secret);
    expect(listener.said()).toContain(
      `The secret of ${id} was changed. It is now ${rotated.secret}. Use it in your store. After a rotation, the old secret also signs for another day.\n`,
    );
    await first.default.clock.advance('25h');
    await first.default.webhooks.test(id);
    expect(await listener.next()).toMatchObject({ type: 'webhook.test', status_code: 200, verified: true });
    await first.close();

    const away = await elsewhere();
    const again = await away.default.webhooks.rotate(id);
    await away.close();
    await using second = await back();
    await listener.hears('Reconnected');
    expect(listener.said()).toContain(`It is now ${again.secret}.`);
    expect(listener.said().match(/was changed/g)).toHaveLength(2);
    await second.default.webhooks.test(id);
    expect(await listener.next()).toMatchObject({ status_code: 200, verified: true });
    expect(await listener.stop()).toBe(0);
  });

  test('a listen for an endpoint that was disabled says why, and that what happened meanwhile is not forwarded', async () => {
    await using world = await withSimulator();
    await using gone = await openReceiver([410]);
    const first = await listen(world, ...to(gone));
    await plan(world.sim.default);
    expect(await first.next()).toMatchObject({ status_code: 410 });
    await expect.poll(() => world.sim.default.webhooks.list()).toMatchObject([{ enabled: false }]);
    expect(await first.stop()).toBe(0);

    const again = await listen(world, ...to(gone));
    await expect
      .poll(again.said)
      .toContain('The endpoint got no events for a while: it answered 410 Gone. It is enabled again. What happened');
    expect(again.said()).not.toContain('an hour');
    expect(await world.sim.default.webhooks.list()).toMatchObject([{ enabled: true }]);
    expect(await again.stop()).toBe(0);
  });

  test.each([
    ['SIGINT', 1],
    // npm passes a Ctrl-C on.
    ['SIGINT', 2],
    ['SIGTERM', 1],
    ['SIGHUP', 1],
  ] as const)('--ephemeral removes it at the end: %s ×%i', async (signal, times) => {
    await using world = await withSimulator();
    await using receiver = await openReceiver();
    const listener = await listen(world, '-f', receiver.url, '-e', 'contract.cancelled', '--ephemeral');
    expect(await world.sim.default.webhooks.list()).toMatchObject([
      { url: receiver.url, events: ['contract.cancelled'] },
    ]);
    for (let sent = 1; sent < times; sent += 1) listener.child.kill(signal);
    expect(await listener.stop(signal)).toBe(0);
    expect(await world.sim.default.webhooks.list()).toEqual([]);
  });

  test('--ephemeral removes it after a reset, too, and not what has its old id since', async () => {
    await using world = await withSimulator();
    await using receiver = await openReceiver();
    const other = { url: 'http://localhost:1/other' };
    await world.sim.default.webhooks.add(other.url);
    const listener = await listen(world, ...to(receiver), '--ephemeral');
    const [before] = (await world.sim.default.webhooks.list()).filter(({ transport }) => transport === 'listener');
    await world.sim.reset();
    expect(await world.sim.default.webhooks.add(other.url)).toMatchObject({ id: before?.id });
    expect(await listener.stop()).toBe(0);
    expect(await world.sim.default.webhooks.list()).toMatchObject([other]);
  });

  test('--ephemeral removes what is registered while it is stopped', async () => {
    await using world = await withSimulator();
    const { sim, place } = world;
    const { clientId, apiKey, webhooks } = sim.default;
    await using proxy = await otherServer(async (request, response) => {
      const { method = 'GET', url: path } = request;
      const body = Buffer.concat(await request.toArray()).toString() || null;
      const headers = { 'x-client-id': clientId, 'x-api-key': apiKey, 'content-type': 'application/json' };
      const answer = await fetch(`${sim.url}${path}`, { method, headers, body });
      const text = await answer.text();
      // The endpoint exists, and the command does not know it yet.
      if (method === 'POST') command.kill('SIGINT');
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
    });
    const address = ['--base-url', proxy.url, '--client-id', clientId, '--api-key', apiKey];
    const command = start(place, ['listen', '--forward-to', '3000', '--ephemeral', ...address]);
    expect((await command).exitCode).toBe(0);
    expect(proxy.seen.some(({ method }) => method === 'POST')).toBe(true);
    expect(await webhooks.list()).toEqual([]);
  });

  test('an endpoint that the server sends to at the same place is noticed, whichever came second', async () => {
    await using world = await withSimulator();
    await using receiver = await openReceiver();
    const sameThere = receiver.url.replace('127.0.0.1', 'localhost');
    const { webhooks } = world.sim.default;
    const { id } = await webhooks.add(sameThere);
    const disabled = await webhooks.add(sameThere);
    await webhooks.disable(disabled.id);
    const listener = await listen(world, ...to(receiver));
    const advice = `To stop that, run \`layaway webhooks remove ${id}\`.`;
    await expect.poll(listener.said).toContain(`your receiver gets each event twice. ${advice}`);
    expect(listener.said()).not.toContain(disabled.id);
    const added = await world.layaway('webhooks', 'add', sameThere);
    expect(added.stderr).toContain('A `layaway listen` sends there too: your receiver gets each event twice.');
    expect(added.stderr).not.toContain(disabled.id);
    expect(await listener.stop()).toBe(0);
  });

  test.each([
    ['3000', 'http://localhost:3000'],
    ['3000/hooks?a=b', 'http://localhost:3000/hooks?a=b'],
    ['shop.test:3000/hooks', 'http://shop.test:3000/hooks'],
  ])('interface §13: --forward-to %s means %s', async (typed, url) => {
    await using world = await withSimulator();
    const listener = await listen(world, '-f', typed);
    expect((await world.sim.default.webhooks.list()).map((endpoint) => endpoint.url)).toEqual([url]);
    expect(await listener.stop()).toBe(0);
  });

  test.each(['65536', '300000', '300000/hooks'])('--forward-to %s is no port: 2', async (typed) => {
    await using world = await withSimulator();
    const { code, stderr } = await world.layaway('webhooks', 'add', typed);
    expect([code, stderr]).toEqual([2, expect.stringContaining('It must be a URL such as')]);
  });
});

describe('interface §13: a receiver with a self-signed certificate', () => {
  test.each(['--insecure', '--skip-verify'])('is refused, unless listen or webhooks add has %s', async (flag) => {
    await using world = await withSimulator();
    await using receiver = await openReceiver([], { https: true });
    const { sim } = world;
    const happens = async () => {
      const { id } = await sim.default.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
      await sim.default.sessions.cancel(id);
    };
    const careful = await listen(world, '--forward-to', receiver.url, '--ephemeral');
    await happens();
    expect(await careful.next()).toMatchObject({ status_code: null, error: expect.stringContaining('self-signed') });
    expect(await careful.stop()).toBe(0);
    const trusting = await listen(world, '--forward-to', receiver.url, '--ephemeral', flag);
    await happens();
    expect(await trusting.next()).toMatchObject({ status_code: 200, verified: true });
    expect(await trusting.stop()).toBe(0);

    await world.layaway('webhooks', 'add', receiver.url, flag);
    await happens();
    await sim.default.clock.advance('0s');
    expect(receiver.received).toHaveLength(2);
  });

  test('or with one that is trusted, but for other names, which listen tells shortly and goes on', async () => {
    await using world = await withSimulator();
    const certificate = selfSigned('another.shop.example '.repeat(100));
    await using receiver = await openReceiver([], { https: certificate });
    const trusted = join(world.place.cwd, 'trusted.pem');
    await writeFile(trusted, certificate.cert);
    const place = { ...world.place, env: { ...world.place.env, NODE_EXTRA_CA_CERTS: trusted } };
    const listener = await listen({ place }, '--forward-to', receiver.url.replace('127.0.0.1', 'localhost'));
    const [endpoint] = await world.sim.default.webhooks.list();
    const tested = await world.sim.default.webhooks.test(endpoint?.id as string);
    expect(tested.attempts[0]?.error).toMatch(/^Hostname\/IP does not match .+… \(`serve`.+--insecure\)$/);
    expect((await listener.next()).error.length).toBeLessThan(1_000);
    expect(await listener.stop()).toBe(0);
  });
});
