import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSimulator, type SandboxShop, type Simulator } from '../../../src/index.ts';
import { openReceiver, type Receiver } from '../../support/receiver.ts';

const CUSTOMER = { customer_name: 'Ada Byron', customer_email: 'ada@example.com' };

let sim: Simulator;
let shop: SandboxShop;
let receiver: Receiver;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
  shop = await sim.merchant({ installment_count: 2, default_days: 12 });
  receiver = await openReceiver([500]);
});
afterAll(async () => {
  await receiver[Symbol.asyncDispose]();
  await sim.close();
});

const opened = async () => (await shop.sessions.create({ order_reference: 'A-1', total_amount: 20_000 })).id;

/** Each story to its end, and the id that it is told by. */
const STORIES: Readonly<Record<string, () => Promise<string>>> = {
  async 'an order that is paid late and cancelled'() {
    const events = ['contract.activated', 'installment.past_due', 'contract.cancelled'] as const;
    await shop.webhooks.add(receiver.url, { events });
    const id = await opened();
    await shop.sessions.accept(id, CUSTOMER);
    await shop.clock.advance('1m');
    await shop.sessions.pay(id, 'fail');
    const { reference } = await shop.sessions.pay(id);
    await shop.contracts.outcomes(reference, ['pay', 'fail', 'fail']);
    await shop.clock.advance({ until: `${reference}#2=delinquent` });
    await shop.clock.advance('1h');
    await shop.contracts.cancel(reference);
    await shop.clock.advance('0s');
    return reference;
  },
  async 'an order that is paid off'() {
    const { reference } = await shop.sessions.complete(await opened(), CUSTOMER);
    await shop.contracts.outcomes(reference, ['fail', 'fail']);
    await shop.clock.advance({ until: `${reference}#1=past_due` });
    await shop.contracts.settle(reference);
    await shop.contracts.outcomes(reference, []);
    await shop.clock.advance({ until: `${reference}=completed` });
    return reference;
  },
  async 'an order that defaults'() {
    await using gone = await openReceiver([500]);
    const endpoint = await shop.webhooks.add(`${gone.url}/gone`, { events: ['contract.activated'] });
    const { reference } = await shop.sessions.complete(await opened(), CUSTOMER);
    await shop.clock.advance('1s');
    await shop.webhooks.remove(endpoint.id);
    await shop.contracts.outcomes(reference, ['fail', 'fail', 'fail', 'fail']);
    await shop.clock.advance({ until: `${reference}=defaulted` });
    return reference;
  },
  async 'an order that the customer backs out of'() {
    const id = await opened();
    await shop.sessions.accept(id, CUSTOMER);
    await shop.sessions.cancel(id);
    return id;
  },
  async 'an order that nobody accepts'() {
    const id = await opened();
    await shop.clock.advance('1h');
    return id;
  },
};

/** Refresh it with `npx vitest run test/http/sim/explain-stories.test.ts --update`. */
test('interface §11: whole stories, as they are told', async () => {
  const told: string[] = [];
  for (const [name, story] of Object.entries(STORIES)) {
    const id = await story();
    const { summary, chain, ahead } = await shop.explain(id);
    const links = chain.flatMap(({ at, kind, what, because, section, setting, id: own, sent_at }) => [
      `${at.slice(0, 19)} ${kind}${sent_at === null ? '' : ', in real time'}: ${what}`,
      `  ${because} [${section}${setting === null ? '' : `, ${JSON.stringify(setting)}`}] ${own ?? ''}`.trimEnd(),
    ]);
    expect(ahead).toEqual([]);
    told.push([`# ${name}`, summary, ...links].join('\n'));
  }
  const hidden = told.join('\n\n').replace(/http:\/\/127\.0\.0\.1:\d+/g, 'http://store');
  await expect(`${hidden.replace(/\b(cs|evt|dlv|eml|sim)_\w+|\bLAY-\w+/g, nameOf)}\n`).toMatchFileSnapshot(
    'explain-stories.txt',
  );
});

/** Random ids by their place in the text. */
const names = new Map<string, string>();
function nameOf(id: string): string {
  const kind = id.split(/[_-]/, 1)[0] as string;
  const known = names.get(id) ?? `${kind}-${[...names.keys()].filter((each) => each.startsWith(kind)).length + 1}`;
  names.set(id, known);
  return known;
}
