import { ACCOUNT_DEFAULTS, PLATFORM_DEFAULTS } from '../../src/domain/assumptions.ts';
import { DAY, HOUR } from '../../src/domain/calendar.ts';
import { leverCause, leverId } from '../../src/domain/cause.ts';
import type { Contract } from '../../src/domain/contract.ts';
import type { EventType } from '../../src/domain/event.ts';
import type {
  Link,
  Story,
  ToldAttempt,
  ToldDelivery,
  ToldEmail,
  ToldEvent,
  ToldLever,
  ToldRequest,
} from '../../src/domain/explain/story.ts';
import type { Installment } from '../../src/domain/installment.ts';
import type { Session } from '../../src/domain/session.ts';
import type { Delivery, Endpoint } from '../../src/domain/webhook.ts';

/** Parts of a story, made by hand. `over` has what a test is about. */

export const OPENED = Date.UTC(2026, 0, 1);
/** The real time of what happened first. */
export const SENT = Date.UTC(2026, 6, 1);
export const STORE = 'http://store/webhooks';

export const session = (over: Partial<Session> = {}): Session => ({
  id: 1,
  token: 'cs_1',
  accountId: 1,
  status: 'pending',
  orderReference: 'A-1',
  totalCents: 20_000,
  downPaymentCents: 4_000,
  reservationFeeCents: 1_000,
  terms: {
    downPaymentPercentage: 20,
    reservationFeePercentage: 5,
    installmentCount: 2,
    installmentCadence: 'biweekly',
  },
  returnUrl: 'http://store/return',
  cancelUrl: 'http://store/cancel',
  customerEmail: null,
  customerState: 'CA',
  metadata: {},
  preview: false,
  byStore: true,
  expiresAt: OPENED + HOUR,
  createdAt: OPENED,
  ...over,
});

export const contract = (over: Partial<Contract> = {}): Contract => ({
  id: 1,
  reference: 'LAY-1',
  accountId: 1,
  sessionId: 1,
  status: 'active',
  orderReference: 'A-1',
  customerName: 'Ada Byron',
  customerEmail: 'ada@example.com',
  customerState: 'CA',
  totalCents: 20_000,
  reservationFeeCents: 1_000,
  downPaymentCents: 4_000,
  metadata: {},
  preview: false,
  outcomes: [],
  startedAt: OPENED,
  completedAt: null,
  defaultedAt: null,
  cancelledAt: null,
  createdAt: OPENED,
  ...over,
});

export const installment = (number: number, over: Partial<Installment> = {}): Installment => ({
  contractId: 1,
  sequence: number + 1,
  type: 'installment_capture',
  number,
  amountCents: 8_000,
  dueAt: OPENED + number * 14 * DAY,
  status: 'upcoming',
  paidAt: null,
  pastDueAt: null,
  defaultAt: null,
  lateChargeCents: 0,
  attempts: 0,
  next: null,
  ...over,
});

export const payment = (
  sequence: number,
  over: Partial<Story['attempts'][number]> = {},
): Story['attempts'][number] => ({
  reference: `sim_${sequence}`,
  sequence,
  number: 1,
  outcome: 'pay',
  amountCents: sequence === 1 ? 5_000 : 8_000,
  lateChargeCents: 0,
  at: OPENED,
  cause: null,
  ...over,
});

export const event = (id: number, type: EventType, subject: string, over: Partial<ToldEvent> = {}): ToldEvent => ({
  id,
  token: `evt_${id}`,
  type,
  subject,
  at: OPENED,
  cause: null,
  ...over,
});

export const lever = (number: number, operation: string, over: Partial<ToldLever> = {}): ToldLever => ({
  id: leverId(number),
  operation,
  params: {},
  body: null,
  at: OPENED,
  sentAt: SENT + number,
  afterRequest: 0,
  afterEvent: 0,
  ...over,
});

export const causeOf = ({ operation, id }: ToldLever) => leverCause(operation, Number(id.slice(4)));

export const email = (over: Partial<ToldEmail> = {}): ToldEmail => ({
  token: 'eml_1',
  template: 'plan_confirmation',
  recipient: 'ada@example.com',
  installment: null,
  url: null,
  reason: null,
  at: OPENED,
  ...over,
});

export const attempt = (id: number, over: Partial<ToldAttempt> = {}): ToldAttempt => ({
  id,
  number: 1,
  at: OPENED,
  sentAt: SENT + id,
  statusCode: 200,
  error: null,
  responseHeaders: {},
  fault: null,
  ...over,
});

export const delivery = (
  eventId: number,
  { delivery: row, ...over }: Partial<Omit<ToldDelivery, 'delivery'>> & { delivery?: Partial<Delivery> } = {},
): ToldDelivery => ({
  delivery: {
    id: eventId,
    token: `dlv_${eventId}`,
    accountId: 1,
    eventId,
    endpointId: 1,
    url: STORE,
    status: 'delivered',
    attempts: over.attempts?.length ?? 0,
    nextAttemptAt: null,
    isForged: false,
    ...row,
  },
  cause: null,
  isHeard: true,
  givenUp: null,
  heldBy: null,
  attempts: [],
  ...over,
});

export const endpoint = (over: Partial<Endpoint> = {}): Endpoint => ({
  id: 1,
  token: 'we_1',
  accountId: 1,
  url: STORE,
  events: ['*'],
  transport: 'http',
  secret: 'whsec_1',
  previous: null,
  enabled: true,
  disabledReason: null,
  failingSince: null,
  createdAt: OPENED,
  disconnectedAt: null,
  insecure: false,
  ...over,
});

export const request = (over: Partial<ToldRequest> = {}): ToldRequest => ({
  id: 'req_000000000001',
  sentAt: SENT,
  method: 'POST',
  path: '/v1/sessions',
  status: 201,
  fault: null,
  limit: null,
  isOfTool: false,
  unknownFields: [],
  ...over,
});

export const story = (over: Partial<Story> = {}): Story => ({
  session: session(),
  sessionCause: null,
  contract: null,
  contractCause: null,
  installments: [],
  attempts: [],
  events: [],
  emails: [],
  deliveries: [],
  levers: [],
  settings: { ...ACCOUNT_DEFAULTS, ...PLATFORM_DEFAULTS },
  request: () => null,
  ...over,
});

/** The links of a chain as lines, each with its kind. */
export const told = (chain: readonly Link[]) => chain.map(({ kind, what, because }) => `${kind}: ${what} ${because}`);
