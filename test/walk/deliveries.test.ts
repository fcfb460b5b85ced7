import { expect, test } from 'vitest';
import { formatInstant } from '../../src/domain/calendar.ts';
import { createSimulator } from '../../src/index.ts';
import { dice } from '../support/dice.ts';
import { openReceiver } from '../support/receiver.ts';
import { Ladder, type Reply } from './ladder.ts';

const seed = Number(process.env.WALK_SEED ?? Math.floor(Math.random() * 2 ** 31));
const endpoints = Number(process.env.WALK_ENDPOINTS ?? 30);
const START = Date.UTC(2027, 0, 31, 22, 15);
const SECOND = 1_000;
/** More than any of these endpoints is asked. */
const REPLIES = 300;
const REFUSALS = [302, 400, 404, 429, 429, 500, 503, 503];
const WAITS_SECONDS = [5, 61, 300, 1_801, 7_200, 36_000, 90_001];
const RETRY_AFTER_SECONDS = [0, 3, 4_000, 40_000, 200_000];

test(`decisions §6: ${endpoints} random endpoints that fail and recover, WALK_SEED=${seed}`, async () => {
  console.info(`WALK_SEED=${seed} WALK_ENDPOINTS=${endpoints}`);
  const random = dice(seed);
  const failing = (probability: number): Reply => {
    if (!random.chance(probability)) return { status: random.one([200, 201, 204]), retryAfterSeconds: null };
    const status = random.chance(0.01) ? 410 : random.one(REFUSALS);
    return { status, retryAfterSeconds: random.chance(0.4) ? random.one(RETRY_AFTER_SECONDS) : null };
  };
  await using sim = await createSimulator({ clock: { frozenAt: formatInstant(START) } });
  const ends = new Set<string>();

  for (let count = 0; count < endpoints; count += 1) {
    const shop = await sim.merchant();
    const waits = Array.from({ length: random.below(9) }, () => random.one(WAITS_SECONDS));
    const retrySeconds = [random.chance(0.8) ? 0 : 7, ...waits];
    const disableDays = random.between(1, 6);
    await shop.assumptions.set({ webhook_retry_seconds: retrySeconds, webhook_disable_days: disableDays });
    const probability = random.one([0.2, 0.6, 0.9, 1]);
    const replies = Array.from({ length: REPLIES }, () => failing(probability));
    await using receiver = await openReceiver(
      replies.map(({ status, retryAfterSeconds }) => (response) => {
        response.writeHead(status, retryAfterSeconds === null ? {} : { 'retry-after': String(retryAfterSeconds) });
        response.end();
      }),
    );
    const { id } = await shop.webhooks.add(receiver.url);
    const ladder = new Ladder(retrySeconds, disableDays, replies.values());
    let now = START;
    const advance = async (ms: number) => {
      now += ms;
      ladder.advance(now);
      await shop.clock.advance({ to: formatInstant(now) });
    };

    for (let step = random.between(3, 14); step > 0; step -= 1) {
      await advance(random.between(1, 3 * 86_400) * SECOND);
      if (!ladder.enabled && random.chance(0.5)) {
        ladder.enable();
        await shop.webhooks.enable(id);
      } else if (random.chance(0.05)) {
        ladder.disable();
        await shop.webhooks.disable(id);
      }
      const session = await shop.sessions.create({ order_reference: 'A', total_amount: 20_000 });
      await shop.sessions.cancel(session.id, { wait: true });
      ladder.happen(now);
    }
    // Not far, so that some are still owed.
    await advance(random.one([1, 3_600, 86_400]) * SECOND);

    const deliveries = await shop.webhooks.deliveries({ limit: 1000 });
    expect(
      deliveries.toReversed().map(({ event_created_at, status, next_attempt_at, attempts }) => ({
        eventAt: Date.parse(event_created_at),
        status,
        nextAt: next_attempt_at === null ? null : Date.parse(next_attempt_at),
        attempts: attempts.map(({ at, status_code }) => ({ at: Date.parse(at), status: status_code })),
      })),
      `endpoint ${count}: ${JSON.stringify({ retrySeconds, disableDays })}`,
    ).toEqual(ladder.deliveries);
    const [endpoint] = await shop.webhooks.list();
    expect(endpoint?.enabled, `endpoint ${count}`).toBe(ladder.enabled);
    for (const { status } of deliveries) ends.add(status);
    ends.add(ladder.enabled ? 'enabled' : 'disabled');
  }
  expect([...ends].sort()).toEqual(['delivered', 'disabled', 'enabled', 'failed', 'pending']);
});
