import { once } from 'node:events';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { describe, expect, test } from 'vitest';
import { openReceiver } from '../../support/receiver.ts';
import { emptyPlace, lines, oneProcess, planByCommand, start, startReady, writesItsArgument } from '../layaway.ts';

const { runner } = oneProcess();

const FROZEN = ['--memory', '--clock', 'frozen', '--now', '2026-01-01T00:00:00Z', '--seed', '1'];

async function serve(args: readonly string[], env: Record<string, string> = {}) {
  const place = await emptyPlace(env);
  const child = await startReady(place, ['serve', '--port', '0', '--json', ...args]);
  const ready = JSON.parse(child.ready);
  const layaway = runner({ ...place, env: { ...place.env, LAYAWAY_BASE_URL: ready.base_url } });
  return {
    ready,
    layaway,
    token: ['--control-token', ready.control_token],
    /** The next line of that kind. */
    async line(kind: string) {
      for (;;) {
        const event = JSON.parse(await child.next());
        if (event.event === kind) return event;
      }
    },
    async [Symbol.asyncDispose]() {
      expect((await child.stop()).exitCode).toBe(0);
    },
  };
}

describe('interface §2: layaway serve', () => {
  test('a refused http URL of a local store is explained on stderr', async () => {
    const child = await startReady(await emptyPlace(), ['serve', '--port', '0', '--json', '--memory']);
    const { base_url: url, sandbox } = JSON.parse(child.ready);
    const refused = await fetch(`${url}/v1/sessions`, {
      method: 'POST',
      headers: {
        'x-client-id': sandbox.client_id,
        'x-api-key': sandbox.api_key,
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        order_reference: 'A-1',
        total_amount: 20_000,
        return_url: 'http://localhost:3100/thanks',
        cancel_url: 'http://localhost:3100/cart',
      }),
    });
    expect(refused.status).toBe(422);
    expect((await child.stop()).stderr).toBe(
      'The return_url http://localhost:3100/thanks was refused: the service takes https only. ' +
        'For a store on http during development, run `layaway assumptions set allow_http_localhost true`, ' +
        'or start the server with --allow-http-localhost.',
    );
  });

  test('interface §13: -p is --port', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const { exitCode, stderr } = await start(await emptyPlace(), ['serve', '--memory', '-p', String(port)]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`Port ${port}`)]);
    taken.close();
  });

  test.each(['--insecure', '--skip-verify'])(
    '%s accepts the self-signed certificate of --forward-to, also of an endpoint from before',
    async (flag) => {
      await using receiver = await openReceiver([], { https: true });
      const data = await mkdtemp(join(tmpdir(), 'layaway-insecure-'));
      const kept = ['--data', data, '--clock', 'frozen', '--forward-to', receiver.url];
      const answered: unknown[] = [];
      for (const flags of [[], [flag], []]) {
        await using server = await serve([...kept, ...flags]);
        const { json } = await server.layaway('webhooks', 'list', '--json');
        const [{ id, insecure }] = json.data;
        await server.layaway('webhooks', 'test', id);
        answered.push([json.data.length, insecure, (await server.line('delivery')).status_code]);
        await server.layaway('reset');
      }
      expect(answered).toEqual([
        [1, false, null],
        [1, true, 200],
        // What is stored stays, as the reset made it.
        [1, true, 200],
      ]);
    },
  );

  test('--forward-to makes an endpoint once, signed with the account’s secret; deliveries and clocks are lines', async () => {
    await using receiver = await openReceiver([500]);
    await using server = await serve([...FROZEN, '--forward-to', receiver.url, '--forward-to', receiver.url]);
    const { layaway, ready } = server;
    expect(ready.webhooks[0]).toEqual({ url: receiver.url, secret: expect.stringMatching(/^whsec_/) });
    expect((await layaway('webhooks', 'list', '--json')).json.data).toHaveLength(1);
    const { contract } = await planByCommand(layaway);
    expect(await server.line('delivery')).toEqual({
      event: 'delivery',
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      id: expect.stringMatching(/^dlv_/),
      event_id: expect.stringMatching(/^evt_/),
      type: 'session.decision_made',
      subject: expect.stringMatching(/^cs_/),
      url: receiver.url,
      attempt: 1,
      status_code: 500,
      duration_ms: expect.any(Number),
      error: null,
      fault: null,
    });
    expect(await server.line('delivery')).toMatchObject({
      type: 'contract.activated',
      subject: contract,
      status_code: 200,
    });
    await layaway('clock', 'advance', '5s', '--json');
    expect(await server.line('delivery')).toMatchObject({ type: 'session.completed', attempt: 1 });
    expect(await server.line('delivery')).toMatchObject({
      type: 'session.decision_made',
      attempt: 2,
      status_code: 200,
    });
    expect(await server.line('clock')).toEqual({
      event: 'clock',
      at: expect.any(String),
      client_id: ready.sandbox.client_id,
      mode: 'frozen',
      now: '2026-01-01T00:00:05.000000Z',
    });
    await layaway('clock', 'resume', '--json');
    expect(await server.line('clock')).toMatchObject({ mode: 'running' });

    await layaway('reset', '--yes', ...server.token);
    expect((await layaway('webhooks', 'list', '--json')).json.data).toMatchObject([{ url: receiver.url }]);
  });

  test('--fixture: its merchants are printed with their pairs, which work', async () => {
    const path = join(await mkdtemp(join(tmpdir(), 'layaway-fixture-')), 'shops.json');
    await writeFile(path, JSON.stringify({ merchants: [{ legal_name: 'Corner Bikes Inc', state: 'OR' }] }));
    await using server = await serve([...FROZEN, '--fixture', path]);
    const [{ legal_name, sandbox, live }] = server.ready.merchants;
    expect(legal_name).toBe('Corner Bikes Inc');
    for (const { client_id, api_key } of [sandbox, live]) {
      const headers = { 'x-client-id': client_id, 'x-api-key': api_key };
      const ping = await fetch(`${server.ready.base_url}/v1/ping`, { headers });
      expect(((await ping.json()) as { data: { legal_name: string } }).data.legal_name).toBe('Corner Bikes Inc');
    }
    expect(sandbox.webhook_secret).toMatch(/^whsec_/);
  });

  test('--json: the ready line is the first, and what was delivered before it follows', async () => {
    await using receiver = await openReceiver();
    const path = join(await mkdtemp(join(tmpdir(), 'layaway-fixture-')), 'plan.json');
    // The merchant is read before the ready line is printed, which takes longer than a delivery.
    const fixture = { webhooks: [{ url: receiver.url }], contracts: [{ status: 'completed' }], merchants: [{}] };
    await writeFile(path, JSON.stringify(fixture));
    await using server = await serve([...FROZEN, '--fixture', path]);
    expect(server.ready).toMatchObject({ event: 'ready', webhooks: [{ url: receiver.url }] });
    for (const type of ['session.decision_made', 'contract.activated', 'session.completed', 'installment.paid']) {
      expect(await server.line('delivery')).toMatchObject({ type, status_code: 200 });
    }
  });

  test('--fixture with a mistake: 2, and what is wrong where', async () => {
    const place = await emptyPlace();
    await writeFile(join(place.cwd, 'shops.yaml'), 'merchants:\n  - state: Texas\n');
    const { code, stdout, stderr } = await runner(place)('serve', '--memory', '--port', '0', '--fixture', 'shops.yaml');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe(
      'The fixture shops.yaml cannot be used. Correct this:\n  shops.yaml:2:5 merchants.0.state: The state field must be 2 characters.',
    );
  });

  test('--smtp hands emails on', async () => {
    let hand: (to: string[]) => void;
    const handed = new Promise<string[]>((resolve) => {
      hand = resolve;
    });
    const smtp = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onData(stream, { envelope }, done) {
        stream.resume().on('end', () => {
          done();
          hand(envelope.rcptTo.map(({ address }) => address));
        });
      },
    });
    await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
    const { port } = smtp.server.address() as AddressInfo;
    await using server = await serve([...FROZEN, '--smtp', `127.0.0.1:${port}`]);
    await planByCommand(server.layaway);
    expect(await handed).toEqual(['customer@example.com']);
    await new Promise<void>((resolve) => smtp.close(resolve));
  });

  test('--smtp with no server there says so in one line, without a stack, and ends immediately', async () => {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    const place = await emptyPlace();
    const child = start(place, ['serve', '--port', '0', '--json', ...FROZEN, '--smtp', `127.0.0.1:${port}`]);
    const ready = JSON.parse(await lines(child)());
    const said = once(child.stderr, 'data');
    await planByCommand(runner({ ...place, env: { ...place.env, LAYAWAY_BASE_URL: ready.base_url } }));
    await said;
    child.kill('SIGTERM');
    expect(await child).toMatchObject({
      exitCode: 0,
      stderr: `The SMTP server cannot be reached (connect ECONNREFUSED 127.0.0.1:${port}). Emails wait until it is back.`,
    });
  });

  test('--open opens the dashboard, signed in', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'layaway-browser-'));
    const browser = join(folder, 'browser');
    await writeFile(browser, writesItsArgument(join(folder, 'opened')), { mode: 0o755 });
    await using server = await serve([...FROZEN, '--open'], { BROWSER: browser });
    const url = await expect
      .poll(() => readFile(join(folder, 'opened'), 'utf8').catch(() => ''), { timeout: 10_000 })
      .toContain(`${server.ready.base_url}/dashboard`)
      .then(() => readFile(join(folder, 'opened'), 'utf8'));
    const entered = await fetch(url.trim(), { redirect: 'manual' });
    expect(entered.headers.get('set-cookie')).toContain('HttpOnly');
  });
});
