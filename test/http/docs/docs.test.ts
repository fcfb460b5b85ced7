import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pathOf } from '../../../src/http/input/path.ts';
import { createSimulator, type Simulator } from '../../../src/index.ts';
import { VERSION } from '../../../src/version.ts';

let sim: Simulator;
beforeAll(async () => {
  sim = await createSimulator();
});
afterAll(() => sim.close());

const get = (path: string, init: RequestInit = {}) => fetch(`${sim.url}${path}`, init);

test('decisions §5: /docs is a page that loads nothing but its own files, and may not', async () => {
  const response = await get('/docs');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("connect-src 'self'");
  expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
  const page = await response.text();
  expect(page).not.toMatch(/https?:\/\//);
  const scripts = [...page.matchAll(/src="([^"]+)"/g)].map(([, path]) => path as string);
  expect(scripts).toHaveLength(2);
  for (const path of scripts) {
    const script = await get(path);
    expect(script.status, path).toBe(200);
    expect(script.headers.get('content-type'), path).toBe('text/javascript; charset=utf-8');
    expect(script.headers.get('x-content-type-options'), path).toBe('nosniff');
    expect(await script.text(), path).toContain('createApiReference');
  }
});

test('decisions §5: without JavaScript the page points at the document', async () => {
  const page = await (await get('/docs')).text();
  expect(page).toMatch(/<noscript>.*href="\/openapi.json".*<\/noscript>/);
});

test('decisions §5: a browser that has the large script of this version does not fetch it again', async () => {
  const first = await get('/docs/assets/standalone.js');
  const etag = first.headers.get('etag') ?? '';
  expect(etag).toContain(VERSION);
  expect((await first.text()).length).toBeGreaterThan(1_000_000);
  const again = await get('/docs/assets/standalone.js', { headers: { 'if-none-match': etag } });
  expect(again.status).toBe(304);
  expect(await again.text()).toBe('');
});

test('decisions §5: documents need no key and are not limited', async () => {
  await using limited = await createSimulator({ rateLimit: 1 });
  for (const path of ['/docs', '/openapi.json', '/docs', '/openapi.json']) {
    const response = await fetch(`${limited.url}${path}`);
    expect(response.status, path).toBe(200);
    expect(response.headers.has('x-ratelimit-limit'), path).toBe(false);
    await response.arrayBuffer();
  }
});

test('decisions §5: HEAD answers like GET, without the body', async () => {
  for (const path of ['/docs', '/openapi.json', '/docs/assets/standalone.js', '/docs/assets/start.js']) {
    const response = await get(path, { method: 'HEAD' });
    expect(response.status, path).toBe(200);
    expect(await response.text(), path).toBe('');
  }
});

test('interface §13: /llms.txt names every document of the package, and each is served as Markdown', async () => {
  const response = await get('/llms.txt');
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const text = await response.text();
  expect(text).toMatch(/^# layaway \d/);
  const addresses = [...text.matchAll(/\]\((\S+)\)/g)].map(([, address]) => String(address));
  const shipped = (await readdir('docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${sim.url}/docs/${name}`);
  const top = ['README.md', 'CHANGELOG.md', 'SECURITY.md'].map((name) => `${sim.url}/${name}`);
  expect(addresses).toEqual(expect.arrayContaining([...top, ...shipped]));
  for (const address of addresses) {
    const page = await fetch(address);
    expect(page.status, address).toBe(200);
    const isMarkdown = address.endsWith('.md');
    expect(page.headers.get('content-type'), address).toMatch(isMarkdown ? /^text\/markdown/ : /^application\/json/);
    const file = address.slice(sim.url.length + 1);
    if (!isMarkdown) continue;
    const written = (await readFile(file, 'utf8')).replace(/!\[([^\]]*)\]\([^)]+\)/g, '$1');
    expect(await page.text(), address).toBe(written);
  }
});

test('interface §13: every link between the documents leads somewhere', async () => {
  const linksOf = async (address: string) =>
    [...(await (await fetch(address)).text()).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link]) => new URL(String(link), address))
      .filter(({ origin }) => origin === sim.url)
      .map(({ pathname }) => sim.url + pathname);
  const seen = new Set([`${sim.url}/llms.txt`]);
  for (const address of seen) {
    const page = await fetch(address);
    expect(page.status, address).toBe(200);
    const isText = /^text\/(markdown|plain)/.test(String(page.headers.get('content-type')));
    if (isText) for (const link of await linksOf(address)) seen.add(link);
  }
  for (const path of ['/LICENSE', '/fixtures/receivers', '/fixtures/receivers/express.mjs']) {
    expect([...seen]).toContain(sim.url + path);
  }
});

test('interface §13: nothing but those documents is served', async () => {
  for (const path of [
    '/docs/missing.md',
    '/docs/..%2Fpackage.json',
    '/docs/..%2F..%2Fetc%2Fpasswd.md',
    '/docs/constructor.md',
    '/docs/*',
    '/fixtures/..%2Fpackage.json',
    '/fixtures/missing.yaml',
    '/fixtures/',
  ]) {
    const response = await get(path);
    expect(response.status, path).toBe(404);
    const message = `The route ${pathOf(path).slice(1)} could not be found.`;
    expect(await response.json(), path).toEqual({ message });
  }
});

test('decisions §5: another method is refused on the path of a document only', async () => {
  const post = (path: string) => fetch(sim.url + path, { method: 'POST' });
  for (const path of ['/fixtures/receivers/express.mjs', '/fixtures', '/docs/service.md', '/LICENSE']) {
    const { status, headers } = await post(path);
    expect([path, status, headers.get('allow')]).toEqual([path, 405, 'GET, HEAD']);
  }
  for (const path of ['/fixtures/missing.yaml', '/docs/missing.md']) expect((await post(path)).status, path).toBe(404);
});
