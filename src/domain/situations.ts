import { BLOCK_REASONS } from './availability.ts';
import { DAY } from './calendar.ts';
import { CONTRACT_STATUSES, type ContractStatus, moveContract } from './contract.ts';
import { EVENT_TYPES, type EventType } from './event.ts';
import { INSTALLMENT_STATUSES, type InstallmentStatus } from './installment.ts';
import { SESSION_STATUSES, type SessionStatus } from './session.ts';

/** The groups of situations, in the order of the report (interface §9). */
export const SITUATION_GROUPS = {
  operations: 'Operations that succeeded',
  refusals: 'Refusals and failures',
  idempotency: 'Idempotency',
  sessions: 'Checkout sessions, as read',
  contracts: 'Contracts, as read',
  webhooks: 'Webhooks, answered with 2xx',
} as const;
export type SituationGroup = keyof typeof SITUATION_GROUPS;

/** What can show that a situation was met for the first time. */
export const FIRST_KINDS = ['request', 'event', 'delivery'] as const;
export type FirstKind = (typeof FIRST_KINDS)[number];

export interface Situation {
  /** `<group>.<what>` */
  readonly id: string;
  readonly group: SituationGroup;
  readonly title: string;
  /** The section of the documents that describes it. */
  readonly section: string;
  /** How to reach it: commands in backticks, and what the store has to do then. */
  readonly how: string;
}

/** The part of an operation that determines its situations. */
export interface ServiceOperation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  /** Operations without a scope are not for stores. */
  readonly scope?: string;
  readonly summary: string;
  readonly refusals: readonly (number | readonly [number, ...unknown[]])[];
}

/** The section of the service description about each operation. */
const SECTIONS: Readonly<Record<string, string>> = {
  ping: 'service §4.1',
  getConfig: 'service §4.2',
  createSession: 'service §4.3',
  getCheckoutSession: 'service §4.4',
  listContracts: 'service §4.5',
  getContract: 'service §4.6',
  updateContract: 'service §4.7',
  cancelContract: 'service §4.8',
};

/** Statuses that the service description does not mention, but HTTP requires (decisions §5). */
const UNDESCRIBED: ReadonlySet<number> = new Set([413, 415]);

/** The setting that causes each reason. */
const BLOCKED_BY: Readonly<Record<(typeof BLOCK_REASONS)[number], { readonly by: string; readonly because: string }>> =
  {
    platform_disabled: { by: 'set disabled true', because: 'layaway is off for everybody' },
    merchant_overridden: { by: 'set layaway_overridden true', because: 'layaway is blocked for the merchant' },
    state_unavailable: { by: 'set unavailable_states TX', because: 'layaway is not sold in the state' },
    state_excluded: { by: 'set excluded_states TX', because: 'the merchant does not sell in the state' },
    merchant_disabled: { by: 'set layaway_enabled false', because: 'the merchant has turned layaway off' },
    merchant_inactive: { by: 'set layaway_activated false', because: 'the merchant has not started yet' },
  };

/** The statuses in which a contract refuses to be cancelled (§4.8). */
const UNCANCELLABLE = CONTRACT_STATUSES.filter(
  (status) => status !== 'cancelled' && moveContract(status, 'cancel') === null,
);

const statusesOf = ({ refusals }: ServiceOperation) =>
  refusals.map((refusal) => (typeof refusal === 'number' ? refusal : refusal[0])).filter((s) => !UNDESCRIBED.has(s));

type Row = Omit<Situation, 'id' | 'group'>;

/** Every situation, in order. Takes the operations of the service, which `operations/` declares. */
export function situationsOf(all: readonly ServiceOperation[]): readonly Situation[] {
  const operations = all.filter(({ scope }) => scope !== undefined);
  const rows: Readonly<Record<SituationGroup, Readonly<Record<string, Row>>>> = {
    operations: named(operations, (operation) => [[operation.operationId, succeeded(operation)]]),
    refusals: { ...named(operations, refusalsOf), ...FAILURES },
    idempotency: IDEMPOTENCY,
    sessions: named(SESSION_STATUSES, (status) => [[status, sessionRead(status)]]),
    contracts: {
      ...named(CONTRACT_STATUSES, (status) => [[status, contractRead(status)]]),
      ...named(INSTALLMENT_STATUSES, (status) => [[`installment.${status}`, installmentRead(status)]]),
      'second-page': {
        title: 'A second page of the list of contracts was read',
        section: 'service §4.5',
        how: 'Make more than 15 contracts, each with `layaway contracts create`, and have the store read GET /v1/contracts?page=2.',
      },
    },
    webhooks: { ...named(EVENT_TYPES, (type) => [[type, eventAnswered(type)]]), ...DELIVERED },
  };
  return (Object.keys(SITUATION_GROUPS) as SituationGroup[]).flatMap((group) =>
    Object.entries(rows[group]).map(([what, row]) => ({ id: `${group}.${what}`, group, ...row })),
  );
}

const named = <T>(all: readonly T[], rowsOf: (one: T) => readonly (readonly [string, Row])[]) =>
  Object.fromEntries(all.flatMap(rowsOf));

function sectionOf({ operationId }: ServiceOperation): string {
  const section = SECTIONS[operationId];
  if (section === undefined) throw new Error(`No section of the description is known for ${operationId}.`);
  return section;
}

const request = ({ method, path }: ServiceOperation) => `${method} ${path}`;

const succeeded = (operation: ServiceOperation): Row => ({
  title: `${request(operation)}: ${operation.summary.charAt(0).toLowerCase()}${operation.summary.slice(1)}`,
  section: sectionOf(operation),
  how: `Have the store send ${request(operation)}.`,
});

function refusalsOf(operation: ServiceOperation): (readonly [string, Row])[] {
  const { operationId } = operation;
  return statusesOf(operation).flatMap((status): (readonly [string, Row])[] => {
    const plain = [`${operationId}.${status}`, refused(operation, status)] as const;
    if (operationId === 'createSession' && status === 403) {
      return [
        plain,
        ...BLOCK_REASONS.map((reason) => [`${operationId}.${status}.${reason}`, blocked(reason)] as const),
      ];
    }
    if (operationId === 'cancelContract' && status === 422) {
      return UNCANCELLABLE.map((from) => [`${operationId}.${status}.${from}`, uncancellable(from)] as const);
    }
    return [plain];
  });
}

const REFUSED: Readonly<Record<number, { readonly title: string; how(operation: ServiceOperation): string }>> = {
  400: {
    title: 'the Idempotency-Key is longer than 255 characters, or sent twice',
    how: (operation) => `Have the store send ${request(operation)} with an Idempotency-Key of 256 characters.`,
  },
  401: {
    title: 'the key does not authenticate',
    how: (operation) => `Have the store send ${request(operation)} with its own client id and a wrong API key.`,
  },
  403: {
    title: 'the key lacks the scope, or the merchant is not cleared to transact',
    how: (operation) =>
      `\`layaway assumptions set clearance in_review\`, have the store send ${request(operation)}, then \`layaway assumptions reset clearance\`.`,
  },
  404: {
    title: 'nothing of this merchant has that id',
    how: (operation) => `Have the store send ${request(operation)} with an id that does not exist.`,
  },
  409: {
    title: 'the Idempotency-Key was used with another body',
    how: (operation) =>
      `Have the store send ${request(operation)} twice with one Idempotency-Key and different bodies.`,
  },
  422: {
    title: 'the request is invalid',
    how: (operation) =>
      `Have the store send ${request(operation)} ${INVALID[operation.operationId] ?? 'with a wrong body'}.`,
  },
  429: {
    title: 'too many requests',
    how: (operation) =>
      `\`layaway faults add throttled --operation ${operation.operationId}\`, then have the store send ${request(operation)}.`,
  },
};

const INVALID: Readonly<Record<string, string>> = {
  createSession: 'with a total_amount outside the merchant’s range',
  updateContract: 'with an empty order_reference',
  listContracts: 'with ?page=0',
};

function refused(operation: ServiceOperation, status: number): Row {
  const known = REFUSED[status];
  if (!known) throw new Error(`Nothing is known of a ${status} of ${operation.operationId}.`);
  return {
    title: `${request(operation)} returned ${status}: ${known.title}`,
    section: status === 404 ? 'service §7' : sectionOf(operation),
    how: known.how(operation),
  };
}

const blocked = (reason: (typeof BLOCK_REASONS)[number]): Row => ({
  title: `POST /v1/sessions returned 403 ${reason}: ${BLOCKED_BY[reason].because}`,
  section: 'service §2.3',
  how: `\`layaway assumptions ${BLOCKED_BY[reason].by}\`, have the store send POST /v1/sessions for a customer in TX, then \`layaway assumptions reset ${BLOCKED_BY[reason].by.split(' ')[1]}\`.`,
});

const uncancellable = (status: ContractStatus): Row => ({
  title: `POST /v1/contracts/{reference}/cancel returned 422: the contract is ${status}`,
  section: 'service §4.8',
  how: `\`layaway contracts create --status ${status}\`, then have the store cancel that contract.`,
});

const FAILURES: Readonly<Record<string, Row>> = {
  'no-answer': {
    title: 'A request got no response: the connection ended first',
    section: 'interface §7',
    how: '`layaway faults add lost_answer`, then have the store send any request.',
  },
  '5xx': {
    title: 'A request was answered with a server error',
    section: 'interface §7',
    how: '`layaway faults add error`, then have the store send any request.',
  },
};

const IDEMPOTENCY: Readonly<Record<string, Row>> = {
  key: {
    title: 'A session was opened with an Idempotency-Key',
    section: 'service §4.3',
    how: 'Have the store send POST /v1/sessions with an Idempotency-Key, one for each checkout attempt.',
  },
  replay: {
    title: 'The same key and body were answered with the session that they had opened',
    section: 'service §4.3',
    how: 'Have the store send the same POST /v1/sessions twice, with one Idempotency-Key.',
  },
  'retry-after-lost-answer': {
    title: 'After a response that was lost, the request was sent again with the same key',
    section: 'service §4.3',
    how: '`layaway faults add lost_answer --operation createSession`, then have the store open a session and retry on its own.',
  },
};

/** Where nobody can be asked, such as in a script, the command needs the customer. */
const ACCEPT = 'layaway sessions accept <id> --customer-name "Ada Byron" --customer-email ada@example.com';

const SESSION_LEVERS: Readonly<Record<SessionStatus, string>> = {
  pending: 'Have the store read a session that it has just opened: GET /v1/checkout-sessions/{id}.',
  decision_made: `\`${ACCEPT}\`, then have the store read the session.`,
  completed: '`layaway sessions complete <id>`, then have the store read the session.',
  cancelled: '`layaway sessions cancel <id>`, then have the store read the session.',
  expired: '`layaway clock advance --until <id>=expired`, then have the store read the session.',
};

const sessionRead = (status: SessionStatus): Row => ({
  title: `A checkout session was read as ${status}`,
  section: 'service §3.1',
  how: SESSION_LEVERS[status],
});

const contractRead = (status: ContractStatus): Row => ({
  title: `A contract was read as ${status}`,
  section: 'service §3.2',
  how: `\`layaway contracts create --status ${status}\`, then have the store read the contract.`,
});

/** How to reach each status. An installment stays due only after a declined down payment. */
const INSTALLMENT_LEVERS: Readonly<Record<InstallmentStatus, string>> = {
  upcoming: 'active',
  due: 'pending',
  paid: 'active',
  past_due: 'past_due',
  delinquent: 'delinquent',
};

const installmentRead = (status: InstallmentStatus): Row => ({
  title: `A contract was read with an installment that is ${status}`,
  section: 'service §3.3',
  how: `\`layaway contracts create --status ${INSTALLMENT_LEVERS[status]}\`, then have the store read the contract.`,
});

const EVENT_LEVERS: Readonly<Record<EventType, string>> = {
  'session.decision_made': ACCEPT,
  'session.completed': 'layaway sessions complete <id>',
  'session.cancelled': 'layaway sessions cancel <id>',
  'session.expired': 'layaway clock advance --until <id>=expired',
  'contract.activated': 'layaway contracts create',
  'contract.completed': 'layaway contracts create --status completed',
  'contract.cancelled': 'layaway contracts cancel <ref>',
  'contract.defaulted': 'layaway contracts create --status defaulted',
  'installment.paid': 'layaway contracts create --status completed',
  'installment.payment_failed': 'layaway contracts create --status past_due',
  'installment.past_due': 'layaway contracts create --status past_due',
  'installment.delinquent': 'layaway contracts create --status delinquent',
  'webhook.test': 'layaway webhooks test <id>',
};

const eventAnswered = (type: EventType): Row => ({
  title: `The webhook ${type} was answered with 2xx`,
  section: 'decisions §6',
  how: `\`${EVENT_LEVERS[type]}\`, with the store’s webhook endpoint running.`,
});

const DELIVERED: Readonly<Record<string, Row>> = {
  retry: {
    title: 'A webhook was answered with 2xx after an attempt that failed',
    section: 'decisions §6',
    how: '`layaway faults add lost`, `layaway contracts create`, then `layaway clock advance 1m`.',
  },
  duplicate: {
    title: 'A webhook that had been answered with 2xx came again, and was answered with 2xx again',
    section: 'decisions §6',
    how: '`layaway faults add duplicate`, then `layaway contracts create`; or `layaway events resend <id>`.',
  },
  'out-of-order': {
    title: 'A webhook came after one of a later event, and was answered with 2xx',
    section: 'decisions §6',
    how: '`layaway faults add reordered`, then `layaway contracts create`.',
  },
  'two-signatures': {
    title: 'A webhook with two signatures, after a rotation of the secret, was answered with 2xx',
    section: 'decisions §6',
    how: '`layaway webhooks rotate <id>`, then `layaway webhooks test <id>` within a day of account time, before the store has the new secret.',
  },
  'after-outage': {
    title: 'A webhook was answered with 2xx three days or more after its event',
    section: 'decisions §6',
    how: '`layaway faults add delayed --by 3d`, `layaway contracts create`, then `layaway clock advance 3d`.',
  },
};

/** A contract in an answer. */
export interface ShownContract {
  readonly status: ContractStatus;
  readonly installments: readonly { readonly status: InstallmentStatus }[];
}

/** The facts in a successful answer. The handlers set them. */
export interface Shown {
  /** The status in which the session was read. */
  readonly session?: SessionStatus;
  readonly contracts?: readonly ShownContract[];
  readonly page?: number;
  readonly opened?: { readonly withKey: boolean; readonly isReplay: boolean };
}

/** A request of the store, with its answer. */
export interface AnsweredRequest {
  readonly operation: string;
  /** As the store saw it; null if no complete answer came. */
  readonly status: number | null;
  /** The reason of a 403, or the status of the contract that could not be cancelled. */
  readonly detail: string | null;
  readonly shown: Shown | null;
  /** It repeats a request whose response was lost, with the same key. */
  readonly isRetry: boolean;
}

/** The situations that a request shows. */
export function situationsOfRequest({ operation, status, detail, shown, isRetry }: AnsweredRequest): string[] {
  if (status === null) return ['refusals.no-answer'];
  if (status >= 500) return ['refusals.5xx'];
  if (status >= 300) return [['refusals', operation, status, detail].filter((part) => part !== null).join('.')];
  const met = new Set([succeededId(operation)]);
  if (shown?.opened?.withKey) met.add('idempotency.key');
  if (shown?.opened?.isReplay) met.add('idempotency.replay');
  if (isRetry) met.add('idempotency.retry-after-lost-answer');
  if (shown?.session) met.add(sessionReadId(shown.session));
  for (const contract of shown?.contracts ?? []) {
    met.add(contractReadId(contract.status));
    for (const installment of contract.installments) met.add(installmentReadId(installment.status));
  }
  if ((shown?.page ?? 1) > 1 && (shown?.contracts?.length ?? 0) > 0) met.add('contracts.second-page');
  return [...met];
}

/** Ids of one group. Each is made once, because every request needs several, and looks each of them up. */
function idsIn(group: string) {
  const ids = new Map<string, string>();
  return (what: string): string => {
    const known = ids.get(what);
    if (known !== undefined) return known;
    const id = `${group}.${what}`;
    ids.set(what, id);
    return id;
  };
}
const succeededId = idsIn('operations');
const sessionReadId = idsIn('sessions');
const contractReadId = idsIn('contracts');
const installmentReadId = idsIn('contracts.installment');
const webhookId = idsIn('webhooks');

/** A webhook that the store's endpoint answered with 2xx. */
export interface AnsweredWebhook {
  readonly type: EventType;
  /** An earlier attempt of the delivery failed. */
  readonly isRetry: boolean;
  /** The endpoint had answered the same event before. */
  readonly isDuplicate: boolean;
  /** The endpoint had answered a later event before. */
  readonly isLate: boolean;
  readonly signatures: number;
  /** The time since the event on the account's clock. */
  readonly ageMs: number;
}

const OUTAGE_MS = 3 * DAY;

/** The situations that a webhook shows. */
export function situationsOfWebhook(webhook: AnsweredWebhook): string[] {
  const { type, isRetry, isDuplicate, isLate, signatures, ageMs } = webhook;
  return [
    webhookId(type),
    ...(isRetry ? ['webhooks.retry'] : []),
    ...(isDuplicate ? ['webhooks.duplicate'] : []),
    ...(isLate && !isDuplicate ? ['webhooks.out-of-order'] : []),
    ...(signatures > 1 ? ['webhooks.two-signatures'] : []),
    ...(ageMs >= OUTAGE_MS ? ['webhooks.after-outage'] : []),
  ];
}
