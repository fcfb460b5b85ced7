import { formatInstant } from '../domain/calendar.ts';
import type { Contract } from '../domain/contract.ts';
import type { PlanFacts } from '../domain/email.ts';
import { type EventType, subjectOf } from '../domain/event.ts';
import type { Installment } from '../domain/installment.ts';
import { merchantName } from '../domain/merchant.ts';
import type { Session } from '../domain/session.ts';
import type { Endpoint } from '../domain/webhook.ts';
import type { StoredEmail } from '../store/emails.ts';
import type { StoredEvent } from '../store/events.ts';
import { oweToSubscribers } from './delivery.ts';
import type { StepTx } from './steps.ts';

/** Records that something happened to a session. Previews make no event (decisions §5). */
export function recordSessionEvent(tx: StepTx, type: EventType, session: Session) {
  if (session.preview) return;
  record(tx, type, session.token, { sessionId: session.id, contractId: null }, tx.views.session(session, tx.now));
}

export function recordContractEvent(tx: StepTx, type: EventType, contract: Contract) {
  if (contract.preview) return;
  const data = tx.views.contract(contract, tx.store.installments.list(contract.id));
  record(tx, type, contract.reference, { sessionId: contract.sessionId, contractId: contract.id }, data);
}

/** `attempt` is the number of the related payment attempt, or null. */
export function recordInstallmentEvent(
  tx: StepTx,
  type: EventType,
  contract: Contract,
  installment: Installment,
  attempt: number | null,
) {
  if (contract.preview) return;
  record(
    tx,
    type,
    subjectOf(contract.reference, installment.number),
    { sessionId: contract.sessionId, contractId: contract.id },
    {
      reference: contract.reference,
      order_reference: contract.orderReference,
      installment: tx.views.installment(installment),
      attempt,
      late_charge_amount: installment.lateChargeCents,
    },
  );
}

/** A `webhook.test` event. Only this endpoint gets it. */
export const recordTestEvent = (tx: StepTx, endpoint: Endpoint) =>
  insertEvent(
    tx,
    'webhook.test',
    endpoint.token,
    { sessionId: null, contractId: null },
    { endpoint_id: endpoint.token },
  );

/** Records an event and, in the same transaction, the deliveries to its subscribers. */
function record(...event: Parameters<typeof insertEvent>) {
  oweToSubscribers(event[0], insertEvent(...event));
}

function insertEvent(
  { store, draw, account, now, cause }: StepTx,
  type: EventType,
  subject: string,
  rows: { sessionId: number | null; contractId: number | null },
  data: object,
): StoredEvent {
  const id = store.events.nextId();
  const token = draw.id('evt', id);
  const body = JSON.stringify({
    id: token,
    type,
    created_at: formatInstant(now),
    livemode: account.mode === 'live',
    data,
  });
  const event = { id, token, accountId: account.id, type, subject, ...rows, createdAt: now, body };
  store.events.insert(event, cause);
  return event;
}

/** Records an email about `contract`. */
export function recordContractEmail<Template extends keyof PlanFacts>(
  tx: StepTx,
  template: Template,
  to: string,
  contract: Contract,
  facts: PlanFacts[Template],
) {
  if (contract.preview) return;
  const { customerName: customer, reference, orderReference: order } = contract;
  insertEmail(tx, to, { template, reference, facts: { ...senderOf(tx), customer, reference, order, ...facts } });
}

/** Records the email about an endpoint that failed. */
export function recordEndpointEmail(tx: StepTx, endpoint: { readonly url: string; readonly reason: string }) {
  const facts = { ...senderOf(tx), ...endpoint };
  insertEmail(tx, tx.account.merchant.email, { template: 'endpoint_disabled', reference: null, facts });
}

const senderOf = ({ account }: StepTx) => ({ mode: account.mode, merchant: merchantName(account.merchant) });

/** The relay sends it later. */
function insertEmail(
  { store, draw, account, now, cause }: StepTx,
  recipient: string,
  email: Pick<StoredEmail, 'template' | 'reference' | 'facts'>,
) {
  const id = store.emails.nextId();
  store.emails.insert(
    { id, token: draw.id('eml', id), accountId: account.id, recipient, ...email, createdAt: now },
    cause,
  );
}
