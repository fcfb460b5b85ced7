import { describe, expect, test } from 'vitest';
import { certify } from '../../src/index.ts';
import { FAULTY, type Fault, notes, openFaulty, openStore, SECRET } from './receivers.ts';

describe('interface §10: a URL as --observe, and none', () => {
  const only = ['out-of-order'];

  test('a URL', async () => {
    await using store = await openFaulty('out-of-order');
    const certificate = await certify({ url: store.url, secret: SECRET, observe: store.stateUrl, only });
    expect(notes(certificate)).toEqual([
      expect.stringMatching(
        /^out-of-order: With the last event first, .* expected "{contract} completed: .*found "{contract} active: /,
      ),
    ]);
  });

  test('one that never shows the order says nothing about it, and the checks say so', async () => {
    await using store = await openFaulty('duplicate-burst');
    const checks = ['duplicate', 'duplicate-burst', 'out-of-order', 'retry-after-outage'];
    const observe = `${new URL(store.stateUrl).origin}/nothing`;
    const certificate = await certify({ url: store.url, secret: SECRET, observe, only: checks });
    const noted = certificate.checks.filter(({ id }) => checks.includes(id)).map(({ note }) => note);
    expect(noted).toEqual(
      checks.map(() => expect.stringContaining('--observe showed no state of the order (HTTP 405)')),
    );
  });

  describe('a store that answers first and works afterwards', { concurrent: true, timeout: 120_000 }, () => {
    const checks = ['duplicate', 'duplicate-burst', 'out-of-order', 'retry-after-outage'];
    const examined = async (fault: Fault) => {
      await using store = await openStore(fault);
      return notes(await certify({ url: store.url, secret: SECRET, observe: store.observe, only: checks }));
    };

    test.each([{ worksAfterMs: 30 }, { worksAfterMs: 600 }, { workMs: 25 }])('passes: %o', async (way) => {
      expect(await examined(way)).toEqual([]);
    });

    test.each<[fails: string, fault: Fault]>([
      ['duplicate', { dedupeKey: (_event, { headers }) => String(headers['webhook-signature']) }],
      ['out-of-order', { isLastWriter: true }],
      ['retry-after-outage', { notesEarly: 204 }],
    ])('fails %s if it is wrong', async (fails, fault) => {
      expect(await examined({ ...fault, workMs: 25 })).toEqual([expect.stringContaining(`${fails}: `)]);
    });
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
