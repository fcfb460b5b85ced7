import { describe, expect, test } from 'vitest';
import { reasons } from '../../../src/domain/explain/reasons.ts';
import { settingNote } from '../../../src/domain/setting-note.ts';

const link = (reason: string, name: string | null, value: unknown = 10) => {
  const setting = name === null ? null : { name, value };
  return { because: setting ? `${reason} ${settingNote(setting)}` : reason, setting };
};

describe('interface §11: the reasons of a chain, for a person', () => {
  test('describe a setting once, and name it from then on', () => {
    const chain = [
      link('It failed.', 'grace_days'),
      link('Nobody acted.', null),
      link('It failed again.', 'grace_days'),
    ];
    expect(reasons(chain)).toEqual([chain[0]?.because, 'Nobody acted.', 'It failed again. grace_days: see above.']);
  });

  test('describe it again when its value has changed', () => {
    const chain = [10, 3, 10].map((days) => link('It failed.', 'grace_days', days));
    expect(reasons(chain)).toEqual(chain.map(({ because }) => because));
  });

  test('keep each reason whole that another version worded in its own way', () => {
    const chain = [1, 2].map(() => ({ because: 'Ten days had passed.', setting: { name: 'grace_days', value: 10 } }));
    expect(reasons(chain)).toEqual(['Ten days had passed.', 'Ten days had passed.']);
  });
});

test('a setting whose default the service description states is not called an assumption', () => {
  expect(settingNote({ name: 'idempotency_hours', value: 24 })).toBe(
    'idempotency_hours was 24, as the service description says (§4.3).',
  );
  expect(settingNote({ name: 'idempotency_hours', value: 48 })).toBe(
    'idempotency_hours was 48, set for this account; the service description says 24.',
  );
});
