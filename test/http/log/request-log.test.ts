import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LogPart } from '../../../src/domain/log-entry.ts';
import type { LoggedRequest } from '../../../src/http/log/logged-request.ts';
import { createRequestLog } from '../../../src/http/log/request-log.ts';
import { manualTime } from '../../support/shop.ts';

const request = (path: string, more: Partial<LoggedRequest> = {}): Omit<LoggedRequest, 'number'> => ({
  at: 1,
  method: 'POST',
  path,
  status: 201,
  durationMs: 0.5,
  requestHeaders: { accept: '*/*' },
  requestBody: { note: 'zwölf €\n' },
  responseBody: '{"a":"ü\\n"}',
  clientId: null,
  fault: null,
  limit: null,
  ...more,
});
const all = () => true;

/** A log under a time of its own, with what was written of it to the state. */
function shelved() {
  const time = manualTime();
  const parts: LogPart[] = [];
  const shelf = { read: () => [], lastNamed: () => 0, add: (part: LogPart) => void parts.push(part) };
  const pathsWritten = () =>
    parts.flatMap(({ texts }) => texts.map((text) => JSON.parse(text.split('\n', 1)[0] as string).path));
  return { time, log: createRequestLog({ shelf, after: time.after }), pathsWritten };
}

describe('the request log', () => {
  it('returns what was stored, newest first, and pages forward from a number', () => {
    const log = createRequestLog();
    for (const path of ['/v1/a', '/v1/b', '/v1/c']) log.add(request(path));
    log.add(request('/v1/d', { requestBody: undefined, responseBody: null }));

    expect(log.list(2, null, all)).toEqual([
      { ...request('/v1/d'), number: 4, requestBody: undefined, responseBody: null },
      { ...request('/v1/c'), number: 3 },
    ]);
    expect(log.list(10, 1, ({ path }) => path !== '/v1/c').map(({ number }) => number)).toEqual([2, 4]);
    expect(log.latest()).toBe(4);
    expect([log.get(2)?.path, log.get(0), log.get(5)]).toEqual(['/v1/b', null, null]);
  });

  it('returns every part of a request, whatever is in it, and the same from the state', () => {
    const text = fc.string({ unit: 'binary' });
    const headers = fc.dictionary(
      fc.stringMatching(/^[a-z-]{1,12}$/),
      text.map((value) => value.replace(/[\r\n]/g, '')),
    );
    const any = fc.record({
      at: fc.nat(),
      clockAt: fc.option(fc.nat(), { nil: undefined }),
      method: fc.constantFrom('GET', 'POST'),
      path: text,
      status: fc.option(fc.integer({ min: 100, max: 599 }), { nil: null }),
      durationMs: fc.double({ min: 0, max: 1e6, noNaN: true }),
      requestHeaders: fc.oneof(
        headers,
        headers.map((some) => ({ ...some, ['__proto__']: 'own' })),
      ),
      requestBody: fc.option(fc.dictionary(text, fc.jsonValue()), { nil: undefined }),
      responseBody: fc.option(text, { nil: null }),
      clientId: fc.constantFrom(null, 'mch_test_1'),
      fault: fc.constantFrom(null, { id: 'flt_1', kind: 'slow' as const }),
      limit: fc.constantFrom(null, { name: 'rate_limit_key', value: 5 }),
    });
    fc.assert(
      fc.property(fc.array(any, { minLength: 1, maxLength: 5 }), (requests) => {
        const parts: LogPart[] = [];
        const shelf = { read: () => [], lastNamed: () => 0, add: (part: LogPart) => void parts.push(part) };
        const log = createRequestLog({ shelf });
        for (const each of requests) log.add(each);
        const sent = (value: unknown) => JSON.parse(JSON.stringify(value));
        expect(sent(log.list(10, 0, all))).toEqual(sent(requests.map((each, n) => ({ ...each, number: n + 1 }))));
        log.flush();
        const later = createRequestLog({ shelf: { read: () => parts, lastNamed: () => 0, add: () => undefined } });
        const kept = later.list(10, 0, all).map(({ requestHeaders, ...rest }) => rest);
        const shown = requests.map(({ requestHeaders, ...rest }, n) => ({ ...rest, number: n + 1, isMasked: true }));
        expect(sent(kept)).toEqual(sent(shown));
      }),
    );
  });

  it('holds after a restart what the state kept of it, and nothing else', () => {
    const parts: LogPart[] = [];
    const shelf = { read: () => [], lastNamed: () => 0, add: (part: LogPart) => void parts.push(part) };
    const log = createRequestLog({ shelf });
    for (const path of ['/v1/a', '/v1/b', '/v1/c']) log.add(request(path));
    log.flush();
    // The state dropped the oldest.
    const kept = parts.map((part) => ({ ...part, texts: part.texts.slice(1) }));

    const later = createRequestLog({ shelf: { ...shelf, read: () => kept } });
    expect(later.list(10, null, all).map(({ path }) => path)).toEqual(['/v1/c', '/v1/b']);
    expect([later.isOlder(1), later.isOlder(2)]).toEqual([true, false]);
  });

  it('reads the body from the text that was sent', () => {
    const log = createRequestLog();
    const requestText = ' { "note" : "a", "note" : "zw\\u00f6lf" }\n';
    log.add({ ...request('/v1/a', { requestBody: JSON.parse(requestText) }), requestText });
    expect(log.get(1)?.requestBody).toEqual({ note: 'zwölf' });
  });

  it('tells subscribers which account asked', () => {
    const log = createRequestLog();
    const told: (string | null)[] = [];
    const unsubscribe = log.subscribe((clientId) => told.push(clientId));
    log.add(request('/v1/a', { clientId: 'mch_test_1' }));
    log.add(request('/v1/b'));
    unsubscribe();
    log.add(request('/v1/c'));
    expect(told).toEqual(['mch_test_1', null]);
  });

  it('is written to the state when it has been quiet for two seconds', () => {
    const { time, log, pathsWritten } = shelved();
    log.add(request('/v1/a'));
    time.pass(1_900);
    log.add(request('/v1/b'));
    time.pass(2_000);
    expect(pathsWritten()).toEqual([]);
    time.pass(2_000);
    expect(pathsWritten()).toEqual(['/v1/a', '/v1/b']);
    log.add(request('/v1/c'));
    time.pass(2_000);
    expect(pathsWritten()).toEqual(['/v1/a', '/v1/b', '/v1/c']);
  });

  it('is written in parts, and what comes between two of them is written, too', () => {
    const { time, log, pathsWritten } = shelved();
    for (let n = 1; n <= 500; n += 1) log.add(request(`/v1/${n}`));
    time.pass(4_000);
    expect(pathsWritten()).toHaveLength(200);
    log.add(request('/v1/late'));
    time.pass(10_000);
    expect(pathsWritten()).toHaveLength(501);
    expect(pathsWritten().at(-1)).toBe('/v1/late');
  });

  it('is written after ten seconds at the latest, and what was overtaken by then never is', () => {
    const { time, log, pathsWritten } = shelved();
    for (let second = 1; second <= 10; second += 1) {
      for (let n = 1; n <= 500; n += 1) log.add(request(`/v1/${second}/${n}`));
      expect(pathsWritten()).toEqual([]);
      time.pass(1_000);
    }
    time.pass(1_000);
    const written = pathsWritten();
    expect(written).toHaveLength(2000);
    expect([written[0], written.at(-1)]).toEqual(['/v1/7/1', '/v1/10/500']);
  });

  it('keeps the latest 2,000 and drops the oldest', () => {
    const log = createRequestLog();
    for (let n = 1; n <= 4100; n += 1) log.add(request(`/v1/${n}`));
    const listed = log.list(5000, null, all);
    expect(listed).toHaveLength(2000);
    expect(listed.map(({ path, number }) => path === `/v1/${number}`)).not.toContain(false);
    expect([listed[0]?.number, listed.at(-1)?.number]).toEqual([4100, 2101]);
    expect(log.list(1, 0, all)[0]?.number).toBe(2101);
    expect([log.get(2100), log.get(2101)?.path]).toEqual([null, '/v1/2101']);
  });

  it('keeps fewer when they are large, each of them whole', () => {
    const log = createRequestLog();
    const bodies = Array.from({ length: 50 }, (_, n) => ({
      text: String.fromCodePoint(97 + (n % 26)).repeat(300_000),
    }));
    for (const requestBody of bodies) log.add(request('/v1/large', { requestBody }));
    const listed = log.list(100, null, all);
    expect(listed.length).toBeGreaterThan(10);
    expect(listed.map(({ requestBody }) => requestBody)).toEqual(listed.map(({ number }) => bodies[number - 1]));
  });

  it('keeps each whole, whatever their sizes and their order', () => {
    const size = fc.oneof(
      fc.nat(200),
      fc.nat(60_000),
      fc.nat(1_500_000),
      fc.integer({ min: 3_500_000, max: 4_100_000 }),
    );
    const letter = fc.constantFrom('a', 'ü', '€');
    fc.assert(
      fc.property(fc.array(fc.tuple(size, letter), { minLength: 1, maxLength: 12 }), (texts) => {
        const log = createRequestLog();
        const bodies = texts.map(([length, character]) => ({ text: character.repeat(length) }));
        for (const requestBody of bodies) log.add(request('/v1/any', { requestBody }));
        const kept = log.list(100, null, all);
        expect(kept.length).toBeGreaterThan(0);
        const isLarge = (body: unknown) => Buffer.byteLength(JSON.stringify(body)) > 4_190_000;
        for (const { number, requestBody } of kept) {
          const sent = bodies[number - 1];
          expect(requestBody === null ? isLarge(sent) : isDeepStrictEqual(requestBody, sent)).toBe(true);
        }
      }),
      { numRuns: 12 },
    );
  });

  it('keeps one that is larger than the whole log without its bodies', () => {
    const log = createRequestLog();
    log.add(request('/v1/huge', { requestBody: { text: 'a'.repeat(5_000_000) } }));
    expect(log.list(1, null, all)).toEqual([
      { ...request('/v1/huge'), number: 1, requestBody: null, responseBody: null },
    ]);
  });
});
