import { once } from '../domain/once.ts';
import { withoutUserInfo } from '../domain/secret-text.ts';
import { isAbsent, isWebhookSecret } from '../domain/webhook.ts';
import { type Certificate, type CertifyCheck, type CertifyExchange, isCounted, type Level } from './certificate.ts';
import { BURST, CHECKS, type Check } from './checks.ts';
import { CertifyError } from './error.ts';
import { type Burst, createTrial, type Exam, type Finding } from './exam.ts';
import { letterOf, type Sign, secretOf } from './letters.ts';
import { allRight, notExamined } from './notes.ts';
import { createObserver, type Observer } from './observe.ts';
import { CHECKOUT_EVENTS, type Checkout, createOrders, type GenuineEvent, type Order, type Orders } from './orders.ts';
import { checkPlaceholders, isUrl } from './programs.ts';
import { createReceiver, type Sent } from './receiver.ts';
import { openInMemory, openOnServer, type Server, type Stage, type StageRooms, termsLike } from './stage.ts';
import { createStateReader, type Observe } from './state-reader.ts';
import { type Stop, untilStopped } from './stop.ts';

export interface CertifyOptions {
  /** The receiver: an http or https URL. */
  readonly url: string;
  /** The secret that it verifies with, `whsec_…`. Default: that of the endpoints that `serve --forward-to` creates. */
  readonly secret?: string;
  /** Shows the state of an order in the store: a command, a URL or a function. */
  readonly observe?: Observe;
  /** A command that makes the store open a checkout session, so that the store knows the order. */
  readonly checkout?: string;
  /**
   * A running server, such as a `Simulator`. A throw-away merchant on it makes the orders and is deleted at the end.
   * Default: a simulator in memory.
   */
  readonly server?: Server;
  /**
   * Where the requests to the receiver come from: this process, or `server`, as its deliveries do.
   * @default 'here'
   */
  readonly sendsFrom?: 'server' | 'here';
  /** The account on which `checkout` opens sessions. Default: one of the simulator that makes the orders. */
  readonly shop?: Checkout['shop'];
  /** The mode of the endpoint. @default 'sandbox' */
  readonly mode?: 'sandbox' | 'live';
  /** The secret of the same merchant's live endpoints. A random one if absent or equal to `secret`. */
  readonly liveSecret?: string;
  /** Headers of every request besides those of a webhook, such as the one that a gateway asks for. No report shows them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Accepts any certificate of an https receiver, and of an https URL of `observe`. @default false */
  readonly insecure?: boolean;
  /** Ids of the checks to make; all when absent. */
  readonly only?: readonly string[];
  /** Ids of checks to leave out. */
  readonly skip?: readonly string[];
  /** Which failures `isCertified` counts: those of level `must`, or with `should` all. @default 'must' */
  readonly level?: Level;
  /** Ends the examination early: the promise is rejected with the reason of the signal. */
  readonly signal?: Stop;
  /** Called once, when the receiver has been reached. What it throws or rejects with ends the examination. */
  readonly onReached?: () => unknown;
  /** Called after each check. What it throws or rejects with ends the examination. */
  readonly onCheck?: (check: CertifyCheck) => unknown;
}

/** What an examination needs from outside this room. */
export interface World extends StageRooms {
  readonly sign: Sign;
  /** Random hexadecimal digits that nobody can guess. */
  readonly draw: () => string;
  /** The default merchant's secret, which endpoints of `serve --forward-to` have. */
  readonly derivedSecret: string;
  /** How long the receiver may take to answer: as long as the service waits. */
  readonly timeoutMs: number;
}

export const CHECK_IDS: readonly string[] = CHECKS.map(({ id }) => id);

/** The most exchanges and problems in the result of a check. */
const TOLD = 10;

/**
 * Examines a webhook receiver (interface §10), with real contracts of a merchant that is deleted at the end.
 * @throws CertifyError when the examination cannot be made: see its `code`
 */
export async function certify(options: CertifyOptions, world: World): Promise<Certificate> {
  const { level = 'must', mode = 'sandbox', signal } = options;
  const secret = options.secret ?? world.derivedSecret;
  refuseWrong(options, secret);
  const isWanted = selection(options);
  signal?.throwIfAborted();

  const { shop, server, sendsFrom = 'here' } = options;
  const terms = shop && options.checkout !== undefined ? termsLike(await shop.assumptions.get()) : undefined;
  const base = shop?.env.LAYAWAY_BASE_URL;
  const stage = await (server
    ? openOnServer(world, server, sendsFrom, terms)
    : openInMemory(world, base === undefined ? undefined : new URL(base).origin, terms));
  const work = async (): Promise<Certificate> => {
    const exam = createExam(stage, { options, world, secret, mode, follows: isWanted('no-redirect') });
    const checks: CertifyCheck[] = [];
    for (const check of CHECKS) {
      const done = isWanted(check.id) ? await examined(check, exam) : leftOut(check, options);
      // A check that was cut off says nothing about the receiver.
      signal?.throwIfAborted();
      checks.push(done);
      await options.onCheck?.(done);
    }
    return certificateOf(level, checks);
  };
  try {
    signal?.throwIfAborted();
    return await untilStopped(signal, work());
  } finally {
    await stage.close();
  }
}

/** @throws CertifyError */
function refuseWrong({ url, server, sendsFrom, observe }: CertifyOptions, secret: string) {
  if (!/^https?:\/\/./i.test(url) || !URL.canParse(url)) {
    throw new CertifyError(
      'usage',
      `"${url}" is not a URL of a receiver. Use one such as http://localhost:3000/webhooks.`,
    );
  }
  if (!isWebhookSecret(secret)) {
    throw new CertifyError('usage', 'The secret must be whsec_ and the base64 of 24 to 64 bytes.');
  }
  if (sendsFrom === 'server' && server === undefined) {
    throw new CertifyError('usage', 'sendsFrom: "server" needs a server. Give one with the option server.');
  }
  if (typeof observe === 'string' && isUrl(observe)) checkPlaceholders(observe);
}

function certificateOf(level: Level, checks: readonly CertifyCheck[]): Certificate {
  const count = (verdict: CertifyCheck['verdict']) => checks.filter((check) => check.verdict === verdict).length;
  return { passed: count('pass'), failed: count('fail'), skipped: count('skip'), level, checks };
}

/**
 * What is known after an examination was stopped, by a signal if there is no `error`: the checks that it made, and that
 * the others are open. The first open one that counts at the level is failed, so that nobody takes this for the
 * certificate of a receiver that passed.
 */
export function brokenOff(
  made: readonly CertifyCheck[],
  options: Pick<CertifyOptions, 'only' | 'skip' | 'level'>,
  error?: Error,
): Certificate {
  const { level = 'must' } = options;
  const isWanted = selection(options);
  const rest = CHECKS.slice(made.length);
  const open = rest.filter(({ id }) => isWanted(id));
  const broken = open.find((check) => isCounted(check, level)) ?? open[0];
  const unmade = rest.map((check) => {
    if (!isWanted(check.id)) return leftOut(check, options);
    if (check !== broken) {
      const note = notExamined(`${error ? 'an error' : 'a signal'} came first`);
      return reportOf(check, { verdict: 'skip', exchanges: [], note });
    }
    const note =
      error?.message ??
      'A signal ended the examination before this check was done. That says nothing about the receiver.';
    return reportOf(check, { verdict: 'fail', exchanges: [], note });
  });
  return certificateOf(level, [...made, ...unmade]);
}

/** @throws CertifyError for an id that no check has */
function selection({ only, skip = [] }: Pick<CertifyOptions, 'only' | 'skip'>): (id: string) => boolean {
  const unknown = [...(only ?? []), ...skip].filter((id) => !CHECK_IDS.includes(id));
  if (unknown.length > 0) {
    throw new CertifyError(
      'usage',
      `Unknown check ${unknown.map((id) => `"${id}"`).join(', ')}. Checks: ${CHECK_IDS.join(', ')}.`,
    );
  }
  if (only?.length === 0) {
    throw new CertifyError('usage', `No check is left: the option "only" is empty. Checks: ${CHECK_IDS.join(', ')}.`);
  }
  const isWanted = (id: string) => (only === undefined || only.includes(id)) && !skip.includes(id);
  if (!CHECK_IDS.some(isWanted))
    throw new CertifyError('usage', 'No check is left: the option "skip" leaves out all the requested checks.');
  return isWanted;
}

interface Parts {
  readonly options: CertifyOptions;
  readonly world: World;
  readonly secret: string;
  readonly mode: 'sandbox' | 'live';
  readonly follows: boolean;
}

function createExam(stage: Stage, { options, world, secret, mode, follows }: Parts): Exam {
  const { merchant, post } = stage;
  const store: Checkout['shop'] = options.shop ?? stage.store;
  const { url, headers: extra = {}, insecure = false, observe, checkout, signal } = options;
  const { waiting, exchange, sign, draw, timeoutMs } = world;
  const receiver = createReceiver({
    ...{ url, extra, insecure, follows, post, now: waiting.now, signal, timeoutMs },
    absent: ({ error }) =>
      error !== null && isAbsent(error)
        ? new CertifyError(
            'unreachable',
            `Nothing answers at ${withoutUserInfo(url)}: ${error}. Start your store, then try again.`,
            { cause: error },
          )
        : null,
    reached: () => options.onReached?.(),
  });
  const orders = createOrders(mode === 'live' ? merchant.live : merchant, {
    name: draw().slice(0, 8),
    checkout: checkout === undefined ? null : { command: checkout, shop: store, signal },
    draw,
  });
  const live = options.liveSecret;
  const watching = (what: Observe) => {
    const rooms = { env: store.env, exchange, now: waiting.now, signal, insecure, isSilent: receiver.isSilent };
    return createObserver(createStateReader(what, rooms), waiting);
  };
  let earlier: Order | undefined;
  const exam: Exam = {
    ...{ receiver, orders, secret, mode, sign, draw, now: waiting.now },
    observer: once(async () => (observe === undefined ? null : acquainted(exam, watching(observe), earlier))),
    sentAll(order) {
      earlier = order;
    },
    liveSecret: live !== undefined && live !== secret ? live : secretOf(draw()),
    endpoint: { url, secret },
    ...createWalk(orders),
    burst: once(() => burst(exam)),
  };
  return exam;
}

/** Walks through the events of one order after the other. */
function createWalk(orders: Orders): Pick<Exam, 'next' | 'likeness'> {
  let left: GenuineEvent[] = [];
  let model: GenuineEvent | undefined;

  async function refill() {
    const { events } = await orders.contract({ status: 'completed' });
    left = [...events];
    model = events.find(({ type }) => type === 'contract.activated');
  }

  return {
    async next() {
      if (left.length === 0) await refill();
      return left.shift() as GenuineEvent;
    },
    async likeness() {
      if (!model) await refill();
      return orders.again(model as GenuineEvent);
    },
  };
}

/** The checkout, the first payment and the rest of an order: three steps that a store shows. */
async function acquainted(exam: Exam, observer: Observer, earlier: Order | undefined): Promise<Observer> {
  const order = await exam.orders.contract({ status: 'completed' });
  const { events } = order;
  const first = events.findIndex(({ type }) => type === 'installment.paid');
  const sending = (part: readonly GenuineEvent[]) => async () => {
    for (const event of part) await exam.receiver.deliver(letterOf(exam, event));
  };
  await observer.getToKnow(
    order,
    [sending(events.slice(0, first)), sending(events.slice(first, first + 1)), sending(events.slice(first + 1))],
    exam.receiver.isBusy,
    earlier,
  );
  return observer;
}

/** Each lane sends the events of its own orders one after the other. Only the lanes run at the same time. */
async function burst(exam: Exam): Promise<Burst> {
  const perLane = Math.ceil(BURST.events / BURST.lanes);
  // Each installment has one event, and the end of the contract another.
  await exam.orders.installments(perLane - CHECKOUT_EVENTS - 1);
  const lanes: (readonly Order[])[] = [];
  for (let lane = 0; lane < BURST.lanes; lane += 1) lanes.push(await ordersWith(perLane, exam.orders));
  const sent: Sent[] = [];
  const whole: Order[] = [];
  const isLast = (lane: number) => lane >= BURST.lanes - (perLane * BURST.lanes - BURST.events);
  await Promise.all(
    lanes.map(async (orders, lane) => {
      let left = isLast(lane) ? perLane - 1 : perLane;
      for (const order of orders) {
        const events = order.events.slice(0, left);
        left -= events.length;
        for (const event of events) sent.push(await exam.receiver.deliver(letterOf(exam, event)));
        if (events.length === order.events.length) whole.push(order);
      }
    }),
  );
  return { sent, orders: whole };
}

/** One order with that many events or more, or several with few installments. */
async function ordersWith(count: number, { contract }: Orders): Promise<readonly Order[]> {
  const orders: Order[] = [];
  for (let events = 0; events < count; ) {
    const order = await contract({ status: 'completed' });
    orders.push(order);
    events += order.events.length;
  }
  return orders;
}

async function examined(check: Check, exam: Exam): Promise<CertifyCheck> {
  const trial = createTrial(exam);
  const told = await check.examine(trial, exam);
  const finding = typeof told === 'object' ? told : trial.found(told);
  const { problems, exchanges, isSkipped } = finding;
  return reportOf(check, {
    verdict: isSkipped ? 'skip' : problems.length > 0 ? 'fail' : 'pass',
    exchanges: exchanges.slice(0, TOLD).map(({ sent, answered }): CertifyExchange => ({ sent, answered })),
    note: noteOf(finding),
  });
}

function noteOf({ problems, note, exchanges }: Finding): string | null {
  const more = problems.length > TOLD ? [`And ${problems.length - TOLD} more.`] : [];
  const counted = problems.length === 0 && exchanges.length > TOLD ? [allRight(exchanges.length)] : [];
  const all = [...problems.slice(0, TOLD).map(sentence), ...more, ...counted, ...(note === undefined ? [] : [note])];
  return all.length > 0 ? all.join('\n') : null;
}

const sentence = (text: string) => (/[.!?…]$/.test(text) ? text : `${text}.`);

const leftOut = (check: Check, { skip = [] }: Pick<CertifyOptions, 'skip'>): CertifyCheck =>
  reportOf(check, {
    verdict: 'skip',
    exchanges: [],
    note: skip.includes(check.id) ? 'Left out with skip.' : 'Not one of the requested checks.',
  });

/** Has the fields in their documented order. */
const reportOf = (
  { id, level, title, why }: Check,
  { verdict, exchanges, note }: Pick<CertifyCheck, 'verdict' | 'exchanges' | 'note'>,
): CertifyCheck => ({ id, level, title, verdict, why, exchanges, fix: `docs/webhooks.md#${id}`, note });
