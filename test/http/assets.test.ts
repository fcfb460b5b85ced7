import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { remembered } from '../../src/http/answer/asset.ts';
import { createSimulator, type Simulator } from '../../src/index.ts';

let sim: Simulator;
beforeAll(async () => {
  sim = await createSimulator();
});
afterAll(() => sim.close());

/** The bytes as they were sent, which `fetch` would have decompressed. */
async function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const asked = request(`${sim.url}${path}`, { headers, method }).end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part);
  return { status: response.statusCode, headers: response.headers, bytes: Buffer.concat(parts) };
}

const FILES = [
  '/assets/checkout.css',
  '/assets/checkout.js',
  '/docs',
  '/docs/assets/start.js',
  '/docs/assets/standalone.js',
  '/openapi.json',
  '/llms.txt',
  '/README.md',
  '/dashboard/door.css',
];

describe('files that pages load are sent compressed', () => {
  test.each(FILES)('%s: the same content under each coding, each with an entity tag of its own', async (path) => {
    const plain = await get(path);
    const [br, gzip] = [await get(path, { 'accept-encoding': 'br' }), await get(path, { 'accept-encoding': 'gzip' })];
    expect([plain, br, gzip].map(({ headers }) => headers['content-encoding'])).toEqual([undefined, 'br', 'gzip']);
    expect(brotliDecompressSync(br.bytes).equals(plain.bytes)).toBe(true);
    expect(gunzipSync(gzip.bytes).equals(plain.bytes)).toBe(true);
    expect(br.bytes.length).toBeLessThan(plain.bytes.length);
    expect(new Set([plain, br, gzip].map(({ headers }) => headers.etag)).size).toBe(3);
    for (const each of [plain, br, gzip]) {
      expect(each.headers.vary).toBe('accept-encoding');
      expect(each.headers['content-length']).toBe(String(each.bytes.length));
    }

    const known = { 'accept-encoding': 'br', 'if-none-match': `"other", W/${br.headers.etag}` };
    const again = await get(path, known);
    expect([again.status, again.bytes.length, again.headers.vary]).toEqual([304, 0, 'accept-encoding']);
    expect((await get(path, { ...known, 'accept-encoding': 'gzip' })).status).toBe(200);
    expect((await get(path, { 'if-none-match': '*' })).status).toBe(304);
    const head = await get(path, { 'accept-encoding': 'br' }, 'HEAD');
    expect([head.headers.etag, head.bytes.length]).toEqual([br.headers.etag, 0]);
  });

  test.each([
    ['', undefined],
    ['deflate', undefined],
    ['gzip, deflate, br, zstd', 'br'],
    ['GZIP', 'gzip'],
    ['br;q=0.5, gzip', 'gzip'],
    ['br;q=0, gzip;q=0', undefined],
    ['*', 'br'],
    ['*, br ; q=0', 'gzip'],
    ['identity', undefined],
  ])('Accept-Encoding "%s" gets %s', async (accepted, coding) => {
    const { headers } = await get('/assets/checkout.css', { 'accept-encoding': accepted });
    expect(headers['content-encoding']).toBe(coding);
  });

  test('what /docs loads is asked for again each time, and then known by its entity tag', async () => {
    for (const name of ['start', 'standalone']) {
      const { headers } = await get(`/docs/assets/${name}.js`);
      expect(headers['cache-control']).toBe('no-cache');
      const again = await get(`/docs/assets/${name}.js`, { 'if-none-match': String(headers.etag) });
      expect(again.status).toBe(304);
    }
  });

  test('all that /docs loads is under 1 MB', async () => {
    let bytes = 0;
    for (const path of ['/docs', '/docs/assets/start.js', '/docs/assets/standalone.js', '/openapi.json']) {
      bytes += (await get(path, { 'accept-encoding': 'gzip, deflate, br' })).bytes.length;
    }
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThan(1_000_000);
  });
});

test('a file that could not be read once is read again, and then no more', async () => {
  let reads = 0;
  const read = remembered(async (coding: string) => {
    reads += 1;
    if (reads === 1) throw new Error('too many files are open');
    return coding;
  });
  await expect(read('br')).rejects.toThrow('too many files are open');
  expect([await read('br'), await read('br'), reads]).toEqual(['br', 'br', 2]);
});
