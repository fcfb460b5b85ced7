import { describe, expect, it } from 'vitest';
import { remembered, revisions } from '../../src/store/remembered.ts';

describe('what a table remembers of its rows', () => {
  it('returns what was set until it is deleted or cleared', () => {
    const known = remembered<number, string>();
    expect(known.set(1, 'one')).toBe('one');
    known.set(2, 'two');
    known.delete(1);
    expect([known.get(1), known.get(2)]).toEqual([undefined, 'two']);
    known.clear();
    expect(known.get(2)).toBeUndefined();
  });

  it('drops the oldest instead of growing for ever', () => {
    const known = remembered<number, number>();
    for (let n = 1; n <= 10_000; n += 1) {
      known.set(n, n);
      if (n > 1000) expect(known.get(n - 1000), String(n)).toBeUndefined();
      if (n > 500) expect(known.get(n - 499), String(n)).toBe(n - 499);
    }
  });

  it('returns the latest value, and nothing that was deleted, however many others came between', () => {
    const known = remembered<string, number | null>();
    known.set('a', 1);
    known.set('b', 1);
    for (let n = 1; n <= 600; n += 1) known.set(`other ${n}`, n);
    known.set('a', 2);
    known.delete('b');
    expect([known.get('a'), known.get('b')]).toEqual([2, undefined]);
    known.set('a', null);
    expect(known.get('a')).toBeNull();
    known.delete('a');
    expect(known.get('a')).toBeUndefined();
    known.clear();
    expect(known.get('other 1')).toBeUndefined();
  });
});

describe('the revision of a row', () => {
  it('is another number after each write, and after everything was forgotten', () => {
    const rows = revisions();
    const seen = [rows.of(1)];
    expect(rows.of(1)).toBe(seen[0]);
    rows.changed(1);
    seen.push(rows.of(1));
    rows.forget();
    seen.push(rows.of(1), rows.of(2));
    expect(new Set(seen).size).toBe(4);
  });
});
