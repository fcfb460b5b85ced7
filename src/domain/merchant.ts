import { ACCOUNT_DEFAULTS, type AccountSettings, type MerchantProfile, type Settings } from './assumptions.ts';
import type { Instant } from './calendar.ts';
import type { Mode } from './mode.ts';
import type { Scope } from './scope.ts';

/** A store, with one account per mode. */
export interface Merchant extends MerchantProfile {
  readonly id: number;
  readonly token: string;
  readonly createdAt: Instant;
}

/** The name that customers see. */
export const merchantName = ({ dba, legal_name }: Merchant) => dba ?? legal_name;

/** An account's clock: frozen at an instant, or running at an offset to real time. */
export type Clock =
  | { readonly mode: 'frozen'; readonly at: Instant }
  | { readonly mode: 'running'; readonly offsetMs: number };

/** One account of a merchant, with its own client id, keys, settings and clock (§1, decisions §1). */
export interface Account {
  readonly id: number;
  readonly merchant: Merchant;
  readonly mode: Mode;
  readonly clientId: string;
  /** The signing secret of this account's endpoints that have no secret of their own. */
  readonly webhookSecret: string;
  /** The values that were set; the others follow the defaults. */
  readonly overrides: Partial<AccountSettings>;
  readonly settings: AccountSettings;
}

/** A server-side secret (§5), stored as its SHA-256. */
export interface ApiKey {
  readonly id: number;
  readonly token: string;
  readonly accountId: number;
  readonly name: string;
  readonly hash: Uint8Array;
  readonly prefix: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: Instant;
  readonly revokedAt: Instant | null;
}

export const withDefaults = (overrides: Partial<AccountSettings>): AccountSettings => ({
  ...ACCOUNT_DEFAULTS,
  ...overrides,
});

/** The flat object of `/_sim/settings`. */
export const settingsOf = ({ settings, merchant: { legal_name, dba, state, email } }: Account): Settings => ({
  ...settings,
  legal_name,
  dba,
  state,
  email,
});
