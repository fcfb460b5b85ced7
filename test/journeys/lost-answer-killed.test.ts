import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startServer } from '../support/child.ts';
import { expectData, order } from '../support/shop.ts';

test('interface §7: what a lost response told of was committed: it is there after kill -9, its key too', async () => {
  const data = join(await mkdtemp(join(tmpdir(), 'layaway-killed-')), 'state');
  const flags = ['--data', data, '--clock', 'frozen', '--now', '2026-01-01T00:00:00Z'];
  const create = (server: { call: typeof first.call }, key: string) =>
    server.call('POST', '/v1/sessions', order(), { 'idempotency-key': key });

  const first = await startServer(...flags);
  await first.call('POST', '/_sim/faults', { kind: 'lost_answer', operation: 'createSession' });
  await expect(create(first, 'A-1')).rejects.toThrow();
  await first.kill();

  const again = await startServer(...flags);
  try {
    const [opened, ...others] = expectData(await again.call('GET', '/_sim/sessions'));
    expect([opened.order_reference, others]).toEqual(['A-1', []]);
    expect(expectData(await again.call('GET', '/_sim/faults'))).toMatchObject([{ kind: 'lost_answer', met: 1 }]);

    const replayed = await create(again, 'A-1');
    expect(replayed.headers.get('idempotent-replayed')).toBe('true');
    expect(expectData(replayed, 201).id).toBe(opened.id);
    const anew = await create(again, 'A-2');
    expect(anew.headers.has('idempotent-replayed')).toBe(false);
    expect(expectData(await again.call('GET', '/_sim/sessions'))).toHaveLength(2);
  } finally {
    await again.stop();
  }
});

test('interface §7: what is held back and what is still to be sent again survive kill -9', async () => {
  const data = join(await mkdtemp(join(tmpdir(), 'layaway-killed-')), 'state');
  const flags = ['--data', data, '--clock', 'frozen', '--now', '2026-01-01T00:00:00Z'];
  const first = await startServer(...flags);
  const { id } = expectData(await first.call('POST', '/_sim/webhook-endpoints', { url: 'http://127.0.0.1:9/' }), 201);
  const fault = expectData(await first.call('POST', '/_sim/faults', { kind: 'delayed', by: '2h' }), 201);
  await first.call('POST', `/_sim/webhook-endpoints/${id}/test`);
  await first.kill();

  const again = await startServer(...flags);
  try {
    await again.call('POST', '/_sim/clock/advance', { by: '2h' });
    expect(expectData(await again.call('GET', '/_sim/deliveries'))).toMatchObject([
      { attempts: [{ at: '2026-01-01T02:00:00.000000Z', fault: { id: fault.id, kind: 'delayed' } }] },
    ]);
    expect(expectData(await again.call('GET', '/_sim/faults'))).toMatchObject([{ met: 1 }]);
  } finally {
    await again.stop();
  }
});
