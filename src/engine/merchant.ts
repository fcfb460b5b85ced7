import {
  ACCOUNT_SETTING_NAMES,
  type AccountSettings,
  MERCHANT_DEFAULTS,
  MERCHANT_PROFILE_NAMES,
  type MerchantProfile,
  type Platform,
  refuseContradictions,
  type Settings,
} from '../domain/assumptions.ts';
import { KEY_PREFIX_LENGTH } from '../domain/limits.ts';
import { type Account, type ApiKey, type Clock, type Merchant, settingsOf, withDefaults } from '../domain/merchant.ts';
import type { Mode } from '../domain/mode.ts';
import { Refusal } from '../domain/refusal.ts';
import { SCOPES, type Scope } from '../domain/scope.ts';
import type { Draw } from '../secrets/draw.ts';
import { transact, type World } from './world.ts';

export interface NewMerchant {
  readonly profile?: Partial<MerchantProfile>;
  readonly settings?: Partial<AccountSettings>;
  readonly clock: Clock;
}

/** One account of a new merchant. The API key is shown only here. */
export interface NewAccount {
  readonly account: Account;
  readonly apiKey: string;
}

export type CreatedMerchant = { readonly merchant: Merchant } & Readonly<Record<Mode, NewAccount>>;

/**
 * Creates a merchant with both accounts; each gets one key with all scopes. Only the default merchant has a `draw` of
 * its own, because its credentials do not depend on the seed.
 * @throws Refusal `invalid` when the settings contradict each other
 */
export function createMerchant(
  world: World,
  { profile = {}, settings = {}, clock }: NewMerchant,
  draw: Draw = world.draw,
): CreatedMerchant {
  refuseContradictions(withDefaults(settings));
  return world.store.transaction(() => {
    const { store } = world;
    const id = store.merchants.nextId();
    const createdAt = world.clocks.read(clock);
    const merchant: Merchant = { ...MERCHANT_DEFAULTS, ...profile, id, token: draw.id('mer', id), createdAt };
    store.merchants.insert(merchant);
    return { merchant, sandbox: createAccount('sandbox'), live: createAccount('live') };

    function createAccount(mode: Mode): NewAccount {
      const account = store.accounts.insert({
        merchantId: id,
        mode,
        clientId: draw.clientId(mode, id),
        webhookSecret: draw.webhookSecret('account', id),
        clock,
        overrides: { ...world.initialSettings, ...settings },
      });
      const key = { name: 'first key', scopes: SCOPES, at: createdAt };
      const { apiKey } = issue(world, account, key, draw, () => draw.firstKey(mode, id));
      return { account, apiKey };
    }
  });
}

export interface NewKey {
  readonly name: string;
  readonly scopes: readonly Scope[];
}

/** Issues a key. Only this call returns the key itself (§5). */
export const createKey = (world: World, account: Account, key: NewKey): { key: ApiKey; apiKey: string } =>
  transact(world, account, ({ draw, now }) =>
    issue(world, account, { ...key, at: now }, draw, (n) => draw.apiKey(account.mode, n)),
  );

function issue(
  { store, digest }: World,
  account: Account,
  { name, scopes, at }: NewKey & { at: number },
  draw: Draw,
  drawKey: (n: number) => string,
) {
  const id = store.keys.nextId();
  const apiKey = drawKey(id);
  const key = {
    id,
    token: draw.id('key', id),
    accountId: account.id,
    name,
    hash: digest.sha256(apiKey),
    prefix: apiKey.slice(0, KEY_PREFIX_LENGTH),
    scopes: SCOPES.filter((scope) => scopes.includes(scope)),
    createdAt: at,
  };
  store.keys.insert(key);
  return { key: { ...key, revokedAt: null }, apiKey };
}

/**
 * Revokes a key. Revoking it again changes nothing.
 * @throws Refusal `not_found`
 */
export function revokeKey(world: World, account: Account, token: string) {
  const key = world.store.of(account).keys.find(token);
  if (!key) throw new Refusal('not_found', 'Key');
  if (key.revokedAt !== null) return;
  // The commit notifies the streams of the account, so that those opened with this key end.
  transact(world, account, ({ store, now }) => store.keys.revoke(key, now));
}

/** A change of settings: the values that it replaced, and the new ones. */
export interface Change<T> {
  readonly before: T;
  readonly after: T;
}

/**
 * Changes the settings of an account and the profile of its merchant, which both accounts share.
 * @throws Refusal `invalid` when the settings would contradict each other
 */
export function changeSettings({ store }: World, { id }: Account, changes: Partial<Settings>): Change<Settings> {
  // Read it again: the other account may have changed the profile since.
  const account = store.accounts.get(id);
  const overrides = { ...account.overrides, ...pick(changes, ACCOUNT_SETTING_NAMES) };
  refuseContradictions(withDefaults(overrides));
  const change = () => {
    store.accounts.setOverrides(id, overrides);
    store.accounts.setProfile(account.merchant.id, { ...account.merchant, ...pick(changes, MERCHANT_PROFILE_NAMES) });
    return { before: settingsOf(account), after: settingsOf(store.accounts.get(id)) };
  };
  // The commit notifies the streams of both accounts, because both show the profile.
  const idOf = (mode: Mode) => store.accounts.ofMerchant(account.merchant.id, mode).id;
  return store.transaction(() => store.transaction(change, idOf('live')), idOf('sandbox'));
}

export const changePlatform = ({ store }: World, changes: Partial<Platform>): Change<Platform> =>
  store.transaction(() => {
    const before = store.workspace.platform();
    store.workspace.setPlatform({ ...before, ...changes });
    return { before, after: store.workspace.platform() };
  });

const pick = <T extends object, K extends PropertyKey>(from: T, names: readonly K[]) =>
  Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name as K)));
