import { ACCOUNT_SETTING_NAMES, ASSUMPTIONS } from '../domain/assumptions.ts';
import { askedOfList, concerning } from '../domain/event.ts';
import { given } from '../domain/given.ts';
import { earliestOverdue } from '../domain/installment.ts';
import type { SessionStatus } from '../domain/session.ts';
import * as clocks from '../operations/clock.ts';
import * as contracts from '../operations/contracts.ts';
import * as covered from '../operations/coverage.ts';
import * as mails from '../operations/emails.ts';
import * as happenings from '../operations/events.ts';
import { explain } from '../operations/explain.ts';
import * as misfortunes from '../operations/faults.ts';
import * as keys from '../operations/keys.ts';
import * as log from '../operations/requests.ts';
import { EXAMPLE_URLS } from '../operations/schemas.ts';
import * as checkouts from '../operations/sessions.ts';
import * as decided from '../operations/settings.ts';
import * as outbox from '../operations/webhooks.ts';
import { FILTER, FLAG, type Form, isText, refuseNonObject, refuseWrong, TEXT } from '../options.ts';
import { type Ask, asker, type Connection, dataOf, v1Client } from './client.ts';
import { LayawayError } from './refused.ts';
import { NO_REPLACEMENTS, ofThisState, pagesSince, type Reader, Replaced, type Replacements } from './since.ts';
import { PAUSE_MS, untilFound, type Waiting } from './wait.ts';
import type {
  ApiKey,
  Contract,
  ContractCreate,
  ContractStatus,
  ContractUpdate,
  CoverageReport,
  Delivery,
  EventType,
  FaultCreate,
  LayawayEvent,
  ListOptions,
  Outcome,
  Scope,
  SessionCreate,
  Settings,
  WebhookEndpoint,
} from './wire.ts';

/**
 * Where an advance ends: a duration (`14d`), or exactly one of `by` (a duration), `to` (an ISO 8601 instant), `next`
 * (the next thing due) and `until` (a condition, such as `LAY-…#2=past_due`).
 */
export type Destination = string | OneOf<{ by: string; to: string; next: true; until: string }>;

/** Exactly one of these. */
type OneOf<Options> = {
  [Name in keyof Options]: Readonly<Pick<Options, Name> & { [Other in Exclude<keyof Options, Name>]?: never }>;
}[keyof Options];

export interface Customer {
  readonly customer_name?: string;
  readonly customer_email?: string;
}

/** Whether the call waits until the webhooks that are due have been attempted. @default false; for `advance`, true */
export interface Waits {
  readonly wait?: boolean;
}

/** How long a wait may take in real time. @default 30000 */
export interface Patience {
  readonly timeoutMs?: number;
}

const WAITS: Readonly<Record<keyof Waits, Form>> = { wait: FLAG };
const PATIENCE: Readonly<Record<keyof Patience, Form>> = {
  timeoutMs: {
    what: 'a number of milliseconds of at least 0',
    is: (value) => typeof value === 'number' && value >= 0,
  },
};

const SOUGHT_EMAIL: Readonly<Record<string, Form>> = {
  to: FILTER,
  reference: FILTER,
  after: FILTER,
  subject: { what: 'a regular expression', is: (value) => Object.prototype.toString.call(value) === '[object RegExp]' },
};

/** Where a tail begins and ends. */
export interface TailOptions {
  /** Begins after this id; by default, after the newest item at the time of the call. */
  readonly after?: string;
  /** Ends the tail once it is aborted, such as an AbortSignal. */
  readonly signal?: { readonly aborted: boolean };
}

const TAIL: Readonly<Record<keyof TailOptions, Form>> = {
  after: TEXT,
  signal: { what: 'an AbortSignal', is: (value) => typeof (value as TailOptions['signal'])?.aborted === 'boolean' },
};

/** Requests whose path begins with `path` and whose status is `status` or of that class. */
export interface RequestFilter {
  readonly path?: string;
  readonly status?: number | `${1 | 2 | 3 | 4 | 5}xx`;
}

/** What the store has met, and what it does wrong (interface §9). `clear()` deletes it. */
function coverageLever(ask: Ask): (() => Promise<CoverageReport>) & { clear(): Promise<null> } {
  const read = () => ask(covered.getCoverage).then(dataOf);
  return Object.assign(read, { clear: () => ask(covered.clearCoverage).then(() => null) });
}

export type ShopLevers = ReturnType<typeof shopLevers>;

/**
 * The levers of one account: what the commands do, as methods (interface §4). They resolve with the `data` of the
 * answer, `contracts.list` with the whole page, and throw LayawayError for a refusal. Amounts are cents.
 */
export function shopLevers(connection: Connection, waiting: Waiting, replacements = NO_REPLACEMENTS) {
  const ask = asker(connection);
  const v1 = v1Client(connection);
  /** Repeats `look` until it finds something; throws after `timeoutMs`, with what there is instead. */
  async function first<T>(
    what: string,
    look: () => Promise<T | undefined>,
    timeoutMs = 30_000,
    instead: () => Promise<string> = async () => '',
  ): Promise<T> {
    const found = await untilFound(waiting, look, timeoutMs);
    if (found === undefined) throw new Error(`No ${what} within ${timeoutMs} ms.${await instead()}`);
    return found;
  }

  /**
   * Resolves when the place to begin is known, then yields later items, oldest first, until the reader stops. After a
   * reset or a restore, it goes on with what is new in the new state.
   */
  async function follow<T extends { readonly id: string }>(
    list: Reader<T>,
    options: TailOptions,
    state: Replacements,
  ): Promise<AsyncIterable<T>> {
    refuseWrong(options, TAIL, 'tail');
    const { after, signal } = options;
    let read = ofThisState(list, state);
    let cursor = after ?? (await list({ limit: 1 }))[0]?.id;
    return (async function* () {
      let isFound = after === undefined;
      while (!signal?.aborted) {
        try {
          for await (const page of pagesSince(read, cursor)) {
            for (const item of page) {
              cursor = item.id;
              yield item;
            }
          }
          isFound = true;
        } catch (error) {
          if (error instanceof Replaced) {
            read = ofThisState(list, state);
            cursor = state.lastEvent();
          } else if (isFound && cursor !== undefined && isDiscarded(error)) cursor = undefined;
          else throw error;
        }
        await waiting.pause(PAUSE_MS);
      }
    })();
  }

  const listEvents = (
    query: ListOptions & { readonly type?: EventType; readonly contract?: string; readonly session?: string } = {},
  ): Promise<readonly LayawayEvent[]> => ask(happenings.listEvents, { query }).then(dataOf);
  const listEmails = (query: ListOptions & { readonly to?: string; readonly reference?: string } = {}) =>
    ask(mails.listEmails, { query }).then(dataOf);
  /** The latest e-mail like this, otherwise the latest one. */
  async function latestEmail(narrow: { readonly to?: string; readonly reference?: string }): Promise<string> {
    const [email] = [...(await listEmails({ ...narrow, limit: 1 })), ...(await listEmails({ limit: 1 }))];
    if (!email) return ' There is no e-mail yet.';
    const about = email.reference === null ? '' : ` about ${email.reference}`;
    return ` The latest is to ${email.to}${about}: "${email.subject}".`;
  }
  const listRequests = ({ status, ...query }: ListOptions & RequestFilter = {}) =>
    ask(log.listRequests, { query: { ...query, ...(status === undefined ? {} : { status: String(status) }) } }).then(
      dataOf,
    );
  const getContract = v1.getContract;

  const logs = {
    /** Recent requests to `/v1`: those of this account, and refused ones that named its client id. */
    list: listRequests,
    get: (id: string) => ask(log.getRequest, { params: { id } }).then(dataOf),
    /** The same requests as they are answered: `for await (const request of await shop.logs.tail()) …`. */
    tail: (filter: RequestFilter = {}, options: TailOptions = {}) =>
      // A reset or a restore keeps the requests.
      follow((cursor) => listRequests({ ...filter, ...cursor }), options, NO_REPLACEMENTS),
  };
  const setAssumptions = (changes: Partial<Settings>) => ask(decided.updateSettings, { body: changes }).then(dataOf);
  /**
   * Settings of the account and its merchant. `ASSUMPTIONS` has their defaults, `sim.platform` those of the platform.
   */
  const assumptions = {
    get: () => ask(decided.getSettings).then(dataOf),
    set: setAssumptions,
    /** Returns one value, or every value of the account, to its default. */
    reset: (name?: keyof Settings) =>
      setAssumptions(
        Object.fromEntries(
          // The server refuses an unknown name.
          (name === undefined ? ACCOUNT_SETTING_NAMES : [name]).map((each) => [
            each,
            ASSUMPTIONS[each]?.default ?? null,
          ]),
        ) as Partial<Settings>,
      ),
  };

  const waitQuery = (wait = false) => (wait ? { wait: 'true' as const } : {});
  /** For operations without a `wait` parameter: an advance by 0 s waits until the due webhooks have been attempted. */
  const afterWebhooks =
    (wait = false) =>
    async <T>(answer: T): Promise<T> => {
      if (wait) await ask(clocks.advanceClock, { body: { by: '0s' } });
      return answer;
    };

  return {
    v1,
    clock: {
      show: () => ask(clocks.getClock).then(dataOf),
      /**
       * Moves the clock forward. Resolves when everything that fell due is done, including webhook attempts unless
       * `wait` is false. With `dryRun`, resolves with what would happen and changes nothing.
       */
      advance: async (destination: Destination, options: Waits & { readonly dryRun?: boolean } = {}) => {
        refuseWrong(options, { ...WAITS, dryRun: FLAG }, 'clock.advance');
        const { wait, dryRun } = options;
        return ask(clocks.advanceClock, {
          body: { ...asked(destination), ...given({ wait, dry_run: dryRun }) },
        }).then(dataOf);
      },
      /** @deprecated Use `advance(destination, { dryRun: true })`. Removed in 0.2. */
      rehearse: (destination: Destination) =>
        ask(clocks.advanceClock, { body: { ...asked(destination), dry_run: true } }).then(dataOf),
      /** The progress of the advance under way, whoever started it; null when there is none. */
      progress: () => ask(clocks.getAdvance).then(dataOf),
      /** Stops the advance under way, whose own call then throws, and resolves with its progress; null without one. */
      stop: () => ask(clocks.stopAdvance).then(dataOf),
      freeze: async (options: Waits = {}) => {
        refuseWrong(options, WAITS, 'clock.freeze');
        return ask(clocks.freezeClock).then(dataOf).then(afterWebhooks(options.wait));
      },
      resume: () => ask(clocks.resumeClock).then(dataOf),
      /** What will happen if nobody acts, up to an ISO 8601 instant or as far as anything is due. */
      forecast: (until?: string) =>
        ask(clocks.getForecast, { query: until === undefined ? {} : { until } }).then(dataOf),
    },
    sessions: {
      /** Opens a session. The two URLs default to pages on example.com. */
      create: (
        input: Partial<SessionCreate> & Pick<SessionCreate, 'order_reference' | 'total_amount'>,
        options: { readonly idempotencyKey?: string } = {},
      ) => v1.createSession({ ...EXAMPLE_URLS, ...input }, options),
      get: v1.getSession,
      list: (query: ListOptions & { readonly status?: SessionStatus; readonly order_reference?: string } = {}) =>
        ask(checkouts.listSessions, { query }).then(dataOf),
      /** A dashboard preview: its contract never appears under `/v1`. */
      preview: (input: Partial<SessionCreate> & Pick<SessionCreate, 'order_reference' | 'total_amount'>) =>
        ask(checkouts.previewSession, { body: { ...EXAMPLE_URLS, ...input, preview: true } }).then(dataOf),
      /** Accepts the plan as the customer. `customer_email` defaults to that of the session. */
      accept: async (id: string, options: Customer & Required<Pick<Customer, 'customer_name'>> & Waits) => {
        refuseNonObject(options, 'sessions.accept');
        const { wait, ...body } = options;
        return ask(checkouts.acceptPlan, { params: { id }, query: waitQuery(wait), body }).then(dataOf);
      },
      /** Pays the Cart Capture as the customer; `fail` declines it. */
      pay: async (id: string, how: Outcome | (Waits & { readonly outcome?: Outcome }) = 'pay') => {
        const options = isText(how) ? { outcome: how } : how;
        refuseWrong(options, { ...WAITS, outcome: TEXT }, 'sessions.pay');
        const { wait, outcome = 'pay' } = options;
        return ask(checkouts.payCartCapture, { params: { id }, query: waitQuery(wait), body: { outcome } }).then(
          dataOf,
        );
      },
      /** Accepts the plan, unless it is accepted already, and pays. */
      complete: async (id: string, options: Customer & Waits & { readonly outcome?: Outcome } = {}) => {
        refuseNonObject(options, 'sessions.complete');
        const { wait, ...body } = options;
        return ask(checkouts.completeCheckout, { params: { id }, query: waitQuery(wait), body }).then(dataOf);
      },
      cancel: async (id: string, options: Waits = {}) => {
        refuseWrong(options, WAITS, 'sessions.cancel');
        return ask(checkouts.cancelCheckout, { params: { id }, query: waitQuery(options.wait) }).then(dataOf);
      },
    },
    contracts: {
      /** A contract in any state, with the history that led there. */
      create: (wanted: ContractCreate = {}) => ask(contracts.createContract, { body: wanted }).then(dataOf),
      list: (narrow: { readonly status?: ContractStatus; readonly page?: number } = {}) => v1.listContracts(narrow),
      /** A scenario (interface §5) that repeats the story of the contract and expects what happened. */
      scenario: (reference: string): Promise<object> =>
        ask(contracts.exportScenario, { params: { reference } }).then(dataOf),
      /** The contracts of every page, newest first, each once. */
      listAll: async (narrow: { readonly status?: ContractStatus } = {}) => {
        const every = new Map<string, Contract>();
        for (let page = 1, last = 1; page <= last; page += 1) {
          const { data: contracts, meta } = await v1.listContracts({ ...narrow, page });
          // A contract that is made meanwhile moves others to the next page.
          for (const contract of contracts) every.set(contract.reference, contract);
          last = meta.last_page;
        }
        return [...every.values()];
      },
      /** By order reference, status or overdue installment, newest first. */
      find: async (
        options: ListOptions & {
          readonly status?: ContractStatus;
          readonly order_reference?: string;
          readonly overdue?: boolean;
        } = {},
      ) => {
        refuseNonObject(options, 'contracts.find');
        const { overdue, ...query } = options;
        refuseWrong({ overdue }, { overdue: FLAG }, 'contracts.find');
        const narrow = overdue ? { overdue: 'true' as const } : {};
        return ask(contracts.findContracts, { query: { ...query, ...narrow } }).then(dataOf);
      },
      get: getContract,
      update: (reference: string, changes: ContractUpdate) => v1.updateContract(reference, changes),
      cancel: async (reference: string, options: Waits = {}) => {
        refuseWrong(options, WAITS, 'contracts.cancel');
        return v1.cancelContract(reference).then(afterWebhooks(options.wait));
      },
      /** Payment attempts, newest first; with `after`, those since, oldest first. */
      attempts: (reference: string, query: ListOptions = {}) =>
        ask(contracts.listAttempts, { params: { reference }, query }).then(dataOf),
      /** Sets the outcomes of the next collection attempts. Later attempts succeed. */
      outcomes: (reference: string, outcomes: readonly Outcome[]) =>
        ask(contracts.arrangeOutcomes, { params: { reference }, body: { outcomes } }).then(dataOf),
      /** The arranged outcomes that are still to come. */
      arranged: (reference: string) => ask(contracts.getOutcomes, { params: { reference } }).then(dataOf),
      /** Settles an installment by its `installment_number`, by default the earliest overdue one. */
      settle: async (reference: string, which?: number | null | Waits, waits: Waits = {}) => {
        const [number, options] = typeof which === 'object' && which !== null ? [null, which] : [which, waits];
        refuseWrong(options, WAITS, 'contracts.settle');
        const chosen = number ?? earliestOverdue((await getContract(reference)).installments)?.installment_number ?? 0;
        const params = { reference, number: String(chosen) };
        return ask(contracts.settleInstallment, { params, query: waitQuery(options.wait) }).then(dataOf);
      },
    },
    events: {
      list: listEvents,
      get: (id: string) => ask(happenings.getEvent, { params: { id } }).then(dataOf),
      resend: (id: string, to: { readonly endpoint_id?: string; readonly url?: string } = {}) =>
        ask(happenings.resendEvent, { params: { id }, body: to }).then(dataOf),
      /** Events as they happen: `for await (const event of await shop.events.tail()) …`. */
      tail: (options: TailOptions = {}) => follow(listEvents, options, replacements),
      /**
       * The latest event of that type, or the next one when there is none yet; with `after`, the first one since.
       * @throws Error when none comes within `timeoutMs`
       * @throws LayawayError (422) at once for a type that no event has
       */
      wait: async <Type extends EventType>(
        type: Type,
        options: Patience & { after?: string; contract?: string; session?: string } = {},
      ) => {
        if (!isText(type)) throw new TypeError('events.wait needs the type of an event, such as session.completed.');
        refuseWrong(options, { ...PATIENCE, after: FILTER, contract: FILTER, session: FILTER }, 'events.wait');
        const { timeoutMs, after, contract, session } = options;
        return first(
          `event ${[type, contract, session].filter((part) => part !== undefined).join(' of ')}`,
          finder<LayawayEvent>(
            (cursor) => listEvents({ type, ...askedOfList({ type, session }), ...cursor }),
            listEvents,
            concerning({ type, contract, session }),
            after,
            replacements,
          ),
          timeoutMs,
        ) as Promise<LayawayEvent<Type>>;
      },
    },
    emails: {
      list: listEmails,
      get: (id: string) => ask(mails.getEmail, { params: { id } }).then(dataOf),
      /**
       * The latest e-mail like this, or the next one when there is none yet; with `after`, the first one since.
       * @throws Error when none comes within `timeoutMs`
       */
      wait: async (
        options: Patience & {
          readonly to?: string;
          readonly reference?: string;
          readonly after?: string;
          readonly subject?: RegExp;
        } = {},
      ) => {
        refuseWrong(options, { ...PATIENCE, ...SOUGHT_EMAIL }, 'emails.wait');
        const { timeoutMs, after, subject, ...narrow } = options;
        const sought = [
          `to ${narrow.to ?? 'anyone'}`,
          ...(narrow.reference === undefined ? [] : [`about ${narrow.reference}`]),
          ...(subject === undefined ? [] : [`with a subject like ${subject}`]),
        ];
        return first(
          `e-mail ${sought.join(' ')}`,
          finder(
            (cursor) => listEmails({ ...narrow, ...cursor }),
            listEmails,
            (email) => subject === undefined || email.subject.search(subject) >= 0,
            after,
            replacements,
          ),
          timeoutMs,
          () => latestEmail(narrow),
        );
      },
    },
    webhooks: {
      list: (query: ListOptions = {}) => ask(outbox.listWebhookEndpoints, { query }).then(dataOf),
      add: (url: string, options: { readonly events?: readonly (EventType | '*')[]; readonly secret?: string } = {}) =>
        ask(outbox.createWebhookEndpoint, { body: { url, ...options } }).then(withSecret),
      enable: (id: string) => change(id, { enabled: true }),
      disable: (id: string) => change(id, { enabled: false }),
      remove: (id: string) => ask(outbox.deleteWebhookEndpoint, { params: { id } }).then(() => null),
      /** The endpoint with its secret. */
      secret: (id: string) => ask(outbox.readWebhookSecret, { params: { id } }).then(withSecret),
      rotate: (id: string) => ask(outbox.rotateWebhookSecret, { params: { id } }).then(withSecret),
      /** Sends `webhook.test`. A forged one is signed with another secret, so the receiver has to refuse it. */
      test: async (id: string, options: { readonly forged?: boolean } = {}) => {
        refuseWrong(options, { forged: FLAG }, 'webhooks.test');
        const body = options.forged ? { body: { forged: true } } : {};
        return ask(outbox.testWebhookEndpoint, { params: { id }, ...body }).then(dataOf);
      },
      deliveries: (
        query: ListOptions & {
          readonly status?: Delivery['status'];
          readonly event_id?: string;
          readonly endpoint_id?: string;
        } = {},
      ) => ask(outbox.listDeliveries, { query }).then(dataOf),
      delivery: (id: string) => ask(outbox.getDelivery, { params: { id } }).then(dataOf),
    },
    /** Faults that requests and deliveries of the account meet (interface §7). */
    faults: {
      add: (fault: FaultCreate) => ask(misfortunes.addFault, { body: fault }).then(dataOf),
      /** In the order in which they strike, with how often each struck. */
      list: (query: ListOptions = {}) => ask(misfortunes.listFaults, { query }).then(dataOf),
      remove: (id: string) => ask(misfortunes.removeFault, { params: { id } }).then(() => null),
      clear: () => ask(misfortunes.clearFaults).then(() => null),
    },
    coverage: coverageLever(ask),
    logs,
    /**
     * The causes of the state of a session, contract, installment (`LAY-…#2`), event, delivery, e-mail, request,
     * payment attempt or webhook endpoint, and what comes next (interface §11).
     */
    explain: (id: string) => ask(explain, { params: { id } }).then(dataOf),
    /** @deprecated Use `logs`. Removed in 0.2. */
    requests: logs,
    assumptions,
    /** @deprecated Use `assumptions`. Removed in 0.2. */
    settings: assumptions,
    keys: {
      list: (query: ListOptions = {}) => ask(keys.listKeys, { query }).then(dataOf),
      create: (options: { readonly scopes?: readonly Scope[]; readonly name?: string } = {}) =>
        ask(keys.createKey, { body: options }).then(({ data }) => data as ApiKey & { readonly key: string }),
      revoke: (id: string) => ask(keys.revokeKey, { params: { id } }).then(() => null),
    },
  };

  function change(id: string, body: { readonly enabled: boolean }) {
    return ask(outbox.updateWebhookEndpoint, { params: { id }, body }).then(dataOf);
  }
}

/** A new or rotated endpoint, and the one that is asked for, has its secret. */
const withSecret = ({ data }: { readonly data: WebhookEndpoint }) =>
  data as WebhookEndpoint & { readonly secret: string };

const asked = (destination: Destination) => (typeof destination === 'string' ? { by: destination } : destination);

/**
 * Each call looks at the items since the last call. Without `after`, the first call takes the latest match so far. It
 * begins again after a reset or a restore.
 * @param list the items of interest, which may be few among many
 * @param everything all items; the second call continues after the latest of them
 */
function finder<T extends { readonly id: string }>(
  list: Reader<T>,
  everything: Reader<T>,
  matches: (item: T) => boolean,
  after: string | undefined,
  replacements: Replacements,
): () => Promise<T | undefined> {
  let read = ofThisState(list, replacements);
  let cursor = after;
  return async () => {
    const isFirst = cursor === undefined;
    // Read first, so that no item comes in between unseen.
    const latest = isFirst ? (await everything({ limit: 1 }))[0]?.id : undefined;
    try {
      for await (const page of pagesSince(read, cursor)) {
        const found = isFirst ? page.findLast(matches) : page.find(matches);
        if (found) return found;
        cursor = page.at(-1)?.id;
      }
      cursor = latest ?? cursor;
    } catch (error) {
      if (error instanceof Replaced) read = ofThisState(list, replacements);
      else if (cursor === after || !isDiscarded(error)) throw error;
      cursor = after;
    }
    return undefined;
  };
}

/** Whether a list no longer has the item that it was read after. */
const isDiscarded = (error: unknown) => error instanceof LayawayError && error.status === 422;
