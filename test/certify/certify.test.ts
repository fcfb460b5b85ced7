import { describe, expect, test } from 'vitest';
import { CHECK_IDS, certify as certifyWith, type World } from '../../src/certify/run.ts';
import { EVENT_TYPES } from '../../src/domain/event.ts';
import { exchange } from '../../src/exchange.ts';
import { type Certificate, certify, createSimulator, isCertified } from '../../src/index.ts';
import { defaultDraw, randomSecret } from '../../src/secrets/draw.ts';
import { pause, realTime } from '../../src/time/real.ts';
import { createDeliver, isAbsent } from '../../src/webhook/deliver.ts';
import { signedHeaders } from '../../src/webhook/sign.ts';
import { needing } from '../support/programs.ts';
import { FAULTY, openStore, SECRET } from './receivers.ts';

const failed = ({ checks }: Certificate) => checks.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
const notes = ({ checks }: Certificate) =>
  checks.filter(({ verdict }) => verdict === 'fail').map(({ id, note }) => `${id}: ${note}`);

const world = (): World => ({
  start: createSimulator,
  openPost: () => createDeliver(realTime.now),
  sign: signedHeaders,
  isAbsent,
  exchange,
  waiting: { now: realTime.now, pause },
  draw: randomSecret,
  derivedSecret: defaultDraw.webhookSecret('account', 1),
  timeoutMs: 15_000,
});

test('interface §10: a receiver that does everything right passes every check', async () => {
  await using store = await openStore();
  const certificate = await certify({ url: store.url, secret: SECRET, observe: store.observe });
  expect(notes(certificate)).toEqual([]);
  expect(certificate).toMatchObject({ passed: CHECK_IDS.length, failed: 0, skipped: 0, level: 'must' });
  expect(certificate.checks.map(({ id }) => id)).toEqual(CHECK_IDS);
});

test('interface §10: without --observe the answers are counted, and the checks say so', async () => {
  await using store = await openStore();
  const certificate = await certify({ url: store.url, secret: SECRET });
  expect(failed(certificate)).toEqual([]);
  const counted = certificate.checks.filter(({ note }) => note?.includes('--observe')).map(({ id }) => id);
  expect(counted).toEqual(['duplicate', 'duplicate-burst', 'out-of-order', 'retry-after-outage']);
});

test('for every check there is a receiver that fails it', () => {
  expect([...new Set(FAULTY.map(({ fails }) => fails))]).toEqual(CHECK_IDS);
});

test.each(FAULTY)(
  'a receiver that $name fails $fails and nothing else',
  { timeout: 60_000 },
  async ({ fails, fault }) => {
    await using store = await openStore(fault());
    const certificate = await certify({ url: store.url, secret: SECRET, observe: store.observe });
    expect(failed(certificate), notes(certificate).join('\n')).toEqual([fails]);
    const check = certificate.checks.find(({ id }) => id === fails);
    expect(check?.note).toBeTruthy();
    expect(check?.exchanges.length).toBeGreaterThan(0);
    expect(isCertified(certificate)).toBe(check?.level === 'should');
    expect(isCertified({ ...certificate, level: 'should' })).toBe(false);
  },
);

describe('interface §10: what keeps an examination from being made, or from ending', () => {
  test('nothing listens', async () => {
    const gone = await openStore();
    await gone[Symbol.asyncDispose]();
    await expect(certify({ url: gone.url, secret: SECRET })).rejects.toMatchObject({
      name: 'CertifyError',
      code: 'unreachable',
      message: `Nothing answers at ${gone.url}: connection refused: nothing listens there. Start your store, then try again.`,
    });
  });

  test.each([
    [{ only: ['genuin'] }, 'Unknown check "genuin". Checks: genuine, '],
    [{ skip: ['x', 'y'] }, 'Unknown check "x", "y".'],
    [{ secret: 'whsec_short' }, 'The secret must be whsec_ and the base64 of 24 to 64 bytes.'],
    [{ url: 'ftp://localhost/' }, '"ftp://localhost/" is not a URL of a receiver.'],
  ])('wrong options %o', async (wrong, message) => {
    const options = { url: 'http://127.0.0.1:1/', ...wrong };
    await expect(certify(options)).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining(message) });
  });

  test('a receiver that is silent is given up after three requests', async () => {
    await using store = await openStore({ before: () => new Promise(() => undefined) });
    const certificate = await certifyWith({ url: store.url, secret: SECRET }, { ...world(), timeoutMs: 100 });
    expect(store.requests()).toBeLessThan(20);
    // A GET that is not answered does no harm; what it shows is not 2xx.
    const passed = certificate.checks.filter(({ verdict }) => verdict === 'pass').map(({ id }) => id);
    expect(passed).toEqual(['no-redirect', 'get-harmless']);
    expect(JSON.stringify(certificate)).toContain('not sent: 3 requests in a row got no answer within 0.1 s');
  });

  test('it ends at once when it is told to', async () => {
    const stop = new AbortController();
    await using store = await openStore({
      before: async () => {
        stop.abort(new Error('enough'));
        return undefined;
      },
    });
    await expect(certify({ url: store.url, secret: SECRET, signal: stop.signal })).rejects.toThrow('enough');
    expect(store.requests()).toBe(1);
  });
});

describe('interface §10: what is sent', () => {
  test('every type of event, with header names in lower, upper and Train-Case', async () => {
    const types = new Set<string>();
    const names = new Set<string | undefined>();
    await using store = await openStore({
      async before({ rawHeaders }) {
        names.add(rawHeaders.find((name) => name.toLowerCase() === 'webhook-id'));
        return undefined;
      },
      refuses({ type }) {
        types.add(type);
        return undefined;
      },
    });
    await certify({ url: store.url, secret: SECRET, only: ['genuine'] });
    expect([...types].sort()).toEqual([...EVENT_TYPES].sort());
    expect([...names].sort()).toEqual(['WEBHOOK-ID', 'Webhook-Id', 'webhook-id']);
  });

  test('100 events, eight at a time, each contract in order', async () => {
    let most = 0;
    const last = new Map<string, string>();
    await using store = await openStore({
      async before(_request, _response, inFlight) {
        await new Promise((resolve) => setTimeout(resolve, 25));
        most = Math.max(most, inFlight());
        return undefined;
      },
      refuses({ data, created_at }) {
        const reference = String(data.reference);
        const isLate = data.reference !== undefined && created_at < (last.get(reference) ?? '');
        last.set(reference, created_at);
        return isLate ? 409 : undefined;
      },
    });
    const certificate = await certify({ url: store.url, secret: SECRET, only: ['burst'] });
    expect(notes(certificate)).toEqual([]);
    expect([store.requests(), most]).toEqual([100, 8]);
  });

  test('the largest metadata that the service takes, over 100 kB', async () => {
    const sizes: number[] = [];
    await using store = await openStore({
      async before({ body }) {
        sizes.push(body.length);
        return undefined;
      },
    });
    await certify({ url: store.url, secret: SECRET, only: ['large'] });
    expect(Math.min(...sizes)).toBeGreaterThan(100_000);
  });
});

describe('interface §10: which checks are made', () => {
  test('only those that are asked for, without those that are left out', async () => {
    await using store = await openStore();
    const only = ['genuine', 'acknowledges-soon'];
    const certificate = await certify({ url: store.url, secret: SECRET, only, skip: ['genuine'] });
    expect(certificate).toMatchObject({ passed: 1, failed: 0, skipped: CHECK_IDS.length - 1 });
    const note = (id: string) => certificate.checks.find((check) => check.id === id)?.note;
    expect(note('genuine')).toBe('Left out with skip.');
    expect(note('stale')).toBe('Not among the checks that were asked for.');
  });

  test('a redirect is followed only where `no-redirect` tells of it', async () => {
    const redirecting = FAULTY.find(({ fails }) => fails === 'no-redirect')?.fault();
    await using store = await openStore(redirecting);
    expect(failed(await certify({ url: store.url, secret: SECRET, only: ['genuine'] }))).toEqual(['genuine']);
  });

  test('a live endpoint is sent live events, and is not asked to refuse them', async () => {
    const seen: string[] = [];
    await using store = await openStore({
      refuses: (event) => {
        seen.push(String(event.livemode));
        return undefined;
      },
    });
    const certificate = await certify({ url: store.url, secret: SECRET, mode: 'live' });
    expect(notes(certificate)).toEqual([]);
    expect(new Set(seen)).toEqual(new Set(['true']));
    expect(certificate.checks.find(({ id }) => id === 'live-refused')).toMatchObject({ verdict: 'skip' });
  });
});

describe('interface §10: --observe', () => {
  const counting = () => FAULTY.find(({ fails }) => fails === 'out-of-order')?.fault();
  const only = ['out-of-order'];

  test('a URL', async () => {
    await using store = await openStore(counting());
    const certificate = await certify({ url: store.url, secret: SECRET, observe: store.stateUrl, only });
    expect(notes(certificate)).toEqual([
      expect.stringMatching(
        /^out-of-order: With the last event first, .* expected "{contract} completed: .*found "{contract} active: /,
      ),
    ]);
  });

  test('a command, with the variables of the order', needing('sh'), async () => {
    await using store = await openStore(counting());
    const script = `fetch('${store.stateUrl}'.replace('{contract}', process.env.LAYAWAY_CONTRACT)).then(async (answer) => console.log(await answer.text(), process.env.LAYAWAY_ORDER_REFERENCE, process.env.LAYAWAY_SESSION, process.env.LAYAWAY_BASE_URL !== undefined))`;
    const observe = `"${process.execPath}" -e "${script}"`;
    const certificate = await certify({ url: store.url, secret: SECRET, observe, only });
    expect(notes(certificate)).toEqual([
      expect.stringMatching(
        /expected "{contract} completed: .* {order_reference} {session} true", found "{contract} active/,
      ),
    ]);
  });

  test('a command that cannot be run', needing('sh'), async () => {
    await using store = await openStore();
    await expect(certify({ url: store.url, secret: SECRET, observe: './no-such-program', only })).rejects.toMatchObject(
      {
        code: 'command',
        message: expect.stringMatching(/^The --observe command "\.\/no-such-program" could not be run: /),
      },
    );
  });

  test('without it, what the answers cannot show passes', { timeout: 60_000 }, async () => {
    for (const { fault, needsObserve } of FAULTY.filter((each) => each.needsObserve)) {
      expect(needsObserve).toBe(true);
      await using store = await openStore(fault());
      const certificate = await certify({ url: store.url, secret: SECRET, skip: ['burst'] });
      expect(notes(certificate)).toEqual([]);
    }
  });
});

describe('interface §10: --checkout', () => {
  const openWith = (total: string) =>
    `"${process.execPath}" -e "fetch(process.env.LAYAWAY_BASE_URL + '/v1/sessions', { method: 'POST', headers: { 'content-type': 'application/json', 'x-client-id': process.env.LAYAWAY_CLIENT_ID, 'x-api-key': process.env.LAYAWAY_API_KEY }, body: JSON.stringify({ order_reference: 'shop-' + process.pid, total_amount: ${total}, return_url: 'https://shop.example/r', cancel_url: 'https://shop.example/c', metadata: { cart: '7' } }) })"`;

  test(
    'the events are of orders that the store opened, and the account keeps nothing else',
    needing('sh'),
    async () => {
      await using sim = await createSimulator({ clock: { frozenAt: '2026-01-01T00:00:00Z' } });
      const shop = sim.default;
      const bodies: { data: { id?: string; order_reference?: string; metadata?: object } }[] = [];
      await using store = await openStore({
        refuses: (event) => {
          bodies.push(event as never);
          return undefined;
        },
      });
      const lists = () =>
        Promise.all([
          shop.clock.show().then(({ now, mode }) => ({ now, mode })),
          shop.contracts.list(),
          shop.events.list(),
          shop.emails.list(),
          shop.webhooks.list(),
          shop.webhooks.deliveries(),
          shop.faults.list(),
          shop.keys.list(),
          sim.listMerchants(),
          shop.assumptions.get(),
        ]);
      const before = await lists();
      const options = { url: store.url, secret: SECRET, shop, checkout: openWith('20000') };
      const certificate = await certify({ ...options, only: ['genuine', 'out-of-order'] });
      expect(notes(certificate)).toEqual([]);
      expect(await lists()).toEqual(before);
      const sessions = await shop.sessions.list();
      const orders = new Set(sessions.map(({ order_reference }) => order_reference));
      expect(orders.size).toBe(8);
      for (const { data } of bodies) {
        if (data.order_reference !== undefined) expect(orders).toContain(data.order_reference);
        if (data.id !== undefined) expect(sessions.map(({ id }) => id)).toContain(data.id);
        if (data.metadata !== undefined) expect(data.metadata).toEqual({ cart: '7' });
      }
      expect(bodies.length).toBeGreaterThan(40);
    },
  );

  test.each([
    ['opens none', 'true', 'opened no checkout session'],
    ['fails', 'exit 3', 'ended with 3'],
  ])('a command that %s', needing('sh'), async (_name, checkout, message) => {
    await using store = await openStore();
    await expect(certify({ url: store.url, secret: SECRET, checkout })).rejects.toMatchObject({
      code: 'command',
      message: expect.stringContaining(message),
    });
  });
});
