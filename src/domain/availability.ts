/** §2.3, by precedence: when several reasons apply, the first one is given (@assumed decisions §5). */
export const BLOCK_REASONS = [
  'platform_disabled',
  'merchant_overridden',
  'state_unavailable',
  'state_excluded',
  'merchant_disabled',
  'merchant_inactive',
] as const;
export type BlockReason = (typeof BLOCK_REASONS)[number];

export type Availability =
  | { readonly available: true; readonly reason: null; readonly message: null }
  | { readonly available: false; readonly reason: BlockReason; readonly message: string };

/** The setting behind a reason, and its value then. Which setting excludes a state depends on the state. */
export const REASON_SETTINGS = {
  platform_disabled: { name: 'disabled', value: true },
  merchant_overridden: { name: 'layaway_overridden', value: true },
  merchant_disabled: { name: 'layaway_enabled', value: false },
  merchant_inactive: { name: 'layaway_activated', value: false },
} as const satisfies Partial<Record<BlockReason, object>>;

/** Messages for the customer (§2.9). */
const MESSAGES: Record<BlockReason, string> = {
  platform_disabled: 'Layaway is not available at the moment. Please choose another way to pay.',
  merchant_overridden: 'Layaway is not available at this store at the moment. Please choose another way to pay.',
  state_unavailable: 'Layaway is not available in your state. Please choose another way to pay.',
  state_excluded: 'This store does not offer layaway in your state. Please choose another way to pay.',
  merchant_disabled: 'This store is not offering layaway right now. Please choose another way to pay.',
  merchant_inactive: 'This store has not started offering layaway yet. Please choose another way to pay.',
};

/** USPS codes of US states and inhabited territories. Any other code is unavailable. */
export const STATES = new Set(
  (
    'AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK ' +
    'OR PA RI SC SD TN TX UT VT VA WA WV WI WY AS GU MP PR VI'
  ).split(' '),
);

/** ASCII only: no state code has other letters, and upper-casing some of them gives two letters. */
export const stateCode = (text: string): string => text.replace(/[a-z]/g, (letter) => letter.toUpperCase());

/** The platform's switches, by the names of its settings. */
interface PlatformSwitches {
  readonly disabled: boolean;
  readonly unavailable_states: readonly string[];
}

/** The merchant's own switches. */
export interface Switches {
  readonly layawayEnabled: boolean;
  readonly layawayActivated: boolean;
  readonly layawayOverridden: boolean;
  readonly excludedStates: readonly string[];
}

/** Whether layaway may be sold in `state`. Ping, config and session create all use this function. */
export function availability(platform: PlatformSwitches, merchant: Switches, state: string): Availability {
  const holds: Record<BlockReason, boolean> = {
    platform_disabled: platform.disabled,
    merchant_overridden: merchant.layawayOverridden,
    state_unavailable: !STATES.has(state) || platform.unavailable_states.includes(state),
    state_excluded: merchant.excludedStates.includes(state),
    merchant_disabled: !merchant.layawayEnabled,
    merchant_inactive: !merchant.layawayActivated,
  };
  const reason = BLOCK_REASONS.find((candidate) => holds[candidate]);
  if (reason === undefined) return { available: true, reason: null, message: null };
  return { available: false, reason, message: MESSAGES[reason] };
}
