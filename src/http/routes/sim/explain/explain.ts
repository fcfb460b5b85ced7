import type { FastifyInstance } from 'fastify';
import { formatInstant, HOUR } from '../../../../domain/calendar.ts';
import { aheadOf, attemptsAhead, type Lying } from '../../../../domain/explain/ahead.ts';
import { chainOf } from '../../../../domain/explain/chain.ts';
import { endpointAhead, endpointChain } from '../../../../domain/explain/endpoint.ts';
import {
  answered,
  decidedBy,
  toldAnswer,
  toldFirstUse,
  toldKey,
  toldRequest,
} from '../../../../domain/explain/request.ts';
import type { Link, Story, ToldRequest } from '../../../../domain/explain/story.ts';
import { summaryOf, waitingOf } from '../../../../domain/explain/summary.ts';
import { parsed } from '../../../../domain/json.ts';
import type { Account } from '../../../../domain/merchant.ts';
import { Refusal } from '../../../../domain/refusal.ts';
import { installmentNumber } from '../../../../domain/schedule.ts';
import { effectiveStatus } from '../../../../domain/session.ts';
import { settingNote } from '../../../../domain/setting-note.ts';
import { suggestion } from '../../../../nearest.ts';
import { explain } from '../../../../operations/explain.ts';
import { isServicePath, routesLike } from '../../../../operations/service.ts';
import { instantOrNull } from '../../../answer/views.ts';
import type { HttpContext } from '../../../context.ts';
import type { LoggedRequest } from '../../../log/logged-request.ts';
import { maskedHeaders, maskedText } from '../../../log/masked.ts';
import { serve } from '../../../serve.ts';
import { type Identified, identify } from '../identified.ts';
import { ownRequest, unlogged } from '../requests.ts';
import { createStories, toldOf } from './stories.ts';

/** Why something is as it is (interface §11). */
export function simExplain(app: FastifyInstance, ctx: HttpContext) {
  const { engine, store, clocks, requestLog } = ctx;
  const stories = createStories(ctx);

  serve(app, explain, ({ account, params }) => {
    const [id = '', number] = params.id.split(/#(.*)/s);
    const identified = identify(ctx, account, id);
    if (!identified) throw unlogged(requestLog, id) ?? ofLever(account, id) ?? new Refusal('not_explained');
    const isInstallment = number !== undefined;
    const ofEndpoint = isInstallment ? null : endpointStoryOf(account, identified, id);
    if (ofEndpoint) {
      const ahead = endpointAhead(ofEndpoint.story, clocks.now(account.id));
      return explained(params.id, stateOf(account, identified, id), ofEndpoint.chain, ahead, null);
    }
    const isThere = isInstallment
      ? identified.kind === 'contract' && installmentOf(account, identified, number)
      : identified.kind !== 'account';
    if (!isThere) throw new Refusal('not_explained');
    const story = stories.ofIdentified(account, identified, id);
    const told = story.session || story.events.length > 0 || story.emails.length > 0 ? chainOf(story) : [];
    // A request that made nothing, such as a refused one, is in no chain.
    const isTold = told.some((link) => link.id === id);
    const chain = isTold ? told : [...told, ...alone(account, id, story)].toSorted((a, b) => a.at - b.at);
    const subjects = isInstallment ? [params.id] : subjectsOf(identified);
    const foreseen = engine.foreseeOne(account, identified);
    const sent = story.deliveries.filter(({ delivery }) => identified.kind !== 'delivery' || delivery.token === id);
    const ahead = [...attemptsAhead(sent, clocks.now(account.id)), ...aheadOf(foreseen, subjects, story)].toSorted(
      (a, b) => a.at - b.at,
    );
    return explained(params.id, stateOf(account, identified, id, number), chain, ahead, waitingOf(story));
  });

  /** What to explain instead of a lever: what it acted on. Null for an id of anything else. */
  function ofLever(account: Account, id: string): Refusal | null {
    const lever = stories.leversOf(account).find((each) => each.id === id);
    if (!lever) return null;
    const subject = Object.values(lever.params).find((param) => identify(ctx, account, param));
    return new Refusal('lever_not_explained', id, lever.operation, subject ?? null);
  }

  /** The story of the endpoint, or of the one that an email is about, unless that one was removed. */
  function endpointStoryOf(account: Account, { kind }: Identified, id: string) {
    const { endpoints, emails } = store.of(account);
    const url = kind === 'email' ? emails.find(id)?.facts.url : undefined;
    for (const endpoint of endpoints.list()) {
      if (endpoint.token !== id && endpoint.url !== url) continue;
      const story = stories.ofEndpoint(account, endpoint);
      const chain = endpointChain(story);
      if (endpoint.token === id || chain.some((link) => link.id === id)) return { story, chain };
    }
    return null;
  }

  const installmentOf = (account: Account, { contract }: Identified, number: string | undefined) =>
    contract &&
    store
      .of(account)
      .installments.list(contract)
      .find((each) => String(each.number) === number);

  /** A request by itself, with what its answer says. */
  function alone(account: Account, id: string, story: Story): Link[] {
    const request = ownRequest(requestLog, account, id);
    if (!request) return [];
    const known = toldOf(id, request);
    const said = toldRequest(known, id, '');
    const body = parsed(request.responseBody ?? '', null);
    const answer = toldAnswer(known, body, story);
    const { section, setting } = decidedBy(known, body, story);
    const undone = store.discarded.has(request.number) ? 'A later reset or restore discarded what it did.' : null;
    const at = request.clockAt ?? clocks.now(account.id);
    const because = [
      said.because,
      answer && maskedText(answer),
      firstUseOf(account, request),
      keyOf(account, request),
      routeOf(known),
      setting && settingNote(setting),
      undone,
    ];
    const why = because.filter((part) => part !== null).join(' ');
    return [{ ...{ sentAt: null, section, setting, id, kind: 'request', at }, ...said, because: why }];
  }

  /** What had used the Idempotency-Key of a request that was refused with 409. */
  function firstUseOf(account: Account, { number, status, path, fault, requestHeaders, clockAt }: LoggedRequest) {
    const key = requestHeaders['idempotency-key'];
    const isRefused = status === 409 && !fault && path.startsWith('/v1/') && !store.discarded.has(number);
    if (!isRefused || typeof key !== 'string' || clockAt === undefined) return null;
    const { idempotency, sessions, story } = store.of(account);
    const since = clockAt - account.settings.idempotency_hours * HOUR;
    const use = idempotency.find(key, since, clockAt);
    const session = use && sessions.get(use.sessionId);
    return session && toldFirstUse(session.token, story.sessionCause(session));
  }

  /** What was wrong with the key of a request that returned 401 (§5 rules 1, 2). */
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

  function stateOf(account: Account, { kind, session, contract }: Identified, id: string, number?: string): string {
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
        return `an email, ${own.emails.find(id)?.template}`;
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

const subjectsOf = ({ session, contract }: Identified) =>
  [session?.token, contract?.reference].filter((subject) => subject !== undefined);

const linkView = ({ at, sentAt, ...link }: Link) => ({
  at: formatInstant(at),
  sent_at: instantOrNull(sentAt),
  ...link,
});
