import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startUntilReady } from '../../support/child.ts';
import { CARD } from '../../support/customer.ts';
import { openProxy } from '../../support/mapped-port.ts';
import { ask, reach } from '../../support/raw-request.ts';
import { CUSTOMER, order } from '../../support/shop.ts';
import { bin } from '../layaway.ts';

describe.each([
  ['a name that ends in .localhost', 'shop.localhost', () => []],
  ['a name given by --allow-host', 'layaway', () => ['--allow-host', 'layaway']],
  ['the name of --public-url', 'shop.test', (port: number) => ['--public-url', `http://shop.test:${port}`]],
])('interface §6: a server behind a mapped port, under %s', (_title, name, flags) => {
  let proxy: Awaited<ReturnType<typeof openProxy>>;
  let server: Awaited<ReturnType<typeof startUntilReady>>;
  let base: string;
  // biome-ignore lint/suspicious/noExplicitAny: the ready line as a program reads it
  let ready: any;
  let pair: Record<string, string>;

  beforeAll(async () => {
    proxy = await openProxy();
    const given = ['--memory', '--port', '0', '--now', '2026-01-01T00:00:00Z', '--clock', 'frozen'];
    server = await startUntilReady(process.execPath, [bin, 'serve', '--json', ...given, ...flags(proxy.port)]);
    ready = JSON.parse(server.ready);
    proxy.leadTo(ready.listening);
    base = `http://${name}:${proxy.port}`;
    pair = { 'x-client-id': ready.sandbox.client_id, 'x-api-key': ready.sandbox.api_key };
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
  });

  /** What a client behind the proxy gets, whatever address an answer named before. */
  const through = (url: string) => `${base}${url.slice(new URL(url, base).origin.length)}`;
  async function json(method: string, path: string, body?: object, headers = pair) {
    const sent = body
      ? { body: JSON.stringify(body), headers: { ...headers, 'content-type': 'application/json' } }
      : { headers };
    const { status, text } = await ask(`${base}${path}`, { method, ...sent });
    return { status, body: JSON.parse(text) };
  }
  async function plan(reference: string): Promise<{ id: string; contract: string }> {
    const { id } = (await json('POST', '/v1/sessions', order({ order_reference: reference }))).body.data;
    const completed = await json('POST', `/_sim/sessions/${id}/complete`, CUSTOMER);
    return { id, contract: completed.body.data.reference };
  }

  test('answers, and its clock is moved', async () => {
    expect((await ask(`${base}/healthz`)).status).toBe(200);
    expect((await json('GET', '/_sim/health')).body.status).toBe('ok');
    const { contract } = await plan('clock');
    const { status, body } = await json('POST', '/_sim/clock/advance', { until: `${contract}#1=paid` });
    expect([status, body.data.happened.map(({ type }: { type: string }) => type)]).toEqual([200, ['installment.paid']]);
    expect((await json('POST', '/_sim/clock/resume')).body.data.mode).toBe('running');
    expect((await json('POST', '/_sim/clock/freeze')).body.data.mode).toBe('frozen');
  });

  test('a customer gets from the checkout page to the accepted and paid plan', async () => {
    const { id, checkout_url } = (await json('POST', '/v1/sessions', order())).body.data;
    const page = through(checkout_url);
    const form = async (step: string, fields: Record<string, string>) => {
      const form_token = /name="form_token" value="([^"]+)"/.exec((await ask(page)).text)?.[1] as string;
      const { status, headers } = await ask(`${page}/${step}`, {
        method: 'POST',
        headers: { origin: base, 'content-type': 'application/x-www-form-urlencoded' },
        body: String(new URLSearchParams({ form_token, ...fields })),
      });
      expect([step, status]).toEqual([step, 303]);
      return headers.location as string;
    };
    const back = new URL(await form('accept', CUSTOMER), page);
    expect(back.href).toBe(page);
    expect((await ask(page)).text).toContain('data-testid="checkout-payment"');
    expect(await form('pay', CARD)).toMatch(/^https:\/\/shop\.example\/return/);
    expect((await json('GET', `/v1/checkout-sessions/${id}`)).body.data.status).toBe('completed');
  });

  test('a browser signs in to the dashboard and moves the clock', async () => {
    const entered = await ask(through(ready.dashboard_url));
    const [, key] = /^\/dashboard#key=([\w-]+)$/.exec(entered.headers.location ?? '') as unknown as [string, string];
    const cookie = entered.headers['set-cookie']?.[0]?.split(';', 1)[0] as string;
    expect((await ask(`${base}/dashboard`, { headers: { cookie } })).text).toContain('<script');
    const visitor = {
      cookie,
      origin: base,
      'sec-fetch-site': 'same-origin',
      'x-layaway-dashboard': key,
      'x-layaway-account': ready.sandbox.client_id,
    };
    const { now } = (await json('GET', '/_sim/clock')).body.data;
    const advanced = await json('POST', '/_sim/clock/advance', { by: '1h' }, visitor);
    expect([advanced.status, Date.parse(advanced.body.data.now) - Date.parse(now)]).toEqual([200, 3_600_000]);
    const foreign = { ...visitor, origin: ready.listening };
    expect((await json('POST', '/_sim/clock/advance', { by: '1h' }, foreign)).status).toBe(403);
  });

  test('a stream of events comes through as they happen', async () => {
    const { answer, sent } = await reach(`${base}/_sim/events/stream`, { headers: pair });
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'text/event-stream']);
    const { contract } = await plan('stream');
    let text = '';
    for await (const chunk of answer) {
      text += chunk;
      if (text.includes('event: contract.activated') && text.includes(contract)) break;
    }
    sent.destroy();
  });

  test('the links of a list lead from page to page', async () => {
    for (let count = 0; count < 16; count += 1) await plan(`page-${count}`);
    const seen = new Set<string>();
    let path: string | null = '/v1/contracts';
    while (path !== null) {
      const { body } = await json('GET', path);
      for (const { reference } of body.data) seen.add(reference);
      const { next } = body.links as { next: string | null };
      if (next !== null && ready.base_url === base) expect(next.startsWith(`${base}/v1/contracts?page=`)).toBe(true);
      path = next && through(next).slice(base.length);
      if (path === null) expect(seen.size).toBe(body.meta.total);
    }
    expect(seen.size).toBeGreaterThan(15);
  });
});
