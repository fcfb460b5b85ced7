import type { AccountSettings } from '../domain/assumptions.ts';
import type { Cause } from '../domain/cause.ts';
import type { Contract } from '../domain/contract.ts';
import type { Installment } from '../domain/installment.ts';
import type { Account } from '../domain/merchant.ts';
import type { Session } from '../domain/session.ts';
import type { Draw } from '../secrets/draw.ts';
import type { Store } from '../store/store.ts';
import type { Clocks } from '../time/clocks.ts';

/** Views for the data of events: the resource exactly as the API returns it (decisions §6). */
export interface Views {
  session(session: Session, now: number): object;
  contract(contract: Contract, installments: readonly Installment[]): object;
  installment(installment: Installment): object;
}

/** What the verbs work with, joined by `simulator.ts`. */
export interface World {
  readonly store: Store;
  readonly clocks: Clocks;
  readonly views: Views;
  readonly digest: { sha256(data: string): Uint8Array; same(a: Uint8Array, b: Uint8Array): boolean };
  /** Settings of new accounts that replace the defaults. */
  readonly initialSettings: Partial<AccountSettings>;
  /** Draws from the workspace's seed. */
  readonly draw: Draw;
  /** The cause that written rows name. */
  readonly cause: Cause;
}

/** The context of one transaction of one account. `now` is read once and stamps every row. */
export interface Tx extends Pick<World, 'store' | 'draw' | 'views' | 'cause'> {
  readonly account: Account;
  readonly now: number;
  /**
   * The instant of the first attempt of new deliveries. Null: make no deliveries. Undefined: the retry ladder decides.
   */
  readonly firstAttemptAt?: number | null;
}

/** Runs `work` as one transaction: all of it is stored, or nothing. */
export function transact<T>(
  world: World,
  account: Account,
  work: (tx: Tx) => T,
  now = world.clocks.now(account.id),
): T {
  const { store, draw, views, cause } = world;
  return store.transaction(() => work({ store, draw, views, cause, account, now }), account.id);
}

/** The same, but committed together with other transactions of this turn of the event loop: await `store.committed`. */
export function transactTogether<T>(world: World, account: Account, work: (tx: Tx) => T, now: number): T {
  const { store, draw, views, cause } = world;
  return store.shared(() => work({ store, draw, views, cause, account, now }), account.id);
}
