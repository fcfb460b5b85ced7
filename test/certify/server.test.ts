import { describe, expect, test } from 'vitest';
import { CHECK_IDS } from '../../src/certify/run.ts';
import { termsLike } from '../../src/certify/stage.ts';
import { certify } from '../../src/index.ts';
import { openReceiver } from '../support/receiver.ts';
import { everything, openServer } from './everything.ts';
import { FAULTY, notes, openStore, SECRET } from './receivers.ts';

describe('interface §10: on a throw-away merchant of a running server', () => {
  test('the terms are those of the account, with two payments to compare if it has only one', async () => {
    await using server = await openServer();
    const { assumptions } = server.sim.default;
    for (const [min_order_amount, installment_count, terms] of [
      [150, 1, { min_order_amount: 200, installment_count: 2 }],
      [700, 3, { min_order_amount: 700, installment_count: 3 }],
    ] as const) {
      expect(termsLike(await assumptions.set({ min_order_amount, installment_count }))).toMatchObject(terms);
    }
  });

  test('full marks for requests of the server, and everything on it is what it was', async () => {
    await using server = await openServer();
    await using store = await openStore();
    const { sim } = server;
    await sim.default.webhooks.add(store.url, { secret: SECRET });
    const before = await everything(sim);
    const options = {
      url: store.url,
      secret: SECRET,
      observe: store.observe,
      server: sim,
      sendsFrom: 'server',
    } as const;
    const certificate = await certify(options);
    expect(notes(certificate)).toEqual([]);
    expect(certificate).toMatchObject({ passed: CHECK_IDS.length, failed: 0, skipped: 0 });
    expect(await everything(sim)).toBe(before);
    expect([server.sends(), server.made(), server.deleted()]).toEqual([store.requests(), 1, 1]);
  });

  test('what a store looks up of the merchant does not count for the coverage of its own account', async () => {
    await using server = await openServer();
    const shop = server.sim.default;
    const look = (path: string) => fetch(`${server.sim.url}${path}`, { headers: shop.headers });
    const answers = new Set<number>();
    await using store = await openStore({
      async before({ body }) {
        const { data } = JSON.parse(String(body) || '{}');
        const path = data?.reference ? `contracts/${data.reference}` : `checkout-sessions/${data?.id}`;
        if (data?.reference ?? data?.id) answers.add((await look(`/v1/${path}`)).status);
        return undefined;
      },
    });
    const before = await shop.coverage();
    const options = { url: store.url, secret: SECRET, observe: store.observe, server: server.sim };
    expect(notes(await certify({ ...options, only: ['genuine', 'duplicate'] }))).toEqual([]);
    expect([...answers]).toEqual([404]);
    expect(await shop.coverage()).toEqual(before);
    await look('/v1/contracts/LAY-0000000000');
    expect((await shop.coverage()).met).toBe(before.met + 1);
  });

  test('requests from here', async () => {
    await using server = await openServer();
    await using store = await openStore();
    const only = ['genuine', 'tampered', 'out-of-order'];
    const options = { url: store.url, secret: SECRET, observe: store.observe, server: server.sim, only };
    expect(notes(await certify(options))).toEqual([]);
    expect([server.sends(), server.made(), server.deleted()]).toEqual([0, 1, 1]);
  });

  test.each(['here', 'server'] as const)('an endpoint with a self-signed certificate, from %s', async (sendsFrom) => {
    await using server = await openServer();
    await using receiver = await openReceiver([], { https: true });
    const { controlToken, listening } = server.sim;
    const options = {
      ...{ url: receiver.url, secret: SECRET, server: { controlToken, listening: `${listening}/` }, sendsFrom },
      only: ['genuine'],
    };
    expect(await certify({ ...options, insecure: true })).toMatchObject({ passed: 1, failed: 0 });
    expect(await certify(options).catch((error) => error)).not.toMatchObject({ passed: 1 });
  });

  test('a live endpoint gets live events', async () => {
    await using server = await openServer();
    const modes = new Set<boolean>();
    await using store = await openStore({
      refuses({ livemode }) {
        modes.add(livemode);
        return undefined;
      },
    });
    const only = ['genuine', 'live-refused'];
    const certificate = await certify({ url: store.url, secret: SECRET, mode: 'live', server: server.sim, only });
    expect(notes(certificate)).toEqual([]);
    expect([...modes]).toEqual([true]);
  });

  test.each(FAULTY.filter(({ fails }) => ['genuine', 'no-redirect', 'get-harmless', 'raw-body'].includes(fails)))(
    'a receiver that $name fails $fails and nothing else, and the merchant is deleted',
    async ({ fails, fault }) => {
      await using server = await openServer();
      await using store = await openStore(fault());
      const options = { url: store.url, secret: SECRET, observe: store.observe, server: server.sim } as const;
      const certificate = await certify({ ...options, sendsFrom: 'server', skip: ['burst'] });
      const failed = certificate.checks.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
      expect(failed, notes(certificate).join('\n')).toEqual([fails]);
      expect([server.made(), server.deleted()]).toEqual([1, 1]);
    },
  );

  test('the merchant is deleted when the receiver is not there, dies, or is silent while the examination is stopped', async () => {
    await using server = await openServer();
    const before = await everything(server.sim);
    const examine = (url: string, more: object = {}) =>
      certify({ url, secret: SECRET, server: server.sim, sendsFrom: 'server', ...more });

    const gone = await openStore();
    await gone[Symbol.asyncDispose]();
    await expect(examine(gone.url)).rejects.toMatchObject({ code: 'unreachable' });

    let answered = 0;
    const dying = await openStore({
      async before(_request, response) {
        answered += 1;
        if (answered > 3) response.socket?.destroy();
        return undefined;
      },
    });
    expect(await examine(dying.url, { only: ['genuine'] })).toMatchObject({ passed: 0, failed: 1 });
    await dying[Symbol.asyncDispose]();

    const stop = new AbortController();
    await using silent = await openStore({
      before() {
        stop.abort(new Error('enough'));
        return new Promise(() => undefined);
      },
    });
    await expect(examine(silent.url, { signal: stop.signal })).rejects.toThrow('enough');
    expect([server.made(), server.deleted()]).toEqual([3, 3]);
    expect(await everything(server.sim)).toBe(before);
  });

  test('a server that refuses, and one that is not there', async () => {
    await using server = await openServer();
    await using store = await openStore();
    const { listening } = server.sim;
    const examine = (at: { listening: string; controlToken: string }) =>
      certify({ url: store.url, secret: SECRET, server: at });
    await expect(examine({ listening, controlToken: 'of another server' })).rejects.toMatchObject({
      code: 'refused',
      message: `The server at ${listening} refused POST /_sim/merchants (401): Unauthenticated.`,
    });
    await expect(examine({ listening: 'http://127.0.0.1:1', controlToken: 't' })).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(/^The server at http:\/\/127\.0\.0\.1:1 does not answer: /),
    });
    await expect(examine({ listening: store.url, controlToken: 't' })).rejects.toMatchObject({ name: 'CertifyError' });
    expect(store.requests()).toBe(1);
  });
});
