import type { Condition } from '../domain/condition.ts';
import type { Contract } from '../domain/contract.ts';
import type { EventType } from '../domain/event.ts';
import { DUE_STEPS, type Installment } from '../domain/installment.ts';
import type { Account } from '../domain/merchant.ts';
import { createProgress } from '../domain/progress.ts';
import { invalid } from '../domain/refusal.ts';
import { sequenceOf } from '../domain/schedule.ts';
import { effectiveStatus, type Session } from '../domain/session.ts';
import type { DueCursor, DueThing } from '../store/due.ts';
import type { Happening } from './due.ts';
import { createProjection, type Projection } from './projection.ts';
import type { World } from './world.ts';

/** The result of a forecast. */
export interface Foresight {
  readonly happened: readonly Happening[];
  /** The number of events up to the end of the forecast, listed or not. */
  readonly count: number;
  /** `whole`: nothing more falls due. `listed`: the list is full. `bounded`: the last allowed step was taken. */
  readonly ended: 'whole' | 'listed' | 'bounded';
}

export interface ForecastBounds {
  readonly until: number;
  /** How many events are listed. */
  readonly limit: number;
  readonly maxSteps: number;
  /** Whether to count the events that no longer fit into the list. */
  readonly counting: boolean;
  /** Called with each event, listed or not. */
  readonly note?: (type: EventType) => void;
}

/**
 * Forecasts what happens if nobody acts. It performs the steps of an advance on copies in memory. Deliveries are not
 * made, as if each had succeeded (interface §3), and previews make no events.
 *
 * It yields after each step, so that other work gets a turn. The forecast is of the instant at which it began: a row
 * that somebody changes meanwhile is copied just before the change. Plans do not depend on each other, so once the list
 * is full, each plan is taken to its end alone.
 */
export function* foresee(world: World, account: Account, bounds: ForecastBounds): Generator<void, Foresight> {
  const { store } = world;
  const { id: accountId } = account;
  const own = store.of(account);
  const { until, limit, maxSteps, counting, note: told } = bounds;
  // A write that is not committed could still be undone.
  store.flush();
  const happened: Happening[] = [];
  let count = 0;
  const isFull = () => happened.length >= limit;
  const projection = createProjection(store.accounts.get(accountId), (happening) => {
    count += 1;
    told?.(happening.type);
    if (!isFull()) happened.push(happening);
  });
  const agenda = createAgenda();
  const installments = createReader((after) => store.due.installments(accountId, until, after, PAGE));
  const lapses = createReader((after) => store.due.sessions(accountId, until, after, PAGE));
  const contractsNoted = new Set<number>();
  const sessionsNoted = new Set<number>();
  const lastContract = store.contracts.nextId() - 1;
  const lastSession = store.sessions.nextId() - 1;

  function noteContract(id: number) {
    if (id > lastContract || contractsNoted.has(id)) return;
    contractsNoted.add(id);
    const contract = own.contracts.get(id);
    if (!contract || contract.preview) return;
    projection.addContract(contract, own.installments.list(contract));
    plan(projection.nextOfContract(id));
  }

  function noteSession(id: number) {
    if (id > lastSession || sessionsNoted.has(id)) return;
    sessionsNoted.add(id);
    const session = own.sessions.get(id);
    if (!session || session.preview) return;
    projection.addSession(session);
    plan(projection.nextOfSession(id));
  }

  function plan(thing: DueThing | null) {
    if (thing && thing.at <= until) agenda.add(thing);
  }

  /** Copies every contract and session that may come before the first thing of the agenda. */
  function* note() {
    for (;;) {
      const [collected, lapsing] = [installments.first(), lapses.first()];
      const isLapse = lapsing !== null && (collected === null || inOrder(lapsing, collected) < 0);
      const next = isLapse ? lapsing : collected;
      const first = agenda.first();
      if (!next || (first && (isFull() || inOrder(placeOf(first), next) <= 0))) return;
      if (isLapse) noteSession(lapses.take().id);
      else noteContract(installments.take().id);
      yield;
    }
  }

  const unwatch = [
    store.contracts.beforeChange(noteContract),
    store.installments.beforeChange(noteContract),
    store.sessions.beforeChange(noteSession),
  ];
  try {
    for (let steps = 0; ; ) {
      yield* note();
      const first = agenda.take();
      if (!first) return { happened, count, ended: 'whole' };
      if (isFull() && !counting) return { happened, count, ended: 'listed' };
      let thing: DueThing | null = first;
      do {
        if (steps >= maxSteps) return { happened, count, ended: 'bounded' };
        steps += 1;
        thing = projection.take(thing);
        yield;
      } while (thing && thing.at <= until && isFull());
      if (thing && thing.at <= until) agenda.add(thing);
      else projection.drop(first);
    }
  } finally {
    for (const end of unwatch) end();
  }
}

/** How many rows are read at once. */
const PAGE = 250;

/** Reads rows in order, page by page. `read` returns the page after a row. */
function createReader(read: (after: DueCursor | null) => readonly DueCursor[]) {
  let page = read(null);
  let index = 0;
  return {
    first(): DueCursor | null {
      const last = page[index - 1];
      if (last && index === PAGE) {
        page = read(last);
        index = 0;
      }
      return page[index] ?? null;
    },
    take(): DueCursor {
      index += 1;
      return page[index - 1] as DueCursor;
    },
  };
}

/** Due things in the order in which an advance performs them. */
function createAgenda() {
  /** In reverse order. */
  const things: DueThing[] = [];
  return {
    first: () => things.at(-1) ?? null,
    take: () => things.pop() ?? null,
    add(thing: DueThing) {
      let [low, high] = [0, things.length];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (inOrder(placeOf(things[middle] as DueThing), placeOf(thing)) > 0) low = middle + 1;
        else high = middle;
      }
      things.splice(low, 0, thing);
    },
  };
}

/** At one instant, installments come before sessions (decisions §6). */
const inOrder = (a: DueCursor, b: DueCursor) =>
  a.at - b.at || Number(isSession(a)) - Number(isSession(b)) || a.id - b.id || a.sequence - b.sequence;
const isSession = ({ sequence }: DueCursor) => sequence === 0;

const placeOf = (thing: DueThing): DueCursor =>
  thing.kind === 'lapse'
    ? { at: thing.at, id: thing.sessionId, sequence: 0 }
    : { at: thing.at, id: thing.contractId, sequence: thing.sequence };

/** The subject of a condition. */
type Named =
  | { readonly of: 'session'; readonly session: Session }
  | { readonly of: 'contract'; readonly contract: Contract; readonly schedule: readonly Installment[] };

/** @throws Refusal `invalid` (`until`) when the condition names nothing of this account */
function find({ store }: World, account: Account, condition: Condition): Named {
  const own = store.of(account);
  if (condition.of === 'session') {
    const session = own.sessions.find(condition.token);
    if (!session) throw unknownSubject('checkout session');
    return { of: 'session', session };
  }
  const contract = own.contracts.find(condition.reference);
  if (!contract) throw unknownSubject('contract');
  const schedule = own.installments.list(contract);
  if (condition.of === 'installment' && !schedule[sequenceOf(condition.number) - 1]) {
    throw unknownSubject('installment');
  }
  return { of: 'contract', contract, schedule };
}

const unknownSubject = (noun: string) => invalid('until', `The until field names no ${noun} of this account.`);

function isIn(condition: Condition, named: Named, now: number): boolean {
  if (named.of === 'session') return effectiveStatus(named.session, now) === condition.status;
  if (condition.of !== 'installment') return named.contract.status === condition.status;
  return named.schedule[sequenceOf(condition.number) - 1]?.status === condition.status;
}

/**
 * Whether the account has reached the state that `condition` names.
 * @throws Refusal `invalid` (`until`) when it names nothing of this account
 */
export const holds = (world: World, account: Account, condition: Condition, now: number): boolean =>
  isIn(condition, find(world, account, condition), now);

/** Forecasts one checkout in order. Plans do not depend on each other, so this takes only its own steps. */
export function foreseeOne(
  { store }: World,
  account: Account,
  { session, contract }: { readonly session: Session | null; readonly contract: Contract | null },
): readonly Happening[] {
  if (!session || session.preview) return [];
  // Before the Cart Capture, only the deadline of the session can pass.
  const named: Named =
    contract && contract.status !== 'pending'
      ? { of: 'contract', contract, schedule: store.of(account).installments.list(contract) }
      : { of: 'session', session };
  const happened: Happening[] = [];
  const projection = createProjection(account, (happening) => void happened.push(happening));
  for (const _step of stepsAlone(projection, named, Number.POSITIVE_INFINITY));
  return happened;
}

/** Copies one subject and takes its steps. After each, yields the instant and whether it is complete. */
function* stepsAlone(projection: Projection, named: Named, until: number) {
  if (named.of === 'session') projection.addSession(named.session);
  else projection.addContract(named.contract, named.schedule);
  const stepsMax = named.of === 'session' ? 1 : DUE_STEPS.length * named.schedule.length;
  const step = createProgress('The forecast of one subject', stepsMax);
  let thing =
    named.of === 'session' ? projection.nextOfSession(named.session.id) : projection.nextOfContract(named.contract.id);
  while (thing && thing.at <= until) {
    step(thing.at);
    const { at } = thing;
    thing = projection.take(thing);
    yield { at, isWhole: thing?.at !== at };
  }
}

/**
 * When the state is reached if nobody acts; null if that is not by `until`. Takes only the steps of the contract or
 * session in the condition.
 * @throws Refusal `invalid` (`until`) when it names nothing of this account
 */
export function whenReached(world: World, account: Account, condition: Condition, until: number): number | null {
  // Its settings may have changed since the request was sent.
  const projection = createProjection(world.store.accounts.get(account.id), () => undefined);
  const named = find(world, account, condition);
  for (const { at, isWhole } of stepsAlone(projection, named, until)) {
    // An advance stops only after all steps of an instant, so a state in between does not count.
    if (isWhole && isIn(condition, projected(projection, named), at)) return at;
  }
  return null;
}

const projected = (projection: Projection, named: Named): Named =>
  named.of === 'session'
    ? named
    : {
        of: 'contract',
        contract: projection.contract(named.contract.id),
        schedule: projection.schedule(named.contract.id),
      };
