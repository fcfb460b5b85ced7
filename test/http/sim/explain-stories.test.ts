import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSimulator, type SandboxShop, type Simulator } from '../../../src/index.ts';
import { openReceiver, type Receiver } from '../../support/receiver.ts';
import { caller, expectData } from '../../support/shop.ts';

const CUSTOMER = { customer_name: 'Ada Byron', customer_email: 'ada@example.com' };

let sim: Simulator;
let shop: SandboxShop;
let receiver: Receiver;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
  shop = await sim.merchant({ installment_count: 2, default_days: 20 });
  receiver = await openReceiver([500]);
});
afterAll(async () => {
  await receiver[Symbol.asyncDispose]();
  await sim.close();
});

const ORDER = { order_reference: 'A-1', total_amount: 20_000 };
const opened = async () => (await shop.sessions.create(ORDER)).id;

/** Each story to its end, and the id that it is told by. */
const STORIES: Readonly<Record<string, () => Promise<string>>> = {
  async 'a preview that defaults'() {
    const { id } = await shop.sessions.preview(ORDER);
    const { reference } = await shop.sessions.accept(id, CUSTOMER);
    await shop.sessions.pay(id, 'fail');
    await shop.sessions.pay(id);
    await shop.contracts.outcomes(reference, ['pay', 'fail', 'fail']);
    await shop.clock.advance('90d');
    return reference;
  },
  async 'an order that is declined, paid in part and cancelled'() {
    const ends = ['contract.cancelled', 'contract.defaulted'] as const;
    await shop.webhooks.add(receiver.url, { events: ['contract.activated', 'installment.past_due', ...ends] });
    const id = await opened();
    await shop.sessions.accept(id, CUSTOMER);
    await shop.sessions.pay(id, 'fail');
    const { reference } = await shop.sessions.pay(id);
    await shop.clock.advance({ until: `${reference}#1=paid` });
    await shop.clock.advance('1h');
    await shop.contracts.cancel(reference);
    await shop.clock.advance('0s');
    return reference;
  },
  async 'an order that is paid off'() {
    await shop.faults.add({ kind: 'duplicate', event: 'contract.activated' });
    const { reference } = await shop.sessions.complete(await opened(), CUSTOMER);
    await shop.clock.advance('0s');
    await shop.contracts.outcomes(reference, ['fail']);
    await shop.contracts.outcomes(reference, ['fail', 'fail']);
    const other = await shop.contracts.create({ webhooks: false });
    await shop.contracts.outcomes(other.reference, ['fail']);
    await shop.clock.advance({ until: `${reference}#1=delinquent` });
    await shop.contracts.settle(reference);
    await shop.contracts.outcomes(reference, []);
    await shop.clock.advance({ until: `${reference}=completed` });
    return reference;
  },
  async 'an order whose overdue installments are settled at once'() {
    const { reference } = await shop.sessions.complete(await opened(), CUSTOMER);
    await shop.contracts.outcomes(reference, ['fail', 'fail', 'fail', 'fail']);
    await shop.clock.advance({ until: `${reference}#2=past_due` });
    await shop.contracts.settle(reference, 2);
    await shop.contracts.settle(reference, 1);
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
  async 'a contract that was made with its history'() {
    const wanted = { installment: { number: 1, status: 'paid' }, webhooks: false } as const;
    return (await shop.contracts.create(wanted)).reference;
  },
  async 'an order whose webhooks wait for layaway listen'() {
    const listener = (path: string) =>
      caller(sim, { ...shop.headers })('POST', '/_sim/webhook-endpoints', {
        ...{ url: `http://localhost:3000/${path}`, transport: 'listener', events: ['session.completed'] },
      });
    const removed = await listener('removed');
    await listener('waiting');
    const { reference } = await shop.sessions.complete(await opened(), CUSTOMER);
    await shop.webhooks.remove(expectData(removed, 201).id);
    await shop.contracts.outcomes(reference, ['pay', 'fail', 'fail']);
    await shop.clock.advance('0s');
    return reference;
  },
  async 'a preview that the customer backs out of'() {
    const { id } = await shop.sessions.preview(ORDER);
    await shop.sessions.accept(id, CUSTOMER);
    await shop.sessions.cancel(id);
    return id;
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
    const coming = ahead.flatMap(({ at, what, unless }) => [`${at.slice(0, 19)} ahead: ${what}`, `  Unless ${unless}`]);
    const ids = new Set(chain.map((link) => link.id).filter((each) => each !== null && each !== id));
    const others: string[] = [];
    for (const each of ids) if (!each?.startsWith('lvr_')) others.push((await shop.explain(String(each))).summary);
    told.push([`# ${name}`, summary, ...links, ...coming, ...others].join('\n'));
  }
  const hidden = told.join('\n\n').replace(/http:\/\/127\.0\.0\.1:\d+/g, 'http://store');
  await expect(`${hidden.replace(/\b(cs|evt|dlv|eml|sim|flt)_\w+|\bLAY-\w+/g, nameOf)}\n`).toMatchFileSnapshot(
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
