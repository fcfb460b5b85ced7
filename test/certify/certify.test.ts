import { afterAll, describe, expect, test } from 'vitest';
import { brokenOff, CHECK_IDS, certify as certifyWith, type World } from '../../src/certify/run.ts';
import { EVENT_TYPES } from '../../src/domain/event.ts';
import { exchange } from '../../src/exchange.ts';
import { type Certificate, certify, createSimulator, isCertified, verifyWebhook } from '../../src/index.ts';
import { defaultDraw, randomSecret } from '../../src/secrets/draw.ts';
import { pause, realTime } from '../../src/time/real.ts';
import { createDeliver } from '../../src/webhook/deliver.ts';
import { signedHeaders } from '../../src/webhook/sign.ts';
import { openReceiver, type Received, type Reply } from '../support/receiver.ts';
import { FAULTY, notes, openStore, SECRET, TO_LOGIN } from './receivers.ts';

const failed = ({ checks }: Certificate) => checks.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
const world = (): World => ({
  start: createSimulator,
  openPost: () => createDeliver(realTime.now),
  sign: signedHeaders,
  exchange,
  waiting: { now: realTime.now, pause },
  draw: randomSecret,
  derivedSecret: defaultDraw.webhookSecret('account', 1),
  timeoutMs: 15_000,
});

/** Each pause takes a millisecond. `passedMs` is how long all of them would have taken. */
function quickWaiting() {
  let passedMs = 0;
  const waiting: World['waiting'] = {
    now: () => realTime.now() + passedMs,
    async pause(ms) {
      passedMs += ms;
      await pause(1);
    },
  };
  return { waiting, passedMs: () => passedMs };
}

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
  const counted = certificate.checks
    .filter(({ note }) => note?.includes('With the observe option'))
    .map(({ id }) => id);
  expect(counted).toEqual(['duplicate', 'duplicate-burst', 'out-of-order', 'retry-after-outage']);
});

test('for every check there is a receiver that fails it', () => {
  expect([...new Set(FAULTY.map(({ fails }) => fails))]).toEqual(CHECK_IDS);
});

/** What the first exchange says that a check shows of a wrong state: those before it are right in every store. */
const LED_TO_A_WRONG_STATE: Readonly<Record<string, RegExp>> = {
  duplicate: /, (?:the same id again|another id)$/,
  'duplicate-burst': /, one of five at once$/,
  'out-of-order': /, the .+ (?:first|before the .+)$/,
  burst: /^session\.decision_made$/,
  'retry-after-outage': /, signed with another secret$/,
};

/** One simulator for many examinations, each with a merchant of its own: to start one takes as long as many orders. */
let shared: ReturnType<typeof createSimulator> | undefined;
const onSharedSimulator = (): World => ({
  ...world(),
  async start(options) {
    shared ??= createSimulator(options);
    const sim = await shared;
    return { default: sim.default, merchant: sim.merchant, close: async () => undefined };
  },
});
afterAll(async () => (await shared)?.close());

test.each(FAULTY)('a receiver that $name fails $fails and nothing else', async ({ fails, fault, needsObserve }) => {
  await using store = await openStore(fault());
  // A busy machine may take a second to answer.
  const skip = fails.startsWith('acknowledges') ? [] : ['acknowledges-soon'];
  const options = { url: store.url, secret: SECRET, observe: store.observe, skip };
  const certificate = await certifyWith(options, onSharedSimulator());
  expect(failed(certificate), notes(certificate).join('\n')).toEqual([fails]);
  const check = certificate.checks.find(({ id }) => id === fails);
  expect(check?.note).toBeTruthy();
  expect(check?.exchanges.length).toBeGreaterThan(0);
  if (needsObserve) expect(check?.exchanges[0]?.sent.what).toMatch(LED_TO_A_WRONG_STATE[fails] as RegExp);
  expect(isCertified(certificate)).toBe(check?.level === 'should');
  expect(isCertified({ ...certificate, level: 'should' })).toBe(false);
});

test.each([[['genuine', 'duplicate']], [['duplicate']]])(
  'a receiver that remembers the type instead of the id fails duplicate: %j',
  async (only) => {
    await using store = await openStore({ dedupeKey: ({ type }) => type });
    const { waiting } = quickWaiting();
    const options = { url: store.url, secret: SECRET, observe: store.observe, only };
    expect(notes(await certifyWith(options, { ...world(), waiting }))).toEqual([
      'duplicate: The events of this order changed nothing, although those of an earlier order did: "unknown".',
    ]);
  },
);

test.each([
  [['duplicate', 'unknown-type', 'retry-after-outage'], { stopsAt: 'payout.created' }, 'retry-after-outage'],
  [['duplicate', 'large'], { losesFrom: 100_000 }, 'large'],
])('a store whose worker stops or loses events: of %j, with %j, %s fails', async (only, fault, fails) => {
  await using store = await openStore(fault);
  const { waiting } = quickWaiting();
  const options = { url: store.url, secret: SECRET, observe: store.observe, only };
  expect(notes(await certifyWith(options, { ...world(), waiting }))).toEqual([
    `${fails}: The events of this order changed nothing, although those of an earlier order did: "unknown". If a worker processes them, look for an error in its log.`,
  ]);
});

test('a store that remembers the order instead of the id: duplicate names that', async () => {
  await using store = await openStore({ dedupeKey: ({ id, data }) => data.reference ?? id });
  const options = { url: store.url, secret: SECRET, observe: store.observe, only: ['duplicate'] };
  const { checks } = await certify(options);
  expect(
    checks
      .find(({ id }) => id === 'duplicate')
      ?.note?.split('\n')
      .at(-1),
  ).toBe(
    'The observed state stays that of the checkout, so only the responses show that another id is processed. If it should change, the store may remember the order instead of the id.',
  );
});

test('a store that works at once but shows only payments is not waited for at each order that has none', async () => {
  await using store = await openStore();
  const { waiting, passedMs } = quickWaiting();
  const options = { url: store.url, secret: SECRET, observe: store.paidOnly, only: ['out-of-order'] };
  expect(notes(await certifyWith(options, { ...world(), waiting }))).toEqual([]);
  // Twice it may only be behind: with the checkout, which is not shown, and with the first order that has no payment.
  expect(passedMs()).toBeLessThan(60_000);
});

test.each([
  ['completed', 'out-of-order'],
  ['active', 'duplicate-burst'],
])('a store that shows no %s order: %s says so, although it shows the others', async (hidden, id) => {
  await using store = await openStore();
  const show: Reply = (response, { url = '' }) => {
    const state = store.observe({ contract: url.slice(url.lastIndexOf('/') + 1) });
    response.writeHead(state.includes(` ${hidden}:`) ? 404 : 200).end(state);
  };
  await using page = await openReceiver(Array.from({ length: 10_000 }, () => show));
  const { waiting } = quickWaiting();
  const options = { url: store.url, secret: SECRET, observe: `${page.url}/{contract}`, only: [id] };
  const { checks } = await certifyWith(options, { ...world(), waiting });
  expect(checks.find((check) => check.id === id)).toMatchObject({
    verdict: 'pass',
    note: expect.stringContaining('The observe option showed no state of the order (HTTP 404)'),
  });
});

const OTHER_SIGNATURE =
  'Does it verify the body byte for byte as received, with the same secret? Does it check the age of `webhook-timestamp`, in seconds, rather than of `created_at`?';

test.each([
  ['verifies with another secret', 401, OTHER_SIGNATURE],
  ['has another path', 404, 'Is the path of the URL right?'],
  ['checks the CSRF token of each POST', 419, 'Is the route exempt from the CSRF check?'],
  ['does either', 403, `${OTHER_SIGNATURE} Is the route exempt from the CSRF check?`],
  [
    'checks the CSRF token or the fields of each POST',
    422,
    'Is the route exempt from the CSRF check? Does it expect the fields that the event has?',
  ],
  ['redirects each', 307, 'The service does not follow redirects; the check `no-redirect` shows where they lead.'],
  ['fails at each', 500, ''],
])('a store that %s: `genuine` says what to check first', async (_name, status, advice) => {
  await using receiver = await openReceiver(Array.from({ length: 25 }, () => status));
  const { checks } = await certify({ url: receiver.url, secret: SECRET, only: ['genuine'] });
  const [genuine] = checks;
  const lines = genuine?.note?.split('\n') ?? [];
  expect(lines.at(-1)).toBe(`Your store returned ${status} for every genuine event. ${advice}`.trimEnd());
  expect(lines.at(-2)).toBe(`And ${receiver.received.length - 10} more.`);
  expect([lines.length, genuine?.exchanges.length]).toEqual([12, 10]);
});

test('a store that redirects each event to a page that refuses it: `genuine` names the redirect, not the refusal', async () => {
  await using store = await openStore(TO_LOGIN);
  const { checks } = await certify({ url: store.url, secret: SECRET, only: ['genuine', 'no-redirect'] });
  expect(checks[0]?.note?.split('\n').at(-1)).toBe(
    'Your store returned 404 for every genuine event, after a redirect. The service does not follow redirects; the check `no-redirect` shows where they lead.',
  );
});

test.each([
  ['contracts', /^(contract|installment)\./],
  ['orders', /^(session|contract|installment)\./],
])('a store that knows only its own %s: `genuine` names the checkout option', async (_name, refused) => {
  await using store = await openStore({ refuses: ({ type }) => (refused.test(type) ? 404 : undefined) });
  const { checks } = await certify({ url: store.url, secret: SECRET, only: ['genuine'] });
  expect(checks[0]?.note?.split('\n').at(-1)).toMatch(
    /^Your store returned 404 for every event about a contract\. .+ use the checkout option\. .+ from the API, /,
  );
});

test.each([1, 3])('a store that refuses events over %i d old: `genuine` tells which age to check', async (days) => {
  await using store = await openStore({
    refuses: ({ created_at }) => (Date.now() - Date.parse(created_at) > days * 86_400_000 ? 400 : undefined),
  });
  const { checks } = await certify({ url: store.url, secret: SECRET, only: ['genuine'] });
  expect(checks[0]?.note?.split('\n').at(-1)).toMatch(
    /^Your store returned 400 for every event from before 20\d\d-\S+Z\. Check the age of `webhook-timestamp`, /,
  );
});

test('a store whose tolerance is too small is told why to accept a small difference, in either direction', async () => {
  await using store = await openStore({ isFresh: (away) => Math.abs(away) <= 10 });
  const certificate = await certify({ url: store.url, secret: SECRET, only: ['stale', 'future'] });
  expect(failed(certificate)).toEqual(['stale', 'future']);
  for (const { verdict, why } of certificate.checks) {
    if (verdict === 'fail') expect(why).toContain('accept a small difference');
  }
});

test('ten problems are all told', async () => {
  await using receiver = await openReceiver([200, ...Array.from({ length: 10 }, () => 500)]);
  const { checks } = await certify({ url: receiver.url, secret: SECRET, only: ['genuine'] });
  const lines = checks[0]?.note?.split('\n') ?? [];
  expect(lines).toEqual(Array(10).fill(expect.stringMatching(/: returned 500, must be 2xx\.$/)));
});

test('a store that refuses only some genuine events gets no advice about its secret', async () => {
  await using receiver = await openReceiver([200, ...Array.from({ length: 24 }, () => 401)]);
  const { checks } = await certify({ url: receiver.url, secret: SECRET, only: ['genuine'] });
  expect(checks[0]).toMatchObject({ verdict: 'fail', note: expect.not.stringContaining('every genuine event') });
});

test('decisions §5: the id of every event is a ULID, whatever is drawn', async () => {
  const ids: string[] = [];
  await using store = await openStore({ refuses: ({ id }) => void ids.push(id) });
  const only = ['unknown-type', 'tampered', 'stale'];
  await certifyWith({ url: store.url, secret: SECRET, only }, { ...world(), draw: () => 'f'.repeat(64) });
  expect(ids.length).toBeGreaterThan(2);
  // The first character of a ULID is at most 7: it has 128 bits.
  for (const id of ids) expect(id).toMatch(/^evt_[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
});

test('a secret of zero bytes signs as an empty one does, so that letter says nothing about the receiver', async () => {
  const secret = `whsec_${Buffer.alloc(32).toString('base64')}`;
  const verify: Reply = (response) => {
    const { headers, body } = receiver.received.at(-1) as Received;
    try {
      verifyWebhook(body, headers, secret);
      response.statusCode = 204;
    } catch {
      response.statusCode = 400;
    }
    response.end();
  };
  await using receiver = await openReceiver([verify, verify, verify]);
  const certificate = await certify({ url: receiver.url, secret, only: ['wrong-secret'] });
  expect(notes(certificate)).toEqual([]);
  expect(receiver.received).toHaveLength(2);
});

test.each([
  [[409, 423, 425, 429], 'pass'],
  [[503], 'pass'],
  [[500], 'fail'],
])('of five copies at once, four that are answered %j: %s', async (statuses, verdict) => {
  const copies = new Map<string, number>();
  await using store = await openStore({
    async before({ headers }) {
      const letter = String(headers['webhook-signature']);
      const earlier = copies.get(letter) ?? 0;
      copies.set(letter, earlier + 1);
      return earlier === 0 ? undefined : statuses[(earlier - 1) % statuses.length];
    },
  });
  const { checks } = await certify({ url: store.url, secret: SECRET, only: ['duplicate-burst'] });
  expect(checks.find(({ id }) => id === 'duplicate-burst')?.verdict).toBe(verdict);
  expect(Math.max(...copies.values())).toBe(5);
});

test.each([
  [9, 'pass', expect.stringContaining('With the observe option')],
  [10, 'fail', expect.stringContaining('once more: returned 503, must be 2xx')],
])('of copies that are all put off one comes again: put off up to request %i: %s', async (until, verdict, note) => {
  let requests = 0;
  await using store = await openStore({
    async before() {
      requests += 1;
      // Four events lead to the first burst.
      return requests > 4 && requests <= until ? 503 : undefined;
    },
  });
  const { checks } = await certify({ url: store.url, secret: SECRET, only: ['duplicate-burst'] });
  expect(checks.find(({ id }) => id === 'duplicate-burst')).toMatchObject({ verdict, note });
});

describe('interface §10: what keeps an examination from being made, or from ending', () => {
  test('nothing listens', async () => {
    const gone = await openStore();
    await gone[Symbol.asyncDispose]();
    const withUser = gone.url.replace('://', '://ada:hunter2@');
    await expect(certify({ url: withUser, secret: SECRET })).rejects.toMatchObject({
      message: expect.stringMatching(/^Nothing answers at http:\/\/…@127\.0\.0\.1:\d+\//),
    });
    await expect(certify({ url: gone.url, secret: SECRET })).rejects.toMatchObject({
      name: 'CertifyError',
      code: 'unreachable',
      message: `Nothing answers at ${gone.url}: connection refused: nothing listens there. Start your store, then try again.`,
    });
  });

  test.each([
    [{ only: ['genuin'] }, 'Unknown check "genuin". Checks: genuine, '],
    [{ skip: ['x', 'y'] }, 'Unknown check "x", "y".'],
    [{ only: [] }, 'No check is left: the option "only" is empty. Checks: genuine, '],
    [{ secret: 'whsec_short' }, 'The secret must be whsec_ and the base64 of 24 to 64 bytes.'],
    [{ sendsFrom: 'server' as const }, 'sendsFrom: "server" needs a server.'],
    [{ url: 'ftp://localhost/' }, '"ftp://localhost/" is not a URL of a receiver.'],
    [{ url: 'http://[' }, '"http://[" is not a URL of a receiver.'],
    [{ observe: 'http://localhost/{order}' }, 'The observe URL has the unknown placeholder {order}.'],
  ])('wrong options %o', async (wrong, message) => {
    const options = { url: 'http://127.0.0.1:1/', ...wrong };
    await expect(certify(options)).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining(message) });
  });

  test('a receiver that is silent is given up after three requests', async () => {
    await using store = await openStore({ before: () => new Promise(() => undefined) });
    const certificate = await certifyWith({ url: store.url, secret: SECRET }, { ...world(), timeoutMs: 100 });
    expect(store.requests()).toBeLessThan(20);
    expect(certificate.checks.filter(({ verdict }) => verdict === 'pass')).toEqual([]);
    expect(certificate.checks.find(({ id }) => id === 'get-harmless')).toMatchObject({
      verdict: 'skip',
      note: 'Not examined: 3 requests in a row got no complete response within 0.1 s.',
    });
    expect(JSON.stringify(certificate)).toContain(
      'not sent: 3 requests in a row got no complete response within 0.1 s',
    );
  });

  test('so is a receiver that never ends the answers that it begins', async () => {
    let requests = 0;
    const begin: Reply = (response) => {
      requests += 1;
      response.writeHead(200).write('never ends');
    };
    await using endless = await openReceiver(Array.from({ length: 300 }, () => begin));
    const certificate = await certifyWith({ url: endless.url, secret: SECRET }, { ...world(), timeoutMs: 100 });
    expect(requests).toBeLessThan(20);
    expect(failed(certificate)).toContain('genuine');
    expect(notes(certificate).join()).toContain(' within 0.1 s, only its beginning, as without a Content-Length');
    expect(isCertified(certificate)).toBe(false);
  });

  test('one that is silent now and then is not', async () => {
    let requests = 0;
    await using store = await openStore({
      before: () => {
        requests += 1;
        return requests === 3 ? Promise.resolve(undefined) : new Promise(() => undefined);
      },
    });
    const only = ['unsigned', 'live-refused'];
    await certifyWith({ url: store.url, secret: SECRET, only }, { ...world(), timeoutMs: 100 });
    expect(store.requests()).toBe(5);
  });

  test('nothing is sent after 20 minutes', async () => {
    let aheadMs = 0;
    await using store = await openStore({
      async before() {
        aheadMs += 1_200_001;
        return undefined;
      },
    });
    const waiting = { now: () => realTime.now() + aheadMs, pause };
    const only = ['unsigned'];
    const { checks } = await certifyWith({ url: store.url, secret: SECRET, only }, { ...world(), waiting });
    expect(store.requests()).toBe(1);
    expect(checks.find(({ id }) => id === 'unsigned')?.note).toContain(
      'not sent: the examination had taken 20 minutes',
    );
  });

  test('a receiver that takes almost 5 s for each response is examined to the end', async () => {
    // Instead of waiting, the clock of both sides goes ahead.
    let aheadMs = 0;
    let inFlight = 0;
    await using store = await openStore({ isFresh: (awaySeconds) => Math.abs(awaySeconds - aheadMs / 1000) <= 300 });
    const now = () => realTime.now() + aheadMs;
    const openPost: World['openPost'] = () => {
      const { deliver, close } = createDeliver(realTime.now);
      return {
        async deliver(letter) {
          inFlight += 1;
          aheadMs += 4_800 / inFlight;
          const outcome = await deliver(letter);
          inFlight -= 1;
          return { ...outcome, durationMs: 4_800 };
        },
        close,
      };
    };
    const certificate = await certifyWith(
      { url: store.url, secret: SECRET, observe: store.observe },
      { ...world(), openPost, waiting: { now, pause } },
    );
    expect(notes(certificate).map((note) => note.split(':')[0])).toEqual(['acknowledges-soon']);
    expect(isCertified(certificate)).toBe(true);
  });

  test('it ends immediately when it is told to', async () => {
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

  test('a check that a stop cuts off gets no verdict', async () => {
    const stop = new AbortController();
    const told: string[] = [];
    await using silent = await openReceiver([() => stop.abort(new Error('enough'))]);
    const examination = certify({
      ...{ url: silent.url, secret: SECRET, only: ['get-harmless'], signal: stop.signal },
      onCheck: ({ id, verdict }) => void (verdict !== 'skip' && told.push(id)),
    });
    await expect(examination).rejects.toThrow('enough');
    expect(told).toEqual([]);
  });

  test.each(['onReached', 'onCheck'])('what %s rejects with ends it, as what it throws does', async (name) => {
    await using store = await openStore();
    const told: string[] = [];
    const callback = async () => {
      told.push(name);
      throw new Error('no room to write the report');
    };
    await expect(certify({ url: store.url, secret: SECRET, [name]: callback })).rejects.toThrow('no room');
    expect(told).toEqual([name]);
  });

  test('a simulator without a merchant is closed again', async () => {
    let closed = 0;
    const start: World['start'] = async (options) => {
      const sim = await createSimulator(options);
      return {
        default: sim.default,
        merchant: async () => Promise.reject(new Error('no merchant')),
        close: () => {
          closed += 1;
          return sim.close();
        },
      };
    };
    const examination = certifyWith({ url: 'http://127.0.0.1:9/', secret: SECRET }, { ...world(), start });
    await expect(examination).rejects.toThrow('no merchant');
    expect(closed).toBe(1);
  });
});

const isSigned = (body: string, headers: Parameters<typeof verifyWebhook>[1]) => {
  try {
    return verifyWebhook(body, headers, SECRET, { toleranceSeconds: 3600 }) !== null;
  } catch {
    return false;
  }
};

/** What is special about each letter, whether it is signed with the secret, and its timestamp relative to now. */
const LETTERS = {
  'raw-body': ['other white space: genuine, 0 s', 'other key order: genuine, 0 s', 'other escapes: genuine, 0 s'],
  tampered: [
    'one byte of the body changed: forged, 0 s',
    'one byte of the id changed: forged, 0 s',
    'one byte of the timestamp changed: forged, -1 s',
    'one byte of the signature changed: forged, 0 s',
    'one byte of the signature, a letter in the other case, changed: forged, 0 s',
    'the end of the signature cut off: forged, 0 s',
  ],
  'wrong-secret': [
    'signed with another secret: forged, 0 s',
    'signed with an empty secret: forged, 0 s',
    'signed with the secret of the documentation: forged, 0 s',
  ],
  unsigned: [
    'without the three headers: forged, NaN s',
    'without webhook-id: forged, 0 s',
    'without webhook-timestamp: forged, NaN s',
    'without webhook-signature: forged, 0 s',
  ],
  stale: ['signed now, 330 s old: genuine, -330 s', 'signed now, 30 s old: genuine, -30 s'],
  future: ['signed now, 330 s ahead: genuine, 330 s', 'signed now, 30 s ahead: genuine, 30 s'],
  'second-signature': ['the second of two is valid: genuine, 0 s', 'the first of two is valid: genuine, 0 s'],
  'unknown-version': [
    'a v1a signature before the valid one: genuine, 0 s',
    'a v9 signature after the valid one: genuine, 0 s',
    'the valid signature, called v1a: forged, 0 s',
    'the valid signature, called v9: forged, 0 s',
  ],
  'unknown-type': ['contract.renegotiated: genuine, 0 s', 'payout.created: genuine, 0 s'],
  'unknown-field': ['with new fields: genuine, 0 s'],
  'live-refused': ['signed with a live secret: forged, 0 s'],
};

describe('interface §10: what is known of an examination that was stopped', () => {
  const told = ({ checks }: Certificate) => checks.map(({ id, verdict, note }) => [id, verdict, note]);
  const open = 'Not examined: a signal came first.';
  const cut = 'A signal ended the examination before this check was done. That says nothing about the receiver.';

  test('the first check that is open fails, the others are skipped', async () => {
    await using store = await openStore();
    const { checks } = await certify({ url: store.url, secret: SECRET, only: ['genuine'] });
    const certificate = brokenOff(checks.slice(0, 1), {});
    expect(told(certificate)).toEqual(
      CHECK_IDS.map((id, index) => [
        id,
        ['pass', 'fail'][index] ?? 'skip',
        [checks[0]?.note, cut][index] ?? (index < 2 ? null : open),
      ]),
    );
    expect(certificate).toMatchObject({ passed: 1, failed: 1, skipped: CHECK_IDS.length - 2, level: 'must' });
    expect(isCertified(certificate)).toBe(false);
  });

  test('it is one that counts at the level, if any is left, and one that was asked for', () => {
    const should = CHECK_IDS.filter(
      (id) => brokenOff([], {}).checks.find((each) => each.id === id)?.level === 'should',
    );
    const [first = ''] = should;
    const failing = (options: Parameters<typeof brokenOff>[1]) => failed(brokenOff([], options));
    expect(failing({ only: [first, 'genuine'], level: 'must' })).toEqual(['genuine']);
    expect(failing({ only: [first], level: 'must' })).toEqual([first]);
    expect(failing({ skip: ['genuine'] })).toEqual([CHECK_IDS[1]]);
    const late = [first, CHECK_IDS.findLast((id) => !should.includes(id)) as string];
    expect(failing({ only: late, level: 'should' })).toEqual([first]);
    expect(failing({ only: late, level: 'must' })).toEqual([late[1]]);
    const notes = new Map(brokenOff([], { only: late, skip: [first] }).checks.map(({ id, note }) => [id, note]));
    expect([notes.get(first), notes.get('genuine')]).toEqual([
      'Left out with skip.',
      'Not one of the requested checks.',
    ]);
  });
});

describe('interface §10: what is sent', () => {
  test('headers for a gateway, which no report shows; the receiver is reached once', async () => {
    const seen = new Set<unknown>();
    let reached = 0;
    await using store = await openStore({ before: async ({ headers }) => void seen.add(headers['x-gateway']) });
    const certificate = await certify({
      ...{ url: store.url, secret: SECRET, headers: { 'X-Gateway': 'gateway-key' }, only: ['genuine', 'get-harmless'] },
      onReached: () => {
        reached += 1;
      },
    });
    expect(notes(certificate)).toEqual([]);
    expect([[...seen], reached]).toEqual([['gateway-key'], 1]);
    expect(JSON.stringify(certificate)).not.toContain('gateway-key');
    expect(certificate.checks.find(({ id }) => id === 'get-harmless')).toMatchObject({
      note: null,
      exchanges: [{ sent: { method: 'GET', body: null } }],
    });
  });

  test.each([
    ['that is given', `whsec_${Buffer.alloc(32, 9).toString('base64')}`, true],
    ['that is random, if the one that is given is that of the endpoint', SECRET, false],
  ])('the letter of `live-refused` is signed with a live secret %s', async (_name, liveSecret, isGiven) => {
    const letters: Received[] = [];
    await using store = await openStore({
      before: async ({ headers, body }) => void letters.push({ headers, body: body.toString('utf8') }),
    });
    const certificate = await certify({ url: store.url, secret: SECRET, liveSecret, only: ['live-refused'] });
    expect(notes(certificate)).toEqual([]);
    const isSignedWith = ({ headers, body }: Received) => {
      try {
        return verifyWebhook(body, headers, liveSecret) !== null;
      } catch {
        return false;
      }
    };
    expect(letters.map(isSignedWith)).toEqual([isGiven]);
  });
  test('every type of event, with header names in lower, upper and Train-Case', async () => {
    const types = new Set<string>();
    const instants: number[] = [];
    const names = new Set<string | undefined>();
    await using store = await openStore({
      async before({ rawHeaders }) {
        names.add(rawHeaders.find((name) => name.toLowerCase() === 'webhook-id'));
        return undefined;
      },
      refuses({ type, created_at }) {
        types.add(type);
        instants.push(Date.parse(created_at));
        return undefined;
      },
    });
    await certify({ url: store.url, secret: SECRET, only: ['genuine'] });
    expect(Math.max(...instants), 'no event is of the future').toBeLessThan(Date.now());
    expect([...types].sort()).toEqual([...EVENT_TYPES].sort());
    expect([...names].sort()).toEqual(['WEBHOOK-ID', 'Webhook-Id', 'webhook-id']);
  });

  test('each letter of the checks that look at one answer at a time', async () => {
    const start = realTime.now();
    const seen: string[] = [];
    const bodies: string[] = [];
    await using store = await openStore({
      async before({ headers, body }) {
        const text = body.toString('utf8');
        const away = Number(headers['webhook-timestamp'] ?? Number.NaN) - Math.floor(start / 1000);
        seen.push(`${isSigned(text, headers) ? 'genuine' : 'forged'}, ${away} s`);
        bodies.push(text);
        // Neither 2xx nor 4xx, so the report of each check contains all its letters.
        return 500;
      },
    });
    const { checks } = await certifyWith(
      { url: store.url, secret: SECRET, only: Object.keys(LETTERS) },
      { ...world(), waiting: { now: () => start, pause } },
    );
    const sent = checks
      .filter(({ verdict }) => verdict === 'fail')
      .map(({ id, exchanges }) => [id, exchanges] as const);
    const nameOf = (what: string) => what.replace(/^(?:session|contract|installment)\.\w+,? /, '');
    expect(
      Object.fromEntries(
        sent.map(([id, letters]) => [id, letters.map(({ sent: { what } }) => `${nameOf(what)}: ${seen.shift()}`)]),
      ),
    ).toEqual(LETTERS);
    const reprinted = bodies.slice(0, 3).map((body) => JSON.stringify(JSON.parse(body)) !== body);
    expect(reprinted).toEqual([true, false, true]);
    expect(Object.keys(JSON.parse(bodies[1] as string)).at(-1)).toBe('id');
    const fields = bodies.find((body) => body.includes('"api_version"'));
    expect(JSON.parse(fields ?? '{}')).toMatchObject({ related: {}, data: { loyalty: {} } });
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
    const only = ['burst', 'acknowledges-soon'];
    const certificate = await certify({ url: store.url, secret: SECRET, only });
    expect(notes(certificate)).toEqual([]);
    // Both checks look at the same requests.
    expect([store.requests(), most]).toEqual([100, 8]);
    const burst = certificate.checks.find(({ id }) => id === 'burst');
    expect(burst).toMatchObject({ verdict: 'pass', note: 'All 100 responses were right.' });
    expect(burst?.exchanges).toHaveLength(10);
  });

  test('the largest metadata that the service takes, over 100 kB', async () => {
    const sizes: number[] = [];
    const lengths = new Set<string>();
    await using store = await openStore({
      async before({ body }) {
        sizes.push(body.length);
        const { metadata } = JSON.parse(body.toString('utf8')).data;
        const most = Object.entries<string>(metadata).map(([key, value]) => [[...key].length, [...value].length]);
        lengths.add(`${most.length} of ${[...new Set(most.map(String))].join(' and ')}`);
        return undefined;
      },
    });
    const { checks } = await certify({ url: store.url, secret: SECRET, only: ['large'] });
    expect(Math.min(...sizes)).toBeGreaterThan(100_000);
    expect([...lengths]).toEqual(['50 of 40,500']);
    const [sent] = checks.flatMap(({ exchanges }) => exchanges.map((each) => each.sent));
    expect(sent?.body).toMatch(/^.{1900,2001} \(\d+ characters in all\)$/s);
  });
});

describe('interface §10: which checks are made', () => {
  test('only those that are asked for, without those that are left out', async () => {
    await using store = await openStore();
    const only = ['genuine', 'acknowledges-soon'];
    const told: string[] = [];
    const certificate = await certify({
      ...{ url: store.url, secret: SECRET, only, skip: ['genuine'], level: 'should' },
      onCheck: ({ id }) => void told.push(id),
    });
    expect(told).toEqual(CHECK_IDS);
    expect(certificate).toMatchObject({ passed: 1, failed: 0, skipped: CHECK_IDS.length - 1, level: 'should' });
    const note = (id: string) => certificate.checks.find((check) => check.id === id)?.note;
    expect(note('genuine')).toBe('Left out with skip.');
    expect(note('stale')).toBe('Not one of the requested checks.');
  });

  test('none left is a mistake', async () => {
    await using store = await openStore();
    const none = certify({ url: store.url, secret: SECRET, only: ['genuine'], skip: ['genuine'] });
    await expect(none).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('No check is left') });
  });

  test('a redirect is followed only where `no-redirect` tells of it', async () => {
    const redirecting = FAULTY.find(({ fails }) => fails === 'no-redirect')?.fault();
    await using store = await openStore(redirecting);
    expect(failed(await certify({ url: store.url, secret: SECRET, only: ['genuine'] }))).toEqual(['genuine']);
  });

  test('a redirect of a forged letter alone, such as to a login page, is no refusal, whatever that page answers', async () => {
    await using store = await openStore({
      async before({ path, headers }, response) {
        if (path === '/login') return 401;
        if (headers['webhook-signature'] !== undefined) return undefined;
        response.setHeader('location', '/login');
        return 302;
      },
    });
    const only = ['unsigned', 'no-redirect'];
    expect(failed(await certify({ url: store.url, secret: SECRET, only }))).toEqual(['unsigned']);
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
