import { describe, expect, test } from 'vitest';
import { move } from '../../src/domain/machine.ts';
import { Refusal } from '../../src/domain/refusal.ts';
import {
  effectiveStatus,
  moveSession,
  SESSION_MACHINE,
  SESSION_STATUSES,
  SESSION_TRIGGERS,
  type Session,
  type SessionStatus,
  type SessionTrigger,
} from '../../src/domain/session.ts';
import { gridOf } from '../support/grid.ts';

/** §3.1 with the triggers of decisions §4, written from the documents. `-` is a refusal. */
const { triggers, states, cells } = gridOf(`
                accept         correct        capture    decline        back_out   lapse
  pending       decision_made  -              -          -              cancelled  expired
  decision_made -              decision_made  completed  decision_made  cancelled  -
  completed     -              -              -          -              -          -
  cancelled     -              -              -          -              -          -
  expired       -              -              -          -              -          -
`);

const session = (status: SessionStatus) => ({ status, expiresAt: 1_000 }) as Session;

test('§3.1: the grid below names every state and every trigger', () => {
  expect(states).toEqual([...SESSION_STATUSES]);
  expect(triggers).toEqual([...SESSION_TRIGGERS]);
});

test.each(cells)('§3.1, decisions §4: a session %s on %s: %s', (from, trigger, to) => {
  const found = move(SESSION_MACHINE, from as SessionStatus, trigger as SessionTrigger);
  expect(found ?? '-').toBe(to);
  const moving = () => moveSession(session(from as SessionStatus), trigger as SessionTrigger, 999);
  if (to !== '-') expect(moving()).toBe(to);
  else expect(moving).toThrow(Refusal);
});

test('§3.1: completed, cancelled and expired are terminal, and nothing else is', () => {
  expect(SESSION_STATUSES.filter((status) => Object.keys(SESSION_MACHINE[status]).length === 0)).toEqual([
    'completed',
    'cancelled',
    'expired',
  ]);
});

describe('§3.1: only a pending session expires', () => {
  test.each([
    ['pending', 999, 'pending'],
    ['pending', 1_000, 'expired'],
    ['pending', 1_001, 'expired'],
    ['decision_made', 1_001, 'decision_made'],
    ['completed', 1_001, 'completed'],
    ['cancelled', 1_001, 'cancelled'],
    ['expired', 0, 'expired'],
  ] as const)('stored %s with expires_at 1000 reads at %i: %s', (status, now, expected) => {
    expect(effectiveStatus(session(status), now)).toBe(expected);
  });
});

test.each(['accept', 'correct', 'capture', 'decline', 'back_out'] as const)(
  '§3.1: a lapsed session cannot be transacted on before its stored status caught up: %s',
  (trigger) => {
    expect(() => moveSession(session('pending'), trigger, 1_000)).toThrow(
      'This checkout session has expired. Open a new one.',
    );
  },
);

test('decisions §4: a decision made stays with no deadline', () => {
  expect(moveSession(session('decision_made'), 'capture', 10 ** 15)).toBe('completed');
  expect(moveSession(session('decision_made'), 'decline', 10 ** 15)).toBe('decision_made');
});

test('interface §3: a refused step is a conflict that says why', () => {
  const why = (status: SessionStatus, trigger: SessionTrigger) => {
    try {
      return moveSession(session(status), trigger, 0);
    } catch (error) {
      return [(error as Refusal).code, (error as Refusal).message];
    }
  };
  expect(why('pending', 'capture')).toEqual(['conflict', expect.stringContaining('not been accepted')]);
  expect(why('decision_made', 'accept')).toEqual(['conflict', expect.stringContaining('already been accepted')]);
  expect(why('completed', 'back_out')).toEqual(['conflict', expect.stringContaining('completed')]);
  expect(why('cancelled', 'accept')).toEqual(['conflict', expect.stringContaining('cancelled')]);
  expect(why('expired', 'accept')).toEqual(['conflict', expect.stringContaining('expired')]);
});
