import { mkdtemp, readFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { createSimulator, type Simulator } from '../../../src/index.ts';
import { listenOnlyOn } from '../../support/half-port.ts';
import { hasIpv6 } from '../../support/ipv6.ts';
import { openProxy } from '../../support/mapped-port.ts';
import { ask } from '../../support/raw-request.ts';

const ORDER = {
  order_reference: 'A-1',
  total_amount: 20_000,
  return_url: 'https://shop.example/return',
  cancel_url: 'https://shop.example/cancel',
};

describe('interface §6: a mapped port', () => {
  /** Every part of the server, through `base`, as a store and a browser use them. */
  async function works(sim: Simulator, base: string) {
    const headers = { ...sim.default.headers };
    const data = async (path: string) => {
      const { status, text } = await ask(`${base}${path}`, { headers });
      expect([path, status]).toEqual([path, 200]);
      return JSON.parse(text).data;
    };
    expect((await ask(`${base}/_sim/health`)).status).toBe(200);
    expect((await data('/v1/ping')).client_id).toBe(sim.default.clientId);
    expect((await data('/_sim/clock')).mode).toBe('frozen');
    const json = { ...headers, 'content-type': 'application/json' };
    const created = await ask(`${base}/v1/sessions`, { method: 'POST', headers: json, body: JSON.stringify(ORDER) });
    const { id, checkout_url } = JSON.parse(created.text).data;

    const page = `${base}/checkout/${id}`;
    const token = /name="form_token" value="([^"]+)"/.exec((await ask(page)).text)?.[1] as string;
    const fields = { form_token: token, customer_name: 'Ada Byron', customer_email: 'ada@example.com' };
    const form = { 'content-type': 'application/x-www-form-urlencoded', origin: base };
    const body = String(new URLSearchParams(fields));
    expect((await ask(`${page}/accept`, { method: 'POST', headers: form, body })).status).toBe(303);
    expect((await data(`/v1/sessions/${id}`)).status).toBe('decision_made');

    const link = new URL(sim.dashboardUrl);
    const entered = await ask(`${base}${link.pathname}${link.search}`);
    expect([entered.status, entered.headers.location]).toEqual([303, expect.stringMatching(/^\/dashboard\b/)]);
    return checkout_url as string;
  }

  test('works under the address of the proxy', async () => {
    await using proxy = await openProxy();
    await using sim = await createSimulator({ clock: { frozenAt: '2026-01-01T00:00:00Z' } });
    proxy.leadTo(sim.url);
    for (const name of ['127.0.0.1', 'localhost', 'shop.localhost']) await works(sim, `http://${name}:${proxy.port}`);
  });

  test('--public-url is in every address that the server gives away, and each leads back to it', async () => {
    await using proxy = await openProxy();
    const publicUrl = `http://shop.test:${proxy.port}`;
    const data = join(await mkdtemp(join(tmpdir(), 'layaway-public-')), 'state');
    await using sim = await createSimulator({ data, publicUrl: `${publicUrl}/`, clock: { frozenAt: '2026-01-01' } });
    proxy.leadTo(sim.listening);
    expect(sim.url).toBe(publicUrl);
    expect(sim.listening).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(sim.default.env.LAYAWAY_BASE_URL).toBe(publicUrl);
    expect(JSON.parse(await readFile(join(data, 'server.json'), 'utf8')).base_url).toBe(sim.listening);

    const checkoutUrl = await works(sim, publicUrl);
    expect(checkoutUrl.startsWith(`${publicUrl}/checkout/cs_`)).toBe(true);
    expect((await ask(checkoutUrl)).status).toBe(200);
    // Its own commands come in by the listening address, and get the same addresses.
    expect(await works(sim, sim.listening)).toContain(`${publicUrl}/checkout/`);

    const headers = { ...sim.default.headers };
    const list = JSON.parse((await ask(`${sim.listening}/v1/contracts`, { headers })).text);
    expect(list.links.first).toBe(`${publicUrl}/v1/contracts?page=1`);
    expect(list.meta.path).toBe(`${publicUrl}/v1/contracts`);
    expect((await ask(list.links.first, { headers })).status).toBe(200);

    expect(sim.dashboardUrl.startsWith(`${publicUrl}/dashboard/enter?token=`)).toBe(true);
    const { servers } = JSON.parse((await ask(`${publicUrl}/openapi.json`)).text);
    expect(servers[0].url).toBe(publicUrl);
    expect((await ask(`http://evil.test:${proxy.port}/v1/ping`)).status).toBe(403);
  });
});

describe('interface §6: the addresses that it listens on', () => {
  const reaches = (port: string, to: string) =>
    ask(`http://localhost:${port}/healthz`, { to }).then(
      ({ status }) => status,
      (error: NodeJS.ErrnoException) => error.code,
    );
  const both = [200, hasIpv6 ? 200 : 'EADDRNOTAVAIL'];

  test.each([undefined, 'localhost'])('host %s: 127.0.0.1 and, where there is one, ::1', async (host) => {
    const sim = await createSimulator(host === undefined ? {} : { host });
    const { hostname, port } = new URL(sim.url);
    expect(hostname).toBe(host ?? '127.0.0.1');
    expect([await reaches(port, '127.0.0.1'), await reaches(port, '::1')]).toEqual(both);
    await sim.close();
    expect(await reaches(port, '127.0.0.1')).toBe('ECONNREFUSED');
    if (hasIpv6) expect(await reaches(port, '::1')).toBe('ECONNREFUSED');
    // Both are free again.
    await using again = await createSimulator({ port: Number(port) });
    expect([await reaches(port, '127.0.0.1'), await reaches(port, '::1')]).toEqual(both);
    expect(again.notes).toEqual([]);
  });

  test.skipIf(!hasIpv6)('host 127.0.0.1: that one alone, and ::1 alone', async () => {
    await using four = await createSimulator({ host: '127.0.0.1' });
    const { port } = new URL(four.url);
    expect([await reaches(port, '127.0.0.1'), await reaches(port, '::1')]).toEqual([200, 'ECONNREFUSED']);
    await using six = await createSimulator({ host: '::1', port: Number(port) });
    expect(six.url).toBe(`http://[::1]:${port}`);
    expect([await reaches(port, '::1'), six.notes]).toEqual([200, []]);
  });

  test.skipIf(!hasIpv6)('a server that ends closes the connections on both', async () => {
    const sim = await createSimulator();
    const sockets = await Promise.all(
      ['127.0.0.1', '::1'].map(
        (host) =>
          new Promise<Socket>((resolve) => {
            const socket = connect(Number(new URL(sim.url).port), host, () => {
              socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
              socket.once('data', () => resolve(socket));
            });
          }),
      ),
    );
    const ended = sockets.map((socket) => new Promise((resolve) => socket.on('error', resolve).on('close', resolve)));
    await sim.close();
    await Promise.all(ended);
  });

  test.skipIf(!hasIpv6)('a port of which another program has half is refused, and the half is named', async () => {
    for (const [taken, other] of [
      ['::1', '127.0.0.1'],
      ['127.0.0.1', '::1'],
    ] as const) {
      const busy = createServer();
      const port = await listenOnlyOn(busy, taken);
      await expect(createSimulator({ port })).rejects.toThrow(`Port ${port} on ${taken} is in use by another program.`);
      expect(await reaches(String(port), other)).toBe('ECONNREFUSED');
      busy.close();
    }
    await using sim = await createSimulator();
    const port = Number(new URL(sim.url).port);
    await expect(createSimulator({ port })).rejects.toThrow(`Port ${port} on 127.0.0.1 is in use`);
  });

  test('beyond loopback it says who can reach it', async () => {
    for (const host of ['0.0.0.0', ...(hasIpv6 ? ['::'] : [])]) {
      await using sim = await createSimulator({ host });
      const { port } = new URL(sim.url);
      expect(sim.listening).toBe(`http://127.0.0.1:${port}`);
      expect(sim.notes).toEqual([
        `Warning: anyone who can reach port ${port} of this machine can use this simulator, because its default credentials are public.`,
      ]);
    }
    await using quiet = await createSimulator({ host: '127.0.0.2' });
    expect(quiet.notes).toEqual([]);
  });
});

describe('interface §6: GET / and /healthz', () => {
  let sim: Simulator;
  beforeAll(async () => {
    sim = await createSimulator({ publicUrl: 'https://shop.test' });
  });
  afterAll(() => sim.close());

  test('/ says where things are, and each is there', async () => {
    for (const accept of ['*/*', 'application/json', undefined]) {
      const answer = await ask(`${sim.listening}/`, { headers: accept === undefined ? {} : { accept } });
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(JSON.parse(answer.text)).toEqual({
        name: 'layaway',
        version: packageJson.version,
        api: 'https://shop.test/v1',
        docs: 'https://shop.test/docs',
        openapi: 'https://shop.test/openapi.json',
        dashboard: 'https://shop.test/dashboard',
        health: 'https://shop.test/healthz',
      });
    }
    for (const [path, status] of [
      ['/docs', 200],
      ['/openapi.json', 200],
      ['/dashboard', 401],
      ['/healthz', 200],
    ] as const) {
      expect([path, (await ask(`${sim.listening}${path}`)).status]).toEqual([path, status]);
    }
  });

  test('/ is a page for a browser', async () => {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
    const { headers, text } = await ask(`${sim.listening}/`, { headers: { accept } });
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers.vary).toBe('accept');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    for (const path of ['docs', 'openapi.json', 'dashboard', 'healthz']) {
      expect(text).toContain(`<a href="https://shop.test/${path}">`);
    }
    expect(text).not.toMatch(/<style|\sstyle=|<script/);
    expect((await ask(`${sim.listening}/`, { method: 'POST' })).status).toBe(405);
  });

  test.each([
    ['text/html;q=0.9, application/json', 'json'],
    ['text/html;q=0, */*', 'json'],
    ['application/json;q=0.5, text/html;charset=utf-8;q=0.8', 'html'],
    ['text/html, application/json', 'html'],
    ['TEXT/HTML', 'html'],
    ['*/*', 'json'],
  ])('/ weighs what is accepted: %s', async (accept, form) => {
    const { headers } = await ask(`${sim.listening}/`, { headers: { accept } });
    expect(headers['content-type']).toContain(form);
  });

  test('/healthz is /_sim/health, whatever the query', async () => {
    for (const path of ['/healthz', '/healthz?from=probe', '/_sim/health?x=1']) {
      const { status, text } = await ask(`${sim.listening}${path}`);
      expect([status, JSON.parse(text)]).toEqual([200, { status: 'ok', version: packageJson.version }]);
    }
  });
});
