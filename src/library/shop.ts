import { type Ask, data, query, v1Client } from './client.ts';
import type {
  Advanced,
  ApiKey,
  CheckoutSession,
  ClockState,
  Contract,
  ContractStatus,
  ContractUpdate,
  Delivery,
  Email,
  EventType,
  Forecast,
  LayawayEvent,
  ListOptions,
  Outcome,
  PaymentAttempt,
  RequestRecord,
  Scope,
  SessionCreate,
  Settings,
  WebhookEndpoint,
} from './wire.ts';

/** Where to: a duration (`14d`), or exactly one of by, to, next and until. */
export type Destination =
  | string
  | { readonly by: string }
  | { readonly to: string }
  | { readonly next: true }
  | { readonly until: string };

export interface Customer {
  readonly customer_name?: string;
  readonly customer_email?: string;
}

/** How long a wait may take in real time. @default 30000 */
export interface Patience {
  readonly timeoutMs?: number;
}

/** Where a tail begins, and what ends it. */
export interface TailOptions {
  /** After this one; without it, after what is there when it is called. */
  readonly after?: string;
  /** An AbortSignal, say: once aborted, no more is waited for. */
  readonly signal?: { readonly aborted: boolean };
}

/** Which requests: to paths that begin so, answered with this status or one of this class. */
export interface RequestFilter {
  readonly path?: string;
  readonly status?: number | `${1 | 2 | 3 | 4 | 5}xx`;
}

/** What a wait looks at again and again; handed in, because real time belongs to one room. */
export interface Waiting {
  now(): number;
  pause(ms: number): Promise<void>;
}

const PAUSE_MS = 20;

export type ShopLevers = ReturnType<typeof shopLevers>;

/** Everything one account can do and have done to it: what the commands do, as methods (interface §4). */
export function shopLevers(ask: Ask, waiting: Waiting) {
  const v1 = v1Client(ask);
  const get = <T>(path: string) => ask<{ data: T }>('GET', path).then(data<T>());
  const post = <T>(path: string, body: object = {}) => ask<{ data: T }>('POST', path, body).then(data<T>());
  const id = encodeURIComponent;

  /** What `look` finds, as soon as it finds something. */
  async function first<T>(what: string, look: () => Promise<T | undefined>, timeoutMs = 30_000): Promise<T> {
    const deadline = waiting.now() + timeoutMs;
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      if (waiting.now() >= deadline) throw new Error(`No ${what} within ${timeoutMs} ms.`);
      await waiting.pause(PAUSE_MS);
    }
  }

  /** What comes after, oldest first, for as long as it is read; from the moment that this is answered on. */
  async function follow<T extends { readonly id: string }>(
    list: (cursor: ListOptions) => Promise<T[]>,
    { after, signal }: TailOptions,
  ): Promise<AsyncIterable<T>> {
    let cursor = after ?? (await list({ limit: 1 }))[0]?.id;
    return (async function* () {
      while (!signal?.aborted) {
        const page = await list(cursor === undefined ? { limit: PAGE } : { limit: PAGE, after: cursor });
        for (const item of cursor === undefined ? page.reverse() : page) {
          cursor = item.id;
          yield item;
        }
        if (page.length < PAGE) await waiting.pause(PAUSE_MS);
      }
    })();
  }

  const listEvents = (options: ListOptions = {}) => get<LayawayEvent[]>(`/_sim/events${query({ ...options })}`);
  const listEmails = (options: ListOptions & { readonly to?: string; readonly reference?: string } = {}) =>
    get<Email[]>(`/_sim/emails${query({ ...options })}`);
  const listRequests = (options: ListOptions & RequestFilter = {}) =>
    get<RequestRecord[]>(`/_sim/requests${query({ ...options })}`);
  const getContract = v1.getContract;

  return {
    v1,
    clock: {
      show: () => get<ClockState>('/_sim/clock'),
      /** Moves the clock forward; answers when everything that fell due is done, webhooks included. */
      advance: (destination: Destination, options: { readonly wait?: boolean } = {}) =>
        post<Advanced>('/_sim/clock/advance', { ...asked(destination), ...options }),
      /** What an advance would do, without doing it. */
      rehearse: (destination: Destination) =>
        post<Advanced>('/_sim/clock/advance', { ...asked(destination), dry_run: true }),
      freeze: () => post<ClockState>('/_sim/clock/freeze'),
      resume: () => post<ClockState>('/_sim/clock/resume'),
      forecast: (until?: string) => get<Forecast>(`/_sim/forecast${query({ until })}`),
    },
    sessions: {
      /** The two URLs default to example.com. */
      create: (
        input: Partial<SessionCreate> & Pick<SessionCreate, 'order_reference' | 'total_amount'>,
        options: { readonly idempotencyKey?: string } = {},
      ) => v1.createSession({ ...EXAMPLE_URLS, ...input }, options),
      get: v1.getSession,
      list: (options: ListOptions = {}) => get<CheckoutSession[]>(`/_sim/sessions${query({ ...options })}`),
      /** A dashboard preview: its contract never appears under `/v1`. */
      preview: (input: Partial<SessionCreate> & Pick<SessionCreate, 'order_reference' | 'total_amount'>) =>
        post<CheckoutSession>('/_sim/sessions', { ...EXAMPLE_URLS, ...input, preview: true }),
      accept: (session: string, customer: Required<Customer>) =>
        post<Contract>(`/_sim/sessions/${id(session)}/accept`, customer),
      pay: (session: string, outcome: Outcome = 'pay') =>
        post<Contract>(`/_sim/sessions/${id(session)}/pay`, { outcome }),
      complete: (session: string, customer: Customer & { readonly outcome?: Outcome } = {}) =>
        post<Contract>(`/_sim/sessions/${id(session)}/complete`, customer),
      cancel: (session: string) => post<CheckoutSession>(`/_sim/sessions/${id(session)}/cancel`),
    },
    contracts: {
      list: (narrow: { readonly status?: ContractStatus; readonly page?: number } = {}) => v1.listContracts(narrow),
      /** Those of every page, newest first. */
      listAll: async (narrow: { readonly status?: ContractStatus } = {}) => {
        const every: Contract[] = [];
        for (let page = 1, last = 1; page <= last; page += 1) {
          const { data: contracts, meta } = await v1.listContracts({ ...narrow, page });
          every.push(...contracts);
          last = meta.last_page;
        }
        return every;
      },
      get: getContract,
      update: (reference: string, changes: ContractUpdate) => v1.updateContract(reference, changes),
      cancel: v1.cancelContract,
      /** Payment attempts, newest first; with `after`, those since, oldest first. */
      attempts: (reference: string, options: ListOptions = {}) =>
        get<PaymentAttempt[]>(`/_sim/contracts/${id(reference)}/attempts${query({ ...options })}`),
      /** Outcomes of the next scheduled attempts; then every one succeeds. */
      outcomes: (reference: string, outcomes: readonly Outcome[]) =>
        ask<{ data: { outcomes: Outcome[] } }>('PUT', `/_sim/contracts/${id(reference)}/outcomes`, { outcomes }).then(
          data<{ outcomes: Outcome[] }>(),
        ),
      /** `number` is the `installment_number`; without it the earliest overdue one. */
      settle: async (reference: string, number?: number) => {
        const chosen = number ?? earliestOverdue(await getContract(reference)) ?? 0;
        return post<Contract>(`/_sim/contracts/${id(reference)}/installments/${chosen}/settle`);
      },
    },
    events: {
      list: listEvents,
      get: (event: string) =>
        get<LayawayEvent & { readonly deliveries: readonly Delivery[] }>(`/_sim/events/${id(event)}`),
      resend: (event: string, to: { readonly endpoint_id?: string; readonly url?: string } = {}) =>
        post<Delivery[]>(`/_sim/events/${id(event)}/resend`, to),
      /** Events as they happen: `for await (const event of await shop.events.tail()) …`, until the loop is left. */
      tail: (options: TailOptions = {}) => follow(listEvents, options),
      /** The latest event of that type, or the next one when there is none yet; with `after`, the first one since. */
      wait: (
        type: EventType,
        {
          timeoutMs,
          after,
          contract,
          session,
        }: Patience & { after?: string; contract?: string; session?: string } = {},
      ) => {
        const concerns = (event: LayawayEvent) =>
          event.type === type &&
          (contract === undefined || event.data.reference === contract) &&
          (session === undefined || event.data.id === session);
        return first(`event ${type}`, finder(listEvents, concerns, after), timeoutMs);
      },
    },
    emails: {
      list: listEmails,
      get: (email: string) => get<Email>(`/_sim/emails/${id(email)}`),
      /** The latest e-mail like this, or the next one when there is none yet; with `after`, the first one since. */
      wait: ({
        timeoutMs,
        after,
        subject,
        ...narrow
      }: Patience & {
        readonly to?: string;
        readonly reference?: string;
        readonly after?: string;
        readonly subject?: RegExp;
      }) =>
        first(
          `e-mail to ${narrow.to ?? 'anyone'}`,
          finder(
            (cursor) => listEmails({ ...narrow, ...cursor }),
            (email) => subject === undefined || email.subject.search(subject) >= 0,
            after,
          ),
          timeoutMs,
        ),
    },
    webhooks: {
      list: (options: ListOptions = {}) => get<WebhookEndpoint[]>(`/_sim/webhook-endpoints${query({ ...options })}`),
      add: (url: string, options: { readonly events?: readonly (EventType | '*')[]; readonly secret?: string } = {}) =>
        post<WebhookEndpoint>('/_sim/webhook-endpoints', { url, ...options }),
      enable: (endpoint: string) => change(endpoint, { enabled: true }),
      disable: (endpoint: string) => change(endpoint, { enabled: false }),
      remove: (endpoint: string) => ask<null>('DELETE', `/_sim/webhook-endpoints/${id(endpoint)}`),
      rotate: (endpoint: string) => post<WebhookEndpoint>(`/_sim/webhook-endpoints/${id(endpoint)}/rotate`),
      test: (endpoint: string) => post<Delivery>(`/_sim/webhook-endpoints/${id(endpoint)}/test`),
      deliveries: (
        options: ListOptions & {
          readonly status?: Delivery['status'];
          readonly event_id?: string;
          readonly endpoint_id?: string;
        } = {},
      ) => get<Delivery[]>(`/_sim/deliveries${query({ ...options })}`),
    },
    requests: {
      /** What hit `/v1` lately: this account's requests, and those that named no account. */
      list: listRequests,
      /** The same as they are answered, until the loop is left. */
      tail: (filter: RequestFilter = {}, options: TailOptions = {}) =>
        follow((cursor) => listRequests({ ...filter, ...cursor }), options),
    },
    settings: {
      get: () => get<Settings>('/_sim/settings'),
      set: (changes: Partial<Settings>) =>
        ask<{ data: Settings }>('PATCH', '/_sim/settings', changes).then(data<Settings>()),
    },
    keys: {
      list: () => get<ApiKey[]>('/_sim/keys'),
      create: (options: { readonly scopes?: readonly Scope[]; readonly name?: string } = {}) =>
        post<ApiKey & { readonly key: string }>('/_sim/keys', options),
      revoke: (key: string) => ask<null>('DELETE', `/_sim/keys/${id(key)}`),
    },
  };

  function change(endpoint: string, changes: object) {
    return ask<{ data: WebhookEndpoint }>('PATCH', `/_sim/webhook-endpoints/${id(endpoint)}`, changes).then(
      data<WebhookEndpoint>(),
    );
  }
}

const EXAMPLE_URLS = { return_url: 'https://example.com/return', cancel_url: 'https://example.com/cancel' };

const asked = (destination: Destination) => (typeof destination === 'string' ? { by: destination } : destination);

const earliestOverdue = (contract: Contract) =>
  contract.installments.find(({ status }) => status === 'past_due' || status === 'delinquent')?.installment_number;

const PAGE = 1000;

/** Looks at what is new since it last looked; the first time, without a cursor, at the latest of what there is. */
function finder<T extends { readonly id: string }>(
  list: (cursor: ListOptions) => Promise<T[]>,
  matches: (item: T) => boolean,
  after: string | undefined,
): () => Promise<T | undefined> {
  let cursor = after;
  return async () => {
    for (;;) {
      const isFirst = cursor === undefined;
      const page = await list(isFirst ? { limit: PAGE } : { limit: PAGE, after: cursor as string });
      const found = page.find(matches);
      if (found) return found;
      cursor = (isFirst ? page[0] : page.at(-1))?.id ?? cursor;
      if (isFirst || page.length < PAGE) return undefined;
    }
  };
}
