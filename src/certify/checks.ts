import type { LayawayEvent } from '../library/wire.ts';
import type { Level } from './certificate.ts';
import { createTrial, type Exam, type Finding, skipped, type Trial } from './exam.ts';
import { HEADER_CASES, isGenuine, letterOf, otherAt, otherCase, otherEnd, secretOf, withSignature } from './letters.ts';
import { refusedAll, refusedContracts, refusedOld } from './notes.ts';
import { CHECKOUT_EVENTS, type GenuineEvent } from './orders.ts';
import { isAccepted, type Letter, type Sent } from './receiver.ts';
import { afterBurst, duplicate, duplicateBurst, outOfOrder, refuseIgnored, retryAfterOutage } from './state-checks.ts';
import { oddText, reprinted } from './text.ts';

/** One check (interface §10). Its section in `docs/webhooks.md` has its id as the heading. */
export interface Check {
  readonly id: string;
  readonly level: Level;
  /** What the receiver does when it passes. */
  readonly title: string;
  /** What goes wrong in production when it does not. */
  readonly why: string;
  /** Sends letters and judges the answers. Resolves with a note, if there is one, or with why it could not be made. */
  readonly examine: (trial: Trial, exam: Exam) => Promise<string | Finding | undefined>;
}

/** The size of `burst`: all events, and how many are sent at the same time. */
export const BURST = { events: 100, lanes: 8 } as const;

/** The receiver must accept each of these letters. Each carries another genuine event. */
const acceptsEach =
  (...letters: ((exam: Exam, event: GenuineEvent) => Letter)[]): Check['examine'] =>
  async (trial, exam) => {
    for (const letter of letters) await trial.accept(letter(exam, await exam.next()));
  };

export const CHECKS: readonly Check[] = [
  {
    id: 'genuine',
    level: 'must',
    title: 'accepts every event type, however the header names are written',
    why: 'The service repeats an event that is not answered with 2xx, and disables the endpoint after five days of failures. Header names are case-insensitive: proxies and HTTP/2 change the case.',
    async examine(trial, exam) {
      const { contract, session, test } = exam.orders;
      const whole = await contract({ status: 'completed' });
      const orders = [
        whole,
        await contract({ status: 'defaulted' }),
        await contract({ status: 'cancelled' }),
        await session('cancelled'),
        await session('expired'),
        await test(exam.endpoint),
      ];
      const events = orders.flatMap((order) => order.events);
      for (const [index, event] of events.entries()) {
        const { name, write } = HEADER_CASES[index % HEADER_CASES.length] as (typeof HEADER_CASES)[number];
        const letter = letterOf(exam, event, { what: `${event.type}, header names in ${name}` });
        const headers = Object.fromEntries(Object.entries(letter.headers).map(([key, value]) => [write(key), value]));
        await trial.accept({ ...letter, headers });
      }
      exam.sentAll(whole);
      const isRedirected = exam.receiver.redirects.length >= events.length;
      const statuses = trial.statuses();
      return refusedAll(statuses, isRedirected) ?? refusedOld(events, statuses) ?? refusedContracts(events, statuses);
    },
  },
  {
    id: 'raw-body',
    level: 'must',
    title: 'verifies the bytes as they were sent',
    why: 'The signature covers the bytes of the body. A receiver that parses the JSON and serializes it again gets different bytes if white space, the order of keys or escapes differ.',
    async examine(trial, exam) {
      for (const style of ['white space', 'key order', 'escapes'] as const) {
        const event = await exam.next();
        const body = reprinted(event.body, style);
        await trial.accept(letterOf(exam, { ...event, body }, { what: `${event.type}, other ${style}` }));
      }
    },
  },
  {
    id: 'tampered',
    level: 'must',
    title: 'refuses a request that was changed on the way',
    why: 'Anyone who knows the URL can send to it. Only the signature shows that the id, the time and the body come from the service.',
    async examine(trial, exam) {
      const changes: readonly (readonly [what: string, change: (letter: Letter) => object])[] = [
        ['one byte of the body changed', ({ body }) => ({ body: body.replace('"livemode":', '"livemodf":') })],
        [
          'one byte of the id changed',
          ({ headers }) => ({ headers: { ...headers, 'webhook-id': otherEnd(headers['webhook-id']) } }),
        ],
        [
          'one byte of the timestamp changed',
          ({ headers }) => ({
            headers: { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 1) },
          }),
        ],
        // Not its last character: base64 ignores some bits of that one.
        ['one byte of the signature changed', (letter) => withSignature(letter, (valid) => otherAt(valid, 40))],
        [
          'one byte of the signature, a letter in the other case, changed',
          (letter) => withSignature(letter, otherCase),
        ],
        // Whole bytes are left, for a receiver that compares bytes.
        [
          'the end of the signature cut off',
          (letter) => withSignature(letter, (valid) => valid.slice(0, 'v1,'.length + 4)),
        ],
      ];
      for (const [what, change] of changes) {
        const letter = letterOf(exam, await exam.likeness(), { what });
        await trial.refuse({ ...letter, ...change(letter) });
      }
    },
  },
  {
    id: 'wrong-secret',
    level: 'must',
    title: 'refuses a signature made with another secret',
    why: 'An attacker can sign, but not with your secret. With an empty second secret, or the one from the documentation, anyone can.',
    async examine(trial, exam) {
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
    },
  },
  {
    id: 'unsigned',
    level: 'must',
    title: 'refuses a request without the signature headers',
    why: 'A receiver that verifies only if there is a signature verifies nothing: an attacker can omit it.',
    async examine(trial, exam) {
      const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
      for (const left of [names, ...names.map((name) => [name])]) {
        const letter = letterOf(exam, await exam.likeness(), {
          what: left.length > 1 ? 'without the three headers' : `without ${left[0]}`,
        });
        const headers = Object.fromEntries(Object.entries(letter.headers).filter(([name]) => !left.includes(name)));
        await trial.refuse({ ...letter, headers });
      }
    },
  },
  {
    id: 'stale',
    level: 'must',
    title: 'refuses a timestamp 330 s in the past, accepts 30 s',
    why: 'Without a limit, anyone who has recorded a request can send it again at any time. Requests take time and clocks differ by some seconds, so accept a small difference.',
    examine: (trial, exam) => tolerance(trial, exam, -1),
  },
  {
    id: 'future',
    level: 'must',
    title: 'refuses a timestamp 330 s in the future, accepts 30 s',
    why: 'A timestamp in the future stays valid until then, so the request can be sent again. Clocks differ by some seconds, so accept a small difference.',
    examine: (trial, exam) => tolerance(trial, exam, 1),
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
    async examine(trial, exam) {
      const before = letterOf(exam, await exam.next(), { what: 'a v1a signature before the valid one' });
      await trial.accept(withSignature(before, (valid) => `v1a,${valid.slice(3)} ${valid}`));
      const after = letterOf(exam, await exam.next(), { what: 'a v9 signature after the valid one' });
      await trial.accept(withSignature(after, (valid) => `${valid} v9,${valid.slice(3)}`));
      for (const version of ['v1a', 'v9']) {
        const letter = letterOf(exam, await exam.likeness(), { what: `the valid signature, called ${version}` });
        await trial.refuse(withSignature(letter, (valid) => `${version},${valid.slice(3)}`));
      }
    },
  },
  {
    id: 'duplicate',
    level: 'must',
    title: 'processes every id, and each only once',
    why: 'Deliveries come at least once: after a lost response the same id comes again, with a new signature. A receiver that counts it twice gets the money wrong; one that remembers only the type and the contract loses real events.',
    examine: duplicate,
  },
  {
    id: 'duplicate-burst',
    level: 'must',
    title: 'processes an id once, even if it comes five times at the same moment',
    why: 'Between looking up an id and storing it, another worker can look up the same id. Only a unique column, written in the same transaction, is safe.',
    examine: duplicateBurst,
  },
  {
    id: 'out-of-order',
    level: 'must',
    title: 'reaches the same state when events come in another order',
    why: 'A failed attempt does not hold back later events: its retry comes after them. The last event to arrive is not always the latest.',
    examine: outOfOrder,
  },
  {
    id: 'unknown-type',
    level: 'must',
    title: 'accepts event types that it does not know',
    why: 'The service may add event types. An endpoint that fails on them is retried, and disabled in the end.',
    async examine(trial, exam) {
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
    },
  },
  {
    id: 'unknown-field',
    level: 'must',
    title: 'accepts fields that it does not know',
    why: 'The service may add fields at any time. A strict schema turns that into an outage.',
    async examine(trial, exam) {
      const event = await exam.next();
      const { data, ...rest } = JSON.parse(event.body) as LayawayEvent;
      const body = JSON.stringify({
        ...{ ...rest, api_version: '2027-01-01', related: { ids: ['x', 1, null] } },
        data: { ...data, loyalty: { tier: 3 }, tags: [] },
      });
      await trial.accept(letterOf(exam, { ...event, body }, { what: `${event.type} with new fields` }));
    },
  },
  {
    id: 'large',
    level: 'must',
    title: 'accepts the largest event that the service sends',
    why: 'The metadata of an order can have 50 keys with 500 characters each: over 100 kB, more than some frameworks accept by default. A name can have 255 characters.',
    async examine(trial, exam) {
      const metadata = Object.fromEntries(
        Array.from({ length: 50 }, (_, n) => [`${'𝒌'.repeat(38)}${String(n).padStart(2, '0')}`, '𝒗'.repeat(500)]),
      );
      const customer_name = 'Zoë '.repeat(64).trim();
      const order = await exam.orders.contract({ status: 'completed', metadata, customer_name });
      await trial.play(order, CHECKOUT_EVENTS);
      await refuseIgnored(trial, exam, order, CHECKOUT_EVENTS);
    },
  },
  {
    id: 'unicode',
    level: 'must',
    title: 'accepts any text',
    why: 'Names, references and metadata come from people. The signature is over UTF-8 bytes; a receiver that decodes them as another encoding verifies other bytes.',
    async examine(trial, exam) {
      const metadata = Object.fromEntries(oddText.map((text, n) => [`k${n} ${text.slice(0, 8).trim()}`, text]));
      const order = await exam.orders.contract({
        ...{ status: 'completed', metadata, label: ' Ünïcode ✓ 漢字 🛍️' },
        customer_name: `Zoë "Zo" O'Neill-Ångström 李小龍 🎁`,
      });
      await trial.play(order, CHECKOUT_EVENTS);
      await refuseIgnored(trial, exam, order, CHECKOUT_EVENTS);
    },
  },
  {
    id: 'burst',
    level: 'must',
    title: 'accepts 100 events, eight at a time',
    why: 'Many plans fall due at the same midnight. A receiver that fails under a small burst fails when it matters most.',
    async examine(trial, exam) {
      const burst = await exam.burst();
      for (const sent of burst.sent) trial.judge(sent, isAccepted(sent), 'must be 2xx');
      return afterBurst(trial, exam, burst);
    },
  },
  {
    id: 'acknowledges',
    level: 'must',
    title: 'responds to 95 of the 100 events of burst within 5 s',
    why: 'The service waits 15 s and then counts the attempt as failed. A receiver that takes 5 s reaches that limit as soon as its database is slow.',
    async examine(trial, exam) {
      await within(trial, exam, 5_000);
    },
  },
  {
    id: 'acknowledges-soon',
    level: 'should',
    title: 'responds to 95 of the 100 events of burst within 1 s',
    why: 'A response confirms that the event arrived, not that all work is done. Store the event, respond, and do the work afterwards.',
    async examine(trial, exam) {
      if (!(await within(createTrial(exam), exam, 5_000))) return skipped('`acknowledges` failed');
      await within(trial, exam, 1_000);
    },
  },
  {
    id: 'no-redirect',
    level: 'must',
    title: 'responds directly instead of redirecting',
    why: 'The service does not follow redirects: each one is a failed attempt. The usual cause is a missing slash at the end, http in place of https, or a login page.',
    async examine(trial, exam) {
      const own = await exam.receiver.send(letterOf(exam, await exam.next()));
      for (const sent of [own, ...exam.receiver.redirects]) {
        const isItself = sent.location === null && sent.answered.status !== null;
        trial.judge(
          sent,
          isItself,
          sent.location === null ? 'must respond' : `to ${sent.location || 'nowhere'}; must not redirect`,
        );
      }
    },
  },
  {
    id: 'retry-after-outage',
    level: 'must',
    title: 'processes an event that it refused before, days later',
    why: 'After an outage, events come again with their old id and a new signature. A receiver that records an id before it has verified and processed the event loses such events.',
    examine: retryAfterOutage,
  },
  {
    id: 'live-refused',
    level: 'must',
    title: 'refuses a live event at a sandbox endpoint',
    why: 'Sandbox and live mode have separate secrets. A test system that accepts live events changes real orders, and vice versa.',
    async examine(trial, exam) {
      if (exam.mode === 'live') return skipped('this endpoint is in live mode');
      const event = exam.orders.again(await exam.likeness(), (known) => ({ ...known, livemode: true }));
      await trial.refuse(letterOf(exam, event, { what: 'signed with a live secret', secrets: [exam.liveSecret] }));
    },
  },
  {
    id: 'get-harmless',
    level: 'should',
    title: 'does not return 2xx for a GET',
    why: 'Crawlers, link previews and health checks send GETs. A 2xx makes a wrong route look healthy.',
    async examine(trial, exam) {
      // A GET that is not answered does no harm, but one that was not sent shows nothing.
      const unsent = exam.receiver.whyUnsent();
      if (unsent) return skipped(unsent);
      const sent = await exam.receiver.get();
      trial.judge(sent, !isAccepted(sent), 'must not be 2xx');
    },
  },
];

/** Whether 95% of the answers to the burst came in time. If not, each late answer is a problem. */
async function within(trial: Trial, exam: Exam, limitMs: number): Promise<boolean> {
  const { sent } = await exam.burst();
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

/** The tolerance is five minutes. 30 s and 330 s leave room for clocks that differ. */
async function tolerance(trial: Trial, exam: Exam, sign: -1 | 1): Promise<undefined> {
  const side = sign < 0 ? 'old' : 'ahead';
  const far = { what: `signed now, 330 s ${side}`, awaySeconds: sign * 330 };
  await trial.refuse(letterOf(exam, await exam.likeness(), far));
  const near = { what: `signed now, 30 s ${side}`, awaySeconds: sign * 30 };
  await trial.accept(letterOf(exam, await exam.next(), near));
}
