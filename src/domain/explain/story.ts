import type { AccountSettings, Platform } from '../assumptions.ts';
import { type Cause, numberIn } from '../cause.ts';
import type { Contract, PaymentAttempt } from '../contract.ts';
import type { EmailTemplate } from '../email.ts';
import type { EventType } from '../event.ts';
import type { FaultMark } from '../faults.ts';
import type { Installment } from '../installment.ts';
import type { Session } from '../session.ts';
import type { Setting } from '../setting-note.ts';
import type { AttemptOutcome, Delivery } from '../webhook.ts';

export const CHAIN_KINDS = [
  'request',
  'lever',
  'clock',
  'transition',
  'event',
  'attempt',
  'email',
  'delivery',
] as const;
export type ChainKind = (typeof CHAIN_KINDS)[number];

/** One link of a chain of causes: what happened, and why. */
export interface Link {
  /** On the account's clock. */
  readonly at: number;
  /** In real time, for a request, a lever or a delivery. */
  readonly sentAt: number | null;
  readonly what: string;
  readonly because: string;
  readonly section: string | null;
  readonly setting: Setting | null;
  readonly id: string | null;
  readonly kind: ChainKind;
}

/** The facts of a request to `/v1` that a story needs. */
export interface ToldRequest {
  readonly id: string;
  readonly sentAt: number;
  readonly method: string;
  readonly path: string;
  readonly status: number | null;
  readonly fault: FaultMark | null;
  /** The rate limit that refused it. */
  readonly limit: Setting | null;
  /** It came from a command or a test's shop, not from the store. */
  readonly isOfTool: boolean;
  /** The fields of its body or query that the service ignores. */
  readonly unknownFields: readonly string[];
}

/** The facts of a lever that a story needs. */
export interface ToldLever {
  readonly id: string;
  readonly operation: string;
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly at: number;
  readonly sentAt: number;
  /** The last request and the last event before it. */
  readonly afterRequest: number;
  readonly afterEvent: number;
}

/** An event, without its body. */
export interface ToldEvent {
  readonly id: number;
  readonly token: string;
  readonly type: EventType;
  readonly subject: string;
  readonly at: number;
  readonly cause: Cause | null;
}

export interface ToldEmail {
  readonly token: string;
  readonly template: EmailTemplate;
  readonly recipient: string;
  /** The installment that it concerns. */
  readonly installment: number | null;
  /** The webhook endpoint that it concerns, and why that was disabled. */
  readonly url: string | null;
  readonly reason: string | null;
  readonly at: number;
}

/** Why an email about a disabled endpoint was written. */
export const disabledBecause = ({ url, reason }: ToldEmail) => `The endpoint ${url} was disabled: ${reason}.`;

export interface ToldDelivery {
  readonly delivery: Delivery;
  readonly cause: Cause | null;
  /** False while it waits for a listening process that is away. */
  readonly isHeard: boolean;
  /** When, on the account's clock, and why it was given up before its last retry. */
  readonly givenUp: { readonly at: number; readonly reason: string } | null;
  /** The fault that holds its first attempt back. */
  readonly heldBy: FaultMark | null;
  readonly attempts: readonly ToldAttempt[];
}

export type ToldAttempt = Pick<AttemptOutcome, 'sentAt' | 'statusCode' | 'error' | 'responseHeaders'> & {
  /** A later attempt has a higher one. */
  readonly id: number;
  readonly number: number;
  readonly at: number;
  readonly fault: FaultMark | null;
};

/** How many deliveries a story has at most, besides the one that is explained. */
export const DELIVERIES_MAX = 1_000;

/** Everything that belongs to one checkout and its contract, or a single thing that belongs to no checkout. */
export interface Story {
  readonly session: Session | null;
  readonly sessionCause: Cause | null;
  readonly contract: Contract | null;
  readonly contractCause: Cause | null;
  readonly installments: readonly Installment[];
  readonly attempts: readonly (PaymentAttempt & { readonly cause: Cause | null })[];
  readonly events: readonly ToldEvent[];
  readonly emails: readonly ToldEmail[];
  readonly deliveries: readonly ToldDelivery[];
  readonly levers: readonly ToldLever[];
  readonly settings: AccountSettings & Platform;
  /** Null if the log does not contain it. */
  request(id: string): ToldRequest | null;
}

/** The words of a link. */
export type Said = Pick<Link, 'what' | 'because'> & Partial<Pick<Link, 'section' | 'setting' | 'id' | 'sentAt'>>;

/** What nobody asked for: the server made it as it began. */
export const FROM_START: Said = {
  what: 'It belongs to the initial state of the server.',
  because: 'The fixture or the flags ask for it.',
};
export const LEVER = 'A lever of the simulator did this.';
export const NOT_RECORDED = 'Not recorded: an older version of layaway wrote this.';

/** The value of a setting before the first of its later changes. */
export function settingThen<Name extends keyof Story['settings']>(
  { levers, settings }: Pick<Story, 'levers' | 'settings'>,
  name: Name,
  isLater: (lever: ToldLever) => boolean,
): Story['settings'][Name] {
  for (const lever of levers) {
    if (!SETS.has(lever.operation) || !isLater(lever)) continue;
    const { before } = (lever.body ?? {}) as { readonly before?: Partial<Story['settings']> };
    const value = before?.[name];
    if (value !== undefined) return value;
  }
  return settings[name];
}

const SETS: ReadonlySet<string> = new Set(['updateSettings', 'updatePlatform']);

export const settingAt = <Name extends keyof AccountSettings>({ id }: ToldEvent, name: Name, story: Story) =>
  settingThen(story, name, ({ afterEvent }) => afterEvent >= id);

/** By their numbers: a setting may have changed in the millisecond of the request. */
export function settingOfRequest<Name extends keyof Story['settings']>(
  { id }: Pick<ToldRequest, 'id'>,
  name: Name,
  story: Story,
) {
  const number = numberIn('req', id) ?? 0;
  return settingThen(story, name, ({ afterRequest }) => afterRequest >= number);
}
