import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { DamagedTrace } from '../../src/domain/cannot-start.ts';
import { entriesIn, entryOf, partsOf } from '../../src/domain/log-entry.ts';
import type { Cell } from '../../src/domain/trace.ts';
import { createSimulator, type Simulator, type SimulatorOptions } from '../../src/index.ts';
import { browseSearch } from '../../src/operations/browse.ts';
import { CONTROL_OPERATIONS, SERVICE_OPERATIONS } from '../../src/operations/index.ts';
import { addressOf, type Operation } from '../../src/operations/operation.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { pack, type TraceDocument, unpack } from '../../src/trace/file.ts';
import { type Row, rowsOf } from '../../src/trace/rows.ts';
import { scrubbing } from '../../src/trace/scrub.ts';
import { summaryOf } from '../../src/trace/summary.ts';
import { VERSION } from '../../src/version.ts';
import { openReceiver, silence } from '../support/receiver.ts';
import { CUSTOMER, caller, order } from '../support/shop.ts';
import { liveThrough } from '../support/stories.ts';

const running: Simulator[] = [];
afterEach(() => Promise.all(running.splice(0).map((sim) => sim.close())));
async function start(options: SimulatorOptions = {}) {
  const sim = await createSimulator({ clock: { frozenAt: '2026-01-01T00:00:00Z' }, rateLimit: 'off', ...options });
  running.push(sim);
  return sim;
}
const reopened = (document: TraceDocument) => unpack(pack(document), 'f.layaway', VERSION);

/** The tables with another value in the first row of one. */
function withCell({ tables }: TraceDocument, name: string, column: string, value: string | number | null) {
  const { columns = [], rows = [] } = tables[name] ?? {};
  const [first = [], ...others] = rows;
  const changed = first.map((cell, index) => (columns[index] === column ? value : cell));
  expect(changed).not.toEqual(first);
  return { ...tables, [name]: { columns, rows: [changed, ...others] } };
}

describe('interface §11: a trace', () => {
  test('opened, it shows the state, the clock and the requests; pairs work, and nothing is sent', async () => {
    await using receiver = await openReceiver();
    const sim = await start();
    const { default: shop } = sim;
    await shop.webhooks.add(receiver.url);
    const { contracts } = await liveThrough(shop, 7, 25);
    await shop.clock.advance('1h');
    await shop.clock.resume();
    const document = reopened(await sim.trace({ what: 'npm test', exit_code: 1, messages: ['expected 1 to be 2'] }));
    await sim.close();
    const got = receiver.received.length;

    const shown = await start({ trace: document });
    const again = shown.default;
    expect(again.headers).toEqual(shop.headers);
    // A trace holds no signing secret, so another one is drawn.
    expect(again.webhookSecret).toMatch(/^whsec_[0-9a-f]{32}$/);
    expect((await again.contracts.find({ limit: 1000 })).length).toBe(contracts.length);
    const clock = await again.clock.show();
    const account = rowsOf(document, 'accounts').find(({ client_id }) => client_id === again.clientId);
    expect(clock).toMatchObject({ mode: 'frozen', now: expect.stringMatching(/^2\d{3}-/) });
    expect(Date.parse(clock.now)).toBe(account?.clock_ms);
    expect((await again.logs.list({ limit: 1000 })).length).toBe(summaryOf(document).requests);
    const endpoints = await again.webhooks.list();
    expect(endpoints.map(({ url }) => url)).toContain(receiver.url);
    for (const endpoint of endpoints) {
      expect(endpoint).toMatchObject({ enabled: false, disabled_reason: 'opened from a trace' });
      const disabled = 'was disabled: opened from a trace. An opened trace sends nothing.';
      expect((await again.explain(endpoint.id)).summary).toContain(disabled);
    }
    const [event] = await again.events.list();
    await again.events.resend(event?.id as string, { url: receiver.url });
    await again.webhooks.add(receiver.url);
    await again.sessions.create(order());
    await again.clock.advance('60d');
    expect(receiver.received.length).toBe(got);
    const meta = await shown.inject({
      method: 'GET',
      url: '/_sim/browse/accounts',
      headers: { authorization: `Bearer ${shown.controlToken}` },
    });
    expect(meta.json<{ meta: { trace: unknown } }>().meta.trace).toMatchObject({
      what: 'npm test',
      exit_code: 1,
      messages: ['expected 1 to be 2'],
    });
  });

  test('opened, what was pending was given up by the opening; what waited for a copy had arrived', async () => {
    await using receiver = await openReceiver([500, 200]);
    const sim = await start();
    const { default: shop } = sim;
    await shop.webhooks.add(receiver.url);
    const delayed = await shop.faults.add({ kind: 'delayed', event: 'session.decision_made' });
    await shop.faults.add({ kind: 'duplicate', event: 'session.completed' });
    const copy = silence(receiver);
    await shop.contracts.create();
    await copy.reached;
    const document = reopened(await sim.trace());
    copy.answer();
    await sim.close();

    const { default: again } = await start({ trace: document });
    const found = await again.webhooks.deliveries();
    const of = (type: string) => found.find(({ event_type }) => event_type === type);
    expect(of('session.completed')).toMatchObject({ status: 'delivered', given_up: null });
    const reason = 'it was pending when the trace was saved, and an opened trace sends nothing';
    for (const type of ['contract.activated', 'session.decision_made']) {
      const delivery = of(type);
      expect(delivery).toMatchObject({ status: 'failed', given_up: { at: '2026-01-01T00:00:00.000000Z', reason } });
      const told = await again.explain(delivery?.id as string);
      expect(told.summary).toContain('was given up. It was pending when the trace was saved');
      expect(JSON.stringify(told)).not.toMatch(/No retry follows|The endpoint was disabled before/);
      const held = type === 'session.decision_made' ? ` The fault delayed (${delayed.id}) held it back.` : '';
      expect(told.summary).toContain(`an opened trace sends nothing.${held}`);
    }
  });

  test('opened, it has the findings that the server had, also about a checkout whose webhook a fault held up', async () => {
    await using receiver = await openReceiver();
    const sim = await start();
    const { default: shop } = sim;
    await shop.webhooks.add(receiver.url);
    await shop.faults.add({ kind: 'delayed', times: null, by: '5h' });
    const call = caller(sim, shop.headers);
    const { body } = await call('POST', '/v1/sessions', order(), { 'idempotency-key': 'a' });
    await shop.sessions.complete(body.data.id);
    await shop.clock.advance('2h');
    const { findings } = await shop.coverage();
    expect(findings).toEqual([]);

    const { default: again } = await start({ trace: reopened(await sim.trace()) });
    expect((await again.coverage()).findings).toEqual(findings);
  });

  test.each([1, 30, 300])(
    'loses the secrets of %i accounts, wherever they stand and whatever they begin with',
    (count) => {
      const secrets = Array.from(
        { length: count },
        (_, n) => `${['', 'é', '😀', 'a', 'aa'][n % 5]}secret of account ${n}.`,
      );
      const texts = secrets.flatMap((secret) => [
        secret,
        `é${secret}`,
        `😀a${secret}${secret}b`,
        `a${secret.slice(1)}`,
      ]);
      const dump = {
        schema: 1,
        tables: {
          accounts: { columns: ['webhook_secret'], rows: secrets.map((secret) => [secret]) },
          events: { columns: ['body'], rows: texts.map((text) => [text]) },
        },
      };
      const work = scrubbing(dump, { controlToken: 'the control token', cookies: [] });
      let step = work.next();
      while (!step.done) step = work.next();
      const { events } = step.value.tables;
      const found = events?.rows.flat().filter((text) => secrets.some((secret) => String(text).includes(secret)));
      expect(found).toEqual([]);
      // It lacks its first character.
      expect(events?.rows[3]?.[0]).toBe(`a${secrets[0]?.slice(1)}`);
    },
  );

  test('contains no key, secret or user info, in any field or encoding', async () => {
    const sim = await start();
    const shop = await sim.merchant();
    const key = shop.apiKey;
    const secret = `whsec_${Buffer.from(Array.from({ length: 32 }, (_, n) => 255 - n)).toString('base64')}`;
    const password = 'pl4nted-pa55word';
    const url = `http://ada:${password}@127.0.0.1:9/hook?next=${encodeURIComponent(`https://ada:${password}@shop.example/`)}`;
    await using receiver = await openReceiver();
    const hook = await shop.webhooks.add(url, { secret });
    await shop.webhooks.add(receiver.url.replace('http://', `http://ada:${password}@`));
    await shop.webhooks.rotate(hook.id);
    // Known from the URL of a delivery alone.
    const once = 'pl4nted-once-0nly';
    await shop.webhooks.test(hook.id);
    const [tested] = await shop.events.list();
    await shop.events.resend(String(tested?.id), { url: `http://ada:${once}@127.0.0.1:9/` });
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const planted = [
      key,
      secret,
      `https://ada:${password}@shop.example/`,
      base64(key),
      base64(`ada:${key}`),
      encodeURIComponent(secret),
      base64(secret),
      secret.slice(6),
      shop.webhookSecret.slice(6),
      base64(encodeURIComponent(secret)),
      // Characters before base64 shift its groups.
      ...['k', 'ke', 'key'].map((before) => `${before}${base64(key)}`),
      password,
      once,
    ];
    const call = caller(sim, {
      ...shop.headers,
      authorization: `Basic ${base64(`ada:${password}`)}`,
      cookie: `sid=${key}`,
    });
    for (const text of planted) {
      await call(
        'POST',
        '/v1/sessions',
        order({
          order_reference: text.slice(0, 100),
          return_url: `https://shop.example/return?key=${encodeURIComponent(text)}`,
          cancel_url: `https://shop.example/cancel#${encodeURIComponent(text)}`,
          metadata: { note: text.slice(0, 500) },
        }),
      );
      await call('GET', `/v1/contracts/${encodeURIComponent(text)}?page=${encodeURIComponent(text)}`);
    }
    const [session] = await shop.sessions.list();
    const { reference } = await shop.sessions.complete(session?.id as string, {
      customer_name: key,
      customer_email: 'ada@example.com',
    });
    await shop.contracts.update(reference, { order_reference: key, metadata: { secret } });
    await shop.assumptions.set({ legal_name: key, dba: secret.slice(0, 60) });
    const { key: drawn } = await shop.keys.create({ name: key });
    await shop.clock.advance('20d');

    const document = await sim.trace({ what: `curl ${url}`, exit_code: 1, messages: [key, secret] });
    const text = gunzipSync(pack({ ...document, flags: ['--forward-to', url, key] })).toString('utf8');
    expect(text).toContain(reference);
    const secrets = [
      key,
      drawn as string,
      secret,
      secret.slice(6),
      password,
      once,
      shop.webhookSecret,
      shop.webhookSecret.slice(6),
      sim.default.webhookSecret,
      sim.default.apiKey,
      sim.controlToken,
    ];
    for (const each of secrets) {
      for (const clothed of [
        each,
        encodeURIComponent(each),
        base64(each),
        base64(encodeURIComponent(each)),
        base64(each).replace(/=+$/, ''),
        Buffer.from(each).toString('base64url'),
      ]) {
        expect(text.includes(clothed), clothed).toBe(false);
      }
    }
  });

  test('contains no secret whose slashes are escaped, as json_encode of PHP does', async () => {
    const sim = await start();
    const shop = await sim.merchant();
    const secret = `whsec_${Buffer.from(Array.from({ length: 32 }, (_, n) => 255 - n)).toString('base64')}`;
    const php = (value: object) => JSON.stringify(value).replaceAll('/', '\\/');
    const text = php({ hook: 'https://ada:pl4nted-pa55word@shop.example/hook', secret });
    await using receiver = await openReceiver([(response) => void response.end(text)]);
    await shop.webhooks.add(receiver.url);
    const call = caller(sim, shop.headers);
    await call('POST', '/v1/sessions', order({ metadata: { settings: text, nested: php({ text }) } }));
    await sim.inject({
      method: 'POST',
      url: '/v1/sessions',
      headers: { ...shop.headers, 'content-type': 'application/json' },
      payload: `{"cut off": ${text}`,
    });
    await shop.contracts.create();

    const document = await sim.trace({ what: text, exit_code: 1, messages: [text] });
    const packed = gunzipSync(pack(document)).toString('utf8');
    expect(packed).toContain('cut off');
    expect(packed).toContain('://…@shop.example');
    expect(packed).not.toContain('pa55word');
    expect(packed).not.toContain(secret.slice(-12));
    expect(JSON.stringify(await shop.logs.list())).not.toContain('pa55word');
  });

  const unit = (text: string) =>
    [...text].map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
  test.each([
    ['hexadecimal', (key: string) => Buffer.from(key).toString('hex')],
    ['hexadecimal, in capitals, after a digit', (key: string) => `7${Buffer.from(key).toString('hex').toUpperCase()}`],
    ['\\u', unit],
    ['\\u, of some characters', (key: string) => key.replaceAll('_', '\\u005F')],
    ['\\x', (key: string) => key.replaceAll('_', '\\x5f')],
    ['\\u, percent-encoded', (key: string) => `${unit('key=')}${key.replaceAll('_', '%5f')}%E9`],
  ] as const)('contains no API key that is written as %s', async (_, written) => {
    const sim = await start();
    const { default: shop } = sim;
    const key = written(shop.apiKey);
    const post = (payload: string) =>
      sim.inject({
        method: 'POST',
        url: '/v1/sessions',
        headers: { ...shop.headers, 'content-type': 'application/json' },
        payload,
      });
    expect((await post(`{"cut off": "${key}", "again": "\\n${key}"`)).statusCode).toBe(422);
    const nested = JSON.stringify({ key: JSON.stringify({ key }) });
    expect((await post(JSON.stringify(order({ metadata: { key, nested } })))).statusCode).toBe(201);
    const document = await sim.trace({ what: key, exit_code: 1, messages: [nested] });
    const text = gunzipSync(pack(document)).toString('utf8');
    expect(text).toContain('cut off');
    // The backslashes that JSON adds are not a part of the key.
    expect(text.replaceAll('\\', '')).not.toContain(key.replaceAll('\\', ''));
    const again = (await start({ trace: reopened(document) })).default;
    expect((await again.sessions.list()).length).toBe(1);
  });

  test('can be opened if an encoded secret follows a line break or another character that JSON escapes', async () => {
    const sim = await start();
    const { default: shop } = sim;
    const encoded = [
      // Text before it shifts its groups of four.
      ...['', 'a', 'ab', 'abc'].map((text) => text + Buffer.from(shop.apiKey).toString('base64')),
      Buffer.from(shop.apiKey).toString('hex'),
      shop.apiKey.replaceAll('_', '%5F'),
    ];
    const before = ['\n', '\t', '\u0001', '"', '\\'];
    const metadata = Object.fromEntries(
      encoded.flatMap((text, n) => before.map((character, m) => [`${n} ${m}`, `a${character}${text}`])),
    );
    await shop.sessions.create(order({ metadata }));
    const document = await sim.trace();
    const text = gunzipSync(pack(document)).toString('utf8');
    for (const each of encoded) expect(text).not.toContain(each);
    const again = (await start({ trace: reopened(document) })).default;
    const [session] = await again.sessions.list();
    expect(Object.keys(session?.metadata ?? {})).toEqual(Object.keys(metadata));
    for (const each of Object.values(session?.metadata ?? {})) expect(each).toMatch(/…$/);
  });

  test('contains neither the control token nor the value of a cookie, of a request or of a receiver', async () => {
    const sim = await start();
    const { default: shop, controlToken } = sim;
    const sent = 's%3AcAf3b4b3Zm9vYmFyYmF6cXV4.Qk1KTA';
    const second = `${decodeURIComponent(sent)}.second`;
    const got = 'r3ceiverS3ssion0001';
    const setCookie = [
      `sid=${got}; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT; HttpOnly`,
      'other=0therR3ceiverCookie; Secure',
      'theme=dark-and-without-any-digit',
    ];
    await using receiver = await openReceiver([
      (response) => response.writeHead(500, { 'set-cookie': setCookie }).end(`Session ${got} has no order.`),
    ]);
    await shop.webhooks.add(receiver.url);
    const session = await shop.sessions.create(order());
    const cookie = `theme=dark; cart=${session.id}; sid=${sent}; sid2=${second}; status=completed`;
    const call = caller(sim, { ...shop.headers, cookie });
    for (const [index, text] of [controlToken, sent, decodeURIComponent(sent), second, got].entries()) {
      const url = `https://shop.example/${index}?sid=${encodeURIComponent(text)}`;
      const body = order({ order_reference: `A ${text}`, metadata: { note: text }, return_url: url });
      const { status } = await call('POST', '/v1/sessions', body, { 'idempotency-key': text });
      expect(status).toBe(201);
    }
    const { reference } = await shop.sessions.complete(session.id);
    await shop.clock.advance('1m');

    const quoting = { what: `curl -H "Bearer ${controlToken}"`, exit_code: 1, messages: [`not ${controlToken}`] };
    const document = await sim.trace(quoting);
    const text = gunzipSync(pack(document)).toString('utf8');
    // Nothing is left of a value that contains another one.
    const hidden = [controlToken, sent, decodeURIComponent(sent), '.second', got];
    for (const each of [...hidden, '0therR3ceiverCookie', 'dark-and-without']) {
      for (const clothed of [each, encodeURIComponent(each), Buffer.from(each).toString('base64')]) {
        expect(text.includes(clothed), clothed).toBe(false);
      }
    }
    // Ordinary words and the ids of the sandbox stay.
    for (const each of [session.id, reference, '"completed"']) expect(text).toContain(each);
    const again = (await start({ trace: reopened(document) })).default;
    expect((await again.sessions.list()).length).toBe(6);
  });

  test.each(['active', 'path', '0000'])(
    'opens when %s is the password of a URL, and does not hold the user info',
    async (word) => {
      const sim = await start();
      const { default: shop } = sim;
      await shop.webhooks.add(`http://ada:${word}@127.0.0.1:9/hook`);
      const basic = Buffer.from(`ada:${word}`).toString('base64');
      await shop.sessions.create(order({ metadata: { one: `ada:${word}`, two: `Basic ${basic}` } }));
      const { reference } = await shop.contracts.create();
      const document = reopened(await sim.trace());
      for (const hidden of [`ada:${word}`, basic]) expect(JSON.stringify(document)).not.toContain(hidden);
      const again = (await start({ trace: document })).default;
      expect(await again.contracts.get(reference)).toEqual(await shop.contracts.get(reference));
    },
  );

  test('a long text is searched for secrets in one pass, and an encoded one after a stray % is found', async () => {
    const sim = await start();
    const call = caller(sim, sim.default.headers);
    const long = `${'a'.repeat(150_000)}%`;
    const hidden = `50%${encodeURIComponent(sim.default.apiKey).replaceAll('_', '%5F')}`;
    const slashes = `${'\\'.repeat(150_000)}%`;
    for (const reference of [long, slashes, hidden])
      await call('POST', '/v1/sessions', order({ order_reference: reference }));
    const text = gunzipSync(pack(await sim.trace())).toString('utf8');
    expect(text).toContain(long);
    expect(text).not.toContain(hidden.slice(3));
  });

  test('it has counted what the store has met up to its last request', async () => {
    const sim = await start();
    const call = caller(sim, sim.default.headers);
    const ask = (body: object) => call('POST', '/v1/sessions', body);
    for (let n = 0; n < 5; n += 1) await ask(order({ order_reference: `A-${n}` }));
    const document = reopened(await sim.trace());
    const counted = await sim.default.coverage();
    expect(counted.findings).toMatchObject([{ rule: 'create-without-key', count: 5 }]);
    const shown = await start({ trace: document });
    expect(await shown.default.coverage()).toEqual(counted);
  });

  test('of a test with a merchant of its own, the summary shows the latest requests of this merchant', async () => {
    const sim = await start();
    const shop = await sim.merchant();
    const other = await sim.merchant();
    await shop.v1.ping();
    await shop.live.v1.config();
    await other.v1.ping();
    const latest = async (failure: Parameters<typeof sim.trace>[0]) =>
      summaryOf(await sim.trace(failure)).latest_requests.map(({ path }) => path);
    const failure = { what: 'a test', exit_code: null, messages: [] };
    expect(await latest({ ...failure, client_id: shop.clientId })).toEqual(['/v1/ping', '/v1/config']);
    expect(await latest(failure)).toEqual(['/v1/ping', '/v1/config', '/v1/ping']);
  });

  test.each([
    ['0.1.0-beta.1', '0.1.0', false],
    ['0.1.0', '0.1.0-beta.1', true],
    ['0.1.0-beta.10', '0.1.0-beta.9', true],
    ['0.1.0-beta.9', '0.1.0-beta.10', false],
    ['0.2.0-beta.1', '0.1.0', true],
    ['0.10.0', '0.9.1', true],
    ['0.1.0+build.7', '0.1.0', false],
    ['0.1.0', '0.1.0', false],
  ])('a trace of %s, opened by %s: newer is %s', async (layaway, ours, newer) => {
    const open = () => unpack(pack({ trace: 1, layaway } as TraceDocument), 'f.layaway', ours);
    expect(open).toThrow(newer ? 'newer layaway' : 'is damaged');
  });

  test('of an ordinary suite it is small', async () => {
    const sim = await start();
    for (let n = 0; n < 8; n += 1) await liveThrough(await sim.merchant(), n, 60);
    expect(pack(await sim.trace()).length).toBeLessThan(2 ** 20);
  });

  test('a damaged file, another file and one of a newer version are refused in a sentence', async () => {
    const document = await (await start()).trace();
    const whole = pack(document);
    for (const bytes of [
      whole.subarray(0, whole.length - 40),
      Buffer.from('hello'),
      gzipSync('{}'),
      gzipSync('{"trace":1}'),
      gzipSync(JSON.stringify({ ...document, layaway: 7 })),
    ]) {
      expect(() => unpack(bytes, 'f.layaway', VERSION)).toThrow('f.layaway is damaged or is not a trace.');
    }
    for (const newer of [
      { trace: 2, layaway: '9.0.0' },
      { ...document, trace: 2 },
      { ...document, layaway: '999.0.0' },
    ]) {
      expect(() => unpack(gzipSync(JSON.stringify(newer)), 'f.layaway', VERSION)).toThrow('newer layaway');
    }
    await expect(start({ trace: { ...document, schema: 999 } })).rejects.toThrow('newer layaway');
    for (const bad of [
      { flags: 'no' },
      { flags: [7] },
      { flags: undefined },
      { failure: 7 },
      { failure: { what: 'npm test', exit_code: '1', messages: [] } },
      { failure: { what: 'npm test', exit_code: 1, messages: 'no' } },
      { saved_at: 'yesterday' },
      { seed: 7 },
      { schema: 1.5 },
      { schema: 0 },
      { tables: { ...document.tables, keys: { columns: ['id'], rows: [[1, 2]] } } },
      { tables: { ...document.tables, keys: [] } },
      { tables: { ...document.tables, 'x; DROP TABLE sessions': { columns: [], rows: [] } } },
      { tables: withCell(document, 'accounts', 'clock_ms', 'noon') },
      { tables: withCell(document, 'accounts', 'settings', '{') },
      { tables: withCell(document, 'workspace', 'unavailable_states', 'DC') },
      { tables: withCell(document, 'workspace', 'unavailable_states', 'null') },
      { tables: { ...document.tables, levers: { columns: ['at', 'params', 'body'], rows: [[0, 'null', '{}']] } } },
      { tables: { ...document.tables, levers: { columns: ['at', 'params', 'body'], rows: [[0, '{"id":7}', '{}']] } } },
      { tables: { ...document.tables, levers: { columns: ['at', 'params', 'body'], rows: [[0, '{}', '[]']] } } },
      {
        tables: {
          ...document.tables,
          levers: { columns: ['operation', 'params', 'body'], rows: [['addFault', '{}', 'null']] },
        },
      },
      { tables: { ...document.tables, events: { columns: ['cause', 'body'], rows: [[-1, '{}']] } } },
      { tables: { ...document.tables, requests: { columns: ['entries'], rows: [['{"number":1}']] } } },
      { tables: { ...document.tables, requests: { columns: ['entries'], rows: [[struckBy('toString')]] } } },
    ]) {
      const bytes = gzipSync(JSON.stringify({ ...document, ...bad }));
      expect(() => unpack(bytes, 'f.layaway', VERSION), JSON.stringify(bad).slice(0, 80)).toThrow(
        /^f\.layaway is damaged: .+\. Save it again with `layaway trace save`\.$/,
      );
    }
    const foreign = { ...document, tables: { ...document.tables, plans: { columns: [], rows: [] } } };
    await expect(start({ trace: foreign })).rejects.toThrow('it has a table that layaway does not have');
    // The document and 130 MiB of white space.
    const bomb = Buffer.concat([whole, gzipSync(Buffer.alloc(130 * 2 ** 20, ' '))]);
    expect(() => unpack(bomb, 'bomb', VERSION)).toThrow(
      'bomb is damaged: it unpacks to more than 128 MiB. Save it again with `layaway trace save`.',
    );
  });

  test('a small file whose rows would fill the memory is refused; brackets in a text are no rows', async () => {
    const document = await (await start()).trace();
    const whole = JSON.stringify({ ...document, seed: '[{"\\'.repeat(2_000_000) });
    expect(unpack(gzipSync(whole), 'f.layaway', VERSION).seed).toHaveLength(8_000_000);
    const rows = `"rows":[${'[],'.repeat(4_000_000)}`;
    const bomb = gzipSync(whole.replace('"rows":[', rows));
    expect(() => unpack(bomb, 'bomb', VERSION)).toThrow(
      'bomb is damaged: it has more than 4 million rows. Save it again with `layaway trace save`.',
    );
  });

  test('of an advance that waits for a silent receiver does not wait: it shows how far the clock got', async () => {
    await using receiver = await openReceiver();
    const { reached, answer } = silence(receiver);
    const sim = await start();
    const { default: shop } = sim;
    await shop.webhooks.add(receiver.url);
    await shop.contracts.create({ webhooks: false });
    const { next_due: due } = await shop.clock.show();
    const advancing = shop.clock.advance('60d');
    await reached;
    const document = reopened(await sim.trace());
    answer();
    const { now } = await advancing;

    const shown = (await start({ trace: document })).default;
    expect(await shown.clock.show()).toMatchObject({ mode: 'frozen', now: due?.at });
    expect((await shop.clock.show()).now).toBe(now);
    expect(now).not.toBe(due?.at);
  });

  test('one with a value that the server could not show is refused with the place of the value', async () => {
    await using receiver = await openReceiver();
    const sim = await start();
    await sim.default.webhooks.add(receiver.url);
    await sim.default.contracts.create({ status: 'defaulted' });
    await sim.default.sessions.create(order());
    await sim.default.clock.advance('1h');
    const document = await sim.trace();
    const entry = (change: object) => {
      const [[first = ''] = []] = rowsOf(document, 'requests').map(({ entries }) => entriesIn(String(entries)));
      const { head, answer } = partsOf(first);
      return entryOf({ ...JSON.parse(head), ...change }, answer);
    };
    const cells: readonly (readonly [table: string, column: string, value: string | number])[] = [
      ['emails', 'template', 'newsletter'],
      ['emails', 'template', 'toString'],
      ['emails', 'facts', '{}'],
      ['events', 'body', 'evt_1'],
      ['delivery_attempts', 'sent_at', 9e15],
      ['delivery_attempts', 'at', Date.UTC(10_000, 0)],
      ['sessions', 'expires_at', Date.UTC(10_000, 0)],
      ['sessions', 'installment_count', 1e9],
      ['contracts', 'started_at', -9e15],
      ['installments', 'paid_at', 9e15],
      ['deliveries', 'given_up_at', 9e15],
      ['endpoints', 'failing_since', 9e15],
      ['accounts', 'settings', '{"installment_count":1000000000}'],
      ['accounts', 'settings', '{"excluded_states":null}'],
      ['accounts', 'settings', '{"webhook_retry_seconds":7}'],
      // Commands to copy contain ids as they are.
      ['accounts', 'client_id', 'mch_test_1;id'],
      ['sessions', 'token', 'cs_$(id)'],
      ['contracts', 'reference', 'LAY-1`id`'],
      ['events', 'subject', "cs_1'"],
      ['events', 'token', 'evt_1 --live'],
      ['endpoints', 'token', '-w'],
      ['requests', 'entries', entry({ at: null })],
      ['requests', 'entries', entry({ clockAt: 9e15 })],
      ['requests', 'entries', entry({ status: {} })],
      ['requests', 'entries', entry({ durationMs: {} })],
      ['requests', 'entries', entry({ fault: undefined })],
    ];
    for (const [table, column, value] of cells) {
      const changed = { ...document, tables: withCell(document, table, column, value) };
      const place = new RegExp(
        `^f\\.layaway is damaged: (${column} in )?row 1 of the table ${table} (cannot be read|is not)`,
      );
      expect(() => reopened(changed), `${table}.${column} = ${value}`).toThrow(place);
    }
    expect(() => reopened(document)).not.toThrow();
  });

  test('so is one whose default merchant has another client id', async () => {
    const document = await (await start()).trace();
    const tables = withCell(document, 'accounts', 'client_id', `mch_test_${'a'.repeat(32)}`);
    await expect(start({ trace: reopened({ ...document, tables }) })).rejects.toThrow(
      'The trace is damaged: the accounts of its default merchant are missing or have other client ids.',
    );
  });

  test('a request that a known fault struck is read', async () => {
    const document = await (await start()).trace();
    const requests = { columns: ['entries'], rows: [[struckBy('lost_answer')]] };
    const bytes = gzipSync(JSON.stringify({ ...document, tables: { ...document.tables, requests } }));
    expect(unpack(bytes, 'f.layaway', VERSION).tables.requests).toEqual(requests);
  });

  test('one that the database refuses is refused with the place of the value', async () => {
    const sim = await start();
    await sim.default.contracts.create();
    const document = await sim.trace();
    const empty = (name: string) => ({ ...document.tables, [name]: { ...document.tables[name], rows: [] } });
    const twice = (name: string) => {
      const { columns = [], rows = [] } = document.tables[name] ?? {};
      return { ...document.tables, [name]: { columns, rows: [...rows, ...rows] } };
    };
    const cases = [
      [empty('merchants'), 'a row of the table accounts refers to a row of the table merchants that is missing'],
      [empty('workspace'), 'its workspace or its default merchant is missing'],
      [empty('sessions'), 'refers to a row of the table sessions that is missing'],
      [{}, 'the accounts of its default merchant are missing or have other client ids'],
      [withCell(document, 'accounts', 'clock_mode', 'backwards'), 'row 1 of the table accounts is not valid ('],
      [withCell(document, 'contracts', 'id', 'first'), 'row 1 of the table contracts is not valid ('],
      [withCell(document, 'sessions', 'token', null), 'row 1 of the table sessions is not valid ('],
      [twice('emails'), 'row 2 of the table emails is not valid (UNIQUE constraint failed: emails.'],
    ] as const;
    for (const [tables, why] of cases) {
      await expect(start({ trace: { ...document, tables: tables as TraceDocument['tables'] } })).rejects.toMatchObject({
        message: expect.stringMatching(/^The trace is damaged: .+\. Save it again with `layaway trace save`\.$/),
        why: expect.stringContaining(why),
        isUsage: true,
      });
    }
  });

  test('so is one whose rows do not fit each other', async () => {
    const sim = await start();
    const { default: shop } = sim;
    await shop.contracts.create({ status: 'active' });
    await shop.contracts.create({ status: 'pending' });
    await shop.webhooks.add('http://127.0.0.1:9/hook', { events: ['session.cancelled'] });
    await shop.sessions.cancel((await shop.sessions.create({ order_reference: 'A-1', total_amount: 20_000 })).id);
    const { tables, ...rest } = await sim.trace();
    /** The trace with other rows of a table, made of each row that it has. */
    const edited = (name: string, edit: (row: Row) => Row | Row[] | null) => {
      const { columns = [] } = tables[name] ?? {};
      const rows = rowsOf({ ...rest, tables }, name).flatMap<Row>((row) => edit(row) ?? []);
      const cells = rows.map((row) => columns.map((column) => row[column] as Cell));
      expect(cells).not.toEqual(tables[name]?.rows);
      return { ...rest, tables: { ...tables, [name]: { columns, rows: cells } } };
    };
    const another = (name: string) => edited(name, (row) => ({ ...row, account_id: 2 }));
    const cases: readonly (readonly [TraceDocument, string])[] = [
      [edited('installments', (row) => (row.sequence === 3 ? null : row)), 'installments that do not add up'],
      [edited('installments', (row) => (row.sequence === 5 ? null : row)), 'installments that do not add up'],
      [edited('payment_attempts', () => null), 'the row with the id 1 of the table contracts has started without its'],
      [edited('sessions', (row) => (row.id === 1 ? { ...row, status: 'pending' } : row)), 'the row with the id 1 of'],
      [
        edited('sessions', (row) => (row.id === 3 ? { ...row, status: 'completed' } : row)),
        'does not fit its contract',
      ],
      [
        edited('installments', ({ next_step, next_at, ...row }) =>
          row.contract_id === 2 && row.sequence === 2
            ? { ...row, next_step: 'collect', next_at: row.due_at }
            : { ...row, next_step, next_at },
        ),
        'the row with the id 2 of the table contracts is not active, but something of it falls due',
      ],
      [
        edited('merchants', (row) => [row, { ...row, id: 2, token: 'another' }]),
        'the row with the id 2 of the table merchants has no sandbox or no live account',
      ],
      [another('contracts'), 'refers to the row with the id 1 of the table sessions, which belongs to another account'],
      [
        another('installments'),
        'a row of the table installments refers to the row with the id 1 of the table contracts',
      ],
      [another('events'), 'a row of the table events refers to the row with the id'],
      [another('endpoints'), 'a row of the table deliveries refers to the row with the id 1 of the table endpoints'],
    ];
    for (const [trace, why] of cases) {
      await expect(start({ trace: reopened(trace) }), why).rejects.toMatchObject({ why: expect.stringContaining(why) });
    }
    await start({ trace: reopened({ ...rest, tables }) });
  });

  test('without any of its rows, it is refused, or every page and every read route answers', async () => {
    const faults: unknown[] = [];
    const sim = await start();
    const { default: shop } = sim;
    await shop.webhooks.add('http://127.0.0.1:9/hook');
    await shop.contracts.create({ status: 'active', installment: { number: 1, status: 'past_due' } });
    await shop.sessions.accept((await shop.v1.createSession(order())).id, CUSTOMER);
    const document = await sim.trace();
    const ids = ['sessions', 'contracts', 'events', 'deliveries', 'emails', 'endpoints'].flatMap((table) =>
      rowsOf(document, table).flatMap(({ token, reference = token }, index) => (index < 2 ? String(reference) : [])),
    );
    const reads: readonly Operation[] = [...SERVICE_OPERATIONS, ...CONTROL_OPERATIONS].filter(
      ({ method, operationId }) => method === 'GET' && !/stream|changes/i.test(operationId),
    );
    const urlsOf = ({ path }: Operation) => {
      if (!path.includes('{')) return [path === browseSearch.path ? `${path}?text=a` : path];
      return ids.map((each) => addressOf({ path }, { id: each, reference: each, number: '1' }));
    };
    const pages = ids.filter((each) => each.startsWith('cs_')).map((token) => `/checkout/${token}`);
    let opened = 0;
    for (const [name, { columns, rows }] of Object.entries(document.tables)) {
      for (const [index] of rows.entries()) {
        const rest = { columns, rows: rows.toSpliced(index, 1) };
        const trace = { ...document, tables: { ...document.tables, [name]: rest } };
        const shown = await createSimulator({ trace, rateLimit: 'off', onFault: (error) => faults.push(error) }).catch(
          (error) => {
            expect(error).toBeInstanceOf(DamagedTrace);
            return null;
          },
        );
        if (shown === null) continue;
        opened += 1;
        const get = (url: string, headers: object = {}) =>
          shown.inject({ method: 'GET', url, headers: { ...headers } });
        for (const url of pages) await get(url);
        for (const operation of reads) {
          const token = { authorization: `Bearer ${shown.controlToken}` };
          const headers = operation.auth === 'account' ? shown.default.headers : token;
          for (const url of urlsOf(operation)) await get(url, headers);
        }
        await shown.close();
        expect(faults, `without row ${index + 1} of ${name}`).toEqual([]);
      }
    }
    expect(opened).toBeGreaterThan(0);
  });

  test('holds the flags of the server, without secrets; one that is opened hands on those in it', async () => {
    expect((await (await start()).trace()).flags).toEqual([]);
    const sim = await start({ flags: ['serve', '--forward-to', 'http://ada:pl4nted@127.0.0.1:9/hook'] });
    const flags = ['serve', '--forward-to', 'http://…@127.0.0.1:9/hook'];
    const document = await sim.trace();
    expect(document.flags).toEqual(flags);
    expect((await (await start({ trace: document })).trace()).flags).toEqual(flags);
  });

  test('of an older schema it is migrated as it is opened', async () => {
    const sim = await start();
    const { reference } = await sim.default.contracts.create();
    const { tables, ...rest } = await sim.trace();
    const { levers: _levers, requests: _requests, discarded: _discarded, ...older } = tables;
    const without = Object.fromEntries(
      Object.entries(older).map(([name, { columns, rows }]) => {
        const later = ['cause', 'given_up_at', 'given_up_reason', 'last_fault_id', 'is_furnished'];
        const keep = <T>(list: readonly T[]) => list.filter((_, index) => !later.includes(String(columns[index])));
        return [name, { columns: keep(columns), rows: rows.map((row) => keep(row)) }];
      }),
    );
    const shown = await start({
      trace: { ...rest, tables: without, schema: MIGRATIONS.findIndex((step) => step.includes('CREATE TABLE levers')) },
    });
    expect((await shown.default.contracts.get(reference)).reference).toBe(reference);
    expect((await shown.default.explain(reference)).chain[0]?.because).toContain('Not recorded');
  });
});

/** The log entry of a request that a fault of that kind struck. */
const struckBy = (kind: string) =>
  `${JSON.stringify({ number: 1, at: 0, method: 'GET', path: '/v1/ping', requestHeaders: {}, fault: { id: 'flt_1', kind } })}\n{}`;
