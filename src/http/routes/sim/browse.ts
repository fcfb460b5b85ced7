import type { FastifyInstance } from 'fastify';
import { ASSUMPTIONS, type Assumption } from '../../../domain/assumptions.ts';
import { formatInstant } from '../../../domain/calendar.ts';
import { requestCause } from '../../../domain/cause.ts';
import { CONTRACT_STATUSES, type Contract, type ContractStatus } from '../../../domain/contract.ts';
import { type Account, merchantName } from '../../../domain/merchant.ts';
import { MODES } from '../../../domain/mode.ts';
import type { Session } from '../../../domain/session.ts';
import { isDelivered, type LatestAttempt } from '../../../domain/webhook.ts';
import {
  AHEAD_STEPS,
  browseAccounts,
  browseAhead,
  browseAssumptions,
  browseContracts,
  browseCounts,
  browseEndpoints,
  browseRelated,
  browseSessions,
  browseTriage,
  findId,
} from '../../../operations/browse.ts';
import type { TraceDocument } from '../../../trace/file.ts';
import { contractView } from '../../answer/contract-view.ts';
import { deliveryView } from '../../answer/delivery-view.ts';
import { found } from '../../answer/found.ts';
import type { HttpContext } from '../../context.ts';
import type { LoggedRequest } from '../../log/logged-request.ts';
import { serve } from '../../serve.ts';
import { clockView, happeningView } from './clock.ts';
import { emailLine } from './emails.ts';
import { eventLine } from './events.ts';
import { type Identified, identify, whoseIs } from './identified.ts';
import { requestLine } from './requests.ts';
import { createShortForecasts } from './short-forecasts.ts';

const PAGE_SIZE = 50;
/** How many items of each kind the page about one contract shows. */
const RELATED_MAX = 200;
const MERCHANTS_MAX = 200;
/** How many accounts a search finds. */
const FOUND_MAX = 20;
/** Adding up the payments of more contracts than these takes too long. */
const ADDED_MAX = 10_000;
/** The health of endpoints is that of this many deliveries. */
const HEALTH_DELIVERIES = 500;
/** Counting stops here, because counting further takes too long. */
const COUNTED_MAX = 10_000;

/** What the dashboard reads of an account: pages, searches, counts, and everything about one id. */
export function simBrowse(app: FastifyInstance, ctx: HttpContext) {
  const { engine, store, views, clocks, travel, notifier, requestLog } = ctx;
  const seen = contractView(ctx);
  const shortForecasts = createShortForecasts(travel, notifier);

  serve(app, browseContracts, ({ account, query }) => {
    const { contracts, browse } = store.of(account);
    const { status, search, page } = wanted(query);
    const narrow = { status, text: search };
    const found = browse.contracts(narrow, PAGE_SIZE, (page - 1) * PAGE_SIZE);
    const total = search === null && isStored(status) ? contracts.count(status) : null;
    return {
      data: found.map((contract) => seen(account, contract)),
      meta: total === null ? countedMeta(page, browse.contractCount(narrow, COUNTED_MAX + 1)) : exactMeta(page, total),
    };
  });

  serve(app, browseSessions, ({ account, query }) => {
    const { browse } = store.of(account);
    const { status, search, page } = wanted(query);
    const narrow = { status, text: search };
    const now = clocks.now(account.id);
    const found = browse.sessions(narrow, PAGE_SIZE, (page - 1) * PAGE_SIZE);
    return {
      data: found.map((session) => views.session(session, now)),
      meta: countedMeta(page, browse.sessionCount(narrow, COUNTED_MAX + 1)),
    };
  });

  serve(app, browseCounts, ({ account }) => ({
    data: store.of(account).browse.counts(),
  }));

  serve(app, browseTriage, ({ account }) => {
    const triage = store.of(account).browse.triage(clocks.now(account.id), ADDED_MAX);
    return {
      data: {
        overdue: triage.overdue,
        overdue_amount: triage.overdueCents,
        delinquent: triage.delinquent,
        disabled_endpoints: triage.disabledEndpoints,
        failing_deliveries: triage.givenUpDeliveries + triage.retriedDeliveries,
        given_up_deliveries: triage.givenUpDeliveries,
        collected: triage.collectedCents,
        expected: triage.expectedCents,
      },
    };
  });

  serve(app, browseEndpoints, ({ account }) => {
    const { browse, endpoints } = store.of(account);
    const latest = browse.latestAttempts(HEALTH_DELIVERIES);
    return {
      data: endpoints.list().map(({ id, token }) =>
        healthView(
          token,
          latest.filter(({ endpointId }) => endpointId === id),
        ),
      ),
    };
  });

  serve(app, browseAhead, async ({ account, query: { steps = AHEAD_STEPS } }) => {
    const { happened, more } = await shortForecasts.of(account, steps);
    return { data: { now: formatInstant(clocks.now(account.id)), happened: happened.map(happeningView), more } };
  });

  /** Reads everything about the checkout and the contract that an id belongs to. */
  serve(app, browseRelated, ({ account, params: { id } }) => {
    const identified = found(identify(ctx, account, id), 'Id');
    return {
      data: { ...related(account, identified), ahead: engine.foreseeOne(account, identified).map(happeningView) },
    };
  });

  function related(account: Account, { kind, session, contract }: Identified) {
    const { browse, attempts, deliveries } = store.of(account);
    const events = session ? browse.eventsOf(session, RELATED_MAX) : [];
    const emails = contract ? browse.emailsAbout(contract, RELATED_MAX) : [];
    const sent = browse.deliveriesOf(events, RELATED_MAX);
    return {
      kind,
      session: session && views.session(session, clocks.now(account.id)),
      contract: contract && seen(account, contract),
      preview: session?.preview ?? false,
      outcomes: contract?.outcomes ?? [],
      attempts: contract ? attempts.list(contract).map(views.attempt) : [],
      events: events.map(eventLine),
      deliveries: sent.map((delivery) => deliveryView(deliveries, delivery)),
      emails: emails.map(emailLine),
      requests: session ? requestsAbout(account, session, contract) : [],
    };
  }

  function requestsAbout(account: Account, session: Session, contract: Contract | null) {
    const names = contract ? [session.token, contract.reference] : [session.token];
    // An error that was answered instead names no session.
    const opener = store.of(account).story.sessionCause(session);
    const isAbout = ({ number, clientId, path, responseBody }: LoggedRequest) =>
      clientId === account.clientId &&
      (requestCause(number) === opener || names.some((id) => path.includes(id) || isNamed(responseBody, id))) &&
      !store.discarded.has(number);
    return requestLog.list(RELATED_MAX, null, isAbout).map(requestLine);
  }
}

/** What the dashboard reads of the workspace: its accounts, where an id belongs, and the decided values. */
export function simBrowseWorkspace(app: FastifyInstance, ctx: HttpContext) {
  const { store, requestLog, settings, version, opened } = ctx;

  /** Lists the newest merchants, always with the current and the first one, however many a test suite made. */
  serve(app, browseAccounts, ({ request: { headers }, query }) => {
    const merchants = store.merchants.list();
    const { search } = wanted(query);
    if (search !== null) {
      const found = store.accounts.search(search, FOUND_MAX + 1);
      return accountsAnswer(found.slice(0, FOUND_MAX), merchants.length, found.length > FOUND_MAX);
    }
    const seen = store.accounts.find(String(headers['x-layaway-account']))?.merchant.id;
    const shown = merchants.filter(
      ({ id }, place) => place < MERCHANTS_MAX || place === merchants.length - 1 || id === seen,
    );
    const accounts = shown.flatMap(({ id }) => MODES.map((mode) => store.accounts.ofMerchant(id, mode)));
    return accountsAnswer(accounts, merchants.length, shown.length < merchants.length);
  });

  serve(app, findId, ({ params: { id } }) => {
    const account = found(whoseIs(ctx, id), 'Id');
    const { kind, session, contract } = found(identify(ctx, account, id), 'Id');
    return {
      data: {
        kind,
        client_id: account.clientId,
        session: session?.token ?? null,
        contract: contract?.reference ?? null,
      },
    };
  });

  serve(app, browseAssumptions, () => ({
    data: Object.entries(ASSUMPTIONS).map(([name, assumption]: [string, Assumption]) => ({
      name,
      ...assumption,
      ...(name in settings ? { value: settings[name as keyof typeof settings] } : {}),
    })),
  }));

  const accountsAnswer = (accounts: readonly Account[], merchants: number, more: boolean) => ({
    data: accounts.map(accountLine),
    meta: { merchants, more, version, logs_requests: requestLog.isOn, trace: opened && traceLine(opened) },
  });

  function accountLine(account: Account) {
    const { merchant, mode, clientId } = account;
    return {
      client_id: clientId,
      mode,
      merchant: { id: merchant.token, name: merchantName(merchant) },
      clock: clockView(ctx, account),
      contracts: store.of(account).browse.contractCounts(),
    };
  }
}

const traceLine = ({ saved_at, failure }: TraceDocument) => ({
  saved_at,
  what: failure?.what ?? null,
  exit_code: failure?.exit_code ?? null,
  messages: [...(failure?.messages ?? [])],
});

interface PageQuery<Status> {
  readonly status?: Status;
  readonly search?: string;
  readonly page?: number;
}

const wanted = <Status>({ status, search, page = 1 }: PageQuery<Status>) => ({
  status: status ?? null,
  search: search?.trim() || null,
  page,
});

const exactMeta = (page: number, total: number) => ({ page, per_page: PAGE_SIZE, total, more_than_total: false });

/** Of what was counted up to a bound; `more_than_total` says that there are more. */
const countedMeta = (page: number, counted: number) => ({
  page,
  per_page: PAGE_SIZE,
  total: Math.min(counted, COUNTED_MAX),
  more_than_total: counted > COUNTED_MAX,
});

/** Whether contracts are counted by it. */
const isStored = (status: string | null): status is ContractStatus | null =>
  status === null || CONTRACT_STATUSES.some((each) => each === status);

function healthView(id: string, attempts: readonly LatestAttempt[]) {
  const durations = attempts.map(({ durationMs }) => durationMs).sort((a, b) => a - b);
  const last = attempts.reduce<LatestAttempt | null>((a, b) => (a === null || b.id > a.id ? b : a), null);
  return {
    id,
    attempts: attempts.length,
    succeeded: attempts.filter(isDelivered).length,
    median_ms: durations[Math.floor(durations.length / 2)] ?? null,
    last: last && { at: formatInstant(last.at), status_code: last.statusCode, error: last.error },
  };
}

/** Matches the answer about one item, not a list that contains it. */
const isNamed = (body: string | null, id: string) =>
  body !== null && !body.startsWith('{"data":[') && body.includes(id);
