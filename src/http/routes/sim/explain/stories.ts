import { leverId } from '../../../../domain/cause.ts';
import type { EndpointStory } from '../../../../domain/explain/endpoint.ts';
import {
  DELIVERIES_MAX,
  type Story,
  type ToldDelivery,
  type ToldEmail,
  type ToldRequest,
} from '../../../../domain/explain/story.ts';
import { isRecord } from '../../../../domain/json.ts';
import type { Account } from '../../../../domain/merchant.ts';
import type { Delivery, Endpoint } from '../../../../domain/webhook.ts';
import { serviceOperationAt } from '../../../../operations/service.ts';
import type { StoredEvent } from '../../../../store/events.ts';
import type { HttpContext } from '../../../context.ts';
import { isOfTool } from '../../../coverage.ts';
import { pathOf } from '../../../input/path.ts';
import { unknownFields } from '../../../input/unknown-fields.ts';
import type { LoggedRequest } from '../../../log/logged-request.ts';
import { maskedText } from '../../../log/masked.ts';
import type { Identified } from '../identified.ts';
import { ownRequest } from '../requests.ts';

/** Reads the facts for `explain`, with secrets masked. */
export function createStories({ store, outbox, requestLog }: HttpContext) {
  function ofEndpoint(account: Account, endpoint: Endpoint): EndpointStory {
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

  function ofIdentified(account: Account, { session, contract, kind }: Identified, id: string): Story {
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
      settings: { ...account.settings, ...store.workspace.platform() },
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
  function eventsAlone(account: Account, kind: Identified['kind'], id: string) {
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

  /** The endpoints whose URL was changed, as far as the recorded levers show. */
  const endpointsWithOtherUrl = (account: Account): ReadonlySet<string | undefined> =>
    new Set(
      leversOf(account)
        .filter(({ operation, body }) => operation === 'updateWebhookEndpoint' && isRecord(body) && 'url' in body)
        .map(({ params }) => params.id),
    );

  function toldDelivery(account: Account, delivery: Delivery, heard: ReadonlySet<number>): ToldDelivery {
    const { deliveries, story } = store.of(account);
    const { givenUpAt, givenUpReason, holder, holderKind } = deliveries.namesOf(delivery);
    return {
      delivery: { ...delivery, url: maskedText(delivery.url) },
      cause: story.deliveryCause(delivery),
      isHeard: delivery.endpointId === null || heard.has(delivery.endpointId),
      givenUp: givenUpAt === null ? null : { at: givenUpAt, reason: maskedText(String(givenUpReason)) },
      heldBy: holder !== null && holderKind !== null ? { id: holder, kind: holderKind } : null,
      attempts: deliveries.attempts(delivery),
    };
  }

  return { ofIdentified, ofEndpoint, leversOf, endpointsWithOtherUrl };
}

export function toldOf(
  id: string,
  { at: sentAt, method, path, status, fault, limit = null, requestHeaders, requestBody }: LoggedRequest,
): ToldRequest {
  const isByTool = isOfTool({ headers: requestHeaders });
  const operation = serviceOperationAt(method, pathOf(path));
  const query = Object.fromEntries(new URLSearchParams(/\?([^#]*)/.exec(path)?.[1]));
  const ignored = operation ? unknownFields(operation, { body: requestBody, query }).map(maskedText) : [];
  const told = { id, sentAt, method, path: maskedText(path), status, fault, limit };
  return { ...told, isOfTool: isByTool, unknownFields: ignored };
}

const toldEmail = (email: ToldEmail): ToldEmail => ({ ...email, url: email.url && maskedText(email.url) });
