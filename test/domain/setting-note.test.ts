import { expect, test } from 'vitest';
import { settingNote } from '../../src/domain/setting-note.ts';

test.each([
  ['grace_days', 10, 'grace_days was 10, an assumption: the service description leaves it open (§3.3).'],
  ['grace_days', 3, 'grace_days was 3, set for this account; 10 is assumed otherwise.'],
  ['idempotency_hours', 24, 'idempotency_hours was 24, as the service description says (§4.3).'],
  ['idempotency_hours', 1, 'idempotency_hours was 1, set for this account; the service description says 24.'],
  ['disabled', true, 'disabled was true, set for the platform; false is assumed otherwise.'],
  ['rate_limit_key', 5, 'rate_limit_key was 5, set for the server; 6000 is assumed otherwise.'],
  [
    'installment_cadence',
    'weekly',
    'installment_cadence was weekly, set for this account; biweekly is assumed otherwise.',
  ],
  ['excluded_states', ['TX'], 'excluded_states was ["TX"], set for this account; [] is assumed otherwise.'],
  ['removed_since', 'x', 'removed_since was x.'],
])('interface §11: the note about %s with the value %j', (name, value, note) => {
  expect(settingNote({ name, value })).toBe(note);
});
