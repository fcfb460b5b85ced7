import type { LayawayEvent } from '../library/wire.ts';
import type { Level } from './certificate.ts';
import { createTrial, type Exam, type Finding, letterOf, type Trial } from './exam.ts';
import type { Observer } from './observe.ts';
import type { GenuineEvent, Order } from './orders.ts';
import { isAccepted, type Sent } from './receiver.ts';
import { shown } from './state-text.ts';
import { oddText, reprinted } from './text.ts';

/** One check (interface §10). Its section in `docs/webhooks.md` has its id as the heading. */
export interface Check {
  readonly id: string;
  readonly level: Level;
  /** What the receiver does when it passes. */
  readonly title: string;
  /** What goes wrong in production when it does not. */
  readonly why: string;
  readonly examine: (exam: Exam) => Promise<Finding>;
}

const NOT_OBSERVED =
  'Only the answers were counted. With the observe option, the check also compares the state of the store.';
/** Allowed answers to a copy that comes while the first is being processed: the service sends it again. */
const COME_AGAIN = [409, 423, 425, 429, 503];
/** The size of `burst`: all events, and how many are sent at the same time. */
export const BURST = { events: 100, lanes: 8 } as const;
/** The first events of an order: the session is decided, the contract activated, the session completed. */
const CHECKOUT_EVENTS = 3;

const withTrial =
  (work: (trial: Trial, exam: Exam) => Promise<unknown>): Check['examine'] =>
  async (exam) => {
    const trial = createTrial(exam);
    const note = await work(trial, exam);
    return trial.found(typeof note === 'string' ? note : undefined);
  };

/** What to check first if the receiver gives every genuine event the same refusal. */
function refusedAll(statuses: readonly (number | null)[]): string | undefined {
  const [status, ...others] = new Set(statuses);
  if (!status || status < 300 || others.length > 0) return undefined;
  return [`Your store answered ${status} to every genuine event.`, ADVICE[status]].filter(Boolean).join(' ');
}

const ABOUT_CONTRACT = /^(contract|installment)\./;

/** What to check first if the receiver gives everything about a contract the same refusal, because it has no such order. */
function refusedContracts(events: readonly GenuineEvent[], statuses: readonly (number | null)[]): string | undefined {
  const answers = statuses.filter((_status, index) => ABOUT_CONTRACT.test(events[index]?.type ?? ''));
  const [status, ...others] = new Set(answers);
  if (!status || status < 400 || others.length > 0) return undefined;
  return `Your store answered ${status} to every event about a contract. The contracts of an examination are not on your account. If your store knows only the orders of its own checkout, use the checkout option. If it reads contracts from the API, let it take the state from the event when the API answers 404.`;
}

const OTHER_SECRET = 'Does it verify with the same secret?';
const OTHER_PATH = 'Is the path of the URL right?';
/** The check of Laravel answers 419, that of Django 403. */
const CSRF = 'Is the route exempt from the CSRF check?';
const REDIRECT = 'Redirects are not followed; the check `no-redirect` tells where they lead.';
const ADVICE: Readonly<Record<number, string>> = {
  ...{ 400: OTHER_SECRET, 401: OTHER_SECRET, 403: `${OTHER_SECRET} ${CSRF}`, 419: CSRF },
  ...{ 404: OTHER_PATH, 405: OTHER_PATH },
  ...Object.fromEntries([301, 302, 303, 307, 308].map((status) => [status, REDIRECT])),
};

/** The receiver must accept each of these letters. Each carries another genuine event. */
const acceptsEach = (...letters: ((exam: Exam, event: GenuineEvent) => ReturnType<typeof letterOf>)[]) =>
  withTrial(async (trial, exam) => {
    for (const letter of letters) await trial.accept(letter(exam, await exam.next()));
  });

export const CHECKS: readonly Check[] = [
  {
    id: 'genuine',
    level: 'must',
    title: 'accepts every event type, however the header names are written',
    why: 'The service repeats an event that is not answered with 2xx, and disables the endpoint after five days of failures. Header names are case-insensitive: proxies and HTTP/2 change the case.',
    examine: withTrial(async (trial, exam) => {
      const { contract, session, test } = exam.orders;
      const orders = [
        await contract({ status: 'completed' }),
        await contract({ status: 'defaulted' }),
        await contract({ status: 'cancelled' }),
        await session('cancelled'),
        await session('expired'),
        await test(exam.endpoint),
      ];
      const events = orders.flatMap((order) => order.events);
      for (const [index, event] of events.entries()) {
        const { name, write } = CASES[index % CASES.length] as (typeof CASES)[number];
        const letter = letterOf(exam, event, { what: `${event.type}, header names in ${name}` });
        const headers = Object.fromEntries(Object.entries(letter.headers).map(([key, value]) => [write(key), value]));
        await trial.accept({ ...letter, headers });
      }
      return refusedAll(trial.statuses()) ?? refusedContracts(events, trial.statuses());
    }),
  },
  {
    id: 'raw-body',
    level: 'must',
    title: 'verifies the bytes as they were sent',
    why: 'The signature covers the bytes of the body. A receiver that parses the JSON and serializes it again gets different bytes if white space, the order of keys or escapes differ.',
    examine: withTrial(async (trial, exam) => {
      for (const style of ['white space', 'key order', 'escapes'] as const) {
        const event = await exam.next();
        const body = reprinted(event.body, style);
        await trial.accept(letterOf(exam, { ...event, body }, { what: `${event.type}, other ${style}` }));
      }
    }),
  },
  {
    id: 'tampered',
    level: 'must',
    title: 'refuses a request that was changed on the way',
    why: 'Anyone who knows the URL can send to it. Only the signature shows that the id, the time and the body come from the service.',
    examine: withTrial(async (trial, exam) => {
      const changes: readonly (readonly [part: string, change: (letter: ReturnType<typeof letterOf>) => object])[] = [
        ['body', ({ body }) => ({ body: body.replace('"livemode":', '"livemodf":') })],
        ['id', ({ headers }) => ({ headers: { ...headers, 'webhook-id': otherEnd(headers['webhook-id']) } })],
        [
          'timestamp',
          ({ headers }) => ({
            headers: { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 1) },
          }),
        ],
        [
          'signature',
          // Not its last character: base64 ignores some bits of that one.
          ({ headers }) => ({
            headers: { ...headers, 'webhook-signature': otherAt(headers['webhook-signature'] as string, 40) },
          }),
        ],
        [
          'signature, a letter in the other case,',
          ({ headers }) => ({
            headers: { ...headers, 'webhook-signature': otherCase(headers['webhook-signature'] as string) },
          }),
        ],
      ];
      for (const [part, change] of changes) {
        const letter = letterOf(exam, await exam.likeness(), { what: `one byte of the ${part} changed` });
        await trial.refuse({ ...letter, ...change(letter) });
      }
    }),
  },
  {
    id: 'wrong-secret',
    level: 'must',
    title: 'refuses a signature made with another secret',
    why: 'An attacker can sign, but not with your secret. With an empty second secret, or the one from the documentation, anyone can.',
    examine: withTrial(async (trial, exam) => {
      const published = `whsec_${Buffer.from(Array.from({ length: 32 }, (_, byte) => byte)).toString('base64')}`;
      const secrets: readonly (readonly [string, string])[] = [
        ['another secret', secretOf(exam.draw())],
        ['an empty secret', 'whsec_'],
        ['the secret of the documentation', published],
      ];
      for (const [name, secret] of secrets) {
        const letter = letterOf(exam, await exam.likeness(), { what: `signed with ${name}`, secrets: [secret] });
        if (isGenuine(exam, letter)) continue;
        await trial.refuse(letter);
      }
    }),
  },
  {
    id: 'unsigned',
    level: 'must',
    title: 'refuses a request without the signature headers',
    why: 'A receiver that verifies only if there is a signature verifies nothing: an attacker can omit it.',
    examine: withTrial(async (trial, exam) => {
      const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
      for (const left of [names, ...names.map((name) => [name])]) {
        const letter = letterOf(exam, await exam.likeness(), {
          what: left.length > 1 ? 'without the three headers' : `without ${left[0]}`,
        });
        const headers = Object.fromEntries(Object.entries(letter.headers).filter(([name]) => !left.includes(name)));
        await trial.refuse({ ...letter, headers });
      }
    }),
  },
  {
    id: 'stale',
    level: 'must',
    title: 'refuses a timestamp 330 s in the past, accepts 30 s',
    why: 'Without a limit, anyone who has recorded a request can send it again at any time.',
    examine: withTrial((trial, exam) => window(trial, exam, -1)),
  },
  {
    id: 'future',
    level: 'must',
    title: 'refuses a timestamp 330 s in the future, accepts 30 s',
    why: 'A timestamp in the future stays valid until then, so the request can be sent again. Clocks differ by some seconds, so accept a small difference.',
    examine: withTrial((trial, exam) => window(trial, exam, 1)),
  },
  {
    id: 'second-signature',
    level: 'must',
    title: 'accepts when one of several signatures is valid',
    why: 'For 24 hours after a rotation of the secret, each webhook carries a signature with the new and one with the old secret.',
    examine: acceptsEach(
      (exam, event) =>
        letterOf(exam, event, { what: 'the second of two is valid', secrets: [secretOf(exam.draw()), exam.secret] }),
      (exam, event) =>
        letterOf(exam, event, { what: 'the first of two is valid', secrets: [exam.secret, secretOf(exam.draw())] }),
    ),
  },
  {
    id: 'unknown-version',
    level: 'must',
    title: 'ignores signatures of versions that it does not know',
    why: 'Standard Webhooks has other versions, such as v1a. Such a signature beside a valid one must not be an error, and alone it proves nothing.',
    examine: withTrial(async (trial, exam) => {
      for (const version of ['v1a', 'v9']) {
        const letter = letterOf(exam, await exam.next(), { what: `a ${version} signature beside the valid one` });
        await trial.accept(withSignature(letter, (valid) => `${valid} ${version},${valid.slice(3)}`));
      }
      for (const version of ['v1a', 'v9']) {
        const letter = letterOf(exam, await exam.likeness(), { what: `the valid signature, called ${version}` });
        await trial.refuse(withSignature(letter, (valid) => `${version},${valid.slice(3)}`));
      }
    }),
  },
  {
    id: 'duplicate',
    level: 'must',
    title: 'processes an id once, and every id',
    why: 'Deliveries come at least once: after a lost answer the same id comes again, with a new signature. A receiver that counts it twice gets the money wrong; one that remembers only the type and the contract loses real events.',
    examine: withTrial(duplicate),
  },
  {
    id: 'duplicate-burst',
    level: 'must',
    title: 'processes an id once, even if it comes five times at the same moment',
    why: 'Between looking up an id and storing it, another worker can look up the same id. Only a unique column, written in the same transaction, is safe.',
    examine: withTrial(duplicateBurst),
  },
  {
    id: 'out-of-order',
    level: 'must',
    title: 'reaches the same state when events come in another order',
    why: 'A failed attempt does not hold back later events: its retry comes after them. The last event to arrive is not always the latest.',
    examine: withTrial(async (trial, exam) => {
      let note: string | undefined;
      for (const { wanted, orders } of HISTORIES) {
        const inOrder = await exam.orders.contract(wanted);
        await trial.play(inOrder, inOrder.events.length);
        const others: Compared[] = [];
        for (const { name, arrange } of orders) {
          const order = await exam.orders.contract(wanted);
          for (const event of arrange(order.events)) {
            await trial.accept(letterOf(exam, event, { what: `${event.type}, ${name}` }));
          }
          others.push({ order, problem: `With ${name}, the store ends in a different state` });
        }
        note = await compare(trial, exam, inOrder, ...others);
      }
      return note;
    }),
  },
  {
    id: 'unknown-type',
    level: 'must',
    title: 'accepts event types that it does not know',
    why: 'The service may add event types. An endpoint that fails on them is retried, and disabled in the end.',
    examine: withTrial(async (trial, exam) => {
      const types: readonly [string, object | null][] = [
        ['contract.renegotiated', null],
        ['payout.created', { id: 'po_1', amount: 12_000 }],
      ];
      for (const [type, data] of types) {
        const event = exam.orders.again(await exam.likeness(), (known) => ({
          ...known,
          type,
          ...(data ? { data } : {}),
        }));
        await trial.accept(letterOf(exam, event));
      }
    }),
  },
  {
    id: 'unknown-field',
    level: 'must',
    title: 'accepts fields that it does not know',
    why: 'The service may add fields at any time. A strict schema turns that into an outage.',
    examine: withTrial(async (trial, exam) => {
      const event = await exam.next();
      const { data, ...rest } = JSON.parse(event.body) as LayawayEvent;
      const body = JSON.stringify({
        ...{ ...rest, api_version: '2027-01-01', related: { ids: ['x', 1, null] } },
        data: { ...data, loyalty: { tier: 3 }, tags: [] },
      });
      await trial.accept(letterOf(exam, { ...event, body }, { what: `${event.type} with new fields` }));
    }),
  },
  {
    id: 'large',
    level: 'must',
    title: 'accepts the largest event that the service sends',
    why: 'The metadata of an order can have 50 keys with 500 characters each: over 100 kB, more than some frameworks accept by default.',
    examine: withTrial(async (trial, exam) => {
      const metadata = Object.fromEntries(
        Array.from({ length: 50 }, (_, n) => [`${'𝒌'.repeat(38)}${String(n).padStart(2, '0')}`, '𝒗'.repeat(500)]),
      );
      await trial.play(await exam.orders.contract({ status: 'active', metadata }), CHECKOUT_EVENTS);
    }),
  },
  {
    id: 'unicode',
    level: 'must',
    title: 'accepts any text',
    why: 'Names, references and metadata come from people. The signature is over UTF-8 bytes; a receiver that decodes them as another encoding verifies other bytes.',
    examine: withTrial(async (trial, exam) => {
      const metadata = Object.fromEntries(oddText.map((text, n) => [`k${n} ${text.slice(0, 8).trim()}`, text]));
      const order = await exam.orders.contract({
        ...{ status: 'active', metadata, label: ' Ünïcode ✓ 漢字 🛍️' },
        customer_name: 'Zoë O’Neill-Ångström 李小龍',
      });
      await trial.play(order, CHECKOUT_EVENTS);
    }),
  },
  {
    id: 'burst',
    level: 'must',
    title: 'accepts 100 events, eight at a time',
    why: 'Many plans fall due at the same midnight. A receiver that fails under a small burst fails when it matters most.',
    examine: withTrial(async (trial, exam) => {
      for (const sent of await exam.burst()) trial.judge(sent, isAccepted(sent), 'must be 2xx');
    }),
  },
  {
    id: 'acknowledges',
    level: 'must',
    title: 'answers 95 of the 100 events of burst within 5 s',
    why: 'The service waits 15 s and then counts the attempt as failed. A receiver that takes 5 s reaches that limit as soon as its database is slow.',
    examine: withTrial(async (trial, exam) => {
      await within(trial, exam, 5_000);
    }),
  },
  {
    id: 'acknowledges-soon',
    level: 'should',
    title: 'answers 95 of the 100 events of burst within 1 s',
    why: 'An answer confirms that the event arrived, not that all work is done. Store the event, answer, and do the work afterwards.',
    async examine(exam) {
      const slow = createTrial(exam);
      if (!(await within(slow, exam, 5_000))) {
        return { exchanges: [], problems: [], isSkipped: true, note: 'Not examined: `acknowledges` failed.' };
      }
      const trial = createTrial(exam);
      await within(trial, exam, 1_000);
      return trial.found();
    },
  },
  {
    id: 'no-redirect',
    level: 'must',
    title: 'answers itself instead of redirecting',
    why: 'The service does not follow redirects: each one is a failed attempt. The usual cause is a missing slash at the end, http in place of https, or a login page.',
    examine: withTrial(async (trial, exam) => {
      const own = await exam.receiver.send(letterOf(exam, await exam.next()));
      for (const sent of [own, ...exam.receiver.redirects]) {
        const isItself = sent.location === null && sent.answered.status !== null;
        trial.judge(
          sent,
          isItself,
          sent.location === null ? 'must answer' : `to ${sent.location || 'nowhere'}; must not redirect`,
        );
      }
    }),
  },
  {
    id: 'retry-after-outage',
    level: 'must',
    title: 'processes an event that it refused before, days later',
    why: 'After an outage, events come again with their old id and a new signature. A receiver that records an id before it has verified and processed the event loses such events.',
    examine: withTrial(retryAfterOutage),
  },
  {
    id: 'live-refused',
    level: 'must',
    title: 'refuses a live event at a sandbox endpoint',
    why: 'Sandbox and live mode have separate secrets. A test system that accepts live events changes real orders, and vice versa.',
    async examine(exam) {
      if (exam.mode === 'live') {
        return { exchanges: [], problems: [], isSkipped: true, note: 'Not examined: this endpoint is in live mode.' };
      }
      const trial = createTrial(exam);
      const event = exam.orders.again(await exam.likeness(), (known) => ({ ...known, livemode: true }));
      await trial.refuse(letterOf(exam, event, { what: 'signed with a live secret', secrets: [exam.liveSecret] }));
      return trial.found();
    },
  },
  {
    id: 'get-harmless',
    level: 'should',
    title: 'does not answer 2xx to a GET',
    why: 'Crawlers, link previews and health checks send GETs. A 2xx makes a wrong route look healthy.',
    examine: withTrial(async (trial, exam) => {
      const sent = await exam.receiver.get();
      trial.judge(sent, !isAccepted(sent), 'must not be 2xx');
    }),
  },
];

/** Ways to write header names. */
const CASES = [
  { name: 'lower case', write: (name: string) => name },
  { name: 'upper case', write: (name: string) => name.toUpperCase() },
  { name: 'Train-Case', write: (name: string) => name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase()) },
] as const;

/** Contracts, and other orders of their events. */
const HISTORIES: readonly {
  readonly wanted: Parameters<Exam['orders']['contract']>[0];
  readonly orders: readonly {
    readonly name: string;
    readonly arrange: (events: readonly GenuineEvent[]) => readonly GenuineEvent[];
  }[];
}[] = [
  {
    wanted: { status: 'completed' },
    orders: [
      { name: 'the last event first', arrange: (events) => events.toReversed() },
      {
        name: 'the payments before the checkout',
        arrange: (events) => [...events.slice(CHECKOUT_EVENTS), ...events.slice(0, CHECKOUT_EVENTS)],
      },
    ],
  },
  {
    wanted: { status: 'active', installment: { number: 1, status: 'past_due' }, settles: true },
    orders: [
      {
        name: 'the settlement before the missed payment',
        arrange: (events) => [
          ...events.slice(0, CHECKOUT_EVENTS),
          ...events.slice(-1),
          ...events.slice(CHECKOUT_EVENTS, -1),
        ],
      },
    ],
  },
];

const secretOf = (drawn: string) => `whsec_${Buffer.from(drawn).toString('base64').slice(0, 44)}`;

/** Whether the receiver's own secret makes the same signature. An HMAC key of zero bytes equals an empty one. */
function isGenuine(exam: Exam, { headers, body }: ReturnType<typeof letterOf>): boolean {
  const { 'webhook-id': id = '', 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers;
  return exam.sign(id, Number(timestamp), body, [exam.secret])['webhook-signature'] === signature;
}

const withSignature = (letter: ReturnType<typeof letterOf>, change: (valid: string) => string) => ({
  ...letter,
  headers: { ...letter.headers, 'webhook-signature': change(letter.headers['webhook-signature'] as string) },
});

/** The text with another character at that place. */
const otherAt = (text: string, at: number) =>
  `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
const otherEnd = (text = '') => otherAt(text, text.length - 1);
/** The signature with the first letter after `v1,` in the other case. */
const otherCase = (signature: string) =>
  signature.replace(/(?<=^v1,[^a-z]*)[a-z]/i, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );

/** The tolerance is five minutes. 30 s and 330 s leave room for clocks that differ. */
async function window(trial: Trial, exam: Exam, sign: -1 | 1) {
  const side = sign < 0 ? 'old' : 'ahead';
  const far = { what: `signed now, 330 s ${side}`, awaySeconds: sign * 330 };
  await trial.refuse(letterOf(exam, await exam.likeness(), far));
  const near = { what: `signed now, 30 s ${side}`, awaySeconds: sign * 30 };
  await trial.accept(letterOf(exam, await exam.next(), near));
}

async function duplicate(trial: Trial, exam: Exam) {
  const observer = await exam.observer();
  const order = await exam.orders.contract({ status: 'completed' });
  const checkout = order.events.slice(0, CHECKOUT_EVENTS);
  const [payment, ...rest] = order.events.slice(CHECKOUT_EVENTS) as [GenuineEvent, ...GenuineEvent[]];
  const later = rest.filter(({ type }) => type === payment.type);
  const end = rest.filter(({ type }) => type !== payment.type);
  await trial.play(order, CHECKOUT_EVENTS);
  const before = await observer?.settled(order);
  // The service signs each attempt at its own time, so a repeat has another timestamp and another signature.
  await trial.accept(letterOf(exam, payment, { awaySeconds: -1 }));
  const once = await observer?.settled(order);
  await trial.accept(letterOf(exam, payment, { what: `${payment.type}, the same id again` }));
  const twice = await observer?.settled(order);
  await judgeState(trial, observer, order, [once, twice], 'The same id changed the state again');
  for (const event of later) await trial.accept(letterOf(exam, event, { what: `${event.type}, another id` }));
  const after = await observer?.settled(order);
  // A store may act on any type: book the order when it is activated, ship it when it is completed.
  for (const event of end) await trial.accept(letterOf(exam, event));
  const whole = await observer?.settled(order);
  for (const event of [...checkout, ...end]) {
    await trial.accept(letterOf(exam, event, { what: `${event.type}, the same id again`, awaySeconds: 1 }));
  }
  const again = await observer?.settled(order);
  const problem = `The same ids of ${typesOf([...checkout, ...end])} changed the state again`;
  await judgeState(trial, observer, order, [whole, again], problem);
  if (!observer || twice === undefined) return NOT_OBSERVED;
  const failure = observer.failureOf(twice);
  if (failure !== null) return notShown(failure);
  if (once === before) {
    return 'The observed state does not show payments, so only the answers show that another id is processed.';
  }
  if (after === twice) {
    trial.fail(`Other ids of the same type and contract did not change the state, which stayed ${shown(twice)}`);
  }
  return undefined;
}

const typesOf = (events: readonly GenuineEvent[]) => [...new Set(events.map(({ type }) => type))].join(', ');

async function duplicateBurst(trial: Trial, exam: Exam) {
  const single = await exam.orders.contract({ status: 'completed' });
  await trial.play(single, CHECKOUT_EVENTS + 1);
  const burst = await exam.orders.contract({ status: 'completed' });
  await trial.play(burst, CHECKOUT_EVENTS);
  const payment = burst.events[CHECKOUT_EVENTS] as GenuineEvent;
  const letter = letterOf(exam, payment, { what: `${payment.type}, one of five at once` });
  const copies = await Promise.all(Array.from({ length: 5 }, () => exam.receiver.deliver(letter)));
  const isFine = (sent: Sent) => isAccepted(sent) || COME_AGAIN.includes(sent.answered.status ?? 0);
  for (const sent of copies) trial.judge(sent, isFine(sent), `must be 2xx, or one of ${COME_AGAIN.join(', ')}`);
  // The service sends again what got one of these answers. Once one is accepted, the rest is for `duplicate` to examine.
  if (!copies.some(isAccepted)) await trial.accept(letterOf(exam, payment, { what: `${payment.type}, once more` }));
  const problem = 'Five copies at once led to a different state than one';
  return compare(trial, exam, single, { order: burst, problem });
}

async function retryAfterOutage(trial: Trial, exam: Exam) {
  const smooth = await exam.orders.contract({ status: 'completed' });
  await trial.play(smooth, CHECKOUT_EVENTS + 1);
  const late = await exam.orders.contract({ status: 'completed' });
  await trial.play(late, CHECKOUT_EVENTS);
  const payment = late.events[CHECKOUT_EVENTS] as GenuineEvent;
  // A store with a wrong secret or a wrong clock refuses the event. Any answer is right here: `wrong-secret` and `stale`
  // examine whether the receiver refuses such letters.
  for (const refused of [
    { what: `${payment.type}, signed with another secret`, secrets: [secretOf(exam.draw())] },
    { what: `${payment.type}, signed three days ago`, awaySeconds: -3 * 86_400 },
  ]) {
    trial.judge(await exam.receiver.send(letterOf(exam, payment, refused)), true, '');
  }
  await trial.accept(letterOf(exam, payment, { what: `${payment.type}, the same id freshly signed` }));
  const problem = 'The event was not processed when it came again';
  return compare(trial, exam, smooth, { order: late, problem });
}

interface Compared {
  readonly order: Order;
  readonly problem: string;
}

/** Compares how the store shows orders with the same history. */
async function compare(trial: Trial, exam: Exam, expected: Order, ...others: readonly Compared[]) {
  const observer = await exam.observer();
  if (!observer) return NOT_OBSERVED;
  const wanted = await observer.settled(expected);
  for (const { order, problem } of others) {
    const found = await observer.equalTo(order, wanted, expected);
    await judgeState(trial, observer, order, [wanted, found], problem);
  }
  const failure = observer.failureOf(wanted);
  return failure === null ? undefined : notShown(failure);
}

async function judgeState(
  trial: Trial,
  observer: Observer | null,
  order: Order,
  [expected, found]: readonly [expected: string | undefined, found: string | undefined],
  problem: string,
) {
  if (found === expected) return;
  await observer?.refuseTicking(order);
  trial.fail(`${problem}: ${difference(expected, found)}`);
}

const notShown = (failure: string) =>
  `The observe option showed no state of the order (${failure}), so only the answers were counted. If the store knows only the orders of its own checkout, use the checkout option, too.`;

const difference = (expected = '', actual = '') => `expected ${shown(expected)}, found ${shown(actual)}`;

/** Whether 95% of the answers to the burst came in time. If not, each late answer is a problem. */
async function within(trial: Trial, exam: Exam, limitMs: number): Promise<boolean> {
  const sent = await exam.burst();
  const isInTime = ({ answered: { status, duration_ms } }: Sent) => status !== null && duration_ms <= limitMs;
  const late = sent.filter((each) => !isInTime(each));
  const isEnough = sent.length - late.length >= sent.length * 0.95;
  for (const each of sent) {
    trial.judge(
      each,
      isEnough || isInTime(each),
      `after ${each.answered.duration_ms} ms; must take at most ${limitMs} ms`,
    );
  }
  return isEnough;
}
