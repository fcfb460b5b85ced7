import type { FastifyInstance } from 'fastify';
import { formatInstant } from '../../../domain/calendar.ts';
import { leverId } from '../../../domain/cause.ts';
import { aheadOf, attemptsAhead, type Lying } from '../../../domain/explain/ahead.ts';
import { chainOf } from '../../../domain/explain/chain.ts';
import { type EndpointStory, endpointAhead, endpointChain } from '../../../domain/explain/endpoint.ts';
import { answered, toldAnswer, toldKey, toldRequest } from '../../../domain/explain/request.ts';
import {
  DELIVERIES_MAX,
  type Link,
  type Story,
  type ToldDelivery,
  type ToldEmail,
  type ToldRequest,
} from '../../../domain/explain/story.ts';
import { summaryOf, waitingOf } from '../../../domain/explain/summary.ts';
import { parsed } from '../../../domain/json.ts';
import type { Account } from '../../../domain/merchant.ts';
import { Refusal } from '../../../domain/refusal.ts';
import { installmentNumber } from '../../../domain/schedule.ts';
import { effectiveStatus } from '../../../domain/session.ts';
import type { Delivery, Endpoint } from '../../../domain/webhook.ts';
import { suggestion } from '../../../nearest.ts';
import { explain } from '../../../operations/explain.ts';
import { isServicePath, routesLike } from '../../../operations/service.ts';
import type { StoredEvent } from '../../../store/events.ts';
import type { HttpContext } from '../../context.ts';
import { isOfTool } from '../../coverage.ts';
import { maskedHeaders, maskedText } from '../../masked.ts';
import type { LoggedRequest } from '../../request-log.ts';
import { serve } from '../../serve.ts';
import { ownRequest, unlogged } from './requests.ts';
import { type Trace, trace } from './trace.ts';

/** Why something is as it is (interface §11). */
export function simExplain(app: FastifyInstance, ctx: HttpContext) {
  const { engine, store, clocks, outbox, requestLog } = ctx;

  serve(app, explain, ({ account, params }) => {
    const [id = '', number] = params.id.split(/#(.*)/s);
    const traced = trace(ctx, account, id);
    if (!traced) throw unlogged(requestLog, id) ?? ofLever(account, id) ?? new Refusal('not_explained');
    const isInstallment = number !== undefined;
    const ofEndpoint = isInstallment ? null : endpointStoryOf(account, traced, id);
    if (ofEndpoint) {
      const ahead = endpointAhead(ofEndpoint.story, clocks.now(account.id));
      return explained(params.id, stateOf(account, traced, id), ofEndpoint.chain, ahead, null);
    }
    const isThere = isInstallment
      ? traced.kind === 'contract' && installmentOf(account, traced, number)
      : traced.kind !== 'account';
    if (!isThere) throw new Refusal('not_explained');
    const story = storyOf(account, traced, id);
    const told = story.session || story.events.length > 0 || story.emails.length > 0 ? chainOf(story) : [];
    // A request that made nothing, such as a refused one, is in no chain.
    const isTold = told.some((link) => link.id === id);
    const chain = isTold ? told : [...told, ...alone(account, id, story)].toSorted((a, b) => a.at - b.at);
    const subjects = isInstallment ? [params.id] : subjectsOf(traced);
    const happened = engine.foreseeOne(account, traced);
    const sent = story.deliveries.filter(({ delivery }) => traced.kind !== 'delivery' || delivery.token === id);
    const ahead = [...attemptsAhead(sent, clocks.now(account.id)), ...aheadOf(happened, subjects, story)].toSorted(
      (a, b) => a.at - b.at,
    );
    return explained(params.id, stateOf(account, traced, id, number), chain, ahead, waitingOf(story));
  });

  /** What to explain instead of a lever: what it acted on. Null for an id of anything else. */
  function ofLever(account: Account, id: string): Refusal | null {
    const lever = leversOf(account).find((each) => each.id === id);
    if (!lever) return null;
    const subject = Object.values(lever.params).find((param) => trace(ctx, account, param));
    return new Refusal('lever_not_explained', id, lever.operation, subject ?? null);
  }

  /** The story of the endpoint, or of the one that an e-mail is about, unless that one was removed. */
  function endpointStoryOf(account: Account, { kind }: Trace, id: string) {
    const { endpoints, emails } = store.of(account);
    const url = kind === 'email' ? emails.find(id)?.facts.url : undefined;
    for (const endpoint of endpoints.list()) {
      if (endpoint.token !== id && endpoint.url !== url) continue;
      const story = endpointStory(account, endpoint);
      const chain = endpointChain(story);
      if (endpoint.token === id || chain.some((link) => link.id === id)) return { story, chain };
    }
    return null;
  }

  function endpointStory(account: Account, endpoint: Endpoint): EndpointStory {
    const own = store.of(account);
    const filter = { status: null, eventId: null, endpointId: endpoint.id };
    const heard = new Set(outbox.heard(account.id));
    return {
      endpoint: { ...endpoint, url: maskedText(endpoint.url) },
      cause: own.story.endpointCause(endpoint),
      deliveries: own.deliveries
        .list(DELIVERIES_MAX, null, filter)
        .map((delivery) => toldDelivery(account, delivery, heard)),
      emails: own.story.notices().map(toldEmail),
      levers: leversOf(account),
      settings: account.settings,
    };
  }

  const installmentOf = (account: Account, { contract }: Trace, number: string | undefined) =>
    contract &&
    store
      .of(account)
      .installments.list(contract)
      .find((each) => String(each.number) === number);

  function storyOf(account: Account, { session, contract, kind }: Trace, id: string): Story {
    const own = store.of(account);
    const causes = contract ? own.story.attemptCauses(contract) : new Map();
    const events = session ? own.story.events(session) : eventsAlone(account, kind, id);
    const rows = events.map(({ id: row }) => own.events.get(row)).filter((event) => event !== null);
    const email = kind === 'email' && !contract ? own.story.email(id) : null;
    const subject = kind === 'delivery' ? own.deliveries.find(id) : null;
    const heard = new Set(outbox.heard(account.id));
    return {
      session,
      sessionCause: session && own.story.sessionCause(session),
      contract,
      contractCause: contract && own.story.contractCause(contract),
      installments: contract ? own.installments.list(contract) : [],
      attempts: contract
        ? own.attempts.list(contract).map((attempt) => ({ ...attempt, cause: causes.get(attempt.reference) ?? null }))
        : [],
      events,
      emails: contract ? own.story.emails(contract) : email ? [toldEmail(email)] : [],
      deliveries: deliveriesOf(account, rows, subject).map((delivery) => toldDelivery(account, delivery, heard)),
      levers: leversOf(account),
      settings: account.settings,
      request(asked) {
        const request = ownRequest(requestLog, account, asked);
        return request && toldOf(asked, request);
      },
    };
  }

  /** The deliveries of events, newest first up to a limit, and in any case the one that is explained. */
  function deliveriesOf(account: Account, events: readonly StoredEvent[], subject: Delivery | null) {
    const newest = store.of(account).browse.deliveriesOf(events, DELIVERIES_MAX);
    return subject === null || newest.some(({ id }) => id === subject.id) ? newest : [...newest, subject];
  }

  /** An event that belongs to no checkout: a test. */
  function eventsAlone(account: Account, kind: Trace['kind'], id: string) {
    const own = store.of(account);
    const delivery = kind === 'delivery' ? own.deliveries.find(id) : null;
    const event = kind === 'event' ? own.events.find(id) : delivery && own.events.get(delivery.eventId);
    return event ? [own.story.event(event)] : [];
  }

  const leversOf = (account: Account) =>
    store
      .of(account)
      .levers.list()
      .map((lever) => ({ ...lever, id: leverId(lever.number) }));

  const toldEmail = (email: ToldEmail): ToldEmail => ({ ...email, url: email.url && maskedText(email.url) });

  function toldDelivery(account: Account, delivery: Delivery, heard: ReadonlySet<number>): ToldDelivery {
    const { deliveries, story } = store.of(account);
    const { givenUpAt, givenUpReason } = deliveries.namesOf(delivery);
    return {
      delivery: { ...delivery, url: maskedText(delivery.url) },
      cause: story.deliveryCause(delivery),
      isHeard: delivery.endpointId === null || heard.has(delivery.endpointId),
      givenUp: givenUpAt === null ? null : { at: givenUpAt, reason: maskedText(String(givenUpReason)) },
      attempts: deliveries.attempts(delivery),
    };
  }

  function toldOf(id: string, { at: sentAt, method, path, status, fault, requestHeaders }: LoggedRequest): ToldRequest {
    const isByTool = isOfTool({ headers: requestHeaders });
    return { id, sentAt, method, path: maskedText(path), status, fault, isOfTool: isByTool };
  }

  /** A request by itself, with what its answer says. */
  function alone(account: Account, id: string, story: Story): Link[] {
    const request = ownRequest(requestLog, account, id);
    if (!request) return [];
    const known = toldOf(id, request);
    const said = toldRequest(known, id, '');
    const answer = toldAnswer(known, parsed(request.responseBody ?? '', null), story);
    const undone = store.discarded.has(request.number) ? 'A later reset or restore discarded what it did.' : null;
    const at = request.clockAt ?? clocks.now(account.id);
    const because = [said.because, answer && maskedText(answer), keyOf(account, request), routeOf(known), undone]
      .filter((part) => part !== null)
      .join(' ');
    return [{ ...{ sentAt: null, section: null, setting: null, id, kind: 'request', at }, ...said, because }];
  }

  /** What was wrong with the key of a request that was answered 401 (§5 rules 1, 2). */
  function keyOf(account: Account, { number, status, path, fault, requestHeaders, isMasked }: LoggedRequest) {
    if (status !== 401 || fault || !path.startsWith('/v1/') || store.discarded.has(number)) return null;
    const { 'x-api-key': key } = isMasked ? requestHeaders : maskedHeaders(requestHeaders);
    return toldKey(key as string | undefined, account.mode, store.of(account).keys.list());
  }

  /** The route that was meant by a request for one that the service does not have. */
  function routeOf({ method, path, status, fault }: ToldRequest) {
    const [pathname = ''] = path.split('?');
    if (status !== 404 || fault || isServicePath(pathname)) return null;
    const asked = `${method} ${pathname}`;
    return suggestion(asked, routesLike(asked));
  }

  function stateOf(account: Account, { kind, session, contract }: Trace, id: string, number?: string): string {
    const own = store.of(account);
    switch (kind) {
      case 'session':
        return session ? effectiveStatus(session, clocks.now(account.id)) : '';
      case 'contract':
        return (
          (number === undefined
            ? contract?.status
            : installmentOf(account, { kind, session, contract }, number)?.status) ?? ''
        );
      case 'event':
        return `an event of type ${own.events.find(id)?.type}`;
      case 'delivery':
        return own.deliveries.find(id)?.status ?? '';
      case 'endpoint':
        return own.endpoints.find(id)?.enabled ? 'enabled' : 'disabled';
      case 'email':
        return `an e-mail, ${own.emails.find(id)?.template}`;
      case 'payment': {
        const attempt = contract && own.attempts.list(contract).find(({ reference }) => reference === id);
        const of = attempt ? installmentNumber(attempt.sequence) : null;
        return `a payment attempt on ${of === null ? 'the Cart Capture' : `installment ${of}`} with the outcome ${attempt?.outcome}`;
      }
      default: {
        const request = ownRequest(requestLog, account, id);
        return request ? `a request that ${answered(request)}` : '';
      }
    }
  }
}

const explained = (
  subject: string,
  state: string,
  chain: readonly Link[],
  ahead: readonly Lying[],
  waiting: string | null,
) => ({
  data: {
    subject,
    state,
    summary: maskedText(summaryOf(subject, state, chain, ahead, waiting)),
    chain: chain.map(linkView),
    ahead: ahead.map(({ at, ...rest }) => ({ at: formatInstant(at), ...rest })),
  },
});

const subjectsOf = ({ session, contract }: Trace) =>
  [session?.token, contract?.reference].filter((subject) => subject !== undefined);

const linkView = ({ at, sentAt, ...link }: Link) => ({
  at: formatInstant(at),
  sent_at: sentAt === null ? null : formatInstant(sentAt),
  ...link,
});
