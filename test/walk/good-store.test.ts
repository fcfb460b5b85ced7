import { expect, test } from 'vitest';
import { createSimulator, LayawayError, verifyWebhook } from '../../src/index.ts';
import { dice } from '../support/dice.ts';
import { openReceiver } from '../support/receiver.ts';
import { order } from '../support/shop.ts';

const seed = Number(process.env.WALK_SEED ?? Math.floor(Math.random() * 2 ** 31));
const STEPS = Number(process.env.GOOD_STORE_STEPS ?? 400);

/** How long each request of the store is after the one before, in real time: a store does not hurry. */
const PACE_MS = 250;

/** Real time that moves with the store's requests; what is held back goes at once. */
function paced() {
  let at = Date.parse('2026-01-01T00:00:00Z');
  return {
    now: () => at,
    after(_ms: number, work: () => void) {
      setImmediate(work);
      return () => undefined;
    },
    pass(ms: number) {
      at += ms;
    },
  };
}

test(`interface §9: a store that does all well has no findings, whatever chaos does: ${STEPS} steps, WALK_SEED=${seed}`, async () => {
  console.info(`WALK_SEED=${seed} GOOD_STORE_STEPS=${STEPS}`);
  const random = dice(seed);
  const time = paced();
  await using sim = await createSimulator({
    ...{ seed, time, rateLimit: 'off', clock: { frozenAt: '2026-01-01T00:00:00Z' } },
    chaos: { seed, percent: 30 },
  });
  const shop = sim.default;
  const seen = new Set<string>();
  const toRead = new Set<string>();
  await using receiver = await openReceiver([]);
  const { secret } = await shop.webhooks.add(receiver.url);

  /** What came meanwhile: verified, known ones dropped, and what they are about noted to be read. */
  function takeWebhooks() {
    for (const { body, headers } of receiver.received.splice(0)) {
      const event = verifyWebhook(body, headers, secret, { toleranceSeconds: Number.POSITIVE_INFINITY });
      if (seen.has(event.id)) continue;
      seen.add(event.id);
      const data = event.data as { readonly reference?: string; readonly id?: string };
      if (data.reference) toRead.add(`/v1/contracts/${data.reference}`);
      else if (data.id) toRead.add(`/v1/checkout-sessions/${data.id}`);
    }
  }

  /** A request of the store: after no answer, or a server error, it waits and sends the same once more. */
  async function send(method: 'GET' | 'POST' | 'PATCH', url: string, payload?: object, headers: object = {}) {
    for (let waitMs = 1_000; ; waitMs *= 2) {
      // Deliveries under way end first: the time that the store waits is not the receiver's.
      await shop.clock.advance('0s');
      time.pass(PACE_MS);
      const request = { method, url, headers: { ...shop.headers, ...headers }, ...(payload ? { payload } : {}) };
      const answer = await sim.inject(request).catch(() => null);
      if (answer && answer.statusCode < 500) return answer;
      await shop.clock.advance('0s');
      time.pass(waitMs);
    }
  }

  const sessions: string[] = [];
  const contracts: string[] = [];
  /** A lever, which may be one that the state forbids; those that read the service meet chaos, too. */
  const pull = (work: Promise<unknown>) =>
    work.catch((error) => {
      if (!(error instanceof LayawayError) && error.code !== 'ECONNRESET') throw error;
    });
  const session = () => random.recent(sessions) ?? 'none';
  const contract = () => random.recent(contracts) ?? 'none';

  const steps: Readonly<Record<string, () => Promise<unknown>>> = {
    async open() {
      const reference = `A-${sessions.length + 1}`;
      const body = order({ order_reference: reference, total_amount: random.between(4_000, 500_000) });
      const key = { 'idempotency-key': `key of ${reference}` };
      const answer = await send('POST', '/v1/sessions', body, key);
      if (answer.statusCode !== 201) return;
      sessions.push(answer.json<{ data: { id: string } }>().data.id);
      // A double click: the same order once more.
      if (random.chance(0.2)) await send('POST', '/v1/sessions', body, key);
    },
    accept: () => pull(shop.sessions.accept(session(), { customer_name: 'Ada', customer_email: 'ada@example.com' })),
    async pay() {
      const id = session();
      await pull(shop.sessions.pay(id).then(({ reference }) => contracts.push(reference)));
    },
    decline: () => pull(shop.sessions.pay(session(), { outcome: 'fail' })),
    backOut: () => pull(shop.sessions.cancel(session())),
    cancel: () => send('POST', `/v1/contracts/${contract()}/cancel`),
    update: () => send('PATCH', `/v1/contracts/${contract()}`, { metadata: { step: String(random.below(1_000)) } }),
    arrange: () =>
      pull(
        shop.contracts.outcomes(
          contract(),
          Array.from({ length: random.below(6) }, () => random.one(['pay', 'fail'])),
        ),
      ),
    settle: () => pull(shop.contracts.settle(contract())),
    list: () => send('GET', '/v1/contracts'),
    little: () => shop.clock.advance(`${random.between(1, 60)}m`),
    far: () => shop.clock.advance(`${random.between(1, 20)}d`),
    resend: async () => {
      const [event] = await shop.events.list({ limit: 1 });
      if (event) await pull(shop.events.resend(event.id));
    },
  };
  const bag = Object.entries({
    ...{ open: 10, accept: 12, pay: 12, decline: 3, backOut: 2, cancel: 2, update: 4, arrange: 8, settle: 4, list: 1 },
    ...{ little: 8, far: 3, resend: 1 },
  }).flatMap(([name, weight]) => Array<string>(weight).fill(name));

  // A walk that met nothing would prove nothing: it goes on until it has met these.
  const toMeet = [
    ...['operations.createSession', 'refusals.no-answer', 'refusals.5xx', 'contracts.active', 'sessions.completed'],
    ...['idempotency.replay', 'idempotency.retry-after-lost-answer', 'webhooks.duplicate', 'webhooks.retry'],
  ];
  const unmet = (situations: readonly { readonly id: string; readonly met: number }[]) =>
    toMeet.filter((id) => !situations.some((each) => each.id === id && each.met > 0));

  for (let step = 1, goesOn = true; step <= STEPS || (goesOn && step <= 10 * STEPS); step += 1) {
    const name = random.one(bag);
    await steps[name]?.();
    takeWebhooks();
    for (const url of toRead) await send('GET', url);
    toRead.clear();
    const { findings, situations } = await shop.coverage();
    goesOn = unmet(situations).length > 0;
    expect(findings, `after step ${step} (${name}) of WALK_SEED=${seed}`).toEqual([]);
  }
  await shop.clock.advance('3d');
  const { findings, situations } = await shop.coverage();
  expect(findings, `at the end of WALK_SEED=${seed}`).toEqual([]);
  expect(unmet(situations)).toEqual([]);
});
