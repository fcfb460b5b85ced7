import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSimulator } from '../../../src/index.ts';
import { expectData, openShop, order } from '../../support/shop.ts';

const HTTPS_ONLY = 'The return url field must start with one of the following: https://.';

describe('decisions §2: allow_http_localhost, for a store under development', () => {
  it.each([
    'http://localhost:3100/return',
    'HTTP://LOCALHOST/return?a=b',
    'http://shop.localhost:8080',
    'http://127.0.0.1:3100/#top',
    'http://127.8.9.10/return',
    'http://[::1]:3100/return',
  ])('accepts %s when it is on, and refuses it as the service does when it is off', async (url) => {
    await using sim = await createSimulator({ seed: 1 });
    const { call, set } = await openShop(sim);
    const refused = await call('POST', '/v1/sessions', order({ return_url: url }));
    expect([refused.status, refused.body.errors]).toEqual([422, { return_url: [HTTPS_ONLY] }]);
    await set({ allow_http_localhost: true });
    const opened = expectData(await call('POST', '/v1/sessions', order({ return_url: url, cancel_url: url })), 201);
    expect([opened.return_url, opened.cancel_url]).toEqual([url, url]);
  });

  it.each([
    'http://shop.example/return',
    'http://localhost.example/return',
    'http://localhost@shop.example/return',
    'http://localhost:80@shop.example/return',
    'http://127.0.0.1.example/',
    'http://128.0.0.1/',
    'http://[::2]/',
    'ftp://localhost/',
  ])('refuses %s in either case', async (url) => {
    await using sim = await createSimulator({ seed: 1 });
    const { call, set } = await openShop(sim);
    await set({ allow_http_localhost: true });
    const refused = await call('POST', '/v1/sessions', order({ return_url: url }));
    expect([refused.status, refused.body.errors]).toEqual([422, { return_url: [HTTPS_ONLY] }]);
  });

  it('allowHttpLocalhost turns it on for both accounts of every merchant, in a state that is there already too', async () => {
    const data = await mkdtemp(join(tmpdir(), 'layaway-local-'));
    const local = order({ return_url: 'http://localhost:3100/return' });
    const statusOf = async (shop: { headers: Record<string, string> }, url: string) =>
      (
        await fetch(`${url}/v1/sessions`, {
          method: 'POST',
          headers: { ...shop.headers, 'content-type': 'application/json' },
          body: JSON.stringify(local),
        })
      ).status;
    {
      await using sim = await createSimulator({ data });
      expect(await statusOf(sim.default, sim.url)).toBe(422);
    }
    await using sim = await createSimulator({ data, allowHttpLocalhost: true });
    const shop = await sim.merchant();
    for (const account of [sim.default, sim.default.live, shop, shop.live]) {
      expect(await statusOf(account, sim.url)).toBe(201);
    }
    const strict = await sim.merchant({ allow_http_localhost: false });
    expect(await statusOf(strict, sim.url)).toBe(422);
    await sim.reset();
    expect(await statusOf(sim.default, sim.url)).toBe(201);
  });

  it('only a refusal for this reason alone is explained to the operator of the server', async () => {
    const notes: string[] = [];
    await using sim = await createSimulator({ seed: 1, onNote: (note) => notes.push(note) });
    const { call, set } = await openShop(sim);
    await call('POST', '/v1/sessions', order({ return_url: 'http://shop.example/' }));
    await call('POST', '/v1/sessions', order({ total_amount: 1 }));
    expect(notes).toEqual([]);
    await call('POST', '/v1/sessions', order({ cancel_url: 'http://localhost:3100/cart' }));
    expect(notes).toEqual([
      'The cancel_url http://localhost:3100/cart was refused: the service takes https only. For a store on http during development, run `layaway assumptions set allow_http_localhost true`, or start the server with --allow-http-localhost.',
    ]);
    const opened = await call('POST', '/_sim/sessions/open', order({ return_url: 'http://localhost:3100/' }));
    expect([opened.status, notes.length]).toEqual([422, 2]);
    const unknown = await call('POST', '/_sim/sessions/open', order({ total: 1 }));
    expect([unknown.status, Object.keys(unknown.body.errors)]).toEqual([422, ['total']]);
    await set({ allow_http_localhost: true });
    const allowed = await call('POST', '/_sim/sessions/open', order({ return_url: 'http://localhost:3100/' }));
    expect([allowed.status, allowed.body.data.return_url]).toEqual([201, 'http://localhost:3100/']);
  });
});
