import type { Burst, Exam, Trial } from './exam.ts';
import { letterOf, secretOf } from './letters.ts';
import { NOT_OBSERVED, notShown } from './notes.ts';
import type { Observer } from './observe.ts';
import { CHECKOUT_EVENTS, type GenuineEvent, type Order } from './orders.ts';
import { isAccepted, isRefused, type Sent } from './receiver.ts';
import { shown, shownApart } from './state-text.ts';

// The checks that compare the state of the store, if it can be read. Each returns a note, or nothing.

/** Allowed answers to a copy that comes while the first is being processed: the service sends it again. */
const COME_AGAIN = [409, 423, 425, 429, 503];

export async function duplicate(trial: Trial, exam: Exam): Promise<string | undefined> {
  const observer = await exam.observer();
  const order = await exam.orders.contract({ status: 'completed' });
  const [payment, ...rest] = order.events.slice(CHECKOUT_EVENTS) as [GenuineEvent, ...GenuineEvent[]];
  const later = rest.filter(({ type }) => type === payment.type);
  const end = rest.filter(({ type }) => type !== payment.type);
  await trial.play(order, CHECKOUT_EVENTS);
  const before = await observer?.settled(order);
  // The service signs each attempt at its own time, so a repeat has another timestamp and another signature.
  await trial.accept(letterOf(exam, payment, { awaySeconds: -1 }));
  const once = await observer?.settled(order);
  const repeat = await trial.accept(letterOf(exam, payment, { what: `${payment.type}, the same id again` }));
  const twice = await observer?.settled(order);
  await judgeState(trial, observer, order, [once, twice], 'The same id changed the state again', [repeat]);
  const others: Sent[] = [];
  for (const event of later) {
    others.push(await trial.accept(letterOf(exam, event, { what: `${event.type}, another id` })));
  }
  const after = await observer?.settled(order);
  // A store may act on any type: book the order when it is activated, ship it when it is completed. And it may remember
  // only the latest id.
  for (const event of end) await trial.accept(letterOf(exam, event));
  const whole = await observer?.settled(order);
  const repeats: Sent[] = [];
  for (const event of order.events) {
    const letter = letterOf(exam, event, { what: `${event.type}, the same id again`, awaySeconds: 1 });
    repeats.push(await trial.accept(letter));
  }
  const again = await observer?.settled(order);
  const problem = `The same ids of ${typesOf(order.events)} changed the state again`;
  await judgeState(trial, observer, order, [whole, again], problem, repeats);
  if (!observer || twice === undefined || whole === undefined) return NOT_OBSERVED;
  if (await observer.ignores(order, whole)) {
    trial.fail(ignored(whole));
    return undefined;
  }
  const failure = observer.failureOf(twice);
  if (failure !== null) return notShown(failure);
  if (once === before) {
    const isShown = whole !== before;
    const what = isShown ? 'does not show payments' : 'stays that of the checkout';
    const advice = isShown ? '' : ' If it should change, the store may remember the order instead of the id.';
    return `The observed state ${what}, so only the responses show that another id is processed.${advice}`;
  }
  if (after === twice) {
    await observer.refuseSlow();
    const problem = `Other ids of the same type and contract did not change the state, which stayed ${shown(twice)}`;
    trial.fail(problem, others);
  }
  return undefined;
}

const ignored = (state: string) =>
  `The events of this order changed nothing, although those of an earlier order did: ${shown(state)}`;

const typesOf = (events: readonly GenuineEvent[]) => [...new Set(events.map(({ type }) => type))].join(', ');

export async function duplicateBurst(trial: Trial, exam: Exam): Promise<string | undefined> {
  const once = await exam.orders.contract({ status: 'completed' });
  const often = await exam.orders.contract({ status: 'completed' });
  let note: string | undefined;
  // In the end, a store may no longer show the payments. One may act on any type.
  for (const part of [
    [0, CHECKOUT_EVENTS + 1],
    [CHECKOUT_EVENTS + 1, once.events.length],
  ]) {
    for (const event of once.events.slice(...part)) await trial.accept(letterOf(exam, event));
    const events = often.events.slice(...part);
    const copies: Sent[] = [];
    for (const event of events) copies.push(...(await sendFiveAtOnce(trial, exam, event)));
    const problem = `Five copies at once of ${typesOf(events)} led to a different state than one of each`;
    note = (await compare(trial, exam, once, { order: often, problem, shownBy: copies })) ?? note;
  }
  return note;
}

async function sendFiveAtOnce(trial: Trial, exam: Exam, event: GenuineEvent): Promise<readonly Sent[]> {
  const letter = letterOf(exam, event, { what: `${event.type}, one of five at once` });
  const copies = await Promise.all(Array.from({ length: 5 }, () => exam.receiver.deliver(letter)));
  const isFine = (sent: Sent) => isAccepted(sent) || COME_AGAIN.includes(sent.answered.status ?? 0);
  for (const sent of copies) trial.judge(sent, isFine(sent), `must be 2xx, or one of ${COME_AGAIN.join(', ')}`);
  // The service sends again what got one of these answers. Once one is accepted, the rest is for `duplicate` to examine.
  if (!copies.some(isAccepted)) await trial.accept(letterOf(exam, event, { what: `${event.type}, once more` }));
  return copies;
}

const lastAfterCheckout = (events: readonly GenuineEvent[]): Parts => [
  [...events.slice(0, CHECKOUT_EVENTS), ...events.slice(-1)],
  events.slice(CHECKOUT_EVENTS, -1),
];

/** What comes early, and what comes late: once the store has worked on the first part, which it may do in batches. */
type Parts = readonly [early: readonly GenuineEvent[], late: readonly GenuineEvent[]];

/** Contracts, and other orders of their events. */
const HISTORIES: readonly {
  readonly wanted: Parameters<Exam['orders']['contract']>[0];
  readonly orders: readonly {
    readonly name: string;
    readonly arrange: (events: readonly GenuineEvent[]) => Parts;
  }[];
}[] = [
  {
    wanted: { status: 'completed' },
    orders: [
      { name: 'the last event first', arrange: (events) => [events.slice(-1), events.slice(0, -1).toReversed()] },
      {
        name: 'the payments before the checkout',
        arrange: (events) => [events.slice(CHECKOUT_EVENTS), events.slice(0, CHECKOUT_EVENTS)],
      },
    ],
  },
  {
    wanted: { status: 'active', installment: { number: 1, status: 'delinquent' }, settles: true },
    orders: [{ name: 'the settlement before the missed payment', arrange: lastAfterCheckout }],
  },
  {
    // The second failure and its past_due are of one instant.
    wanted: { status: 'active', installment: { number: 1, status: 'past_due' } },
    orders: [{ name: 'the past due installment before the missed payment', arrange: lastAfterCheckout }],
  },
  {
    // Nothing settles the installment afterwards: a store that protects only what is paid shows what came last.
    wanted: { status: 'active', installment: { number: 1, status: 'delinquent' } },
    orders: [
      {
        name: 'the late charge before the missed payment',
        arrange: (events) => {
          const [early, late] = lastAfterCheckout(events);
          return [early, late.toReversed()];
        },
      },
    ],
  },
  {
    wanted: { status: 'defaulted' },
    orders: [{ name: 'the default before the missed payment', arrange: lastAfterCheckout }],
  },
  {
    // With a payment, the checkout is older than the cancellation.
    wanted: { status: 'cancelled', installment: { number: 1, status: 'paid' } },
    orders: [{ name: 'the cancellation first', arrange: (events) => [events.slice(-1), events.slice(0, -1)] }],
  },
];

export async function outOfOrder(trial: Trial, exam: Exam): Promise<string | undefined> {
  const observer = await exam.observer();
  let note: string | undefined;
  for (const { wanted, orders } of HISTORIES) {
    const inOrder = await exam.orders.contract(wanted);
    await trial.play(inOrder, inOrder.events.length);
    const others: Compared[] = [];
    for (const { name, arrange } of orders) {
      const order = await exam.orders.contract(wanted);
      const shownBy: Sent[] = [];
      const play = async (events: readonly GenuineEvent[]) => {
        for (const event of events) {
          shownBy.push(await trial.accept(letterOf(exam, event, { what: `${event.type}, ${name}` })));
        }
      };
      const [early, late] = arrange(order.events);
      await play(early);
      await observer?.settled(order);
      await play(late);
      others.push({ order, problem: `With ${name}, the store ends in a different state`, shownBy });
    }
    note = (await compare(trial, exam, inOrder, ...others)) ?? note;
  }
  return note;
}

export async function retryAfterOutage(trial: Trial, exam: Exam): Promise<string | undefined> {
  const smooth = await exam.orders.contract({ status: 'completed' });
  await trial.play(smooth, CHECKOUT_EVENTS + 1);
  const late = await exam.orders.contract({ status: 'completed' });
  await trial.play(late, CHECKOUT_EVENTS);
  const observer = await exam.observer();
  const before = await observer?.settled(late);
  const payment = late.events[CHECKOUT_EVENTS] as GenuineEvent;
  // A store with a wrong secret or a wrong clock refuses the event. Any answer is right here: `wrong-secret` and `stale`
  // examine whether the receiver refuses such letters.
  const shownBy: Sent[] = [];
  for (const refused of [
    { what: `${payment.type}, signed with another secret`, secrets: [secretOf(exam.draw())] },
    { what: `${payment.type}, signed three days ago`, awaySeconds: -3 * 86_400 },
  ]) {
    shownBy.push(trial.judge(await exam.receiver.send(letterOf(exam, payment, refused)), true, ''));
  }
  const after = await observer?.settled(late);
  // Any other change may be work on earlier events.
  if (after !== before && shownBy.every(isRefused) && after === (await observer?.settled(smooth))) {
    const problem = 'The event changed the state although it was refused';
    await judgeState(trial, observer, late, [before, after], problem, shownBy);
  }
  const again = await trial.accept(letterOf(exam, payment, { what: `${payment.type}, the same id freshly signed` }));
  const problem = 'The event was not processed exactly once when it came again';
  const note = await compare(trial, exam, smooth, { order: late, problem, shownBy: [...shownBy, again] });
  return (await refuseIgnored(trial, exam, smooth, CHECKOUT_EVENTS + 1)) ? undefined : note;
}

/**
 * Whether the store shows nothing of an order although it accepted its events, so many of which were sent: its worker may
 * have failed at one of them, or stopped at one of an earlier check.
 */
export async function refuseIgnored(trial: Trial, exam: Exam, order: Order, sent: number): Promise<boolean> {
  const observer = await exam.observer();
  if (!trial.isRight() || !observer || !(await observer.isUnheard(order))) return false;
  const usual = await exam.orders.contract({ status: 'completed' });
  await trial.play(usual, sent);
  // It may show nothing of a checkout, only payments or the end of the contract.
  if (await observer.isUnheard(usual)) {
    for (const event of order.events.slice(sent)) await trial.accept(letterOf(exam, event));
  }
  const state = await observer.settled(order);
  if (!(await observer.ignores(order, state))) return false;
  trial.fail(`${ignored(state)}. If a worker processes them, look for an error in its log`);
  return true;
}

/** After a burst, the store must be in the same state as when the same events come alone. */
export async function afterBurst(trial: Trial, exam: Exam, { sent, orders }: Burst): Promise<string | undefined> {
  const observer = await exam.observer();
  if (!trial.isRight() || !observer) return undefined;
  const alone = await exam.orders.contract({ status: 'completed' });
  await trial.play(alone, alone.events.length);
  if (await refuseIgnored(trial, exam, alone, alone.events.length)) return undefined;
  const wanted = await observer.settled(alone);
  for (const order of orders) {
    if (await observer.reaches(order, wanted, alone)) continue;
    const problem = 'If events of other orders come at the same time, the store ends in a different state';
    const isOfOrder = (each: Sent) => order.events.some(({ id }) => id === each.sent.headers['webhook-id']);
    return compare(trial, exam, alone, { order, problem, shownBy: sent.filter(isOfOrder) });
  }
  return undefined;
}

interface Compared {
  readonly order: Order;
  readonly problem: string;
  readonly shownBy: readonly Sent[];
}

/** Compares how the store shows orders with the same history. */
async function compare(
  trial: Trial,
  exam: Exam,
  expected: Order,
  ...others: readonly Compared[]
): Promise<string | undefined> {
  const observer = await exam.observer();
  if (!observer) return NOT_OBSERVED;
  const wanted = await observer.settled(expected);
  for (const { order, problem, shownBy } of others) {
    const found = await observer.equalTo(order, wanted, expected);
    if (found === wanted) continue;
    await observer.refuseTicking(order);
    await observer.refuseSlow();
    await observer.refuseUnlike(async () => [await newOrder(exam), await newOrder(exam)]);
    trial.fail(`${problem}: ${difference(wanted, found)}`, shownBy);
  }
  const failure = observer.failureOf(wanted);
  return failure === null ? undefined : notShown(failure);
}

/** An order whose checkout and first payment the store knows; null if it refused one of these events. */
async function newOrder({ orders, receiver, ...exam }: Exam): Promise<Order | null> {
  const order = await orders.contract({ status: 'completed' });
  for (const event of order.events.slice(0, CHECKOUT_EVENTS + 1)) {
    if (!isAccepted(await receiver.deliver(letterOf(exam, event)))) return null;
  }
  return order;
}

async function judgeState(
  trial: Trial,
  observer: Observer | null,
  order: Order,
  [expected, found]: readonly [expected: string | undefined, found: string | undefined],
  problem: string,
  shownBy: readonly Sent[],
) {
  if (found === expected) return;
  await observer?.refuseTicking(order);
  await observer?.refuseSlow();
  trial.fail(`${problem}: ${difference(expected, found)}`, shownBy);
}

function difference(wanted = '', found = ''): string {
  const [expected, actual] = shownApart(wanted, found);
  return `expected ${expected}, found ${actual}`;
}
