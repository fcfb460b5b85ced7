import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startServer } from '../support/child.ts';
import { expectData, order } from '../support/shop.ts';

test('interface §9: what was met first survives kill -9 with what made it true; only counts may be forgotten', async () => {
  const data = join(await mkdtemp(join(tmpdir(), 'layaway-killed-')), 'state');
  const flags = ['--data', data, '--clock', 'frozen', '--now', '2026-01-01T00:00:00Z'];
  const first = await startServer(...flags);
  for (let n = 0; n < 3; n += 1) await first.call('GET', '/v1/ping');
  const { id } = expectData(await first.call('POST', '/v1/sessions', order()), 201);
  await first.kill();

  const again = await startServer(...flags);
  try {
    expect(expectData(await again.call('GET', '/_sim/sessions'))).toMatchObject([{ id }]);
    const { situations, findings } = expectData(await again.call('GET', '/_sim/coverage'));
    const met = situations.filter((each: { met: number }) => each.met > 0);
    expect(met.map((each: { id: string }) => each.id)).toEqual(['operations.ping', 'operations.createSession']);
    expect(met[0]).toMatchObject({ met: 1, first: { kind: 'request', id: 'req_000000000001' } });
    expect(findings).toMatchObject([{ rule: 'create-without-key', count: 1 }]);
  } finally {
    await again.stop();
  }
});
