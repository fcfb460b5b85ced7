import { describe, expect, test } from 'vitest';
import type { Observe } from '../../src/certify/state-reader.ts';
import { certify } from '../../src/index.ts';
import { queueTimeMs } from '../support/queue-time.ts';
import { FAULTY, type Fault, notes, openFaulty, openStore, SECRET } from './receivers.ts';

describe('interface §10: a URL as --observe, and none', () => {
  const only = ['out-of-order'];
  /** The checks that look at what the store shows. */
  const checks = ['duplicate', 'duplicate-burst', 'out-of-order', 'retry-after-outage'];

  test('a URL', async () => {
    await using store = await openFaulty('out-of-order');
    const certificate = await certify({ url: store.url, secret: SECRET, observe: store.stateUrl, only });
    expect(notes(certificate)).toEqual([
      expect.stringMatching(
        /^out-of-order: With the last event first, .* expected "{contract} completed: .*found "{contract} active: /,
      ),
    ]);
  });

  describe('one that never shows the order says nothing about it, and the checks say so', { concurrent: true }, () => {
    test.each<[why: string, observe: (origin: string) => Observe]>([
      ['HTTP 405', (origin) => `${origin}/nothing`],
      ['the same text before and after its events', () => () => '{}'],
    ])('%s', async (why, observe) => {
      await using store = await openFaulty('duplicate-burst');
      const { origin } = new URL(store.stateUrl);
      const certificate = await certify({ url: store.url, secret: SECRET, observe: observe(origin), only: checks });
      const noted = certificate.checks.filter(({ id }) => checks.includes(id)).map(({ note }) => note);
      expect(noted).toEqual(
        checks.map(() => expect.stringContaining(`The observe option showed no state of the order (${why})`)),
      );
    });
  });

  test.each<[what: string, shown: unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['an object', { status: 'active' }],
    ['7', 7],
    ['Symbol(active)', Symbol('active')],
  ])('a function that returns %s instead of text is refused in words', async (what, shown) => {
    await using store = await openStore();
    const observe = async () => shown as string;
    await expect(certify({ url: store.url, secret: SECRET, observe, only })).rejects.toMatchObject({
      name: 'CertifyError',
      code: 'usage',
      message: expect.stringContaining(`must return a string, such as the order as JSON, not ${what}.`),
    });
  });

  describe('a store that answers first and works afterwards', { concurrent: true }, () => {
    const examined = async (fault: Fault, only = checks) => {
      await using store = await openStore(fault);
      return notes(await certify({ url: store.url, secret: SECRET, observe: store.observe, only }));
    };

    test.each([{ worksAfterMs: 30 }, { worksAfterMs: 600 }, { workMs: 25 }])('passes: %o', async (way) => {
      expect(await examined(way)).toEqual([]);
    });

    test.each<[fails: string, fault: Fault]>([
      ['duplicate', { dedupeKey: (_event, { headers }) => String(headers['webhook-signature']) }],
      ['out-of-order', { isLastWriter: 'contract' }],
      ['retry-after-outage', { notesEarly: 204 }],
    ])('fails %s if it is wrong', async (fails, fault) => {
      expect(await examined({ ...fault, workMs: 25 })).toEqual([expect.stringContaining(`${fails}: `)]);
    });

    test('is waited for, even if it shows nothing of the checkout', async () => {
      const graded = async (fault: Fault) => {
        await using store = await openStore({ ...fault, worksAfterMs: 600 });
        const options = { url: store.url, secret: SECRET, observe: store.countOnly, only: ['duplicate'] };
        return notes(await certify(options));
      };
      const dedupeKey: Fault['dedupeKey'] = (_event, { headers }) => String(headers['webhook-signature']);
      const [right, wrong] = await Promise.all([graded({}), graded({ dedupeKey })]);
      expect(right).toEqual([]);
      expect(wrong).toEqual([expect.stringContaining('The same id changed the state again')]);
    });

    test('is wrong if it only sorts the events of each batch', async () => {
      const [right, wrong] = await Promise.all([
        examined({ batchMs: 700 }, ['out-of-order']),
        examined({ batchMs: 700, isLastWriter: 'contract' }, ['out-of-order']),
      ]);
      expect(right).toEqual([]);
      expect(wrong).toEqual([expect.stringContaining('out-of-order: ')]);
    });

    test('is waited for after a burst, even if it usually shows each event at once', async () => {
      const behind = (fault: Fault): Fault => {
        let events = 0;
        let until = 0;
        return {
          ...fault,
          worksAfterMs: () => Math.max(0, until - performance.now()),
          async before() {
            events += 1;
            if (events === 100) until = performance.now() + 2_000;
            return undefined;
          },
        };
      };
      const only = ['duplicate', 'burst', 'retry-after-outage'];
      expect(await examined(behind({}), only)).toEqual([]);
      expect(await examined(behind({ notesEarly: 204 }), only)).toEqual([
        expect.stringContaining('retry-after-outage: '),
      ]);
    });

    test('is graded by what it shows in the end, even if it is still at work on earlier checks', async () => {
      const only = ['genuine', 'out-of-order'];
      const [right, wrong] = await Promise.all([
        examined({ workMs: 100 }, only),
        examined({ isLastWriter: 'contract', workMs: 100 }, only),
      ]);
      expect(right).toEqual([]);
      expect(wrong).toEqual([expect.stringContaining('out-of-order: ')]);
    });
  });

  test('a text that is different at each reading ends the examination', async () => {
    await using store = await openStore();
    let views = 0;
    const observe: Observe = async (about) => {
      views += 1;
      return `${await store.observe(about)}, seen ${views} times`;
    };
    await expect(certify({ url: store.url, secret: SECRET, observe, only })).rejects.toMatchObject({
      code: 'command',
      message: expect.stringMatching(
        /^The observe option shows a different text each time .*, seen \d+ times", then ".*, seen \d+ times"\. Leave out/,
      ),
    });
  });

  test('a text with a number that the store gave to the order ends the examination', async () => {
    await using store = await openStore();
    const numbers = new Map<string, number>();
    const observe: Observe = async (about) => {
      numbers.set(about.contract, numbers.get(about.contract) ?? numbers.size);
      return `row ${numbers.get(about.contract)}: ${await store.observe(about)}`;
    };
    await expect(certify({ url: store.url, secret: SECRET, observe, only })).rejects.toMatchObject({
      code: 'command',
      message: expect.stringMatching(
        /^The observe option shows two orders with the same history differently: "row \d+: .*" and "row \d+: .*"\. Leave out .+, your store may lose or repeat events\.$/,
      ),
    });
  });

  test('a store that refuses an event now and then fails the check, although two of its orders differ', async () => {
    let events = 0;
    await using store = await openStore({
      refuses() {
        events += 1;
        return events % 5 === 0 ? 400 : undefined;
      },
    });
    const [note, ...others] = notes(await certify({ url: store.url, secret: SECRET, observe: store.observe, only }));
    expect(note).toMatch(/^out-of-order: .+: returned 400, must be 2xx\..+ ends in a different state: /ms);
    expect(others).toEqual([]);
  });

  test('JSON whose keys stand in the order in which events came is the same state', async () => {
    await using store = await openStore();
    expect(notes(await certify({ url: store.url, secret: SECRET, observe: store.observeJson, only }))).toEqual([]);
  });

  test('of a long text, the message shows the place where it differs', async () => {
    await using store = await openFaulty('out-of-order');
    const page = 'x'.repeat(2000);
    const observe: Observe = async (about) => `${page} ${await store.observe(about)} ${page}`;
    const [note = ''] = notes(await certify({ url: store.url, secret: SECRET, observe, only }));
    expect(note).toMatch(
      / expected "…x{1,200} {contract} completed: .* x+…", found "…x{1,200} {contract} active: .* x+…"\.$/m,
    );
    expect(Math.max(...note.split('\n').map(({ length }) => length))).toBeLessThan(1000);
  });

  describe('a store that ends during the examination', () => {
    /** Examines a store that ends when it gets that request. */
    async function examined(last: number, only: string[]) {
      await using store = await openStore({
        async before() {
          if (store.requests() === last) store.crash();
          return undefined;
        },
      });
      return await certify({ url: store.url, secret: SECRET, observe: store.stateUrl, only });
    }

    test.each([
      ['before it showed anything', 3, ['genuine', 'out-of-order']],
      ['after that', 20, ['out-of-order']],
    ])('%s: the checks say what it no longer answers', async (_when, last, only) => {
      const { checks } = await examined(last, only);
      const noteOf = (id: string) => checks.find((check) => check.id === id)?.note;
      expect(noteOf(only[0] as string)).toContain(
        'no response (connection refused: nothing listens there), must be 2xx.',
      );
      expect(noteOf('out-of-order')).toMatch(/no state of the order \(no response: connect ECONNREFUSED \S+\)/);
    });
  });

  test('a URL at which nothing is ends the examination', async () => {
    await using store = await openStore();
    const observe = 'http://127.0.0.1:1/{contract}';
    await expect(certify({ url: store.url, secret: SECRET, observe, only })).rejects.toMatchObject({
      code: 'command',
      message: expect.stringMatching(/^The observe URL http:\/\/127\.0\.0\.1:1\/LAY-\w+ gave no response: /),
    });
  });

  test('a store that accepted nothing has nothing to work on, and is not waited for', async () => {
    await using store = await openStore({ before: async () => 400 });
    const begun = performance.now() - queueTimeMs('self');
    await certify({ url: store.url, secret: SECRET, observe: store.stateUrl, only: ['genuine', 'out-of-order'] });
    expect(performance.now() - queueTimeMs('self') - begun).toBeLessThan(18_000);
  });

  test('without it, what the answers cannot show passes', async () => {
    const faulty = FAULTY.filter((each) => each.needsObserve);
    expect(faulty.length).toBeGreaterThan(5);
    for (const { fault } of faulty) {
      await using store = await openStore(fault());
      const certificate = await certify({ url: store.url, secret: SECRET, only: checks });
      expect(notes(certificate)).toEqual([]);
    }
  });
});
