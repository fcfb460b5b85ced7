import type { FastifyInstance } from 'fastify';
import { formatInstant, formatMoment } from '../../../../domain/calendar.ts';
import { aheadOf, attemptsAhead, type Upcoming } from '../../../../domain/explain/ahead.ts';
import { chainOf } from '../../../../domain/explain/chain.ts';
import { endpointAhead, endpointChain } from '../../../../domain/explain/endpoint.ts';
import { answered } from '../../../../domain/explain/request.ts';
import type { Link, ToldLever } from '../../../../domain/explain/story.ts';
import { summaryOf, waitingOf } from '../../../../domain/explain/summary.ts';
import type { Account } from '../../../../domain/merchant.ts';
import { Refusal } from '../../../../domain/refusal.ts';
import { installmentNumber } from '../../../../domain/schedule.ts';
import { effectiveStatus } from '../../../../domain/session.ts';
import { explain } from '../../../../operations/explain.ts';
import { instantOrNull } from '../../../answer/views.ts';
import type { HttpContext } from '../../../context.ts';
import { maskedText } from '../../../log/masked.ts';
import { serve } from '../../../serve.ts';
import { type Identified, identify } from '../identified.ts';
import { ownRequest, unlogged } from '../requests.ts';
import { createRequestExplainer } from './request-explainer.ts';
import { createStories } from './stories.ts';

/** Why something is as it is (interface §11). */
export function simExplain(app: FastifyInstance, ctx: HttpContext) {
  const { engine, store, clocks, requestLog } = ctx;
  const stories = createStories(ctx);
  const explainRequest = createRequestExplainer(ctx);

  serve(app, explain, ({ account, params }) => {
    const [id = '', number] = params.id.split(/#(.*)/s);
    const identified = identify(ctx, account, id);
    if (!identified) {
      throw unlogged(requestLog, id) ?? ofLever(account, id) ?? ofRemoved(account, id) ?? new Refusal('not_explained');
    }
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
    const chain = isTold ? told : [...told, ...explainRequest(account, id, story)].toSorted((a, b) => a.at - b.at);
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

  /** Null for an id of anything but a removed endpoint, which deliveries still name. */
  function ofRemoved(account: Account, id: string): Refusal | null {
    const isRemoval = ({ operation, params }: ToldLever) => operation === 'deleteWebhookEndpoint' && params.id === id;
    const removal = stories.leversOf(account).find(isRemoval);
    return removal ? new Refusal('removed_not_explained', id, formatMoment(removal.at)) : null;
  }

  /** The story of the endpoint, or of the one that an email is about, unless that one was removed. */
  function endpointStoryOf(account: Account, { kind }: Identified, id: string) {
    const { endpoints, emails } = store.of(account);
    const facts = kind === 'email' ? emails.find(id)?.facts : undefined;
    const url = facts && 'url' in facts ? facts.url : undefined;
    const changed = url === undefined ? new Set<string>() : stories.endpointsWithOtherUrl(account);
    for (const endpoint of endpoints.list()) {
      if (endpoint.token !== id && endpoint.url !== url && !changed.has(endpoint.token)) continue;
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
  ahead: readonly Upcoming[],
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
