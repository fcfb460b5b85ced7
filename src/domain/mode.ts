/** §2.2: the mode that a request runs in. */
export const MODES = ['sandbox', 'live'] as const;
export type Mode = (typeof MODES)[number];

/** §5: the word in client ids and keys, `mch_test_…` and `sk_live_…`. */
const WORD = { sandbox: 'test', live: 'live' } as const satisfies Record<Mode, string>;

export const clientIdPrefix = (mode: Mode) => `mch_${WORD[mode]}_`;
export const apiKeyPrefix = (mode: Mode) => `sk_${WORD[mode]}_`;

/** §5 rule 4: the prefix of a key decides the mode; null for an unknown prefix. */
export function modeOfApiKey(apiKey: string): Mode | null {
  return MODES.find((mode) => apiKey.startsWith(apiKeyPrefix(mode))) ?? null;
}

/** §1 and decisions §1: attempts are stamped `sim_…` in sandbox, `pay_…` in live. */
export const paymentPrefix = (mode: Mode) => (mode === 'sandbox' ? 'sim_' : 'pay_');
