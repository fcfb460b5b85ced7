import { expect } from 'vitest';
import type { Simulator } from '../../src/index.ts';
import type { Destination } from '../../src/library/levers/clock.ts';
import { pagesSince, type Reader } from '../../src/library/since.ts';
import type { Contract } from '../../src/library/wire.ts';
import { CUSTOMER, openShop, order } from './shop.ts';

interface Beginning {
  /** The start of the account's frozen clock. */
  readonly at: string;
  readonly mode?: 'sandbox' | 'live';
  /** The session is a dashboard preview. */
  readonly preview?: boolean;
  readonly settings?: object;
}

/** The current state, and everything recorded since the last look, in order. */
interface Sight {
  readonly session?: string;
  readonly contract?: string;
  /** Statuses by sequence, the Cart Capture first. */
  readonly installments?: string;
  readonly paid?: number;
  readonly remaining?: number;
  /** If absent, no event is expected. */
  readonly events?: readonly string[];
  readonly emails?: readonly string[];
}

export type Journey = Awaited<ReturnType<typeof journey>>;

/**
 * One customer's plan with its own merchant: act, advance the clock, and expect exactly these events, emails and
 * amounts. Events look like `2026-01-15 installment.paid #1 attempt 1`, emails like
 * `2026-01-15 installment_receipt ada@example.com`; midnight is omitted.
 */
export async function journey(sim: Simulator, { at, mode = 'sandbox', preview = false, settings = {} }: Beginning) {
  const made = await openShop(sim, { email: 'shop@example.com', clock: { frozenAt: at }, ...settings });
  const { call, levers } = mode === 'live' ? made.live : made;
  const { headers } = mode === 'live' ? made.shop.live : made.shop;
  const { sessions, contracts, clock } = levers;
  const seen = { event: '', email: '' };
  const own = new Set<string>();
  let token = '';
  let reference = '';
  let shown: Contract | undefined;

  /** Remembers the contract that a step answers with. */
  const after = (contract: Contract) => {
    shown = contract;
    reference = contract.reference;
    own.add(reference);
    return contract;
  };

  const self = {
    call,
    headers,
    id: () => token,
    reference: () => reference,
    async opens(changes: object = {}) {
      const body = order({ customer_email: 'ada@example.com', ...changes });
      token = (await (preview ? sessions.preview(body) : sessions.create(body))).id;
      own.add(token);
      return self;
    },
    accepts: async () => after(await sessions.accept(token, CUSTOMER)),
    pays: async () => after(await sessions.pay(token)),
    declines: async () => after(await sessions.pay(token, 'fail')),
    backsOut: () => sessions.cancel(token),
    /** Goes from an open session to an active contract, and looks at what that records. */
    async buys(changes: object = {}) {
      await self.opens(changes);
      await self.accepts();
      await self.pays();
      await self.looks();
      return self;
    },
    arranges: (...outcomes: ('pay' | 'fail')[]) => contracts.outcomes(reference, outcomes),
    settles: (number: number) => contracts.settle(reference, number),
    isCancelled: () => contracts.cancel(reference),
    sets: (changes: object) => levers.assumptions.set(changes),
    contract: () => contracts.get(reference),

    /** Advances the clock. The answer must list exactly the events recorded meanwhile. */
    async advances(to: string | Exclude<Destination, string>) {
      const asked = typeof to === 'string' ? { to } : to;
      const [before] = await levers.events.list({ limit: 1 });
      const journeyed = await clock.advance(asked);
      const recorded = await since(levers.events.list, before?.id);
      expect(journeyed.happened).toEqual(recorded.map(happeningOf).slice(0, 1000));
      expect(journeyed.happened_count).toBe(recorded.length);
      return journeyed;
    },

    /** Returns what was recorded since the last look. */
    async looks() {
      const events = await since(levers.events.list, seen.event);
      const emails = await since(levers.emails.list, seen.email);
      seen.event = events.at(-1)?.id ?? seen.event;
      seen.email = emails.at(-1)?.id ?? seen.email;
      for (const event of events) expect(event.livemode).toBe(mode === 'live');
      for (const event of events) expect([...own]).toContain(happeningOf(event).subject.split('#', 1)[0]);
      for (const email of emails) expect(email.subject.startsWith('[Sandbox] ')).toBe(mode === 'sandbox');
      return { events, emails };
    },

    async expects({ events = [], emails = [], ...now }: Sight) {
      const news = await self.looks();
      const actual: Record<string, unknown> = {
        events: news.events.map(eventLine),
        emails: news.emails.map(({ created_at, template, to }) => `${moment(created_at)} ${template} ${to}`),
      };
      if (now.session) actual.session = await sessionNow();
      if (reference) {
        const contract = preview ? (shown as Contract) : await self.contract();
        balances(contract);
        actual.contract = contract.status;
        actual.installments = contract.installments.map(({ status }) => status).join(' ');
        actual.paid = contract.paid_amount;
        actual.remaining = contract.remaining_amount;
      }
      expect(actual).toMatchObject({ ...now, events, emails });
      return news;
    },

    /** Every attempt, oldest first, such as `#1.2 fail 4000 2026-01-17`. `cart` is the Cart Capture. */
    async attempts(): Promise<string[]> {
      const attempts = await contracts.attempts(reference);
      const stamp = mode === 'live' ? /^pay_[0-9A-HJKMNP-TV-Z]{26}$/ : /^sim_[0-9A-HJKMNP-TV-Z]{26}$/;
      for (const attempt of attempts) expect(attempt.reference).toMatch(stamp);
      return attempts
        .toReversed()
        .map(({ sequence, number, outcome, amount, late_charge_amount: late, at: instant }) => {
          const name = sequence === 1 ? 'cart' : `#${sequence - 1}`;
          return `${name}.${number} ${outcome} ${amount}${late ? `+${late}` : ''} ${moment(instant)}`;
        });
    },
  };
  return self;

  /** No list shows a preview, and a read does not find it. */
  async function sessionNow() {
    return preview ? (await levers.explain(token)).state : (await sessions.get(token)).status;
  }
}

/** Everything newer than `id`, oldest first. */
// biome-ignore lint/suspicious/noExplicitAny: events or emails
async function since(list: Reader<any>, id: string | undefined): Promise<any[]> {
  const rows = [];
  for await (const page of pagesSince(list, id || undefined)) rows.push(...page);
  return rows;
}

/** decisions §3, "always true, in every status". */
function balances(contract: Contract) {
  const sum = (installments: Contract['installments']) => installments.reduce((cents, { amount }) => cents + amount, 0);
  const { installments } = contract;
  expect(contract.customer_total).toBe(contract.total_amount + contract.reservation_fee_amount);
  expect(sum(installments)).toBe(contract.customer_total);
  expect(contract.paid_amount).toBe(sum(installments.filter(({ status }) => status === 'paid')));
  expect(contract.remaining_amount).toBe(contract.customer_total - contract.paid_amount);
  expect(installments.map(({ sequence }) => sequence)).toEqual(installments.map((_, index) => index + 1));
  const dates = installments.map(({ due_date }) => due_date);
  expect([...new Set(dates)].sort()).toEqual(dates);
  for (const { status, paid_at } of installments) expect(paid_at !== null).toBe(status === 'paid');
}

interface EventBody {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  // biome-ignore lint/suspicious/noExplicitAny: the resource depends on `type`
  readonly data: any;
}

function happeningOf({ id, type, created_at, data }: EventBody) {
  const subject = type.startsWith('installment.')
    ? `${data.reference}#${data.installment.installment_number}`
    : (data.reference ?? data.id);
  return { at: created_at, type, subject: subject as string, event_id: id };
}

function eventLine({ type, created_at, data }: EventBody): string {
  const line = `${moment(created_at)} ${type}`;
  if (!type.startsWith('installment.')) return line;
  const attempt = data.attempt === null ? '' : ` attempt ${data.attempt}`;
  const late = data.late_charge_amount === 0 ? '' : ` late ${data.late_charge_amount}`;
  return `${line} #${data.installment.installment_number}${attempt}${late}`;
}

/** `2026-01-15`, or `2026-01-15T09:00` when it is not midnight. */
export const moment = (instant: string) =>
  instant.replace('.000000Z', 'Z').replace(':00Z', '').replace('T00:00', '').replace(/Z$/, '');
