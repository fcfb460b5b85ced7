import { switchesOf, termsOf } from '../domain/assumptions.ts';
import { availability } from '../domain/availability.ts';
import { HOUR, MINUTE } from '../domain/calendar.ts';
import type { Contract, Customer, Outcome } from '../domain/contract.ts';
import type { Account } from '../domain/merchant.ts';
import type { Metadata } from '../domain/metadata.ts';
import { quote } from '../domain/quote.ts';
import { Refusal } from '../domain/refusal.ts';
import { moveSession, type Session, type SessionTrigger } from '../domain/session.ts';
import { abandon, activate, declineCartCapture, draft } from './contract.ts';
import { recordSessionEvent } from './record.ts';
import type { StepTx } from './steps.ts';
import { type Tx, transact, transactTogether, type World } from './world.ts';

/** The body of session create (§4.3) after validation. */
export interface SessionInput {
  readonly order_reference: string;
  readonly total_amount: number;
  readonly return_url: string;
  readonly cancel_url: string;
  readonly customer_email?: string | null;
  readonly customer_state?: string | null;
  readonly metadata?: Metadata | null;
}

export interface Opened {
  readonly session: Session;
  /** The instant that the answer shows. */
  readonly now: number;
  readonly replayed: boolean;
}

/** An idempotency key with the fingerprint of the request body. */
export interface IdempotencyKey {
  readonly key: string;
  readonly fingerprint: Uint8Array;
}

/** The conditions under which a session is opened, besides its body. */
export interface Opening extends Partial<Pick<Session, 'preview' | 'byStore'>> {
  readonly idempotency?: IdempotencyKey | null;
}

/**
 * Opens a checkout session (§4.3). The body is validated only when the key is not a replay.
 * @throws Refusal `idempotency_key_reused`, `layaway_unavailable`, or what `input` throws
 */
export function openSession(
  world: World,
  account: Account,
  input: () => SessionInput,
  { idempotency = null, ...opening }: Opening = {},
): Opened {
  const now = world.clocks.now(account.id);
  const replay = idempotency && findReplay(world, account, idempotency, now);
  if (replay) return { session: replay, now, replayed: true };

  const valid = input();
  const state = valid.customer_state ?? account.merchant.state;
  const offered = availability(world.store.workspace.platform(), switchesOf(account.settings), state);
  if (!offered.available) throw new Refusal('layaway_unavailable', offered.message, offered.reason);

  const session = transactTogether(
    world,
    account,
    (tx) => {
      const opened = insertSession(tx, valid, state, opening);
      if (idempotency) {
        const { key, fingerprint } = idempotency;
        tx.store.idempotency.remember(account.id, key, { fingerprint, sessionId: opened.id, createdAt: now });
      }
      return opened;
    },
    now,
  );
  return { session, now, replayed: false };
}

/** Finds the session that was opened with this key, if the key has not lapsed (§4.3 rules 2 to 4). */
function findReplay(world: World, account: Account, { key, fingerprint }: IdempotencyKey, now: number): Session | null {
  const first = world.store.idempotency.find(account.id, key, now - account.settings.idempotency_hours * HOUR);
  if (!first) return null;
  if (!world.digest.same(first.fingerprint, fingerprint)) throw new Refusal('idempotency_key_reused');
  return world.store.sessions.get(first.sessionId);
}

/** Records a new session. The caller has checked that it may be opened. */
export function insertSession(
  { store, draw, account, now, cause }: Tx,
  input: SessionInput,
  state: string,
  { preview = false, byStore = false }: Omit<Opening, 'idempotency'> = {},
): Session {
  const terms = termsOf(account.settings);
  const { totalCents, downPaymentCents, reservationFeeCents } = quote(input.total_amount, terms);
  const id = store.sessions.nextId();
  const session: Session = {
    id,
    token: draw.session(id),
    accountId: account.id,
    status: 'pending',
    orderReference: input.order_reference,
    totalCents,
    downPaymentCents,
    reservationFeeCents,
    terms,
    returnUrl: input.return_url,
    cancelUrl: input.cancel_url,
    customerEmail: input.customer_email ?? null,
    customerState: state,
    metadata: input.metadata ?? {},
    preview,
    byStore,
    expiresAt: now + account.settings.session_ttl_minutes * MINUTE,
    createdAt: now,
  };
  store.sessions.insert(session, cause);
  return session;
}

/** Finds a session of this account. Previews and sessions of other accounts count as not found. */
export function readSession(world: World, account: Account, token: string): Session {
  const session = ownSession(world, account, token);
  if (session.preview) throw new Refusal('session_not_found');
  return session;
}

/** The same for `/_sim`, which also finds the account's previews. */
export function ownSession(world: World, account: Account, token: string): Session {
  const session = world.store.of(account).sessions.find(token);
  if (!session) throw new Refusal('session_not_found');
  return session;
}

/** Finds a session of any account, because whoever has the link is the customer. */
export function openedLink(world: World, token: string): { session: Session; account: Account } {
  const session = world.store.sessions.find(token);
  if (!session) throw new Refusal('session_not_found');
  return { session, account: world.store.accounts.get(session.accountId) };
}

/**
 * The customer accepts the plan: this creates a pending contract with its schedule (decisions §4).
 * @throws Refusal `conflict`
 */
export const acceptPlan = (world: World, account: Account, session: Session, customer: Customer): Contract =>
  transact(world, account, (tx) => accept(tx, session, customer));

export function accept(tx: Tx, session: Session, customer: Customer): Contract {
  const accepted = moveTo(tx, session, 'accept');
  const contract = draft(tx, accepted, customer);
  recordSessionEvent(tx, 'session.decision_made', accepted);
  return contract;
}

/**
 * The customer corrects the email address of an accepted plan. Nothing was sent to it yet: the first email follows the
 * Cart Capture.
 * @throws Refusal `conflict`
 */
export const correctEmail = (world: World, account: Account, session: Session, email: string): Contract =>
  transact(world, account, (tx) => {
    moveTo(tx, session, 'correct');
    const contract = tx.store.contracts.ofSession(session.id) as Contract;
    tx.store.contracts.setCustomerEmail(contract.id, email);
    return { ...contract, customerEmail: email };
  });

/**
 * Attempts the Cart Capture. If it is paid, the contract becomes active and the session completed. If it is declined,
 * both stay as they are.
 * @throws Refusal `conflict`
 */
export const payCartCapture = (world: World, account: Account, session: Session, outcome: Outcome): Contract =>
  transact(world, account, (tx) => capture(tx, session, outcome));

export function capture(tx: Tx, session: Session, outcome: Outcome): Contract {
  if (outcome === 'fail') {
    moveTo(tx, session, 'decline');
    return declineCartCapture(tx, session);
  }
  const completed = moveTo(tx, session, 'capture');
  const contract = activate(tx, session);
  recordSessionEvent(tx, 'session.completed', completed);
  if (session.byStore) tx.store.unconfirmedSessions.insert(session.accountId, session.id, tx.now);
  return contract;
}

/**
 * The customer goes through the checkout: accepts the plan, unless that is done, and attempts the Cart Capture.
 * @throws Refusal `conflict`
 */
export const completeCheckout = (
  world: World,
  account: Account,
  session: Session,
  customer: Customer,
  outcome: Outcome,
): Contract =>
  transact(world, account, (tx) => {
    if (session.status !== 'decision_made') accept(tx, session, customer);
    return capture(tx, tx.store.sessions.get(session.id), outcome);
  });

/**
 * The customer backs out. A pending contract is cancelled with the session, without event or email.
 * @throws Refusal `conflict`
 */
export const backOut = (world: World, account: Account, session: Session): Session =>
  transact(world, account, (tx) => {
    const cancelled = moveTo(tx, session, 'back_out');
    abandon(tx, session);
    recordSessionEvent(tx, 'session.cancelled', cancelled);
    return cancelled;
  });

/** The deadline passed: stores the expired status, once (§3.1). */
export function lapse(tx: StepTx, sessionId: number) {
  recordSessionEvent(tx, 'session.expired', moveTo(tx, tx.store.sessions.get(sessionId), 'lapse'));
}

function moveTo(tx: StepTx, session: Session, trigger: SessionTrigger): Session {
  const status = moveSession(session, trigger, tx.now);
  if (status !== session.status) tx.store.sessions.setStatus(session.id, status);
  return { ...session, status };
}
