import { createSimulator, type Shop, type Simulator, type SimulatorOptions } from '../../src/index.ts';

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
  accepted(fields?: object): Promise<{ id: string; reference: string }>;
  /** The same, paid. */
  active(fields?: object): Promise<{ id: string; reference: string }>;
  arrange(reference: string, ...outcomes: ('pay' | 'fail')[]): Promise<void>;
  advance(destination: object): Promise<{ now: string; happened: readonly { type: string; subject: string }[] }>;
  /** Types and subjects of the account's events, oldest first. */
  events(): Promise<[type: string, subject: string][]>;
  /** Templates and recipients of its e-mails, oldest first. */
  emails(): Promise<[template: string, to: string][]>;
}

export const START = '2026-01-01T00:00:00.000000Z';
export const CUSTOMER = { customer_name: 'Ada Byron', customer_email: 'ada@example.com' };
const ORDER = {
  order_reference: 'A-1',
  total_amount: 12_345,
  return_url: 'https://example.com/return',
  cancel_url: 'https://example.com/cancel',
};

export async function openTill(options: SimulatorOptions = {}): Promise<Till> {
  const sim = await createSimulator({ seed: 1, clock: { frozenAt: START }, rateLimit: 'off', ...options });
  return tillOf(sim, sim.default);
}

export function tillOf(sim: Simulator, shop: Shop): Till {
  const till: Till = {
    sim,
    shop,
    async send(method, url, payload) {
      const response = await sim.inject({ method, url, headers: shop.headers, ...(payload ? { payload } : {}) });
      return { status: response.statusCode, body: response.body === '' ? null : response.json() };
    },
    async ask(method, url, payload) {
      const { status, body } = await till.send(method, url, payload);
      if (status >= 300) throw new Error(`${method} ${url}: ${status} ${JSON.stringify(body)}`);
      return body.data;
    },
    open: async (fields = {}) => (await till.ask('POST', '/v1/sessions', { ...ORDER, ...fields })).id,
    async accepted(fields = {}) {
      const id = await till.open(fields);
      return { id, reference: (await till.ask('POST', `/_sim/sessions/${id}/accept`, CUSTOMER)).reference };
    },
    async active(fields = {}) {
      const both = await till.accepted(fields);
      await till.ask('POST', `/_sim/sessions/${both.id}/pay`);
      return both;
    },
    async arrange(reference, ...outcomes) {
      await till.ask('PUT', `/_sim/contracts/${reference}/outcomes`, { outcomes });
    },
    advance: (destination) => till.ask('POST', '/_sim/clock/advance', destination),
    events: async () =>
      (await till.ask('GET', '/_sim/events?limit=1000'))
        .reverse()
        // biome-ignore lint/suspicious/noExplicitAny: the body of any event
        .map(({ type, data }: any) => [type, data.reference ?? data.id]),
    emails: async () =>
      (await till.ask('GET', '/_sim/emails?limit=1000'))
        .reverse()
        .map(({ template, to }: { template: string; to: string }) => [template, to]),
  };
  return till;
}
