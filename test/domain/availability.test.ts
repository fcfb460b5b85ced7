import { describe, expect, test } from 'vitest';
import { availability, type BlockReason, STATES } from '../../src/domain/availability.ts';

/** §2.3; decisions §5: the precedence is the order of the enum. */
const PRECEDENCE: readonly BlockReason[] = [
  'platform_disabled',
  'merchant_overridden',
  'state_unavailable',
  'state_excluded',
  'merchant_disabled',
  'merchant_inactive',
];

/** What makes each reason hold in Texas. */
function inTexas(holding: ReadonlySet<BlockReason>) {
  const has = (reason: BlockReason) => holding.has(reason);
  return availability(
    { disabled: has('platform_disabled'), unavailable_states: has('state_unavailable') ? ['DC', 'TX'] : ['DC', 'MD'] },
    {
      layawayOverridden: has('merchant_overridden'),
      layawayEnabled: !has('merchant_disabled'),
      layawayActivated: !has('merchant_inactive'),
      excludedStates: has('state_excluded') ? ['TX'] : ['CA'],
    },
    'TX',
  );
}

test('§2.3, decisions §5: over all 64 combinations the first reason of the enum is named', () => {
  for (let bits = 0; bits < 2 ** PRECEDENCE.length; bits += 1) {
    const holding = new Set(PRECEDENCE.filter((_, index) => bits & (1 << index)));
    const expected = PRECEDENCE.find((reason) => holding.has(reason));
    const answer = inTexas(holding);
    expect(Object.keys(answer)).toEqual(['available', 'reason', 'message']);
    if (expected === undefined) expect(answer).toEqual({ available: true, reason: null, message: null });
    else {
      expect(answer, [...holding].join()).toMatchObject({ available: false, reason: expected });
      expect(answer.message).toMatch(/^[A-Z][^{}<>]+\.$/);
    }
  }
});

describe('decisions §2: codes that are no US state or territory are unavailable too', () => {
  const selling = { layawayOverridden: false, layawayEnabled: true, layawayActivated: true, excludedStates: [] };

  test.each(['ZZ', 'XX', 'tx', '', 'T', 'Texas', 'ON', '12', '  '])('%j', (state) => {
    expect(availability({ disabled: false, unavailable_states: [] }, selling, state).reason).toBe('state_unavailable');
  });

  test('50 states, the District and the five inhabited territories are known', () => {
    expect(STATES.size).toBe(56);
    for (const state of STATES) {
      expect(availability({ disabled: false, unavailable_states: [] }, selling, state).available).toBe(true);
    }
  });
});
