import { createSimulator, type Shop, type Simulator, type SimulatorOptions } from '../../src/index.ts';
import type { Destination } from '../../src/library/levers/clock.ts';
import { CUSTOMER, expectData, leversOf } from '../support/shop.ts';

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests state what they expect of it
  readonly body: any;
}

/** One account of a real simulator, spoken to through its routes. */
export interface Till {
  readonly sim: Simulator;
  readonly shop: Shop;
  send(method: 'GET' | 'POST' | 'PUT' | 'PATCH', url: string, payload?: object): Promise<Answer>;
  /** `send`, for what must succeed: its `data`. */
  // biome-ignore lint/suspicious/noExplicitAny: tests state what they expect of it
  ask(method: 'GET' | 'POST' | 'PUT' | 'PATCH', url: string, payload?: object): Promise<any>;
  /** A new session's token. */
  open(fields?: object): Promise<string>;
  /** A session whose plan was accepted: its token and its contract's reference. */
  accepted(): Promise<{ id: string; reference: string }>;
  /** The same, paid. */
  active(): Promise<{ id: string; reference: string }>;
  arrange(reference: string, ...outcomes: ('pay' | 'fail')[]): Promise<void>;
  advance(destination: Destination): Promise<{ now: string; happened: readonly { type: string; subject: string }[] }>;
  /** Types and subjects of the account's events, oldest first. */
  events(): Promise<[type: string, subject: string][]>;
  /** Templates and recipients of its emails, oldest first. */
  emails(): Promise<[template: string, to: string][]>;
}

export const START = '2026-01-01T00:00:00.000000Z';
const ORDER = { order_reference: 'A-1', total_amount: 12_345 };

export async function openTill(options: SimulatorOptions = {}): Promise<Till> {
  const sim = await createSimulator({ seed: 1, clock: { frozenAt: START }, rateLimit: 'off', ...options });
  return tillOf(sim, sim.default);
}

export function tillOf(sim: Simulator, shop: Shop): Till {
  const { call, levers } = leversOf(sim, shop);
  const { sessions, contracts, clock, events, emails } = levers;
  const till: Till = {
    sim,
    shop,
    async send(method, url, payload) {
      const { status, body } = await call(method, url, payload);
      return { status, body };
    },
    async ask(method, url, payload) {
      const answer = await call(method, url, payload);
      return expectData(answer, answer.status < 300 ? answer.status : 200);
    },
    open: async (fields = {}) => (await sessions.create({ ...ORDER, ...fields })).id,
    async accepted() {
      const id = await till.open();
      return { id, reference: (await sessions.accept(id, CUSTOMER)).reference };
    },
    async active() {
      const both = await till.accepted();
      await sessions.pay(both.id);
      return both;
    },
    arrange: async (reference, ...outcomes) => void (await contracts.outcomes(reference, outcomes)),
    advance: (destination) => clock.advance(destination),
    events: async () =>
      (await events.list({ limit: 1000 }))
        .toReversed()
        // biome-ignore lint/suspicious/noExplicitAny: the body of any event
        .map(({ type, data }: any) => [type, data.reference ?? data.id]),
    emails: async () => (await emails.list({ limit: 1000 })).toReversed().map(({ template, to }) => [template, to]),
  };
  return till;
}
