import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createSimulator, type Simulator } from '../../src/index.ts';
import { enterDashboard } from '../support/dashboard.ts';
import { caller, expectData, openShop } from '../support/shop.ts';

let sim: Simulator;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
});
afterAll(() => sim.close());

const enter = (house: Pick<Simulator, 'dashboardUrl'> = sim) => enterDashboard(house);

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${sim.url}${path}`, { headers, redirect: 'manual' });

describe('interface §3: a browser comes in through a one-time link', () => {
  test('the link leads to the dashboard and sets an HttpOnly, SameSite=Strict cookie', async () => {
    const response = await fetch(sim.dashboardUrl, { redirect: 'manual' });
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toMatch(/^\/dashboard#key=[\w-]{40,}$/);
    expect(response.headers.get('set-cookie')).toMatch(
      new RegExp(`^layaway_dashboard_${new URL(sim.url).port}=[\\w-]{32,}; HttpOnly; SameSite=Strict; Path=/$`),
    );
  });

  test('it works once; whoever is in already comes in again', async () => {
    const link = sim.dashboardUrl;
    const cookie = ((await fetch(link, { redirect: 'manual' })).headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
    const again = await fetch(link, { redirect: 'manual' });
    expect(again.status).toBe(401);
    expect(again.headers.get('set-cookie')).toBeNull();
    expect(await again.text()).toContain('npx layaway dashboard');
    const known = await fetch(link, { redirect: 'manual', headers: { cookie } });
    expect([known.status, known.headers.get('location')]).toEqual([303, '/dashboard']);
  });

  test('a HEAD, such as for a preview of the link, does not use it up', async () => {
    const link = sim.dashboardUrl;
    const looked = await fetch(link, { method: 'HEAD', redirect: 'manual' });
    expect([looked.status, looked.headers.get('location')]).toEqual([303, '/dashboard']);
    expect(looked.headers.get('set-cookie')).toBeNull();
    const opened = await fetch(link, { redirect: 'manual' });
    expect(opened.headers.get('location')).toMatch(/^\/dashboard#key=/);
    expect((await fetch(link, { method: 'HEAD', redirect: 'manual' })).status).toBe(401);
  });

  test('a second link keeps what the open tabs of a browser have', async () => {
    const { cookie, ...key } = await enter();
    const again = await fetch(sim.dashboardUrl, { redirect: 'manual', headers: { cookie } });
    expect((again.headers.get('set-cookie') as string).startsWith(`${cookie};`)).toBe(true);
    expect(again.headers.get('location')).toBe(`/dashboard#key=${key['x-layaway-dashboard']}`);
  });

  test('a link leads to the account that it names, and to no other place', async () => {
    const placeOf = async (account: string) => {
      const { headers } = await fetch(`${sim.dashboardUrl}&account=${account}`, { redirect: 'manual' });
      return headers.get('location')?.split('#')[0];
    };
    expect(await placeOf(sim.default.live.clientId)).toBe(`/dashboard/${sim.default.live.clientId}`);
    for (const other of ['', '/evil.example', '..%2F..%2Fdocs', `${sim.default.clientId}&account=b`, 'go'])
      expect(await placeOf(other)).toBe('/dashboard');
  });

  test.each(['?token=', '?token=guessed', '', '?token=a&token=b'])(
    '/dashboard/enter%s opens nothing',
    async (query) => {
      const response = await get(`/dashboard/enter${query}`);
      expect(response.status).toBe(401);
      expect(response.headers.get('set-cookie')).toBeNull();
    },
  );

  test('an address that cannot be decoded leads to the dashboard, but not under an unknown host', async () => {
    const raw = (host: string) =>
      new Promise<IncomingMessage>((resolve, reject) =>
        request(`${sim.url}/dashboard/%E0%A4%A`, { headers: { host } }, (answer) => resolve(answer.resume()))
          .on('error', reject)
          .end(),
      );
    const { statusCode, headers } = await raw(new URL(sim.url).host);
    expect([statusCode, headers.location]).toEqual([303, '/dashboard']);
    expect((await raw('evil.example')).statusCode).toBe(403);
  });

  test('POST /_sim/dashboard-links draws one for anyone with the control token', async () => {
    const bearer = caller(sim, { authorization: `Bearer ${sim.controlToken}` });
    const { url } = expectData(await bearer('POST', '/_sim/dashboard-links'), 201);
    expect(url.startsWith(`${sim.url}/dashboard/enter?token=`)).toBe(true);
    expect((await fetch(url, { redirect: 'manual' })).status).toBe(303);
    expect((await caller(sim)('POST', '/_sim/dashboard-links')).status).toBe(401);
    expect((await caller(sim, { ...sim.default.headers })('POST', '/_sim/dashboard-links')).status).toBe(401);
  });

  test.each(['/dashboard', '/dashboard/anything/contracts', '/dashboard/go/cs_1'])(
    'without the cookie %s says which command to run',
    async (path) => {
      const response = await get(path);
      expect(response.status).toBe(401);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(await response.text()).toContain('npx layaway dashboard');
    },
  );

  test('a cookie of another simulator, or of this one before a restart, opens nothing', async () => {
    await using other = await createSimulator();
    const { cookie: foreign, ...key } = await enter(other);
    const cookie = `layaway_dashboard_${new URL(sim.url).port}=${foreign.split('=')[1]}`;
    expect((await get('/dashboard', { cookie })).status).toBe(401);
    expect((await get('/_sim/browse/accounts', { cookie, ...key })).status).toBe(401);
  });
});

describe('what cookie and key open', () => {
  let pass: Awaited<ReturnType<typeof enter>>;
  beforeAll(async () => {
    pass = await enter();
  });

  test('account levers of any merchant, by its client id', async () => {
    const { shop } = await openShop(sim);
    for (const { clientId } of [shop, shop.live, sim.default]) {
      const response = await get('/_sim/clock', { ...pass, 'x-layaway-account': clientId });
      expect(response.status).toBe(200);
    }
    expect((await get('/_sim/clock', { ...pass })).status).toBe(404);
    expect((await get('/_sim/clock', { ...pass, 'x-layaway-account': 'mch_test_nobody' })).status).toBe(404);
  });

  test('watchers of the server are not told what it reads by itself, only what somebody does', async () => {
    const told: string[] = [];
    await using watched = await createSimulator({
      seed: 1,
      onRequest: ({ method, path }) => told.push(`${method} ${path}`),
    });
    const headers = { ...(await enter(watched)), origin: watched.url, 'x-layaway-account': watched.default.clientId };
    expect((await fetch(`${watched.url}/_sim/clock`, { headers })).status).toBe(200);
    expect((await fetch(`${watched.url}/_sim/clock/freeze`, { method: 'POST', headers })).status).toBe(200);
    expect((await fetch(`${watched.url}/_sim/clock`, { headers: watched.default.headers })).status).toBe(200);
    const ofClock = () => told.filter((line) => line.includes('/_sim/clock'));
    await expect.poll(ofClock).toEqual(['POST /_sim/clock/freeze', 'GET /_sim/clock']);
  });

  test('workspace levers, but never /v1', async () => {
    expect((await get('/_sim/merchants', { ...pass })).status).toBe(200);
    const v1 = await get('/v1/ping', { ...pass, 'x-layaway-account': sim.default.clientId });
    expect(v1.status).toBe(401);
  });

  test('credentials that are sent along are the ones that count', async () => {
    const wrong = { ...pass, 'x-layaway-account': sim.default.clientId, 'x-client-id': sim.default.clientId };
    expect((await get('/_sim/clock', { ...wrong, 'x-api-key': 'wrong' })).status).toBe(401);
    expect((await get('/_sim/merchants', { ...pass, authorization: 'Bearer wrong' })).status).toBe(401);
  });

  const change = (headers: Record<string, string>) =>
    fetch(`${sim.url}/_sim/clock/freeze`, {
      method: 'POST',
      headers: { ...pass, 'x-layaway-account': sim.default.clientId, ...headers },
    });

  test('a change needs the Origin of the dashboard itself', async () => {
    expect((await change({ origin: sim.url })).status).toBe(200);
    expect((await change({})).status).toBe(403);
    for (const origin of ['null', 'https://evil.example', sim.url.replace(/\d+$/, '1')]) {
      expect((await change({ origin })).status).toBe(403);
    }
  });

  test('a page on another port of this host is the same site, and is refused all the same', async () => {
    for (const site of ['same-site', 'cross-site', 'none']) {
      const headers = { ...pass, 'x-layaway-account': sim.default.clientId, 'sec-fetch-site': site };
      expect((await get('/_sim/clock', headers)).status).toBe(403);
      expect((await get('/_sim/merchants', headers)).status).toBe(403);
    }
  });

  test.each(['/dashboard', '/dashboard/enter', '/dashboard/assets/x.js', '/dashboard/door.css'])(
    '%s: a foreign host or origin gets nothing',
    async (url) => {
      const host = await sim.inject({ method: 'GET', url, headers: { ...pass, host: 'evil.example' } });
      expect(host.statusCode).toBe(403);
      const origin = await sim.inject({ method: 'GET', url, headers: { ...pass, origin: 'https://evil.example' } });
      expect(origin.statusCode).toBe(403);
    },
  );
});

describe('a program on another port of this host is sent the cookie, and has nothing by it', () => {
  /** Whatever it claims to be, it can write any header; only the key it was never sent. */
  const CLAIMS: Record<string, string>[] = [
    {},
    { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
    { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
    { 'x-layaway-dashboard': '' },
    { 'x-layaway-dashboard': 'guessed' },
  ];
  const LEVERS = [
    ['GET', '/_sim/merchants'],
    ['POST', '/_sim/merchants'],
    ['GET', '/_sim/keys'],
    ['POST', '/_sim/keys'],
    ['GET', '/_sim/webhook-endpoints'],
    ['GET', '/_sim/browse/accounts'],
    ['GET', '/_sim/browse/changes'],
    ['POST', '/_sim/dashboard-links'],
    ['POST', '/_sim/reset'],
  ] as const;

  test.each(LEVERS)('%s %s', async (method, path) => {
    const { cookie } = await enter();
    const { shop } = await openShop(sim);
    const merchants = (await sim.listMerchants()).length;
    for (const claims of CLAIMS) {
      const headers = { cookie, origin: sim.url, 'x-layaway-account': shop.clientId, ...claims };
      const url = `${sim.url}${path}?account=${shop.clientId}&ticket=guessed`;
      for (const address of [url, `${sim.url}${path}`]) {
        const answer = await fetch(address, { method, headers });
        expect([claims, answer.status]).toEqual([claims, 401]);
        await answer.body?.cancel();
      }
    }
    expect(await sim.listMerchants()).toHaveLength(merchants);
    expect(await shop.keys.list()).toHaveLength(1);
  });

  test('neither the page nor a used link gives it the key', async () => {
    const { cookie, ...key } = await enter();
    for (const path of ['/dashboard', '/dashboard/any/view', '/dashboard/enter?token=x', '/dashboard/enter']) {
      const answer = await get(path, { cookie });
      const told = [await answer.text(), ...[...answer.headers].flat()].join('\n');
      expect(told).not.toContain(key['x-layaway-dashboard']);
      expect(told).not.toContain('key=');
    }
  });

  test('the key of another visitor, or without the cookie, opens nothing', async () => {
    const [one, other] = [await enter(), await enter()];
    expect((await get('/_sim/merchants', one)).status).toBe(200);
    expect((await get('/_sim/merchants', { ...one, cookie: other.cookie })).status).toBe(401);
    expect((await get('/_sim/merchants', { ...one, cookie: '' })).status).toBe(401);
  });

  test('a frame is let in by a ticket for one email, of this visitor', async () => {
    const { shop, step, open } = await openShop(sim);
    for (const email of ['a@example.com', 'b@example.com']) {
      await step((await open()).id, 'complete', { customer_email: email });
    }
    const [email, another] = await shop.emails.list();
    const pass = await enter();
    const headers = { ...pass, 'x-layaway-account': shop.clientId };
    const answer = await get(`/_sim/browse/emails/${email?.id}/frame`, headers);
    const { src } = ((await answer.json()) as { data: { src: string } }).data;
    const { cookie } = pass;
    const framed = await get(src, { cookie, 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'iframe' });
    expect([framed.status, await framed.text()]).toEqual([200, email?.html]);
    for (const path of [
      src.replace(email?.id as string, another?.id as string),
      src.replace(shop.clientId, shop.live.clientId),
      src.replace(/ticket=.*/, 'ticket='),
      src.replace(/&ticket=.*/, ''),
      src.replace(/emails\/[^/]+\/page/, 'emails'),
      `${src}&x=1`,
    ]) {
      expect([path, (await get(path, { cookie })).status]).toEqual([path, 401]);
    }
    expect((await get(src, { cookie: (await enter()).cookie })).status).toBe(401);
    expect((await get(src)).status).toBe(401);
  });
});

describe('the files', () => {
  let built: Simulator;
  let cookie: string;
  beforeAll(async () => {
    const { createSimulator: create } = (await import(`${inject('layaway')}/dist/index.js`)) as {
      createSimulator: typeof createSimulator;
    };
    built = await create();
    ({ cookie } = await enter(built));
  });
  afterAll(() => built.close());

  test('a strict policy: no script or style inline, nothing from elsewhere, in no frame', async () => {
    for (const headers of [{}, { cookie }]) {
      const response = await fetch(`${built.url}/dashboard`, { headers });
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('referrer-policy')).toBe('no-referrer');
      const html = await response.text();
      expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script>|https?:\/\//);
    }
  });

  test('the first view is under 150 KB compressed; its files are kept for good', async () => {
    const headers = { cookie, 'accept-encoding': 'gzip' };
    const index = await fetch(`${built.url}/dashboard/any/view/at-all`, { headers });
    expect(index.status).toBe(200);
    const paths = [...(await index.text()).matchAll(/(?:src|href)="(\/dashboard\/assets\/[^"]+)"/g)].map(([, p]) => p);
    expect(paths.length).toBeGreaterThanOrEqual(2);
    let bytes = 0;
    for (const path of paths as string[]) {
      const file = await built.inject({ method: 'GET', url: path, headers: { 'accept-encoding': 'gzip' } });
      expect(file.statusCode).toBe(200);
      expect(file.headers['content-encoding']).toBe('gzip');
      expect(file.headers['cache-control']).toContain('immutable');
      bytes += Number(file.headers['content-length']);
    }
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(150_000);
  });

  test.each(['nothing.js', '..%2findex.html', '%2e%2e/index.html'])(
    '/dashboard/assets/%s is not a file',
    async (name) => {
      const response = await fetch(`${built.url}/dashboard/assets/${name}`);
      expect([401, 404]).toContain(response.status);
    },
  );
});

describe('what people browse', () => {
  test('contracts: pages of 50, narrowed by status and by any part of reference, order, name or email', async () => {
    const shop = await openShop(sim);
    for (let n = 0; n < 52; n += 1) await shop.complete({ order_reference: `A-${n}` });
    const odd = await shop.open({ order_reference: '100%_\\' });
    await shop.step(odd.id, 'complete', { customer_name: 'Grace', customer_email: 'g@example.com' });
    const read = async (query: string) => (await shop.call('GET', `/_sim/browse/contracts${query}`)).body;
    const first = await read('');
    expect(first.data).toHaveLength(50);
    expect(first.data[0].order_reference).toBe('100%_\\');
    expect(first.meta).toEqual({ page: 1, per_page: 50, total: 53, more_than_total: false });
    expect((await read('?page=2')).data.map((c: { order_reference: string }) => c.order_reference)).toEqual([
      'A-2',
      'A-1',
      'A-0',
    ]);
    for (const search of ['%', '_', '\\', 'grace', 'G@EXAMPLE', odd.order_reference]) {
      const found = await read(`?search=${encodeURIComponent(search)}`);
      const names = found.data.map((c: { customer_name: string }) => c.customer_name);
      expect([search, found.meta.total]).toEqual([search, 1]);
      expect(names).toEqual(['Grace']);
    }
    expect((await read('?status=defaulted')).data).toEqual([]);
    expect((await read('?status=active&search=A-1')).meta.total).toBe(11);
    for (const query of ['?status=odd', '?page=0', '?page=x']) {
      expect((await shop.call('GET', `/_sim/browse/contracts${query}`)).status).toBe(422);
    }
  });

  test('from any id to everything related: request, event, delivery, email', async () => {
    const shop = await openShop(sim);
    const other = await openShop(sim);
    const { id } = await shop.open();
    const { reference } = await shop.step(id, 'complete');
    // A list that holds the contract is not about it, and another account asks in vain.
    await shop.call('GET', '/v1/contracts');
    await other.call('GET', `/v1/checkout-sessions/${id}`);
    const related = async (of: string) => expectData(await shop.call('GET', `/_sim/browse/related/${of}`));
    const all = await related(reference);
    expect(all.session.id).toBe(id);
    expect(all.events.map(({ type }: { type: string }) => type)).toEqual([
      'session.completed',
      'contract.activated',
      'session.decision_made',
    ]);
    expect(all.emails).toHaveLength(1);
    expect(all.attempts).toHaveLength(1);
    expect(all.requests.map(({ path }: { path: string }) => path)).toEqual(['/v1/sessions']);
    const ids = [id, all.events[0].id, all.emails[0].id, all.attempts[0].reference, all.requests[0].id];
    for (const each of ids) expect((await related(each)).contract.reference).toBe(reference);
    for (const each of [reference, all.requests[0].id]) {
      expect((await other.call('GET', `/_sim/browse/related/${each}`)).status).toBe(404);
    }
  });

  test('interface §7: a checkout that was opened behind an error has the request that opened it', async () => {
    const shop = await openShop(sim);
    await shop.shop.faults.add({ kind: 'late_error' });
    const payload = {
      order_reference: 'A-1',
      total_amount: 20_000,
      return_url: 'https://a.example/',
      cancel_url: 'https://a.example/',
      customer_state: 'TX',
    };
    const { headers } = shop.shop;
    await expect(sim.inject({ method: 'POST', url: '/v1/sessions', headers, payload })).resolves.toMatchObject({
      statusCode: 503,
    });
    const [{ id }] = expectData(await shop.call('GET', '/_sim/browse/sessions'));
    await shop.call('GET', `/v1/sessions/${id}`);
    const { requests } = expectData(await shop.call('GET', `/_sim/browse/related/${id}`));
    expect(requests.map(({ method, status }: { method: string; status: number }) => `${method} ${status}`)).toEqual([
      'GET 200',
      'POST 503',
    ]);
    const ofTheError = expectData(await shop.call('GET', `/_sim/browse/related/${requests[1].id}`));
    expect([ofTheError.kind, ofTheError.session.id]).toEqual(['request', id]);
  });

  test('an id is found in whichever account it is: a request, an endpoint and a client id too', async () => {
    const shop = await openShop(sim);
    const bearer = caller(sim, { authorization: `Bearer ${sim.controlToken}` });
    const find = async (id: string) => expectData(await bearer('GET', `/_sim/browse/find/${id}`));
    const session = await shop.open();
    const endpoint = expectData(
      await shop.call('POST', '/_sim/webhook-endpoints', { url: 'http://127.0.0.1:9/' }),
      201,
    );
    const [request] = expectData(await shop.call('GET', '/_sim/requests?limit=1'));
    const own = { client_id: shop.shop.clientId, session: null, contract: null };
    expect(await find(request.id)).toEqual({ ...own, kind: 'request', session: session.id });
    expect(await find(endpoint.id)).toEqual({ ...own, kind: 'endpoint' });
    expect(await find(shop.shop.clientId)).toEqual({ ...own, kind: 'account' });
    await shop.call('GET', '/v1/ping');
    const [alone] = expectData(await shop.call('GET', '/_sim/requests?limit=1'));
    expect(await find(alone.id)).toEqual({ ...own, kind: 'request' });
    expect(expectData(await shop.call('GET', `/_sim/browse/related/${alone.id}`)).session).toBeNull();
  });

  test('among many merchants, the first one and the one that is looked at are always listed', async () => {
    await using own = await createSimulator();
    const early = await own.merchant();
    for (let n = 0; n < 200; n += 1) await own.merchant();
    const bearer = { authorization: `Bearer ${own.controlToken}` };
    const listed = async (account?: string) => {
      const headers = { ...bearer, ...(account === undefined ? {} : { 'x-layaway-account': account }) };
      const { body } = await caller(own, headers)('GET', '/_sim/browse/accounts');
      expect(body.meta.merchants).toBe(202);
      return body.data.map(({ client_id }: { client_id: string }) => client_id);
    };
    expect(await listed()).toContain(own.default.clientId);
    expect(await listed()).not.toContain(early.clientId);
    expect(await listed(early.clientId)).toEqual(expect.arrayContaining([early.clientId, own.default.clientId]));
  });

  test('a search finds accounts by name, mode and client id among all merchants, and says when there are more', async () => {
    await using own = await createSimulator();
    const early = await own.merchant({ legal_name: 'Corner 100% Shop Ltd', dba: 'École 100% Shop' });
    // No random id holds a hyphen.
    for (let n = 0; n < 200; n += 1) await own.merchant({ dba: `Shop-${n}` });
    const bearer = { authorization: `Bearer ${own.controlToken}` };
    const ask = async (query: string) => {
      const answer = await caller(own, bearer)('GET', `/_sim/browse/accounts${query}`);
      const { data, meta } = answer.body as {
        data: { client_id: string; mode: string; merchant: { name: string } }[];
        meta: { merchants: number; more: boolean };
      };
      return { ids: data.map(({ client_id }) => client_id), names: data.map(({ merchant }) => merchant.name), meta };
    };
    const search = (text: string) => ask(`?${new URLSearchParams({ search: text })}`);
    expect((await search('éCOLE shop')).ids).toEqual([early.clientId, early.live.clientId]);
    expect((await search('0% live')).ids).toEqual([early.live.clientId]);
    expect((await search(early.clientId)).ids).toEqual([early.clientId]);
    expect(await search('shop-19')).toEqual({
      ids: expect.any(Array),
      names: [199, 198, 197, 196, 195, 194, 193, 192, 191, 190].flatMap((n) => [`Shop-${n}`, `Shop-${n}`]),
      meta: expect.objectContaining({ merchants: 202, more: true }),
    });
    expect(await search('shop-199')).toMatchObject({ names: ['Shop-199', 'Shop-199'], meta: { more: false } });
    expect(await search('nobody')).toMatchObject({ ids: [], meta: { more: false } });
    expect((await ask('')).meta.more).toBe(true);
  });

  describe('what piled up is read backwards, in looks of 50 that do not shift', () => {
    interface Line {
      readonly id: string;
      readonly type: string;
      readonly subject: string;
    }
    interface Answer {
      readonly data: readonly Line[];
      readonly meta: { readonly older: string | null };
    }
    /** Every look from `first` on. */
    async function looks(read: (before: string) => Promise<Answer>): Promise<Answer[]> {
      const all: Answer[] = [];
      for (let before: string | null = ''; before !== null; ) {
        const answer = await read(before);
        all.push(answer);
        before = answer.meta.older;
      }
      return all;
    }

    test('events, by any part of type, subject or id', async () => {
      const shop = await openShop(sim);
      const contracts = [];
      for (let n = 0; n < 20; n += 1) contracts.push(await shop.complete());
      const read = async (query: string): Promise<Answer> =>
        (await shop.call('GET', `/_sim/browse/events?${query}`)).body;
      const first = await read('');
      await shop.complete();
      const second = await read(`before=${first.meta.older}`);
      expect([first.data.length, second.data.length, second.meta.older]).toEqual([50, 10, null]);
      const all = expectData(await shop.call('GET', '/_sim/events?limit=1000')).map(({ id }: Line) => id);
      expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(all.slice(3));

      const found = async (search: string) =>
        (await looks((before) => read(`search=${encodeURIComponent(search)}&before=${before}`))).flatMap(
          ({ data }) => data,
        );
      expect(await found('contract.act')).toHaveLength(21);
      expect(await found('%')).toEqual([]);
      const { reference } = contracts[0];
      expect((await found(reference)).map(({ subject }) => subject)).toEqual([reference]);
      expect((await found(second.data[0]?.id ?? '')).length).toBe(1);
      const other = await openShop(sim);
      expect((await other.call('GET', `/_sim/browse/events?search=${reference}`)).body.data).toEqual([]);
      expect((await other.call('GET', `/_sim/browse/events?before=${first.meta.older}`)).status).toBe(422);
    });

    test('deliveries, by status and endpoint; one by its id', async () => {
      const shop = await openShop(sim);
      const add = async () =>
        expectData(await shop.call('POST', '/_sim/webhook-endpoints', { url: 'http://127.0.0.1:9/' }), 201).id;
      const [one, two] = [await add(), await add()];
      for (let n = 0; n < 17; n += 1) await shop.complete();
      await shop.call('DELETE', `/_sim/webhook-endpoints/${two}`);
      const read = async (query: string): Promise<Answer> =>
        (await shop.call('GET', `/_sim/browse/deliveries?${query}`)).body;
      const counted = async (query: string) =>
        (await looks((before) => read(`${query}&before=${before}`))).map(({ data }) => data.length);
      expect(await counted('')).toEqual([50, 50, 2]);
      expect(await counted(`endpoint_id=${one}`)).toEqual([50, 1]);
      expect(await counted('status=failed')).toEqual([50, 1]);
      expect(await counted(`status=failed&endpoint_id=${one}`)).toEqual([0]);
      expect(await counted('event_type=contract.activated')).toEqual([34]);
      const [delivery] = (await read('')).data;
      expect(expectData(await shop.call('GET', `/_sim/deliveries/${delivery?.id}`))).toEqual(delivery);
      const other = await openShop(sim);
      expect((await other.call('GET', `/_sim/deliveries/${delivery?.id}`)).status).toBe(404);
      expect((await shop.call('GET', '/_sim/browse/deliveries?status=odd')).status).toBe(422);
    });

    test('emails, by any part of recipient, contract or template', async () => {
      const shop = await openShop(sim);
      for (let n = 0; n < 51; n += 1) {
        const { id } = await shop.open();
        await shop.step(id, 'complete', { customer_email: `c${n}@example.com` });
      }
      const read = async (query: string) => (await shop.call('GET', `/_sim/browse/emails?${query}`)).body;
      const pages = await looks((before) => read(`before=${before}`));
      expect(pages.map(({ data }) => data.length)).toEqual([50, 1]);
      const { data } = await read('search=C7@');
      expect(data.map(({ to }: { to: string }) => to)).toEqual(['c7@example.com']);
      expect((await read('search=nobody')).data).toEqual([]);
      const { reference } = expectData(await shop.call('GET', '/v1/contracts'))[7];
      expect((await read(`search=${reference.slice(4)}`)).data.map(({ id }: Line) => id)).toEqual([
        expectData(await shop.call('GET', `/_sim/emails?reference=${reference}`))[0].id,
      ]);
      expect((await read('search=confirm')).data).toHaveLength(50);
    });

    test('requests without their bodies, by path and status; one by its id, with them', async () => {
      const shop = await openShop(sim);
      for (let n = 0; n < 51; n += 1) await shop.call('GET', '/v1/ping');
      await shop.call('POST', '/v1/sessions', { total_amount: 1 });
      const read = async (query: string) => (await shop.call('GET', `/_sim/browse/requests?${query}`)).body;
      const pages = await looks((before) => read(`path=/v1/ping&before=${before}`));
      expect(pages.map(({ data }) => data.length)).toEqual([50, 1]);
      const refused = (await read('status=4xx&path=/v1/sessions')).data[0];
      expect(refused).not.toHaveProperty('response_body');
      const whole = expectData(await shop.call('GET', `/_sim/requests/${refused.id}`));
      expect(whole).toMatchObject({ ...refused, request_body: { total_amount: 1 } });
      const other = await openShop(sim);
      for (const id of [refused.id, 'req_999999999999', 'req_0', 'x']) {
        expect([id, (await other.call('GET', `/_sim/requests/${id}`)).status]).toEqual([id, 404]);
      }
      expect((await shop.call('GET', '/_sim/browse/requests?before=x')).status).toBe(422);
    });
  });

  test('counts follow what happens', async () => {
    const shop = await openShop(sim);
    await shop.open();
    await shop.contractIn('cancelled');
    expect(expectData(await shop.call('GET', '/_sim/browse/counts'))).toEqual({
      sessions: { pending: 1, completed: 1 },
      contracts: { cancelled: 1 },
      deliveries: {},
    });
  });

  test('an email as its own page can run, load and lead to nothing', async () => {
    const shop = await openShop(sim);
    const { id } = await shop.open();
    await shop.step(id, 'complete', { customer_name: '<script>x</script>', customer_email: 'a@example.com' });
    const [email] = expectData(await shop.call('GET', '/_sim/emails'));
    const page = await shop.call('GET', `/_sim/emails/${email.id}/page`);
    expect(page.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none';/);
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.text).toBe(email.html);
    expect(page.text).toContain('&lt;script&gt;');
    expect((await (await openShop(sim)).call('GET', `/_sim/emails/${email.id}/page`)).status).toBe(404);
  });

  test('one stretch of work is told once, and a restored workspace is told as such', async () => {
    await using own = await createSimulator({ clock: { frozenAt: '2026-01-01T00:00:00Z' } });
    const abort = new AbortController();
    const response = await fetch(`${own.url}/_sim/browse/changes`, {
      headers: own.default.headers,
      signal: abort.signal,
    });
    const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
    let heard = '';
    const until = async (word: string) => {
      while (!heard.includes(word)) heard += (await reader.read()).value;
    };
    await until(': open');
    const { id } = await own.default.sessions.create({ order_reference: 'A', total_amount: 20_000 });
    await own.default.sessions.complete(id);
    await own.default.clock.advance('12mo');
    await until('event: change');
    await own.inject({ method: 'GET', url: '/v1/ping', headers: own.default.headers });
    await until('event: request');
    await own.reset();
    await until('event: restart');
    const changes = () => (heard.match(/event: change/g) ?? []).length;
    expect(changes()).toBeLessThan(20);
    const { assumptions, keys, live } = own.default;
    for (const change of [
      () => assumptions.set({ grace_days: 3 }),
      () => keys.create(),
      // What the accounts of a merchant share is news to both, and what every account shares is news to each.
      () => live.assumptions.set({ legal_name: 'Another Store LLC' }),
      () => own.snapshots.save('a'),
      () => own.snapshots.delete('a'),
      () => own.merchant(),
    ]) {
      const before = changes();
      await change();
      while (changes() === before) heard += (await reader.read()).value;
    }
    abort.abort();
    await reader.cancel().catch(() => undefined);
  });
});
