import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { MINUTE } from '../../src/domain/calendar.ts';
import { createRepeatedRequests } from '../../src/engine/repeated-requests.ts';
import { sameDigest, sha256 } from '../../src/secrets/digest.ts';
import { createWorld } from '../walk/world.ts';

test('interface §9: a store that repeats one request for ever takes no more memory', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const { store, clocks, engine } = createWorld('1');
  const { account } = engine.createMerchant({ clock: { mode: 'frozen', at: 0 } }).sandbox;
  const repeatedRequests = createRepeatedRequests({ store, clocks, digest: { sha256, same: sameDigest } });
  let at = 0;
  const heapAfter = (requests: number) => {
    for (let request = 0; request < requests; request += 1) {
      at += MINUTE;
      const found = repeatedRequests.findingsOf(account, {
        ...{ operation: 'ping', method: 'GET', url: '/v1/ping', session: null, status: 200, detail: null, shown: null },
        ...{ isThrottledByFault: false, answer: '{}', key: null, body: null, isBodyUnread: false },
        ...{ hasUnknownField: false, retryAfterSeconds: null, arrivedAt: at, answeredAt: at, id: () => 'req_1' },
      });
      expect(found).toEqual([]);
    }
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = heapAfter(1000);
  expect(heapAfter(50_000) - before).toBeLessThan(2 ** 20);
});
